package chat

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestErrorsSayWhatToDoNextAndTheConversationGoesOn(t *testing.T) {
	four := func(r modelserver.Reply) []modelserver.Reply {
		r.Times = defaultAttempts
		return []modelserver.Reply{r}
	}
	tests := []struct {
		name     string
		replies  []modelserver.Reply
		final    string
		exit     int
		contains []string
	}{
		{"400", []modelserver.Reply{{Status: 400, Error: "no tools here"}}, "", ExitModel, []string{"400 Bad Request: no tools here", "Options.Model scripted-1"}},
		{"401", []modelserver.Reply{{Status: 401, Error: "Incorrect API key."}}, "", ExitAuth, []string{"401 Unauthorized: Incorrect API key", "Options.APIKey"}},
		{"403", []modelserver.Reply{{Status: 403, Body: "<html>no</html>"}}, "", ExitAuth, []string{"403 Forbidden", "Options.APIKey"}},
		{"404", []modelserver.Reply{{Status: 404, Error: "model 'x' not found"}}, "", ExitModel, []string{"404 Not Found: model 'x' not found", "Options.Model", "Options.BaseURL"}},
		{"404 as plain text", []modelserver.Reply{{Status: 404, Body: "404 page not found\n", ContentType: "text/plain"}}, "", ExitModel, []string{"404 page not found", "Options.BaseURL"}},
		{"429 to the end", four(modelserver.Reply{Status: 429, RetryAfter: "0", Error: "slow down"}), "", ExitModel, []string{"429 Too Many Requests: slow down", "send the prompt again"}},
		{"429 with too long a wait", []modelserver.Reply{{Status: 429, RetryAfter: "3600"}}, "", ExitModel, []string{"429", "wait"}},
		{"no credit", []modelserver.Reply{{Status: 429, ErrorCode: quotaCode, Error: "You exceeded your quota"}}, "", ExitModel, []string{"no credit left"}},
		{"500 to the end", four(modelserver.Reply{Status: 500, Error: "oh"}), "", ExitModel, []string{"500 Internal Server Error: oh", "send the prompt again"}},
		{"too long a conversation", []modelserver.Reply{{Status: 400, ErrorCode: "context_length_exceeded", Error: "8193 tokens"}}, "", ExitModel, []string{"8193 tokens", "start a new one (in the chat: /clear"}},
		{"a redirect", []modelserver.Reply{{Status: 301, Location: "https://elsewhere.example/v1"}}, "", ExitModel, []string{"redirects to https://elsewhere.example/v1", "Options.BaseURL"}},
		{"a web page", []modelserver.Reply{{Body: "<html>Welcome</html>", ContentType: "text/html"}}, "", ExitModel, []string{"text/html in place of an event stream", "Welcome", "Options.BaseURL"}},
		{"JSON in place of a stream", []modelserver.Reply{{Body: `{"choices":[]}`, ContentType: "application/json"}}, "", ExitModel, []string{"application/json in place of an event stream"}},
		{"an event that is not JSON", []modelserver.Reply{{Body: "data: {\"choices\n\n"}}, "", ExitModel, []string{"not JSON", "go on"}},
		{"cut in the text", four(modelserver.Reply{Text: "I will now", Cut: modelserver.CutReset}), "I will now", ExitModel, []string{"cut off in the middle", "go on"}},
		{"ended without a finish reason", four(modelserver.Reply{Text: "I will", Cut: modelserver.CutEnd}), "I will", ExitModel, []string{"cut off in the middle"}},
		{"cut in a tool call", four(modelserver.Reply{Text: "So:", ToolCalls: call("touch ran"), Cut: modelserver.CutEnd}), "So:", ExitModel, []string{"cut off"}},
		{"an error event after comments", four(modelserver.Reply{KeepAlives: 3, Text: "Well", Error: "overloaded"}), "Well", ExitModel, []string{"broke off the reply (overloaded)"}},
		{"cut by the output limit", []modelserver.Reply{{Text: "A long", FinishReason: "length"}}, "A long", ExitModel, []string{"output limit", "go on"}},
		{"filtered", []modelserver.Reply{{Text: "A", FinishReason: "content_filter"}}, "A", ExitModel, []string{"filtered"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := startChat(t, &modelserver.Script{Replies: append(tt.replies, modelserver.Reply{Text: "back"})}, nil)
			final, err := k.Turn(context.Background(), "go")
			requireLine(t, err, tt.exit, tt.contains...)
			require.Equal(t, tt.final, final)
			require.Equal(t, tt.final, k.shown())
			require.Empty(t, k.runner.ran())

			final, err = k.Turn(context.Background(), "go on")
			require.NoError(t, err)
			require.Equal(t, "back", final)
			k.played(t)
		})
	}
}

func requireLine(t *testing.T, err error, exit int, contains ...string) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, exit, e.ExitStatus(), e.Text)
	require.NotContains(t, e.Text, "\n")
	for _, s := range contains {
		require.Contains(t, e.Text, s)
	}
}

func TestServersThatAreNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := l.Addr().String()
	require.NoError(t, l.Close())

	tests := []struct {
		name, baseURL, contains string
	}{
		{"refused", "http://" + closed + "/v1", "connection refused: start the server"},
		// RFC 6761 reserves .invalid: no resolver may know it.
		{"unknown host", "http://model.invalid/v1", "Options.BaseURL"},
		{"no scheme", "localhost:1234/v1", "base URL"},
		{"not a URL", "http://[", "base URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(&Options{Model: "m", BaseURL: tt.baseURL, Runner: &bashRunner{}})
			_, err := c.Turn(context.Background(), "go")
			requireLine(t, err, ExitModel, tt.contains)
		})
	}
}

func TestAnEmptyPromptIsAUsageError(t *testing.T) {
	c := New(&Options{Model: "m", BaseURL: "http://127.0.0.1:9/v1", Runner: &bashRunner{}})
	_, err := c.Turn(context.Background(), " \n")
	requireLine(t, err, ExitUsage, "empty")
}

func TestRetriesAreShown(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Status: 429, RetryAfter: "0"}, {Status: 500}, {Text: "ok"},
	}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
	retries := pick[Retry](k.events)
	require.Len(t, retries, 2)
	require.Equal(t, Retry{Attempt: 1, Reason: "429 Too Many Requests"}, retries[0])
	require.True(t, strings.HasPrefix(retries[1].Reason, "500"))
	require.Positive(t, retries[1].Wait)
}

func TestTheKeyIsNotShownInErrors(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Status: 401, Error: "no such key: sk-0123456789"}}}, func(o *Options) {
		o.APIKey = "sk-0123456789\n"
	})
	_, err := k.Turn(context.Background(), "go")
	k.played(t)
	requireLine(t, err, ExitAuth, "no such key: [redacted]")
	require.NotContains(t, err.Error(), "0123456789")
}

func TestABaseURLMayHoldTheWholePath(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "ok"}}}, func(o *Options) { o.BaseURL += "/chat/completions/" })
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
}

func TestAKeyThatAServerRepeatsIsNotShown(t *testing.T) {
	const key = "k-0123456789"
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "Half", Error: "again " + key, Times: defaultAttempts}, {Error: "again " + key, Times: defaultAttempts}}}, func(o *Options) {
		o.APIKey, o.Backoff = key, time.Millisecond
	})
	for range 2 {
		_, err := k.Turn(context.Background(), "go")
		require.ErrorContains(t, err, "[redacted]")
		require.NotContains(t, err.Error(), key)
	}
	require.NotContains(t, fmt.Sprint(k.events), key)
}
