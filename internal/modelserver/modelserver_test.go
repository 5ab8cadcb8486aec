package modelserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const goodTool = `{"type":"function","function":{"name":"bash","description":"Runs","parameters":{"type":"object",` +
	`"properties":{"command":{"type":"string"},"timeout":{"type":"number"}},"required":["command"]}}}`

// body is a good request with these messages.
func body(messages ...string) string {
	return `{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[` + goodTool + `],"messages":[` + strings.Join(messages, ",") + `]}`
}

func msg(role, content string) string {
	return fmt.Sprintf(`{"role":%q,"content":%q}`, role, content)
}

const (
	called = `{"role":"assistant","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}`
	result = `{"role":"tool","tool_call_id":"call_1_1","content":"a"}`
)

func start(t *testing.T, replies ...Reply) *Server {
	t.Helper()
	s, err := Start(&Script{Replies: replies}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { s.http.Close() })
	return s
}

// post sends a request and returns the status and the whole answer.
func post(t *testing.T, s *Server, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.BaseURL+"/chat/completions", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(data)
}

func TestWhatIsWrongWithARequestIsSaidAndReported(t *testing.T) {
	good := body(msg("user", "hi"))
	tests := []struct{ name, body, reason string }{
		{"not JSON", "{", "not the JSON of a request"},
		{"no model", strings.Replace(good, `"model":"m"`, `"model":""`, 1), "model is empty"},
		{"no stream", strings.Replace(good, `"stream":true`, `"stream":false`, 1), "stream is not true"},
		{"no usage", strings.Replace(good, `"include_usage":true`, `"include_usage":false`, 1), "include_usage"},
		{"no tool", strings.Replace(good, goodTool, "", 1), "0 tools"},
		{"two tools", strings.Replace(good, goodTool, goodTool+","+goodTool, 1), "2 tools"},
		{"another tool", strings.Replace(good, `"name":"bash"`, `"name":"sh"`, 1), "named sh"},
		{"no description", strings.Replace(good, `"Runs"`, `""`, 1), "no description"},
		{"another parameter", strings.Replace(good, `"timeout":{"type":"number"}`, `"wait":{"type":"number"}`, 1), "parameters are not"},
		{"a third parameter", strings.Replace(good, `"timeout":{`, `"x":{"type":"string"},"timeout":{`, 1), "parameters are not"},
		{"nothing required", strings.Replace(good, `["command"]`, `[]`, 1), "required"},
		{"no messages", body(), "no messages"},
		{"empty content", body(msg("user", " ")), "content is empty"},
		{"no content", body(`{"role":"user"}`), "no content"},
		{"unknown role", body(msg("robot", "x"), msg("user", "x")), "unknown role"},
		{"a late system message", body(msg("user", "x"), msg("system", "y"), msg("user", "z")), "only the first message"},
		{"two user messages", body(msg("user", "x"), msg("user", "y")), "another user message"},
		{"the assistant's word last", body(msg("user", "x"), msg("assistant", "y")), "a request ends with"},
		{"an assistant without a word", body(msg("user", "x"), `{"role":"assistant"}`, msg("user", "y")), "neither content nor tool_calls"},
		{"a call without an answer", body(msg("user", "x"), called, msg("user", "y")), "have no tool message"},
		{"an answer to nothing", body(msg("user", "x"), result), "answers no open call"},
		{"an answer twice", body(msg("user", "x"), called, result, result), "answers no open call"},
		{"an id twice", body(msg("user", "x"), strings.Replace(called, `]}`, `,{"id":"call_1_1","type":"function","function":{"name":"bash","arguments":"{}"}}]}`, 1), result), "not unique"},
		{"a call without a type", body(msg("user", "x"), strings.Replace(called, `"type":"function",`, ``, 1), result), "type"},
		{"a call with a bad name", body(msg("user", "x"), strings.Replace(called, `"name":"bash"`, `"name":"a b"`, 1), result), "servers refuse"},
		{"empty arguments", body(msg("user", "x"), strings.Replace(called, `"{\"command\":\"ls\"}"`, `""`, 1), result), "no JSON object"},
		{"arguments that are a list", body(msg("user", "x"), strings.Replace(called, `"{\"command\":\"ls\"}"`, `"[]"`, 1), result), "no JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, Reply{Text: "hi"})
			status, answer := post(t, s, tt.body)
			require.Equal(t, http.StatusBadRequest, status)
			require.Contains(t, answer, tt.reason)
			status, _ = post(t, s, good)
			require.Equal(t, http.StatusOK, status, "the good request after it")
			require.ErrorContains(t, s.Close(), tt.reason)
		})
	}
}

