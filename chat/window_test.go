package chat

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/modelserver"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// refusals are how servers say that a conversation does not fit.
var refusals = map[string]string{
	"llama.cpp": `{"error":{"code":400,"message":"request ({sent} tokens) exceeds the available context size ({window} tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":{sent},"n_ctx":{window}}}`,
	"LM Studio": `{"error":"Trying to keep the first {sent} tokens when context the overflows. However, the model is loaded with context length of only {window} tokens, which is not enough."}`,
	"OpenAI":    `{"error":{"message":"This model's maximum context length is {window} tokens. However, your messages resulted in {sent} tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
}

// routerChat is a chat whose commands run in a real router.
func routerChat(t *testing.T, script *modelserver.Script, change func(*Options)) *testChat {
	t.Helper()
	r, err := router.New(registry.New(), &router.Options{Dir: t.TempDir(), StateDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return startChat(t, script, func(o *Options) {
		o.Runner = &RouterRunner{Router: r}
		if change != nil {
			change(o)
		}
	})
}

func TestSixBigOutputsInEveryWindow(t *testing.T) {
	for _, window := range []int{4096, 8192, 16384, 32768, 65536} {
		all := maps.Clone(refusals)
		all["no numbers"] = `{"error":"input length exceeds maximum context length"}`
		all["half a word"] = `{"detail":"Please reduce the length of the messages or completion."}`
		for words, refusal := range all {
			for _, usage := range []bool{true, false} {
				t.Run(fmt.Sprint(window, " ", words, " ", usage), func(t *testing.T) {
					var replies []modelserver.Reply
					for i := range 6 {
						replies = append(replies, modelserver.Reply{ToolCalls: call(fmt.Sprintf("echo %d; head -c 30000 /dev/zero | tr '\\0' x | fold -w 79", i)), NoUsage: !usage})
					}
					replies = append(replies, modelserver.Reply{Text: "done", NoUsage: !usage})
					k := routerChat(t, &modelserver.Script{Window: &modelserver.Window{Tokens: window, Refusal: refusal, Summary: "In short."}, Replies: replies}, func(o *Options) { o.Spill = spillTo(t.TempDir()) })
					final, err := k.Turn(context.Background(), "go")
					require.NoError(t, err)
					require.Equal(t, "done", final)
					k.played(t)
					_, learnt := k.Context()
					if learnt > 0 && refusals[words] != "" {
						require.Equal(t, window, learnt)
					}
				})
			}
		}
	}
}

// TestWordsOfAWindow: each refusal is understood, in the words of its server.
func TestWordsOfAWindow(t *testing.T) {
	for _, row := range []struct {
		status       int
		text         string
		window, sent int
	}{
		{400, "request (33911 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 33911},
		{400, "the request exceeds the available context size (8192 tokens). try increasing the context size or enable context shift", 8192, 8192},
		{500, "context shift is disabled", 0, 0},
		{400, "Trying to keep the first 5120 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", 4096, 5120},
		{400, "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length", 0, 0},
		{400, "This model's maximum context length is 4097 tokens, however you requested 4800 tokens (800 in your prompt; 4000 for the completion)", 4097, 4800},
		{400, "The decoder prompt (length 33911) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller", 4096, 33911},
		{422, "Input validation error: `inputs` must have less than 4096 tokens. Given: 33911", 4096, 33911},
		{422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and 2000 `max_new_tokens`", 4096, 4096},
		{400, "The input (33911 tokens) is longer than the model's context length (4096 tokens).", 4096, 33911},
		{400, "Prompt too long: 33911 tokens, the cache holds 4096", 4096, 33911},
		{400, "Prompt length 33911 is greater than max_seq_len 4096", 4096, 33911},
		{400, "input length exceeds maximum context length", 0, 0},
		{400, "prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000},
		{400, "Prompt contains 33911 tokens, too large for model with 32768 maximum context length", 32768, 33911},
		{400, "Please reduce the length of the messages or completion.", 0, 0},
		{413, "Request too large", 0, 0},
	} {
		e := errorBody{text: row.text}
		require.True(t, isTooLong(row.status, &e), row.text)
		window, sent := e.tokens()
		require.Equal(t, []int{row.window, row.sent}, []int{window, sent}, row.text)
	}
	for _, text := range []string{"max_tokens must be at most 4096", "invalid model", "messages.2.content: field required", "temperature is greater than 2"} {
		require.False(t, isTooLong(400, &errorBody{text: text}), text)
	}
}

func TestAServerOnThisMachineIsAskedForItsWindow(t *testing.T) {
	for path, about := range map[string]string{
		"/props":         `{"default_generation_settings":{"n_ctx":5000},"total_slots":1}`,
		"/api/ps":        `{"models":[{"name":"other","context_length":9},{"name":"scripted-1:latest","model":"scripted-1:latest","context_length":5000}]}`,
		"/api/v0/models": `{"data":[{"id":"scripted-1","max_context_length":131072,"loaded_context_length":5000}]}`,
		"/v1/models":     `{"object":"list","data":[{"id":"scripted-1","max_model_len":5000}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			k := startChat(t, &modelserver.Script{About: map[string]string{path: about}, Replies: []modelserver.Reply{{Text: "a"}, {Text: "b"}}}, nil)
			_, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			_, window := k.Context()
			require.Equal(t, 5000, window)
			_, err = k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Len(t, k.server.Requests(), 2)
			k.played(t)
		})
	}
}

