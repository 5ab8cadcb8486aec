package chat

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/modelserver"
)

// tape is a journal in memory. It ends, as a killed program does, after a
// number of records.
type tape struct {
	records []transcript.Record
	synced  int
	ends    int // 0: never
}

func (j *tape) Append(r transcript.Record) error {
	if j.ends == 0 || len(j.records) < j.ends {
		j.records = append(j.records, r)
	}
	return nil
}

func (j *tape) Sync() error {
	j.synced = len(j.records)
	return nil
}

func (j *tape) kinds() string {
	var out []string
	for _, r := range j.records {
		out = append(out, string(r.Type))
	}
	return strings.Join(out, " ")
}

func TestEverythingIsRecordedBeforeItIsShown(t *testing.T) {
	j := &tape{}
	recorded := ""
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Reasoning: "Hm.", Text: "Let me look.", ToolCalls: call("echo 1")}, {Text: "Done."},
	}}, func(o *Options) {
		o.Journal = j
		o.Events = func(e Event) {
			last := j.records[len(j.records)-1]
			switch e := e.(type) {
			case Text:
				require.Equal(t, e.Delta, last.Text)
				recorded += e.Delta
			case ToolCall:
				require.Equal(t, "echo 1", last.Command)
			case ToolResult:
				require.Equal(t, "1\n", last.Output)
			}
		}
	})
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
	require.Equal(t, "Let me look.Done.", recorded)
	require.Equal(t, "model system user reasoning text usage assistant tool_call tool_result text usage assistant end", j.kinds())
	require.Equal(t, len(j.records), j.synced)
}

func TestRecordsAreOnTheDiskBeforeTheNextRequest(t *testing.T) {
	j := &tape{}
	var unsynced []int
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{ToolCalls: call("echo 1")}, {Text: "Done."}}}, func(o *Options) {
		o.Journal = j
		o.HTTPClient = clientThat(func() { unsynced = append(unsynced, len(j.records)-j.synced) })
	})
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)
	require.Equal(t, []int{0, 0}, unsynced)
}

// TestAConversationGoesOnFromEveryRecord ends a conversation after each of its
// records, as a kill would, and goes on from there twice.
func TestAConversationGoesOnFromEveryRecord(t *testing.T) {
	script := func() []modelserver.Reply {
		return []modelserver.Reply{
			{Text: "First", Cut: modelserver.CutEnd},
			{Text: "I look at it.", Chunk: 4, ToolCalls: []modelserver.ToolCall{{Command: "echo 1"}, {Command: "exit 3"}, {Name: "nosuch"}}},
			{Text: "And so it is done.", Chunk: 4}, {Text: "Welcome."},
		}
	}
	whole := &tape{}
	k := startChat(t, &modelserver.Script{Replies: script()}, func(o *Options) { o.Journal = whole })
	for _, prompt := range []string{"go", "thanks"} {
		_, err := k.Turn(context.Background(), prompt)
		require.NoError(t, err)
	}
	k.played(t)
	for n := 1; n <= len(whole.records); n++ {
		history := append([]transcript.Record(nil), whole.records[:n]...)
		for round := range 2 {
			j := &tape{}
			again := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
				{Expect: modelserver.Expectations{{Role: "user", Contains: []string{"session was resumed", "what now?"}}}, Text: "Going on."},
			}}, func(o *Options) { o.Journal, o.History = j, history })
			final, err := again.Turn(context.Background(), "what now?")
			require.NoError(t, err, "after record %d, round %d", n, round)
			require.Equal(t, "Going on.", final)
			again.played(t)
			requireShown(t, whole.records[:n], string(again.server.Requests()[0].Body))
			history = append(history, j.records...)
		}
	}
}

// requireShown requires that what was shown is in a request.
func requireShown(t *testing.T, records []transcript.Record, request string) {
	t.Helper()
	shown := ""
	for _, r := range records {
		switch r.Type {
		case transcript.TypeText:
			shown += r.Text
		case transcript.TypeRetry:
			shown = ""
		case transcript.TypeAssistant:
			require.Contains(t, request, r.Text)
			shown = ""
		case transcript.TypeUser:
			require.Contains(t, request, r.Text)
		}
	}
	require.Contains(t, request, shown)
}

