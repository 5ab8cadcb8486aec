package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/fieldbash"
)

// TestTrajectories: a session with everything that can be in one is a trajectory by the
// format's schema, with nothing lost that it has a place for.
func TestTrajectories(t *testing.T) {
	text, err := os.ReadFile("../../testdata/atif-v1.4.schema.json")
	require.NoError(t, err)
	schema, err := fieldbash.NewAnswerSchema(text)
	require.NoError(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	records := []transcript.Record{
		{Type: transcript.TypeSession, V: 1, ID: "20260102-x", Dir: "/w", Program: "0.2.0"},
		{Type: transcript.TypeModel, Model: "m", Server: "s"},
		{Type: transcript.TypeSystem, Text: "Be brief."},
		{Type: transcript.TypeUser, Time: at, Text: "Go <on> \xff", Images: []transcript.Image{{Name: "a.png"}}},
		{Type: transcript.TypeText, Text: "Loo"},
		{Type: transcript.TypeUsage, Usage: &transcript.Usage{Prompt: 10, Completion: 3, Cached: 4, Cost: 0.5}},
		{Type: transcript.TypeAssistant, Text: "Looking.", Reasoning: "hm", Calls: []transcript.Call{
			{ID: "1", Name: "bash", Arguments: `{"command":"ls","timeout":5}`}, {ID: "2", Name: "bash", Arguments: `{"comm`}}},
		{Type: transcript.TypeToolCall, ID: "1", Command: "ls"},
		{Type: transcript.TypeToolResult, ID: "1", Output: "a\n"},
		{Type: transcript.TypeToolResult, ID: "2", Output: "no JSON", Refused: true},
		{Type: transcript.TypeUsage, Usage: &transcript.Usage{Prompt: 20, Completion: 1}},
		{Type: transcript.TypeText, Text: "It broke"},
		{Type: transcript.TypeEnd, ExitCode: 1, Error: "cut"},
	}
	var b bytes.Buffer
	require.NoError(t, transcript.WriteATIF(&b, records))
	require.Empty(t, schema.Check(b.Bytes()), b.String())
	var got map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	steps := got["steps"].([]any)
	require.Len(t, steps, 4)
	reply := steps[2].(map[string]any)
	require.Equal(t, map[string]any{"prompt_tokens": 10.0, "completion_tokens": 3.0, "cached_tokens": 4.0, "cost_usd": 0.5}, reply["metrics"])
	require.Equal(t, map[string]any{"text": `{"comm`}, reply["tool_calls"].([]any)[1].(map[string]any)["arguments"])
	require.Equal(t, []any{map[string]any{"source_call_id": "1", "content": "a\n"}, map[string]any{"source_call_id": "2", "content": "no JSON"}}, reply["observation"].(map[string]any)["results"])
	require.Equal(t, "It broke", steps[3].(map[string]any)["message"])
	require.Equal(t, map[string]any{"total_prompt_tokens": 30.0, "total_completion_tokens": 4.0, "total_cached_tokens": 4.0, "total_cost_usd": 0.5, "total_steps": 4.0}, got["final_metrics"])
	for _, wrong := range []string{`{}`, `{"schema_version":"ATIF-v1.4","session_id":"x","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"","metrics":{}}]}`} {
		require.NotEmpty(t, schema.Check([]byte(wrong)))
	}
}
