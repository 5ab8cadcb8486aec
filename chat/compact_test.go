package chat

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// clientThat calls f before each request.
func clientThat(f func()) *http.Client {
	return &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		f()
		return http.DefaultTransport.RoundTrip(r)
	})}
}

// spillTo stores what is left out in a directory.
func spillTo(dir string) func(string) (string, error) {
	n := 0
	return func(text string) (string, error) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		return path, os.WriteFile(path, []byte(text), 0o600)
	}
}

const bigOutput = "seq 1 2000" // 8,893 bytes

func TestOutputsGoFirstAndStayReachable(t *testing.T) {
	j, spill := &tape{}, t.TempDir()
	usage := &modelserver.Usage{PromptTokens: 9300, CompletionTokens: 10}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Text: "One.", ToolCalls: call(bigOutput)}, {Text: "Two.", ToolCalls: call(bigOutput)}, {Text: "Three.", ToolCalls: call(bigOutput)},
		{Text: "Four.", ToolCalls: call(bigOutput), Usage: usage},
		{NewConversation: true, Expect: modelserver.Expectations{
			{Role: "user", Equals: text("go")},
			{Role: "assistant", Equals: text("One.")}, {Role: "tool", Contains: []string{"1\n<system_hint", "context_full", spill}},
			{Role: "assistant", Equals: text("Two.")}, {Role: "tool", Contains: []string{"1999\n2000"}},
			{Role: "assistant", Equals: text("Three.")}, {Role: "tool", Contains: []string{"1999\n2000"}},
			{Role: "assistant", Equals: text("Four.")}, {Role: "tool", Contains: []string{"1999\n2000"}},
		}, Text: "ok"}, {Text: "still"},
	}}, func(o *Options) { o.Window, o.Spill, o.Journal = 13_000, spillTo(spill), j })
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	_, err = k.Turn(context.Background(), "and?")
	require.NoError(t, err)
	k.played(t)
	require.Len(t, pick[Compacted](k.events), 1)
	data, err := os.ReadFile(filepath.Join(spill, "1"))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(data), "1999\n2000\n"))

	again := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "ok"}}}, func(o *Options) { o.History = j.records })
	_, err = again.Turn(context.Background(), "go on")
	require.NoError(t, err)
	again.played(t)
	require.Contains(t, string(again.server.Requests()[0].Body), "context_full")
}

func TestEarlierTurnsBecomeASummary(t *testing.T) {
	for _, api := range []string{"", APIResponses} {
		t.Run(api, func(t *testing.T) { earlierTurns(t, api) })
	}
}

func earlierTurns(t *testing.T, api string) {
	long := strings.Repeat("word ", 800) // 1,000 tokens
	k := startChat(t, &modelserver.Script{API: api, Replies: []modelserver.Reply{
		{Text: long}, {Text: "Second.", Usage: &modelserver.Usage{PromptTokens: 2900, CompletionTokens: 1000}},
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Write the summary"}}}, Text: "They want tea."},
		{NewConversation: true, Expect: modelserver.Expectations{
			{Role: "system"}, {Role: "user", Contains: []string{"They want tea."}}, {Role: "assistant"},
			{Role: "user", Equals: text("second")}, {Role: "assistant", Equals: text("Second.")}, {Role: "user", Equals: text("third")},
		}, Text: "Third."},
		{Text: "Fourth."},
	}}, func(o *Options) { o.Window, o.API = 4000, api })
	for _, prompt := range []string{"first " + long, "second", "third", "fourth"} {
		_, err := k.Turn(context.Background(), prompt)
		require.NoError(t, err)
	}
	k.played(t)
	require.NotContains(t, k.shown(), "They want tea.")
}

func TestAWindowIsLearntFromTheServersRefusal(t *testing.T) {
	refusal := modelserver.Reply{Status: 400, ErrorCode: "context_length_exceeded", Error: "This model's maximum context length is 4,096 tokens."}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: call(bigOutput)}, {ToolCalls: call(bigOutput)}, {ToolCalls: call(bigOutput)}, {ToolCalls: call(bigOutput)},
		refusal,
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Write the summary"}}}, Status: 400, Error: "prompt is too long: 9000 tokens > 4096 maximum"},
		{NewConversation: true, Expect: modelserver.Expectations{{Contains: []string{"left out to save room", "You ran:", "in the user's words:\ngo"}}, {Role: "assistant"}, {Role: "tool"}}, Text: "ok"},
	}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "ok", final)
	k.played(t)
	_, window := k.Context()
	require.Equal(t, 4096, window)
}

func TestARefusalInTheStreamMakesRoomToo(t *testing.T) {
	words := "Your input exceeds the context window of this model. The maximum context length is 4096 tokens."
	quoted := `"code":"context_length_exceeded","message":"` + words + `"`
	for name, c := range map[string]struct{ api, body string }{
		"chat":      {"", events(`{"error":{` + quoted + `}}`)},
		"responses": {APIResponses, `data: {"type":"response.failed","response":{"error":{` + quoted + `}}}` + "\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			k := startChat(t, &modelserver.Script{API: c.api, Replies: []modelserver.Reply{
				{ToolCalls: call(bigOutput)}, {ToolCalls: call(bigOutput)}, {ToolCalls: call(bigOutput)}, {ToolCalls: call(bigOutput)},
				{Body: c.body},
				{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Write the summary"}}}, Text: "In short."},
				{NewConversation: true, Text: "ok"},
			}}, func(o *Options) { o.API = c.api })
			final, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Equal(t, "ok", final)
			k.played(t)
			_, window := k.Context()
			require.Equal(t, 4096, window)
		})
	}
}

func TestAfterTwoTriesItStops(t *testing.T) {
	refusal := modelserver.Reply{NewConversation: true, Status: 400, ErrorCode: "context_length_exceeded", Error: "too long"}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: call(bigOutput + "; date +%N"), Times: 8}, refusal, refusal, refusal, refusal,
	}}, func(o *Options) { o.Window = 1_000_000 })
	_, err := k.Turn(context.Background(), "go")
	requireLine(t, err, ExitModel, "too long", "start a new one")
	k.server.Close()
	require.LessOrEqual(t, len(k.server.Requests()), 8+2*(maxCompactions+1))
}

func TestWindowsInRefusals(t *testing.T) {
	for text, want := range map[string]int{
		"This model's maximum context length is 128000 tokens. However, you requested 130000":           128000,
		"prompt is too long: 210000 tokens > 200000 maximum":                                            200000,
		"the request exceeds the available context size (8192 tokens), try increasing it":               8192,
		"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).":       1048576,
		"This endpoint's maximum context length is 163,840 tokens. However, you requested about 200000": 163840,
		"input length and `max_tokens` exceed context limit":                                            0,
	} {
		window, _ := (&errorBody{text: text}).tokens()
		require.Equal(t, want, window, text)
	}
}

func TestUsageIsTheServersOrAnEstimateThatSaysSo(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Text: "a", Usage: &modelserver.Usage{PromptTokens: 7, CompletionTokens: 3}}, {Text: strings.Repeat("word ", 100), NoUsage: true},
	}}, nil)
	for range 2 {
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
	}
	k.played(t)
	usages := pick[Usage](k.events)
	require.Equal(t, Usage{Prompt: 7, Completion: 3}, usages[0])
	require.True(t, usages[1].Estimated)
	require.InDelta(t, 126, usages[1].Completion, 5)
	require.Greater(t, usages[1].Prompt, 300)
}
