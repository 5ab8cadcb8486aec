package chat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// damaged are the records of a conversation in which something of every kind
// happened.
func damaged(t *testing.T) []transcript.Record {
	t.Helper()
	j := &tape{}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Text: "I look.", ToolCalls: []modelserver.ToolCall{{Command: "echo 1"}, {Command: "exit 3"}, {Name: "nosuch"}}},
		{Text: "Once more.", ToolCalls: call("echo 2")}, {Text: "Done."}, {Text: "Welcome.", Reasoning: "hm"},
		{NewConversation: true, Text: "New."},
	}}, func(o *Options) { o.Journal = j })
	for _, prompt := range []string{"go", "thanks"} {
		_, err := k.Turn(context.Background(), prompt)
		require.NoError(t, err)
	}
	require.NoError(t, k.Clear())
	_, err := k.Turn(context.Background(), "anew")
	require.NoError(t, err)
	k.played(t)
	return j.records
}

// goesOn requires that a conversation goes on with a history, and that its
// request is what servers take.
func goesOn(t *testing.T, history []transcript.Record, what string) {
	t.Helper()
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "Going on."}}}, func(o *Options) { o.History = history })
	final, err := k.Turn(context.Background(), "what now?")
	require.NoError(t, err, what)
	require.Equal(t, "Going on.", final, what)
	require.NoError(t, k.server.Close(), what)
}

func TestAConversationGoesOnWithoutAnyOneRecord(t *testing.T) {
	records := damaged(t)
	clear := slices.IndexFunc(records, func(r transcript.Record) bool { return r.Type == transcript.TypeClear })
	for n := range records {
		goesOn(t, slices.Delete(slices.Clone(records), n, n+1), fmt.Sprintf("without record %d, %s", n, records[n].Type))
		if n < clear { // what came before it is seen only without it
			goesOn(t, slices.Delete(slices.Clone(records[:clear]), n, n+1), fmt.Sprintf("without record %d, %s", n, records[n].Type))
		}
	}
}

// A session that somebody else wrote, or a disk mixed up, is no reason to fail.
func TestAConversationGoesOnWithAnyRecordsInAnyOrder(t *testing.T) {
	records := damaged(t)
	records = append(records, transcript.Record{Type: transcript.TypeCompact, Messages: []transcript.Record{{Type: transcript.TypeToolResult, ID: "x", Output: "alone"}, {Type: transcript.TypeUser, Text: "u"}, {Type: transcript.TypeUser, Text: "v"}}},
		transcript.Record{Type: transcript.TypeToolResult, ID: "call_1_1", Output: "again"}, transcript.Record{Type: "alien", Text: "?"}, transcript.Record{Type: transcript.TypeUser},
		transcript.Record{Type: transcript.TypeAssistant}, transcript.Record{Type: transcript.TypeAssistant, Calls: []transcript.Call{{ID: "", Name: "b c", Arguments: "["}, {ID: "d", Name: "bash", Arguments: "{}"}, {ID: "d", Name: "bash", Arguments: "{}"}}})
	random := rand.New(rand.NewPCG(3, 3))
	for n := range 60 {
		mixed := slices.Clone(records)
		random.Shuffle(len(mixed), func(i, k int) { mixed[i], mixed[k] = mixed[k], mixed[i] })
		goesOn(t, mixed[:random.IntN(len(mixed))], fmt.Sprint("mix ", n))
	}
}
