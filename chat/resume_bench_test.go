package chat

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
)

// BenchmarkResume is what it takes in this process to open a session of 10,000
// records and send the next request with all of it.
func BenchmarkResume(b *testing.B) {
	st := &transcript.Store{Path: b.TempDir()}
	s, err := st.Create("/p", "bench")
	require.NoError(b, err)
	require.NoError(b, s.Append(transcript.Record{Type: transcript.TypeUser, Text: "go"}))
	for n := range 2000 {
		id := fmt.Sprint("call_", n)
		for _, r := range []transcript.Record{
			{Type: transcript.TypeText, Text: "Let me look at the next file."}, {Type: transcript.TypeUsage, Usage: &transcript.Usage{Prompt: 1000, Completion: 10}},
			{Type: transcript.TypeAssistant, Text: "Let me look at the next file.", Calls: []transcript.Call{{ID: id, Name: "bash", Arguments: `{"command":"cat a.go"}`}}},
			{Type: transcript.TypeToolCall, ID: id, Command: "cat a.go", Timeout: 120},
			{Type: transcript.TypeToolResult, ID: id, Output: "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n"},
		} {
			require.NoError(b, s.Append(r))
		}
	}
	require.NoError(b, s.Close())
	reply := NewReplay([]transcript.Record{{Type: transcript.TypeAssistant, Text: "ok"}})
	for b.Loop() {
		again, records, _, err := st.Open(s.ID, "bench")
		require.NoError(b, err)
		c := New(&Options{Model: "m", Runner: &bashRunner{}, History: records, HTTPClient: &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			io.Copy(io.Discard, r.Body)
			reply.(*replay).next = 0
			return reply.RoundTrip(r)
		})}})
		_, err = c.Turn(context.Background(), "go on")
		require.NoError(b, err)
		require.NoError(b, again.Close())
	}
}
