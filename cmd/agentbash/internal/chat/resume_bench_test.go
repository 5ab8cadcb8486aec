package chat

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/store"
)

// BenchmarkResume is what it takes in this process to open a session of 10,000
// records and send the next request with all of it.
func BenchmarkResume(b *testing.B) {
	st := &store.Store{Path: b.TempDir()}
	s, err := st.Create("/p", "bench")
	require.NoError(b, err)
	require.NoError(b, s.Append(store.Record{Type: store.TypeUser, Text: "go"}))
	for n := range 2000 {
		id := fmt.Sprint("call_", n)
		for _, r := range []store.Record{
			{Type: store.TypeText, Text: "Let me look at the next file."}, {Type: store.TypeUsage, Usage: &store.Usage{Prompt: 1000, Completion: 10}},
			{Type: store.TypeAssistant, Text: "Let me look at the next file.", Calls: []store.Call{{ID: id, Name: "bash", Arguments: `{"command":"cat a.go"}`}}},
			{Type: store.TypeToolCall, ID: id, Command: "cat a.go", Timeout: 120},
			{Type: store.TypeToolResult, ID: id, Output: "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n"},
		} {
			require.NoError(b, s.Append(r))
		}
	}
	require.NoError(b, s.Close())
	reply := NewReplay([]store.Record{{Type: store.TypeAssistant, Text: "ok"}})
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
