package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// withClients names a directory with the programs of testdata/clients: make clients.
const withClients = "AGENTBASH_TEST_CLIENTS"

// fakeModel plays a model of Anthropic's Messages and OpenAI's Responses for other
// agents: it calls one tool with one command, and ends with what came of it.
type fakeModel struct {
	*httptest.Server
	command string

	mu     sync.Mutex
	tools  map[string]int // of MCP servers, with the bytes of their definitions
	result string         // of the call
}

// definition is a tool as both protocols have it; Responses put those of a server into a
// namespace.
type definition struct {
	Type, Name string
	Tools      []json.RawMessage
}

func newFakeModel(t *testing.T) *fakeModel {
	m := &fakeModel{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// play sets what is called, and forgets what was.
func (m *fakeModel) play(command string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.command, m.tools, m.result = command, map[string]int{}, ""
}

func (m *fakeModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var request struct {
		Model    string
		Tools    []json.RawMessage
		Messages []struct{ Content json.RawMessage }
		Input    []struct {
			Type   string
			Output json.RawMessage
		}
	}
	body, _ := io.ReadAll(r.Body)
	json.Unmarshal(body, &request) // others get an empty answer
	bash := m.note(request.Tools, "")
	answered := false
	for _, message := range request.Messages {
		if strings.Contains(string(message.Content), `"tool_result"`) {
			m.result, answered = string(message.Content), true
		}
	}
	for _, item := range request.Input {
		if item.Type == "function_call_output" {
			m.result, answered = string(item.Output), true
		}
	}
	call := bash.Name != "" && !answered && m.command != ""
	arguments, _ := json.Marshal(map[string]string{"command": m.command})
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		sendEvents(w, anthropicEvents(call, string(arguments), request.Model))
	case strings.HasSuffix(r.URL.Path, "/responses"):
		item := map[string]any{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": "done", "annotations": []any{}}}}
		if call {
			item = map[string]any{"type": "function_call", "id": "f1", "call_id": "c1", "name": bash.Name, "namespace": bash.Type, "arguments": string(arguments), "status": "completed"}
		}
		sendEvents(w, []map[string]any{{"type": "response.created", "response": map[string]any{"id": "r1"}}, {"type": "response.output_item.done", "output_index": 0, "item": item},
			{"type": "response.completed", "response": map[string]any{"id": "r1", "usage": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}}})
	default:
		io.WriteString(w, `{"data": [], "models": []}`)
	}
}

// note notes the tools of MCP servers, and returns ours; its Type is the namespace.
func (m *fakeModel) note(tools []json.RawMessage, namespace string) (bash definition) {
	for _, raw := range tools {
		var d definition
		if json.Unmarshal(raw, &d) != nil {
			continue
		}
		if d.Type == "namespace" {
			if one := m.note(d.Tools, d.Name); one.Name != "" {
				bash = one
			}
			continue
		}
		if full := namespace + "__" + strings.TrimPrefix(d.Name, namespace+"__"); strings.Contains(full, "mcp__") {
			m.tools[full] = len(raw)
			if strings.HasSuffix(full, "mcp__agentbash__bash") {
				bash = definition{Type: namespace, Name: d.Name}
			}
		}
	}
	return bash
}

func anthropicEvents(call bool, arguments, model string) []map[string]any {
	block, delta, reason := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": "done"}, "end_turn"
	if call {
		block = map[string]any{"type": "tool_use", "id": "t1", "name": "mcp__agentbash__bash", "input": map[string]any{}}
		delta, reason = map[string]any{"type": "input_json_delta", "partial_json": arguments}, "tool_use"
	}
	return []map[string]any{
		{"type": "message_start", "message": map[string]any{"id": "m1", "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}},
		{"type": "content_block_start", "index": 0, "content_block": block}, {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}}, {"type": "message_stop"},
	}
}

func sendEvents(w http.ResponseWriter, events []map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}

// sum is how many tools of MCP servers there were in the requests, and their bytes.
func (m *fakeModel) sum() (tools, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.tools {
		tools, bytes = tools+1, bytes+n
	}
	return tools, bytes
}

// The real Claude Code and Codex have a server of their own; agentbash takes it over, and
// their model calls its tools as commands; then all is as it was. The real OpenCode and
// Gemini CLI connect.
func TestRealClients(t *testing.T) {
	bin := os.Getenv(withClients)
	if bin == "" {
		t.Skip("SKIPPED: needs other agents from npm: make clients")
	}
	bin, err := filepath.Abs(filepath.Join("../..", bin, "node_modules/.bin"))
	require.NoError(t, err)
	everything, err := filepath.Abs("../../testdata/mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	require.NoError(t, err)
	home, err := os.MkdirTemp(filepath.Dir(bin), "home-*") // Codex refuses one below /tmp
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	self := filepath.Join(home, "agentbash")
	out, err := exec.Command("go", "build", "-o", self, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	model := newFakeModel(t)
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "ANTHROPIC_BASE_URL=" + model.URL, "ANTHROPIC_API_KEY=sk-none",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "MCP_CONNECTION_NONBLOCKING=0", "MCP_TIMEOUT=600000", "MCP_CONNECT_TIMEOUT_MS=600000",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_API_KEY=none"}
	run := func(t *testing.T, program string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = home, env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	for _, row := range []struct {
		client, file, text string
		argv, allow        []string // what lets our tool run where nobody can be asked
	}{
		{"claude-code", ".claude.json", `{"mcpServers": {"everything": {"type": "stdio", "command": "node", "args": ["` + everything + `"]}}}`,
			[]string{"claude", "-p", "go"}, []string{"--allowedTools", "mcp__agentbash__bash"}},
		{"codex", ".codex/config.toml", "model = \"x\"\nmodel_provider = \"fake\" # for tests\n\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"" + model.URL + "/v1\"\nwire_api = \"responses\"\n\n" +
			"[mcp_servers.everything]\ncommand = \"node\"\nargs = [\"" + everything + "\"]\nrequired = true\nstartup_timeout_sec = 600\n", []string{"codex", "exec", "--skip-git-repo-check", "go"},
			[]string{"-c", `mcp_servers.agentbash.default_tools_approval_mode="approve"`, "-c", "mcp_servers.agentbash.required=true", "-c", "mcp_servers.agentbash.startup_timeout_sec=600"}},
	} {
		t.Run(row.client, func(t *testing.T) {
			file := filepath.Join(home, row.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
			client := filepath.Join(bin, row.argv[0])
			model.play("")
			run(t, client, row.argv[1:]...)
			tools, bytes := model.sum()
			require.Greater(t, tools, 9)

			said := run(t, self, "mcp", "install", row.client, "--take-over", "--yes", "--mode", "full")
			require.Contains(t, said, "it will see 1 tool")
			model.play(`field:everything:echo --message "from $((40+2))" | tr a-z A-Z`)
			run(t, client, append(row.argv[1:], row.allow...)...)
			now, nowBytes := model.sum()
			require.Equal(t, 1, now, "%v", model.tools)
			require.Contains(t, model.result, "FROM 42")
			t.Logf("%s %s: %d tools of MCP servers, %d bytes of definitions; then %d, %d bytes", row.client, strings.TrimSpace(run(t, client, "--version")), tools, bytes, now, nowBytes)

			run(t, self, "mcp", "uninstall", row.client, "--yes")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, string(text), "server-everything")
			require.NotContains(t, string(text), self)
		})
	}
	for _, client := range []string{"opencode", "gemini"} {
		t.Run(client, func(t *testing.T) {
			run(t, self, "mcp", "install", client, "--yes")
			require.Regexp(t, `(?i)agentbash.*connected`, strings.ReplaceAll(run(t, filepath.Join(bin, client), "mcp", "list"), "\n", " "))
			run(t, self, "mcp", "uninstall", client, "--yes")
		})
	}
}
