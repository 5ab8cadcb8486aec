package router

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// text is a tool that prints what it got, so that a test sees what arrived.
func text(name string, params ...registry.Param) *registry.Tool {
	return &registry.Tool{Name: name, Summary: "Test " + name, Kind: registry.ReadOnly, Params: registry.NewParams(params...),
		Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
			for _, p := range c.Tool.Params.List() {
				if v, ok := c.Kwargs[p.Name]; ok {
					fmt.Fprintf(c.Stdout, "%s=%v\n", p.Name, v)
				}
			}
			return registry.Success(""), nil
		}}
}

func stringParam(name string, required bool) registry.Param {
	pattern := slices.Contains([]string{"pattern", "glob", "content", "old_string", "new_string"}, name)
	return registry.Param{Name: name, Type: registry.String, Required: required, Pattern: pattern, Positional: true}
}

// testTools are tools with the names and keys that the decision table is about.
func testTools() []*registry.Tool {
	read := text("read", stringParam("file_path", true), registry.Param{Name: "offset", Type: registry.Integer}, registry.Param{Name: "limit", Type: registry.Integer})
	read.Run = func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		b, err := os.ReadFile(c.Path(c.String("file_path")))
		if err != nil {
			return registry.Failure("%v", err), nil
		}
		c.Stdout.Write(b)
		return registry.Success(""), nil
	}
	write := text("write", stringParam("file_path", true), registry.Param{Name: "content", Type: registry.String, Required: true, Stdin: true, Pattern: true})
	write.Kind = registry.Write
	write.Run = func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		content := []byte(c.String("content"))
		if !c.Has("content") {
			var err error
			if content, err = io.ReadAll(c.Stdin); err != nil {
				return registry.ToolResult{}, err
			}
		}
		if err := os.WriteFile(c.Path(c.String("file_path")), content, 0o644); err != nil {
			return registry.Failure("%v", err), nil
		}
		return registry.Success(fmt.Sprintf("wrote %d bytes\n", len(content))), nil
	}
	grep := text("grep", stringParam("pattern", true), stringParam("path", false), stringParam("glob", false), stringParam("type", false),
		registry.Param{Name: "ignore_case", Type: registry.Boolean, Short: "i"}, registry.Param{Name: "context", Type: registry.Integer},
		stringParam("output_mode", false), registry.Param{Name: "head_limit", Type: registry.Integer})
	grep.Run = func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		if c.String("pattern") == "absent" {
			return registry.ToolResult{ExitStatus: 1}, nil
		}
		return registry.Success("found " + c.String("pattern") + "\n"), nil
	}
	return []*registry.Tool{read, write, grep,
		text("edit", stringParam("file_path", true), stringParam("old_string", false), stringParam("new_string", false), registry.Param{Name: "replace_all", Type: registry.Boolean}),
		text("glob", stringParam("pattern", true), stringParam("path", false)),
		text("field:db:query", stringParam("sql", true)),
		{Name: "yell", Summary: "Write without end", Params: registry.NewParams(), Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
			for {
				if _, err := io.WriteString(c.Stdout, strings.Repeat("y\n", 4096)); err != nil {
					return registry.ToolResult{}, err
				}
			}
		}},
		{Name: "hang", Summary: "Wait to be stopped", Params: registry.NewParams(), Run: func(ctx context.Context, c *registry.Call) (registry.ToolResult, error) {
			fmt.Fprintln(c.Stdout, "waiting")
			<-ctx.Done()
			return registry.ToolResult{}, ctx.Err()
		}},
	}
}

// newTest returns a router in a directory of the test's own.
func newTest(t testing.TB, tools ...*registry.Tool) *Router {
	t.Helper()
	return newTestRouter(t, true, tools...)
}

// newTestRouter is newTest; without small, calls are made by the test's own
// executable.
func newTestRouter(t testing.TB, small bool, tools ...*registry.Tool) *Router {
	t.Helper()
	reg := registry.New()
	require.NoError(t, reg.Register(append(testTools(), tools...)...))
	require.NoError(t, reg.RegisterGroup(registry.Group{Name: "late", Summary: "A server that has to be started",
		Load: func(context.Context) ([]*registry.Tool, error) {
			return []*registry.Tool{text("field:late:echo", stringParam("word", true), registry.Param{Name: "n", Type: registry.Integer})}, nil
		}}))
	r, err := newRouter(reg, &Options{Dir: t.TempDir(), StateDir: t.TempDir()}, small)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// bothClients runs a test with either program that makes calls.
func bothClients(t *testing.T, test func(t *testing.T, small bool)) {
	t.Run("small program", func(t *testing.T) { test(t, true) })
	t.Run("own executable", func(t *testing.T) { test(t, false) })
}

func run(t testing.TB, r *Router, command string) Result {
	t.Helper()
	return r.Run(context.Background(), command, nil)
}
