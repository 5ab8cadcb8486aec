package mcp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// What the SDK's own example client reaches in version 0.2.0-alpha.12 of the suite.
const (
	leastPassed = 494
	mostFailed  = 13
)

// conformanceClient is what the suite runs for each scenario.
func conformanceClient(args []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := mcp.Conformance(ctx, os.Getenv("MCP_CONFORMANCE_SCENARIO"), args[len(args)-1], []byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestConformance(t *testing.T) {
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(here), "../../testdata/mcp/conformance")
	bin := filepath.Join(dir, "node_modules/.bin")
	if _, err := os.Stat(filepath.Join(bin, "conformance")); err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("SKIPPED: no conformance suite: run `npm ci` in testdata/mcp/conformance")
		}
		require.NoError(t, err, "run `npm ci` in testdata/mcp/conformance")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), filepath.Join(bin, "conformance"), "client",
		"--command", self, "--suite", "all", "--expected-failures", filepath.Join(dir, "expected-failures.yml"))
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "MCP_TEST_ROLE=conformance")
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
