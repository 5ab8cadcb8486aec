package chat

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// sentMessages are the messages of the nth request to a server, from 0.
func sentMessages(t *testing.T, s *modelserver.Server, n int) []map[string]any {
	t.Helper()
	var request struct{ Messages []map[string]any }
	require.Greater(t, len(s.Requests()), n)
	require.NoError(t, json.Unmarshal(s.Requests()[n].Body, &request))
	return request.Messages
}

func TestAnotherModelGoesOnWithTheConversation(t *testing.T) {
	j := &tape{}
	first := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Reasoning: "hm", ToolCalls: []modelserver.ToolCall{{ID: "functions.bash:0", Command: "echo 1"}}},
		{Text: "One."},
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Equals: text("back again"), Model: "scripted-1"}}, Text: "Here I am."},
	}}, func(o *Options) { o.Journal = j; o.Window = 1000 })
	_, err := first.Turn(context.Background(), "go")
	require.NoError(t, err)

	second, err := modelserver.Start(&modelserver.Script{Key: "other", Replies: []modelserver.Reply{
		{Expect: modelserver.Expectations{{Role: "assistant", Reasoning: text("")}, {Role: "tool", Equals: text("1\n")}, {Role: "assistant", Equals: text("One.")}, {Role: "user", Model: "m2"}}, Text: "Two."},
	}}, nil)
	require.NoError(t, err)
	was := first.Model()
	require.Equal(t, "scripted-1", was.Name)
	require.Equal(t, 1000, was.Window)
	require.NoError(t, first.SetModel(Model{Name: "m2", BaseURL: second.BaseURL + "/", APIKey: " other\n", Prices: Prices{Input: 1}}))
	require.Equal(t, "m2", first.Model().Name)
	require.Zero(t, first.Model().Window)
	_, err = first.Turn(context.Background(), "and now?")
	require.NoError(t, err)
	id := sentMessages(t, second, 0)[3]["tool_call_id"]
	require.Regexp(t, "^[a-z0-9]{9}$", id, "another maker's id is not sent on")
	require.NoError(t, second.Close())

	require.NoError(t, first.SetModel(was))
	_, err = first.Turn(context.Background(), "back again")
	require.NoError(t, err)
	sent := sentMessages(t, first.server, 2)
	require.Equal(t, "hm", sent[2]["reasoning_content"], "its own reasoning comes back to it")
	require.Equal(t, "functions.bash:0", sent[3]["tool_call_id"])
	first.played(t)

	models := 0
	for _, r := range j.records {
		if r.Type == transcript.TypeModel {
			models++
		}
	}
	require.Equal(t, 3, models)
}

func TestWhoSaidWhatOutlivesACompaction(t *testing.T) {
	c := New(&Options{Model: "m2", Runner: &bashRunner{}, History: []transcript.Record{
		{Type: transcript.TypeModel, Model: "m1"}, {Type: transcript.TypeUser, Text: "u"}, {Type: transcript.TypeAssistant, Text: "a", Extra: []byte(`{"x":1}`)},
		{Type: transcript.TypeModel, Model: "m2"}, {Type: transcript.TypeUser, Text: "u"}, {Type: transcript.TypeAssistant, Text: "b", Extra: []byte(`{"x":2}`)},
	}})
	require.False(t, c.isOwn(&c.messages[1]))
	require.True(t, c.isOwn(&c.messages[3]))
	kept := transcript.Record{Type: transcript.TypeCompact}
	for _, m := range c.messages {
		kept.Messages = append(kept.Messages, c.keepable(&m))
	}
	c.absorbRecord(kept)
	require.False(t, c.isOwn(&c.messages[1]))
	require.True(t, c.isOwn(&c.messages[3]))
	c.absorbRecord(transcript.Record{Type: transcript.TypeModel, Model: "m1"})
	require.True(t, c.isOwn(&c.messages[1]))
	require.False(t, c.isOwn(&c.messages[3]))
}