func TestWhatDoesNotFollowFromTheRequestBefore(t *testing.T) {
	first := body(msg("user", "hi"))
	tests := []struct{ name, second, reason string }{
		{"repeated", first, "is repeated"},
		{"an earlier message changed", body(msg("user", "ho"), called, result), "message 0 changed"},
		{"shorter", body(msg("system", "hi")), "a request ends with"},
		{"another tool text", strings.Replace(body(msg("user", "hi"), called, result), "Runs", "Does", 1), "the tool changed"},
		{"the reply is missing", body(msg("user", "hi"), msg("assistant", "yes"), msg("user", "go")), "is not the text of reply 1"},
		{"the call is missing", body(msg("user", "hi"), msg("assistant", "yo"), msg("user", "go")), "has 0 tool calls, reply 1 had 1"},
		{"another id", body(msg("user", "hi"), strings.Replace(say(called, "yo"), "call_1_1", "x", 1), strings.Replace(result, "call_1_1", "x", 1)), "has the id x"},
		{"other arguments", body(msg("user", "hi"), strings.Replace(say(called, "yo"), `\"ls`, `\"rm`, 1), result), "has the arguments"},
		{"unexpected content", body(msg("user", "hi"), say(called, "yo"), strings.Replace(result, `"a"`, `"b"`, 1)), `does not contain \"a\"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t,
				Reply{Text: "yo", ToolCalls: []ToolCall{{Command: "ls"}}},
				Reply{Expect: Expectations{{Role: "tool", Contains: []string{"a"}}}, Text: "done"})
			status, _ := post(t, s, first)
			require.Equal(t, http.StatusOK, status)
			status, answer := post(t, s, tt.second)
			require.Equal(t, http.StatusBadRequest, status)
			require.Contains(t, answer, tt.reason)

			status, _ = post(t, s, body(msg("user", "hi"), say(called, "yo"), result))
			require.Equal(t, http.StatusOK, status, "the good request after it")
			require.Error(t, s.Close())
		})
	}
}

// say adds content to an assistant's message.
func say(message, content string) string {
	return strings.Replace(message, `{"role":"assistant",`, `{"role":"assistant","content":"`+content+`",`, 1)
}

func TestRepliesThatNobodyAskedForAreReported(t *testing.T) {
	s := start(t, Reply{Text: "a"}, Reply{Text: "b", Times: 2})
	post(t, s, body(msg("user", "hi")))
	require.ErrorContains(t, s.Close(), "1 of 3 replies were asked for")
}

func TestRequestsBeyondTheScriptAreReported(t *testing.T) {
	s := start(t, Reply{Text: "a"})
	post(t, s, body(msg("user", "hi")))
	status, answer := post(t, s, body(msg("user", "hi"), msg("assistant", "a"), msg("user", "more")))
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer, "only 1 replies")
	require.Error(t, s.Close())
}

func TestAReplyOnTheWire(t *testing.T) {
	s := start(t, Reply{
		Reasoning: "hm", Text: "h\u00e4h\u00e4", ToolCalls: []ToolCall{{Command: "ls"}}, Chunk: 2, KeepAlives: 2,
		Usage: &Usage{PromptTokens: 7, CompletionTokens: 3, CachedTokens: 5},
	})
	status, answer := post(t, s, body(msg("user", "hi")))
	require.Equal(t, http.StatusOK, status)
	require.True(t, strings.HasPrefix(answer, ": keep-alive\n\n: keep-alive\n\ndata: "))
	require.True(t, strings.HasSuffix(answer, "data: [DONE]\n\n"))

	var deltas []string
	var last map[string]any
	lines := bufio.NewScanner(strings.NewReader(answer))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		last = nil
		require.NoError(t, json.Unmarshal([]byte(data), &last))
		if choices := last["choices"].([]any); len(choices) > 0 {
			c := choices[0].(map[string]any)
			deltas = append(deltas, string(encodeJSON([]any{c["delta"], c["finish_reason"]})))
		}
	}
	require.Equal(t, []string{
		`[{"content":"","role":"assistant"},null]`,
		`[{"reasoning_content":"hm"},null]`,
		"[{\"content\":\"h\u00e4\"},null]",
		"[{\"content\":\"h\u00e4\"},null]",
		`[{"tool_calls":[{"function":{"arguments":"","name":"bash"},"id":"call_1_1","index":0,"type":"function"}]},null]`,
		`[{"tool_calls":[{"function":{"arguments":"{\""},"index":0}]},null]`,
	}, deltas[:6])
	require.Equal(t, `[{},"tool_calls"]`, deltas[len(deltas)-1])
	require.Equal(t, 7.0, last["usage"].(map[string]any)["prompt_tokens"])
	require.NoError(t, s.Close())
}

func TestTheKeyIsAskedFor(t *testing.T) {
	s, err := Start(&Script{Key: "right", Replies: []Reply{{Text: "a"}}}, nil)
	require.NoError(t, err)
	status, answer := post(t, s, body(msg("user", "hi")))
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, answer, "Incorrect API key")
	require.Error(t, s.Close())
}

func TestTheScriptsOfTheProjectLoad(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/model/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		_, err := Load(path)
		require.NoError(t, err)
	}
}

func TestModelsAndTheLog(t *testing.T) {
	var log bytes.Buffer
	s, err := Start(&Script{Model: "tiny", Replies: []Reply{{Text: "a"}}}, &Options{Log: &log})
	require.NoError(t, err)
	resp, err := http.Get(s.BaseURL + "/models")
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"script"}]}`, string(data))
	post(t, s, body(msg("user", "hi")))
	require.NoError(t, s.Close())

	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	var r Request
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &r))
	require.Equal(t, 2, r.N)
	require.JSONEq(t, body(msg("user", "hi")), string(r.Body))
}
