package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/stretchr/testify/require"
)

// program is this test binary as agentbash, in a home and a directory of its own.
func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// serveHTTP starts agentbash mcp over HTTP and returns its address.
func serveHTTP(t *testing.T, env []string, args ...string) (url, dir string) {
	cmd := program(t, env, append([]string{"mcp", "--http", "0", "--mode", "full"}, args...)...)
	notes, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(notes)
	require.True(t, lines.Scan(), "it said nothing")
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		rest, err := io.ReadAll(notes)
		require.NoError(t, err)
		cmd.Wait()
		require.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode(), "%s", rest)
	})
	_, url, ok := strings.Cut(lines.Text(), "MCP at ")
	require.True(t, ok, lines.Text())
	return url, cmd.Dir
}

func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	url, dir := serveHTTP(t, []string{envToken + "=s3cret"})
	open := func(token string) *mcp.Client {
		c := mcp.NewClient(mcp.Spec{URL: url, Headers: map[string]string{"Authorization": "Bearer " + token}}, nil)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		return c
	}
	_, err := open("wrong").Start(t.Context())
	require.Error(t, err)
	c := open("s3cret")
	call := func(ctx context.Context, command string) string {
		arguments, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		res, err := c.Call(ctx, mcp.Call{Tool: "bash", Arguments: arguments})
		if err != nil {
			return err.Error()
		}
		return string(res.Raw)
	}
	call(t.Context(), "x=kept; mkdir sub; cd sub")
	require.Contains(t, call(t.Context(), `write made.txt "$x"; cat made.txt`), "kept")
	require.FileExists(t, filepath.Join(dir, "sub", "made.txt"))

	require.Contains(t, call(t.Context(), "echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg== | base64 -d > dot.png; read dot.png"),
		`"type":"image","mimeType":"image/png","data":"iVBORw0KGgo`)

	// A call that its client gives up stops its command, and the shell goes on.
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "begun"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		os.ReadFile(filepath.Join(dir, "begun")) // waits for the command to open it
	}()
	call(ctx, "echo > ../begun; sleep 1000; touch not-reached")
	require.Contains(t, call(t.Context(), "echo again $x"), "again kept")
	require.NoFileExists(t, filepath.Join(dir, "sub", "not-reached"))
}

// The inspector is another implementation's client, with a command line.
func TestMCPInspector(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	inspector := filepath.Join(root, "testdata/mcp/node_modules/@modelcontextprotocol/inspector-cli/build/cli.js")
	if _, err := os.Stat(inspector); err != nil {
		require.Empty(t, os.Getenv("CI"), "testdata/mcp/node_modules is missing: run npm ci there")
		t.Skip("SKIPPED: the inspector is not installed: run `npm ci` in testdata/mcp")
	}
	url, _ := serveHTTP(t, nil, "--all-tools")
	inspect := func(words ...string) string {
		cmd := exec.CommandContext(t.Context(), "node", append([]string{inspector, "--cli"}, words...)...)
		var notes strings.Builder
		cmd.Stderr = &notes
		out, err := cmd.Output()
		require.NoError(t, err, "%s%s", out, &notes)
		return string(out)
	}
	home := t.TempDir()
	stdio := []string{"-e", asProgram + "=1", "-e", "HOME=" + home, "-e", "XDG_STATE_HOME=" + home, "-e", "XDG_CONFIG_HOME=" + home, os.Args[0], "mcp", "--all-tools", "--mode", "full"}
	for name, server := range map[string][]string{"stdio": stdio, "http": {url, "--transport", "http"}} {
		t.Run(name, func(t *testing.T) {
			var list struct{ Tools []struct{ Name string } }
			require.NoError(t, json.Unmarshal([]byte(inspect(append(server, "--method", "tools/list")...)), &list))
			require.True(t, slices.ContainsFunc(list.Tools, func(tool struct{ Name string }) bool { return tool.Name == "bash" }))
			require.Greater(t, len(list.Tools), 6)
			var res struct {
				IsError bool
				Content []struct{ Type, Text string }
			}
			out := inspect(append(server, "--method", "tools/call", "--tool-name", "bash", "--tool-arg", "command=echo $((6*7))")...)
			require.NoError(t, json.Unmarshal([]byte(out), &res))
			require.False(t, res.IsError)
			require.Equal(t, "42\n", res.Content[0].Text)
			out = inspect(append(server, "--method", "tools/call", "--tool-name", "glob", "--tool-arg", "pattern=/usr/bin/en*")...)
			require.Contains(t, out, "/usr/bin/env")
		})
	}
}
