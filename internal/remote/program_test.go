package remote_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/stretchr/testify/require"
)

// TestPromptThere has a model work on a target.
func TestPromptThere(t *testing.T) {
	far := t.TempDir()
	require.NoError(t, os.MkdirAll(far+"/project/.git", 0o700))
	require.NoError(t, os.WriteFile(far+"/project/AGENTS.md", []byte("Rule of the far side."), 0o600))
	require.NoError(t, os.WriteFile(far+"/project/a.txt", []byte("one\ntwo\n"), 0o600))
	s, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: []modelserver.ToolCall{{Command: "edit --file_path a.txt --old_string two --new_string three"}, {Command: "cd /usr; x=4"}}},
		{ToolCalls: []modelserver.ToolCall{{Command: "echo $x $PWD; cat ~/project/a.txt | field:local:upper --text@=- | head -n 2"}}},
		{ToolCalls: []modelserver.ToolCall{{Command: "undo --turn"}}, Expect: modelserver.Expectations{{Contains: []string{"4 /usr\nONE\nTHREE\n"}}}},
		{Text: "Done.", Expect: modelserver.Expectations{{Contains: []string{"a.txt"}}}}}}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	n := newNear(t, nearTools(t, ""))
	out, notes, status := n.run("", "--on", "exec:env HOME="+far, "--dir", far+"/project", "-p", "go", "--mode", "full", "--base-url", s.BaseURL, "--model", "m")
	require.Equal(t, 0, status, notes)
	require.Equal(t, "Done.\n", out)
	first := string(s.Requests()[0].Body)
	require.Contains(t, first, "Rule of the far side.")
	require.Contains(t, first, far)
	require.Contains(t, first, "Other machines (on NAME 'COMMAND'): exec:env HOME="+far)
	require.NoFileExists(t, n.home+"/a.txt")
	text, err := os.ReadFile(far + "/project/a.txt")
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(text), "undo --turn there")
	out, notes, status = n.run("", "sessions")
	require.Equal(t, 0, status, notes)
	require.Contains(t, out, "go", "the conversation is here")
}

// TestServedThere serves the bash of a target to MCP clients.
func TestServedThere(t *testing.T) {
	far := t.TempDir()
	n := newNear(t, `{"target": "exec:env HOME=`+far+`"}`)
	ask := func(method string, params any) string {
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		require.NoError(t, err)
		return string(text) + "\n"
	}
	require.NoError(t, os.Mkdir(far+"/only-there", 0o700))
	dir, notes, status := n.run("", "exec", "--dir", "~/only-there", "pwd")
	require.Equal(t, 0, status, notes)
	require.Equal(t, far+"/only-there\n", dir)
	cmd := n.command("mcp", "--mode", "full")
	d := &driver{t: t, cmd: cmd}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	buf := make([]byte, 64<<10)
	read := func() string {
		var all strings.Builder
		for !strings.HasSuffix(all.String(), "\n") {
			got, err := out.Read(buf)
			require.NoError(d.t, err)
			all.Write(buf[:got])
		}
		return all.String()
	}
	_, err = in.Write([]byte(ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})))
	require.NoError(t, err)
	require.Contains(t, read(), "agentbash")
	_, err = in.Write([]byte(`{"jsonrpc": "2.0", "method": "notifications/initialized"}` + "\n" + ask("tools/call", map[string]any{"name": "bash", "arguments": map[string]any{"command": "echo at $HOME"}})))
	require.NoError(t, err)
	require.Contains(t, read(), "at "+far)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	requireNoSession(t, far)
}

// TestHooksThere has a hook of this side refuse and see what runs there.
func TestHooksThere(t *testing.T) {
	far := t.TempDir()
	n := newNear(t, "{}")
	n.script("hook", `in=$(cat); echo "$in" >> `+n.home+`/seen; case $in in *forbidden*) echo "not this" >&2; exit 2;; esac`)
	n.write(".config/agentbash/config.json", `{"hooks": {"before": [{"argv": ["`+n.bin+`/hook"]}], "after": [{"match": "bash", "argv": ["jq", "-c", "{stdout: (.stdout | ascii_upcase)}"]}]}}`)
	d := n.drive("--on", "exec:env HOME="+far, "exec", "--jsonl")
	r := d.ask("echo forbidden")
	require.Equal(t, 126, r.ExitCode, r.Output)
	require.Contains(t, r.Output, "not this")
	require.Equal(t, "LOUD\n", d.ask("echo loud").Stdout)
	r = d.ask("read --file_path /etc/hostname | wc -l")
	require.Equal(t, "1\n", r.Stdout, r.Output)
	seen, err := os.ReadFile(n.home + "/seen")
	require.NoError(t, err)
	require.Contains(t, string(seen), "/etc/hostname")
}
