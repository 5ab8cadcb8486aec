package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// asProgram, in the environment, makes the test binary the program itself.
const asProgram = "AGENTBASH_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if names := os.Getenv(refused); names != "" {
		refuseCalls(strings.Fields(names))
	}
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){
		"agentbash":   main,
		"modelserver": func() { os.Exit(modelserver.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts replays what a user sees: testdata/script/*.txtar.
func TestScripts(t *testing.T) { runScripts(t, "script") }

// TestServers runs the field layer against servers that are too heavy for every run: make
// test-servers installs them and names their directory in AGENTBASH_TEST_SERVERS.
func TestServers(t *testing.T) {
	if os.Getenv("AGENTBASH_TEST_SERVERS") == "" {
		t.Skip("SKIPPED: make test-servers runs this")
	}
	runScripts(t, "servers")
}

func runScripts(t *testing.T, dir string) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", dir),
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"trust": trustShown},
		Condition: func(cond string) (bool, error) {
			if cond == "npm" {
				return !testing.Short() && haveServers(t, root), nil
			}
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/home/.config")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/home/.state")
			e.Setenv("SCRIPTS", filepath.Join(root, "testdata", "model"))
			e.Setenv("SERVERS", filepath.Join(root, "testdata", "mcp", "node_modules"))
			e.Setenv("HEAVY", os.Getenv("AGENTBASH_TEST_SERVERS"))
			e.Setenv("PORT", freePort(t))
			e.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
			e.Setenv("GOFLAGS", "-mod=mod")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("WEB", webServer(e.Defer))
			return os.MkdirAll(e.WorkDir+"/home/.config/agentbash", 0o700)
		},
	})
}

// trustShown is the script command trust: it has agentbash config trust show what
// waits, and says yes to that very content.
func trustShown(ts *testscript.TestScript, neg bool, args []string) {
	if ts.Exec("agentbash", append([]string{"config", "trust"}, args...)...) == nil || neg {
		ts.Fatalf("config trust without a terminal trusts nothing, and is never expected to fail")
	}
	_, hash, _ := strings.Cut(ts.ReadFile("stderr"), "--yes ")
	ts.Check(ts.Exec("agentbash", append([]string{"config", "trust", "--yes", strings.TrimSpace(hash)}, args...)...))
}

// haveServers reports whether the npm servers are installed; in CI they must be.
func haveServers(t *testing.T, root string) bool {
	_, err := os.Stat(filepath.Join(root, "testdata", "mcp", "node_modules", "@modelcontextprotocol", "server-everything"))
	if err != nil && os.Getenv("CI") != "" {
		t.Errorf("testdata/mcp/node_modules is missing: run npm ci there")
	}
	if err != nil {
		t.Log("SKIPPED the scripts that need MCP servers from npm: run `npm ci` in testdata/mcp to have them")
	}
	return err == nil
}

// freePort is a port of the loopback interface that nobody listens at.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

func goEnv(t *testing.T, key string) string {
	out, err := exec.Command("go", "env", key).Output()
	require.NoError(t, err)
	return string(out[:len(out)-1])
}