func TestAWindowThatIsConfiguredIsNotAskedFor(t *testing.T) {
	k := startChat(t, &modelserver.Script{About: map[string]string{"/props": `{"n_ctx":5000}`}, Replies: []modelserver.Reply{{Text: "a"}}}, func(o *Options) { o.Window = 7000 })
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	_, window := k.Context()
	require.Equal(t, 7000, window)
	k.played(t)
}

// TestASilentCut: Ollama leaves out the beginning, and only its count shows it.
func TestASilentCut(t *testing.T) {
	big := "head -c 30000 /dev/zero | tr '\\0' x | fold -w 79"
	k := routerChat(t, &modelserver.Script{Window: &modelserver.Window{Tokens: 4096, Summary: "In short."}, Replies: []modelserver.Reply{
		{ToolCalls: call("echo 1; " + big)}, {ToolCalls: call("echo 2; " + big)}, {ToolCalls: call("echo 3; " + big)}, {Text: "done"},
	}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "done", final)
	k.played(t)
	notices := pick[Notice](k.events)
	require.Len(t, notices, 1)
	require.Contains(t, notices[0].Text, "read only 4096 tokens")
	require.Contains(t, notices[0].Text, "OLLAMA_CONTEXT_LENGTH")
	_, window := k.Context()
	require.Equal(t, 4096, window)
}

func TestAnAnswerToACutConversationIsAskedForAgain(t *testing.T) {
	k := startChat(t, &modelserver.Script{Window: &modelserver.Window{Tokens: 4096, Summary: "In short."}, Replies: []modelserver.Reply{
		{ToolCalls: call("head -c 106000 /dev/zero | tr '\\0' x | fold -w 79")}, {Text: "Hello! How can I help you today?"},
		{Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"context_full"}}}, Text: "done"},
	}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "done", final)
	require.Equal(t, "done", k.shown())
	k.played(t)
	require.Len(t, k.server.Requests(), 3)
}

func TestAPromptLargerThanTheWindow(t *testing.T) {
	for words, refusal := range refusals {
		for _, stdin := range []bool{false, true} {
			k := startChat(t, &modelserver.Script{Window: &modelserver.Window{Tokens: 4096, Refusal: refusal}, Replies: []modelserver.Reply{{Text: "never"}}}, nil)
			prompt, what := strings.Repeat("word ", 5000), "the prompt about 625"
			if stdin {
				prompt, what = "<stdin>\n"+prompt+"\n</stdin>", "what came on stdin about 625"
			}
			_, err := k.Turn(context.Background(), prompt)
			requireLine(t, err, ExitModel, "start a new one", "it has 4096 tokens, the conversation about 6", what)
			require.NotEmpty(t, words)
			k.server.Close()
		}
	}
}

func TestNoRoomForAnAnswer(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: call(bigOutput)}, {Reasoning: "hm", FinishReason: "length"},
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"context_full"}}}, Text: "done"},
		{Text: "half an", FinishReason: "length"},
	}}, func(o *Options) { o.Unattended = true })
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "done", final)
	_, err = k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "output limit", "ask for less at once")
	require.NotContains(t, err.Error(), "go on")
	k.played(t)
}

func TestAnOutputTakesAPartOfTheWindow(t *testing.T) {
	j := &tape{}
	k := routerChat(t, &modelserver.Script{Replies: []modelserver.Reply{{ToolCalls: call("seq 1 10000")}, {Text: "ok"}}}, func(o *Options) { o.Window, o.Journal = 8192, j })
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
	result := pick[ToolResult](k.events)[0]
	require.Less(t, len(result.Output), 8192*bytesPerToken/outputPart+600)
	require.Contains(t, result.Output, "10000\n")
	for _, r := range j.records {
		if r.Type == transcript.TypeToolResult {
			path := spilled().FindStringSubmatch(r.Output)[1]
			data, err := os.ReadFile(filepath.Clean(path))
			require.NoError(t, err)
			require.True(t, strings.HasSuffix(string(data), "10000\n"))
		}
	}
}
