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

	"github.com/agentbash/agentbash/internal/testneeds"
)

const (
	leastServed  = 127 // checks, by the program as a server
	mostUnserved = 72
)

// suite is the program that drives a client or a server.
func suite(t *testing.T) (dir string, run func(args ...string) (passed, failed int)) {
	bin := filepath.Dir(testneeds.NPM(t, "mcp/conformance", ".bin/conformance"))
	return filepath.Join(bin, "../.."), func(args ...string) (passed, failed int) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "node"), append([]string{filepath.Join(bin, "conformance")}, args...)...)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		m := regexp.MustCompile(`Total: (\d+) passed, (\d+) failed`).FindSubmatch(out)
		require.NotNil(t, m, "%s", out)
		passed, _ = strconv.Atoi(string(m[1]))
		failed, _ = strconv.Atoi(string(m[2]))
		t.Logf("%d passed, %d failed", passed, failed)
		return passed, failed
	}
}

// The server suite drives agentbash mcp --http; what needs tools that the program has not is
// tried in fieldbash/mcp.
func TestProgramAsServerConforms(t *testing.T) {
	t.Parallel()
	dir, run := suite(t)
	url, _ := serveHTTP(t, nil)
	passed, failed := run("server", "--url", url, "--suite", "all",
		"--expected-failures", filepath.Join(dir, "server-failures.yml"), "--timeout", "600000")
	require.GreaterOrEqual(t, passed, leastServed)
	require.LessOrEqual(t, failed, mostUnserved)
}

// Each expected failure stands under a comment that says why.
func TestExpectedFailuresHaveReasons(t *testing.T) {
	for name, most := range map[string]int{"expected-failures.yml": 13, "server-failures.yml": mostUnserved, "fixture-failures.yml": 9} {
		b, err := os.ReadFile(filepath.Join("../../testdata/mcp/conformance", name))
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
		require.LessOrEqual(t, count, most, name)
	}
}
