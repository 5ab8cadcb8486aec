package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// collector is an OpenTelemetry collector that keeps what it is sent.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies map[string][]byte // by path
	token  []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{bodies: map[string][]byte{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err == nil && r.Header.Get("Content-Type") == "application/json" {
			c.bodies[r.URL.Path] = body
		}
		c.token = append(c.token, r.Header.Get("X-Token"))
	}))
	t.Cleanup(c.Close)
	return c
}

// attributesOf are an item's, by name.
func attributesOf(item any) map[string]any {
	out := map[string]any{}
	for _, a := range item.(map[string]any)["attributes"].([]any) {
		one := a.(map[string]any)
		for _, v := range one["value"].(map[string]any) {
			out[one["key"].(string)] = v
		}
	}
	return out
}

// TestTelemetry: a run is a trace below the span that started it, with a span for each request
// and each call, and metrics; what was said and done is in it only when that is wanted.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{
		{ToolCalls: calls("echo s3cret-word; exit 3"), Usage: &modelserver.Usage{PromptTokens: 100, CompletionTokens: 7}},
		{Text: "Done.", Usage: &modelserver.Usage{PromptTokens: 120, CompletionTokens: 2}}}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	run := func(env ...string) {
		cmd := program(t, env, "-p", "go", "--mode", "full", "--base-url", server.BaseURL, "--model", "gpt-5")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, "Done.\n", string(out))
	}
	run("OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-token=a%20b", "OTEL_RESOURCE_ATTRIBUTES=team=x", "OTEL_SERVICE_NAME=mine",
		"TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	require.Equal(t, []string{"a b", "a b"}, c.token)
	require.NotContains(t, string(c.bodies["/v1/traces"]), "s3cret-word")
	var traces, metrics map[string]any
	require.NoError(t, json.Unmarshal(c.bodies["/v1/traces"], &traces))
	require.NoError(t, json.Unmarshal(c.bodies["/v1/metrics"], &metrics))
	group := traces["resourceSpans"].([]any)[0].(map[string]any)
	resource := attributesOf(group["resource"])
	require.Equal(t, "mine", resource["service.name"])
	require.Equal(t, "x", resource["team"])
	spans := group["scopeSpans"].([]any)[0].(map[string]any)["spans"].([]any)
	var names []string
	turn := spans[0].(map[string]any)
	require.Equal(t, "b7ad6b7169203331", turn["parentSpanId"])
	for _, s := range spans {
		one := s.(map[string]any)
		names = append(names, one["name"].(string))
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", one["traceId"])
		require.LessOrEqual(t, one["startTimeUnixNano"], one["endTimeUnixNano"])
		if one["spanId"] != turn["spanId"] {
			require.Equal(t, turn["spanId"], one["parentSpanId"])
		}
	}
	require.Equal(t, []string{"invoke_agent agentbash", "chat gpt-5", "execute_tool bash", "chat gpt-5"}, names)
	require.Equal(t, "100", attributesOf(spans[1])["gen_ai.usage.input_tokens"])
	require.Equal(t, "3", attributesOf(spans[2])["process.exit.code"])
	require.Equal(t, "exit_3", attributesOf(spans[2])["error.type"])
	sums := map[string]float64{}
	for _, m := range metrics["resourceMetrics"].([]any)[0].(map[string]any)["scopeMetrics"].([]any)[0].(map[string]any)["metrics"].([]any) {
		one := m.(map[string]any)
		if h, ok := one["histogram"].(map[string]any); ok && one["unit"] == "{token}" {
			for _, p := range h["dataPoints"].([]any) {
				sums[attributesOf(p)["gen_ai.token.type"].(string)] = p.(map[string]any)["sum"].(float64)
			}
		}
	}
	require.Equal(t, map[string]float64{"input": 220, "output": 9}, sums)

	server.Rewind()
	run("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+c.URL+"/own", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true")
	require.Contains(t, string(c.bodies["/own"]), "s3cret-word")
	require.Len(t, c.bodies, 3)
	seen := len(c.token)
	for _, off := range [][]string{nil, {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_SDK_DISABLED=true"}, {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"}} {
		server.Rewind()
		run(off...)
		require.Len(t, c.token, seen)
	}
}

// TestTelemetryThatDoesNotArrive is one warning, and changes nothing else.
func TestTelemetryThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	server, err := modelserver.Start(&modelserver.Script{Replies: []modelserver.Reply{{Text: "Done."}}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for _, want := range []struct{ env, text string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "telemetry does not arrive"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.BaseURL, "404"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "4318"},
	} {
		server.Rewind()
		cmd := program(t, []string{want.env, "OTEL_TRACES_EXPORTER=otlp"}, "-p", "go", "--base-url", server.BaseURL, "--model", "gpt-5")
		var notes strings.Builder
		cmd.Stderr = &notes
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, "Done.\n", string(out))
		require.Contains(t, notes.String(), want.text)
		require.Equal(t, 1, len(strings.Split(strings.TrimSpace(notes.String()), "\n")), "%s", notes.String())
	}
}
