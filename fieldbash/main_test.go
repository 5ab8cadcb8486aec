package fieldbash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/testneeds"
	"github.com/agentbash/agentbash/registry"
)

// The test binary is also the program that function definitions run.
func TestMain(m *testing.M) {
	switch os.Getenv("FIELD_TEST_ROLE") {
	case "function":
		os.Exit(function(os.Args[1:]))
	case "keeper":
		os.Exit(keeper(os.Args[1:]))
	}
	if len(os.Args) == 3 && os.Args[1] == "stub" {
		stub(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// function is a program as a definition's argv runs it: JSON on stdin.
func function(args []string) int {
	io.Copy(io.Discard, os.Stdin)
	switch args[0] {
	case "fail":
		fmt.Fprintln(os.Stderr, "no such table")
		return 3
	case "sleep":
		fmt.Fprintln(os.Stderr, "sleeping")
		select {}
	case "world":
		wd, _ := os.Getwd()
		json.NewEncoder(os.Stdout).Encode(map[string]any{"function": os.Getenv("AGENTBASH_FUNCTION"), "cwd": os.Getenv("AGENTBASH_CWD"), "wd": wd, "secret": os.Getenv("OPENAI_API_KEY"), "x": os.Getenv("X")})
	}
	return 0
}

// bench is a field layer in a registry, as the router has it.
type bench struct {
	*fieldbash.Fields
	reg *registry.ToolRegistry
	dir string

	stdin io.Reader // of the commands that run; nil: none
}

func layer(t testing.TB, cfg fieldbash.Config, opts *fieldbash.Options) bench {
	t.Helper()
	if opts == nil {
		opts = &fieldbash.Options{}
	}
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	opts.Env = append(os.Environ(), "OPENAI_API_KEY=secret")
	f, err := fieldbash.New(cfg, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	reg := registry.New()
	require.NoError(t, f.Register(reg))
	return bench{Fields: f, reg: reg, dir: opts.Dir}
}

// out is what a command left.
type out struct {
	stdout, stderr string
	status         int
}

// run does what the router does with a command's words.
func (b bench) run(t testing.TB, words ...string) out {
	t.Helper()
	return b.runCtx(t.Context(), t, words...)
}

func (b bench) runCtx(ctx context.Context, t testing.TB, words ...string) out {
	t.Helper()
	tool, err := b.reg.Resolve(ctx, words[0])
	if err != nil {
		return out{stderr: err.Error(), status: registry.ExitStatus(err)}
	}
	parsed, err := tool.Parse(words[1:], b.stdin != nil)
	if err != nil {
		return out{stderr: err.Error(), status: registry.ExitStatus(err)}
	}
	require.Zero(t, parsed.Help)
	var stdout, stderr bytes.Buffer
	res := tool.RunParsed(ctx, parsed, &registry.Call{Dir: b.dir, Stdin: b.stdin, Stdout: &stdout, Stderr: &stderr})
	return out{stdout.String(), stderr.String(), res.ExitStatus}
}

// ok runs a command that must succeed and returns its stdout.
func (b bench) ok(t testing.TB, words ...string) string {
	t.Helper()
	o := b.run(t, words...)
	require.Zero(t, o.status, "%q: %s", words, o.stderr)
	return o.stdout
}

// npm is the path of a real server in testdata/mcp.
func npm(t testing.TB, name string) string {
	t.Helper()
	return testneeds.NPM(t, "mcp", "@modelcontextprotocol/"+name+"/dist/index.js")
}

func server(t testing.TB, name string, args ...string) fieldbash.Server {
	return fieldbash.Server{Command: "node", Args: append([]string{npm(t, name)}, args...)}
}

func config(t testing.TB, text string) fieldbash.Config {
	t.Helper()
	var cfg fieldbash.Config
	require.NoError(t, json.Unmarshal([]byte(text), &cfg))
	return cfg
}