func TestAnOpenCallIsAnsweredAsInterrupted(t *testing.T) {
	calls := []transcript.Call{{ID: "a", Name: "bash", Arguments: `{"command":"x"}`}, {ID: "b", Name: "bash", Arguments: `{"command":"y"}`}, {ID: "c", Name: "bash", Arguments: `{"command":"z"}`}}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Expect: modelserver.Expectations{
		{Role: "tool", Equals: text("done")},
		{Role: "tool", Contains: []string{"ended while this command ran"}},
		{Role: "tool", Contains: []string{"interrupted before it ran"}},
		{Role: "assistant"}, {Role: "user"},
	}, Text: "ok"}}}, func(o *Options) {
		o.History = []transcript.Record{
			{Type: transcript.TypeUser, Text: "go"}, {Type: transcript.TypeAssistant, Calls: calls},
			{Type: transcript.TypeToolCall, ID: "a"}, {Type: transcript.TypeToolResult, ID: "a", Output: "done"}, {Type: transcript.TypeToolCall, ID: "b"},
		}
	})
	_, err := k.Turn(context.Background(), "go on")
	require.NoError(t, err)
	k.played(t)
}

func TestClear(t *testing.T) {
	j := &tape{}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "a"}, {
		Expect: modelserver.Expectations{{Role: "system"}, {Role: "user", Equals: text("new")}}, NewConversation: true, Text: "b",
	}}}, func(o *Options) { o.Journal = j })
	_, err := k.Turn(context.Background(), "old")
	require.NoError(t, err)
	require.NoError(t, k.Clear())
	_, err = k.Turn(context.Background(), "new")
	require.NoError(t, err)
	k.played(t)
}

func TestPicturesGoAlong(t *testing.T) {
	dir := t.TempDir()
	png := []byte("\x89PNG\r\n\x1a\n....")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a b.png"), png, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shot.PNG"), png, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.png"), []byte("hello"), 0o600))
	images, err := loadImages(`see @shot.PNG, @"a b.png" and @missing.png; me@shot.PNG`, dir)
	require.NoError(t, err)
	require.Len(t, images, 2)
	require.Equal(t, transcript.Image{Name: "shot.PNG", MIME: "image/png", Data: png}, images[0])
	require.Equal(t, "a b.png", images[1].Name)
	_, err = loadImages("@text.png", dir)
	require.ErrorContains(t, err, "it is no picture")

	j := &tape{}
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Expect: modelserver.Expectations{{Role: "user", Contains: []string{"look at @", "data:image/png;base64,iVBORw0KGgo"}}}, Text: "ok"}, {Text: "still"},
	}}, func(o *Options) { o.Journal = j })
	_, err = k.Turn(context.Background(), "look at @"+filepath.Join(dir, "shot.PNG"))
	require.NoError(t, err)
	_, err = k.Turn(context.Background(), "and?")
	require.NoError(t, err)
	k.played(t)
	require.Equal(t, png, j.records[2].Images[0].Data)
}

func TestWhatAProviderWantsBack(t *testing.T) {
	t.Run("reasoning_content", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
			{Reasoning: "well, well", ToolCalls: call("true")},
			{Expect: modelserver.Expectations{{Role: "assistant", Reasoning: text("well, well")}, {Role: "tool"}}, Text: "ok"},
		}}, nil)
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		k.played(t)
	})
	t.Run("a server that refuses it", func(t *testing.T) {
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
			{Reasoning: "well, well", Text: "hm"}, {Status: 400, Error: "reasoning_content must not be set"},
			{NewConversation: true, Expect: modelserver.Expectations{{Role: "assistant", Reasoning: text("")}, {Role: "user"}}, Text: "ok"},
		}}, nil)
		for range 2 {
			_, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
		}
		k.played(t)
	})
	t.Run("details and signatures", func(t *testing.T) {
		j := &tape{}
		body := `data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"hm"}],"tool_calls":[{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"command\":\"true\"}"},"extra_content":{"google":{"thought_signature":"sig"}}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
		k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Body: body}, {NewConversation: true, Text: "ok"}}}, func(o *Options) { o.Journal = j })
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
		k.played(t)
		sent := string(k.server.Requests()[1].Body)
		require.Contains(t, sent, `"reasoning_details":[{"type":"reasoning.text","text":"hm"}]`)
		require.Contains(t, sent, `"extra_content":{"google":{"thought_signature":"sig"}}`)
		again := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "ok"}}}, func(o *Options) { o.History = j.records })
		_, err = again.Turn(context.Background(), "go on")
		require.NoError(t, err)
		again.played(t)
		require.Contains(t, string(again.server.Requests()[0].Body), `"thought_signature":"sig"`)
	})
}
