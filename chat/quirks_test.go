package chat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func statusReply(status int, body string) modelserver.Reply {
	return modelserver.Reply{Status: status, Body: body, ContentType: "application/json"}
}

// TestErrorsOfServersKeepTheirReason: whatever form an error has.
func TestErrorsOfServersKeepTheirReason(t *testing.T) {
	for status, name := range map[int]string{400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 413: "Request Entity Too Large", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"} {
		for _, body := range []string{`{"error": "the real reason"}`, `{"detail": "the real reason"}`, `{"object":"error","message":"the real reason","code":40001}`, `[{"error":{"message":"the real reason"}}]`, `"the real reason"`, "the real reason"} {
			exit := ExitModel
			if status == 401 {
				exit = ExitAuth
			}
			c := wireCase{replies: []modelserver.Reply{statusReply(status, body)}, exit: exit, says: []string{name + ": the real reason: "}}
			c.run(t, func(o *Options) { o.Attempts = 1 })
		}
	}
}

func TestErrorsInPlaceOfAReply(t *testing.T) {
	const notFound = `{"error": "model 'qwen3' not found, try pulling it first"}`
	for _, c := range []wireCase{
		{name: "JSON", replies: []modelserver.Reply{bodyReply(notFound, "application/json")}, exit: ExitModel, says: []string{"answered with an error: model 'qwen3' not found, try pulling it first: "}},
		{name: "a bare line after events", replies: []modelserver.Reply{bodyReply("data: "+saidChunk("I ")+"\n\n{\"error\": \"out of memory\", \"type\": \"invalid_request_error\"}\n", "")}, final: "I ", exit: ExitModel, says: []string{"broke off the reply (out of memory)"}},
		{name: "of no tools (Ollama)", replies: []modelserver.Reply{statusReply(400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`)}, exit: ExitModel, says: []string{"cannot call tools", "qwen3"}},
		{name: "of no tools (vLLM)", replies: []modelserver.Reply{statusReply(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`)}, exit: ExitModel, says: []string{"vllm serve MODEL --enable-auto-tool-choice"}},
		{name: "of no tools (llama.cpp)", replies: []modelserver.Reply{statusReply(500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`)}, exit: ExitModel, says: []string{"llama-server --jinja"}},
		{name: "of a template", replies: []modelserver.Reply{statusReply(500, `{"error":{"code":500,"message":"Value is not callable: null at row 3: {{ call.arguments|items }}","type":"server_error"}}`)}, exit: ExitModel, says: []string{"the chat template of the model refuses"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, nil) })
	}
}

func TestAServerThatLoadsItsModelIsWaitedFor(t *testing.T) {
	loading := statusReply(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
	loading.Times = 6
	c := wireCase{replies: []modelserver.Reply{loading, {Text: "ok"}}, final: "ok"}
	k := c.run(t, nil)
	require.Len(t, pick[Retry](k.events), 1, "it is said once")
	require.Contains(t, pick[Retry](k.events)[0].Reason, "loading the model")
}

// sentTo are the messages of a request, each as its role and its text.
func sentTo(t *testing.T, k *testChat, n int) (out []string) {
	t.Helper()
	var request struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []struct{} `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal(k.server.Requests()[n].Body, &request))
	for _, m := range request.Messages {
		out = append(out, strings.TrimSpace(m.Role+" "+strings.Repeat("call ", len(m.ToolCalls))+m.Content))
	}
	return out
}

// TestWhatAServerRefusesIsWrittenOtherwise, and that is remembered.
func TestWhatAServerRefusesIsWrittenOtherwise(t *testing.T) {
	two := []modelserver.ToolCall{{Command: "echo 1"}, {Command: "echo 2"}}
	for _, c := range []struct {
		name, refusal string
		status        int
		want          []string // of the request after the refusal
		lacks         string
	}{
		{"stream_options", `{"error":"unknown field: stream_options"}`, 400, nil, "stream_options"},
		{"stream_options, unprocessable", `{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted: stream_options"}]}`, 422, nil, "stream_options"},
		{"the system", `{"error":"System role not supported"}`, 400, []string{"user You are a test.\n\ngo", "assistant call call", "tool 1", "tool 2"}, ""},
		{"roles that do not alternate", `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}`, 500, []string{"system You are a test.", "user go",
			"assistant <tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\":\"echo 1\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\":\"echo 2\"}}\n</tool_call>",
			"user <tool_response>\n1\n\n</tool_response>\n\n<tool_response>\n2\n\n</tool_response>"}, ""},
		{"a message without content", `{"error":{"message":"messages.2.content: field required"}}`, 400, []string{"system You are a test.", "user go", "assistant call call", "tool 1", "tool 2"}, ""},
		{"several calls", `{"error":{"message":"This model only supports single tool-calls at once!"}}`, 500, []string{"system You are a test.", "user go", "assistant call", "tool 1", "assistant call", "tool 2"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := modelserver.Script{Loose: true, Replies: []modelserver.Reply{{ToolCalls: two}, statusReply(c.status, c.refusal), {Text: "ok"}, {Text: "again"}}}
			k := startChat(t, &server, nil)
			final, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Equal(t, "ok", final)
			_, err = k.Turn(context.Background(), "more")
			require.NoError(t, err)
			k.played(t)
			for n := 2; n < 4; n++ { // remembered
				body := string(k.server.Requests()[n].Body)
				if c.lacks != "" {
					require.NotContains(t, body, c.lacks)
				}
				if c.want != nil {
					require.Equal(t, c.want, sentTo(t, k, n)[:len(c.want)])
				}
				if c.name == "a message without content" {
					require.Contains(t, body, `{"content":"","role":"assistant","tool_calls"`)
				}
			}
		})
	}
}

// TestSilence: a server on this machine gets its time, and is not asked a second time.
func TestSilence(t *testing.T) {
	local := New(&Options{Model: "m", BaseURL: "http://127.0.0.1:8080/v1", Runner: &bashRunner{}})
	far := New(&Options{Model: "m", BaseURL: "https://api.example.com/v1", Runner: &bashRunner{}})
	require.Equal(t, 30*time.Minute, local.idleLimit())
	require.Equal(t, 5*time.Minute, far.idleLimit())
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "late", DelayMS: 3_600_000}, {Text: "back"}}}, func(o *Options) { o.Idle = 50 * time.Millisecond })
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "it sent nothing for 50ms")
	require.Len(t, k.server.Requests(), 1)
	k.server.Close()
}
