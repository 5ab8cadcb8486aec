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
	"github.com/agentbash/agentbash/internal/testneeds"
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

	// What a call writes is told without secrets.
	notes := make(lineWriter, 100)
	go func() {
		c.Call(t.Context(), mcp.Call{Tool: "bash", Arguments: json.RawMessage(`{"command": "echo the key is sk-proj-s3cr3ts3cr3ts3cr3ts3cr3t; until [ -e ../go ]; do sleep 0.01; done; rm ../go"}`), Notes: notes})
		close(notes)
	}()
	for line := range notes {
		require.NotContains(t, line, "s3cr3t")
		if strings.Contains(line, "the key is") {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
			break
		}
	}
	for range notes {
	}

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

// A lineWriter gets what is written.
type lineWriter chan string

func (l lineWriter) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// The inspector is another implementation's client, with a command line.
func TestMCPInspector(t *testing.T) {
	t.Parallel()
	inspector := testneeds.NPM(t, "mcp", "@modelcontextprotocol/inspector-cli/build/cli.js")
	config := filepath.Join(t.TempDir(), "config.json") // of a server of which the inspector could list nothing, if its schemas were passed on
	listing := `{"tools":[{"name":"array","inputSchema":{"type":"array"}},{"name":"none"},{"name":"null","inputSchema":null},{"name":"yes","inputSchema":{"type":"object","properties":{"a":true}}},{"name":"fine","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]}`
	server := `while read -r line; do [[ $line =~ \"id\":\ *([0-9]+) ]] || continue
r='"error":{"code":-32601,"message":"no such method"}'
case $line in *'"initialize"'*) r='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}';; *'"tools/list"'*) r='"result":'$0;; esac
echo '{"jsonrpc":"2.0","id":'$${BASH_REMATCH[1]},"$r}"; done`
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"odd": map[string]any{"command": "bash", "args": []string{"-c", server, listing}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config, text, 0o600))
	url, _ := serveHTTP(t, nil, "--all-tools", "--config", config)
	inspect := func(words ...string) string {
		cmd := exec.CommandContext(t.Context(), "node", append([]string{inspector, "--cli"}, words...)...)
		var notes strings.Builder
		cmd.Stderr = &notes
		out, err := cmd.Output()
		require.NoError(t, err, "%s%s", out, &notes)
		return string(out)
	}
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, "agentbash"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "agentbash", "config.json"), text, 0o600))
	stdio := []string{"-e", asProgram + "=1", "-e", "HOME=" + home, "-e", "XDG_STATE_HOME=" + home, "-e", "XDG_CONFIG_HOME=" + home, os.Args[0], "mcp", "--all-tools", "--mode", "full"}
	for name, server := range map[string][]string{"stdio": stdio, "http": {url, "--transport", "http"}} {
		t.Run(name, func(t *testing.T) {
			var list struct{ Tools []struct{ Name string } }
			require.NoError(t, json.Unmarshal([]byte(inspect(append(server, "--method", "tools/list")...)), &list))
			require.True(t, slices.ContainsFunc(list.Tools, func(tool struct{ Name string }) bool { return tool.Name == "bash" }))
			require.Greater(t, len(list.Tools), 6)
			for _, name := range []string{"array", "none", "null", "yes", "fine"} {
				require.True(t, slices.ContainsFunc(list.Tools, func(tool struct{ Name string }) bool { return tool.Name == "field__odd__"+name }), name)
			}
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
