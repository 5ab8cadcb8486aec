package telemetry

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
)

// sent is what a collector gets of a conversation, by path.
func sent(t *testing.T, env map[string]string, records ...transcript.Record) map[string]string {
	var mu sync.Mutex
	got := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			got[r.URL.Path] += string(body)
		}
	}))
	defer server.Close()
	env["OTEL_EXPORTER_OTLP_ENDPOINT"] = server.URL
	hide := func(text string) string { return strings.ReplaceAll(text, "s3cret", "[hidden]") }
	e, err := New(func(name string) (string, bool) { v, ok := env[name]; return v, ok }, "1", hide, func(err error) { t.Error(err) })
	require.NoError(t, err)
	j := e.Journal(nil, "m")
	for _, r := range records {
		require.NoError(t, j.Append(r))
	}
	require.NoError(t, e.Close())
	mu.Lock()
	defer mu.Unlock()
	return got
}

// TestTextIsSentOnlyWhereItIsWanted: an error's too, in which a server may quote what it was asked;
// and then without secrets.
func TestTextIsSentOnlyWhereItIsWanted(t *testing.T) {
	turn := []transcript.Record{{Type: transcript.TypeUser, Text: "private prompt"}, {Type: transcript.TypeRetry, Text: "503: you sent private retry s3cret"},
		{Type: transcript.TypeToolCall, ID: "c", Command: "echo private s3cret"}, {Type: transcript.TypeToolResult, ID: "c", Output: "private output", ExitCode: 1},
		{Type: transcript.TypeEnd, ExitCode: 1, Error: "400: you sent private words s3cret"}}
	for _, body := range sent(t, map[string]string{}, turn...) {
		require.NotContains(t, body, "private")
	}
	traces := sent(t, map[string]string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}, turn...)["/v1/traces"]
	for _, text := range []string{"you sent private retry [hidden]", "echo private [hidden]", "private output", "you sent private words [hidden]", `"error.type"`} {
		require.Contains(t, traces, text)
	}
	require.NotContains(t, traces, "s3cret")
	require.NotContains(t, traces, "private prompt")
}

// TestATurnInWhichNothingHappenedHasNoMetrics: an empty histogram is none.
func TestATurnInWhichNothingHappenedHasNoMetrics(t *testing.T) {
	got := sent(t, map[string]string{}, transcript.Record{Type: transcript.TypeUser}, transcript.Record{Type: transcript.TypeEnd, ExitCode: 4, Error: "x"})
	require.Contains(t, got, "/v1/traces")
	require.NotContains(t, got, "/v1/metrics")
}

func TestParents(t *testing.T) {
	trace, span := strings.Repeat("ab", 16), strings.Repeat("cd", 8)
	for parent, want := range map[string]spanContext{
		"00-" + trace + "-" + span + "-01":      {trace, span},
		"01-" + trace + "-" + span + "-00-more": {trace, span},
		"":                                      {},
		"ff-" + trace + "-" + span + "-01":      {},
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": {},
		"00-" + trace + "-0000000000000000-01":               {},
		"00-" + strings.Repeat("x", 32) + "-" + span + "-01": {},
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":  {},
		"00-" + trace + "-" + span:                           {},
	} {
		require.Equal(t, want, parseParent(parent), parent)
	}
}
