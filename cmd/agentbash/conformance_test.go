package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the SDK's own example client reaches in version 0.2.0-alpha.12 of the suite.
const (
	leastPassed = 494
	mostFailed  = 13
)

// TestConformance has the MCP client conformance suite drive the program: the
// hidden command mcp-conformance, which uses the client of the field layer.
func TestConformance(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := filepath.Join(root, "testdata", "mcp", "conformance")
	bin := filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, "conformance")); err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("SKIPPED: no conformance suite: run `npm ci` in testdata/mcp/conformance")
		}
		require.NoError(t, err, "run `npm ci` in testdata/mcp/conformance")
	}
	program := filepath.Join(t.TempDir(), "agentbash")
	build, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", build)

	expected := filepath.Join(dir, "expected-failures.yml")
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"), filepath.Join(bin, "conformance"), "client",
		"--command", program+" mcp-conformance", "--suite", "all", "--expected-failures", expected, "--timeout", "600000")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	m := regexp.MustCompile(`Total: (\d+) passed, (\d+) failed`).FindSubmatch(out)
	require.NotNil(t, m, "%s", out)
	passed, _ := strconv.Atoi(string(m[1]))
	failed, _ := strconv.Atoi(string(m[2]))
	t.Logf("%d passed, %d failed", passed, failed)
	require.GreaterOrEqual(t, passed, leastPassed)
	require.LessOrEqual(t, failed, mostFailed)
}

// Each expected failure stands under a comment that says why.
func TestExpectedFailuresHaveReasons(t *testing.T) {
	b, err := os.ReadFile("../../testdata/mcp/conformance/expected-failures.yml")
	require.NoError(t, err)
	reason, count := false, 0
	for _, line := range strings.Split(string(b), "\n") {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "#"):
			reason = true
		case strings.HasPrefix(line, "- "):
			count++
			require.True(t, reason, "%s has no reason", line)
		case line == "":
			reason = false
		}
	}
	require.NotZero(t, count)
	require.LessOrEqual(t, count, mostFailed)
}
