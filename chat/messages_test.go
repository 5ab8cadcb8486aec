package chat

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func onMessages(replies ...modelserver.Reply) *modelserver.Script {
	return &modelserver.Script{API: "messages", Key: "key", Replies: replies}
}

func speaksMessages(o *Options) { o.API = APIMessages }

// sentBlocks are the types of the blocks of each message of the nth request, and which of
// them are marked for the cache.
func sentBlocks(t *testing.T, s *modelserver.Server, n int) (kinds [][]string, marked int) {
	t.Helper()
	var request struct {
		Messages []struct {
			Content []struct {
				Type  string
				Cache json.RawMessage `json:"cache_control"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(s.Requests()[n].Body, &request))
	for _, m := range request.Messages {
		var types []string
		for _, b := range m.Content {
			types = append(types, b.Type)
			if b.Cache != nil {
				marked++
			}
		}
		kinds = append(kinds, types)
	}
	return kinds, marked
}

func TestAConversationByMessages(t *testing.T) {
	j := &tape{}
	k := startChat(t, onMessages(
		modelserver.Reply{Reasoning: "Hm, a look first.", Text: "Let me look.", ToolCalls: []modelserver.ToolCall{{Command: "echo 1"}, {Command: "echo 2"}}, Chunk: 1},
		modelserver.Reply{Expect: modelserver.Expectations{{Role: "user", Equals: text("go")}, {Role: "assistant", Equals: text("Let me look.")}, {Role: "tool", Equals: text("1\n")}, {Role: "tool", Equals: text("2\n")}},
			Text: "Done.", Usage: &modelserver.Usage{PromptTokens: 70, CompletionTokens: 7, CachedTokens: 60}},
		modelserver.Reply{Text: "Again."}), func(o *Options) {
		speaksMessages(o)
		o.Journal, o.Prices = j, Prices{Input: 1, Cached: 0.1, Output: 5}
	})
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "Done.", final)
	require.Equal(t, "Let me look.Done.", k.shown())
	usage := pick[Usage](k.events)[1]
	require.InDelta(t, (10*1+60*0.1+7*5)/1e6, usage.Cost, 1e-12)
	usage.Cost = 0
	require.Equal(t, Usage{Prompt: 70, Completion: 7, Cached: 60}, usage)
	_, err = k.Turn(context.Background(), "once more")
	require.NoError(t, err)
	kinds, marked := sentBlocks(t, k.server, 2)
	require.Equal(t, [][]string{{"text"}, {"thinking", "text", "tool_use", "tool_use"}, {"tool_result", "tool_result"}, {"text"}, {"text"}}, kinds)
	require.Equal(t, 2, marked, "the last two messages of the user")
	require.Contains(t, string(k.server.Requests()[2].Body), `{"signature":"encrypted-1","thinking":"Hm, a look first.","type":"thinking"}`)
	require.Contains(t, string(k.server.Requests()[2].Body), `"system":[{"type":"text","text":"You are a test.","cache_control":{"type":"ephemeral"}}]`)
	k.played(t)

	again := startChat(t, onMessages(modelserver.Reply{Text: "Here."}), func(o *Options) { speaksMessages(o); o.History = j.records })
	_, err = again.Turn(context.Background(), "go on")
	require.NoError(t, err)
	kinds, _ = sentBlocks(t, again.server, 0)
	require.Equal(t, "thinking", kinds[1][0], "a resumed session has its reasoning")
	again.played(t)

	other := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "Here."}}}, func(o *Options) { o.History = j.records })
	_, err = other.Turn(context.Background(), "go on")
	require.NoError(t, err)
	require.NotContains(t, string(other.server.Requests()[0].Body), "encrypted-1", "the other protocol does not know it")
	other.played(t)
}

func TestWhatTheCacheTakesCostsMore(t *testing.T) {
	c := New(&Options{Model: "m", Runner: &bashRunner{}, Prices: Prices{Input: 4, Cached: 1, Output: 8}})
	r := &reply{}
	for _, e := range []string{`{"type":"message_start","message":{"usage":{"input_tokens":10,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`} {
		require.NoError(t, c.takeMessage(r, []byte(e)))
	}
	require.Equal(t, Usage{Prompt: 1110, Completion: 20, Cached: 1000}, r.counted)
	require.InDelta(t, (10*4+100*5+1000*1+20*8)/1e6, r.cost, 1e-12)
}

func TestPicturesInMessages(t *testing.T) {
	k := startChat(t, onMessages(modelserver.Reply{Text: "A pixel."}), speaksMessages)
	img, err := NewImage("p.png", onePixel)
	require.NoError(t, err)
	_, err = k.Send(context.Background(), Prompt{Text: "see", Images: []Image{img}})
	require.NoError(t, err)
	require.Contains(t, string(k.server.Requests()[0].Body), `{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgouLi4u"}`)
	k.played(t)
}

// thinkingOf are the fields of the nth request that say how much the model is to think.
func thinkingOf(t *testing.T, s *modelserver.Server, n int) string {
	t.Helper()
	var r struct {
		MaxTokens int             `json:"max_tokens"`
		Thinking  json.RawMessage `json:"thinking"`
		Output    json.RawMessage `json:"output_config"`
	}
	require.NoError(t, json.Unmarshal(s.Requests()[n].Body, &r))
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

func TestAServerOfMessagesSaysWhatItTakes(t *testing.T) {
	k := startChat(t, onMessages(
		modelserver.Reply{Status: 400, Error: "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for scripted-1"},
		modelserver.Reply{Status: 400, Error: "adaptive thinking is not supported on this model"},
		modelserver.Reply{Reasoning: "hm", Text: "one"},
		modelserver.Reply{Status: 400, Error: "messages.1.content.0: Invalid `signature` in `thinking` block"},
		modelserver.Reply{NewConversation: true, Text: "two"},
	), func(o *Options) { speaksMessages(o); o.Effort = "high" })
	for range 2 {
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
	}
	require.Equal(t, `{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`, thinkingOf(t, k.server, 0))
	require.Equal(t, `{"max_tokens":8192,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`, thinkingOf(t, k.server, 1))
	require.Equal(t, `{"max_tokens":8192,"thinking":{"type":"enabled","budget_tokens":6144},"output_config":null}`, thinkingOf(t, k.server, 2))
	require.Equal(t, `{"max_tokens":8192,"thinking":null,"output_config":null}`, thinkingOf(t, k.server, 4), "without the reasoning of before there is none of it")
	require.NotContains(t, string(k.server.Requests()[4].Body), "encrypted-3")
	k.played(t)
}

func TestTheEffortIsToldInEachProtocol(t *testing.T) {
	for api, want := range map[string]string{
		APIChat:      `"reasoning_effort":"low"`,
		APIResponses: `"reasoning":{"summary":"auto","effort":"low"}`,
		APIMessages:  `"output_config":{"effort":"low"}`,
	} {
		t.Run(api, func(t *testing.T) {
			refusal := modelserver.Reply{Status: http.StatusBadRequest, Error: "Unsupported value: 'max' is not a level of effort of this model."}
			script := &modelserver.Script{Replies: []modelserver.Reply{{Text: "one"}, refusal, {Text: "two"}}}
			if api != APIChat {
				script.API = api
			}
			k := startChat(t, script, func(o *Options) { o.API, o.Effort = api, "low" })
			_, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Contains(t, string(k.server.Requests()[0].Body), want)
			k.SetEffort("max")
			_, err = k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Contains(t, string(k.server.Requests()[1].Body), `effort":"max"`)
			require.NotContains(t, string(k.server.Requests()[2].Body), "effort")
			require.Equal(t, []Notice{{Text: "scripted-1 does not take the effort max, so none is asked for: Unsupported value: 'max' is not a level of effort of this model"}}, pick[Notice](k.events))
			k.played(t)
		})
	}
}

func TestAnotherModelGoesOnWhereAServerFails(t *testing.T) {
	for name, first := range map[string]modelserver.Reply{
		"overloaded":       {Status: 529, Times: 4},
		"too many":         {Status: 429, RetryAfter: "0", Times: 4},
		"quota":            {Status: 429, ErrorCode: "insufficient_quota"},
		"it breaks off":    {Text: "I wi", Cut: modelserver.CutReset, Times: 4},
		"an error at once": {Body: "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", Times: 4},
		"no connection":    {Cut: modelserver.CutDrop, Times: 4},
	} {
		t.Run(name, func(t *testing.T) {
			second, err := modelserver.Start(onMessages(modelserver.Reply{Expect: modelserver.Expectations{{Role: "user", Equals: text("go"), Model: "m2"}}, Text: "Here."}, modelserver.Reply{Text: "Still."}), nil)
			require.NoError(t, err)
			next := []Model{{Name: "m2", BaseURL: second.BaseURL, API: APIMessages, APIKey: "key"}}
			k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{first}}, func(o *Options) {
				o.Fallback = func(context.Context) (m Model, ok bool) {
					if ok = len(next) > 0; ok {
						m, next = next[0], next[1:]
					}
					return m, ok
				}
			})
			for range 2 {
				_, err = k.Turn(context.Background(), "go")
				require.NoError(t, err)
			}
			require.Equal(t, "Here.Still.", k.shown())
			require.Len(t, pick[Notice](k.events), 1, "it is said once")
			require.Contains(t, pick[Notice](k.events)[0].Text, "m2 at "+hostOf(second.BaseURL)+" goes on from here")
			k.played(t)
			require.NoError(t, second.Close())
		})
	}
	for name, first := range map[string]modelserver.Reply{"a wrong key": {Status: 401}, "a wrong request": {Status: 400, Error: "no such parameter"}} {
		t.Run(name, func(t *testing.T) {
			k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{first}}, func(o *Options) {
				o.Fallback = func(context.Context) (Model, bool) { panic("asked for another model") }
			})
			_, err := k.Turn(context.Background(), "go")
			require.Error(t, err)
			k.played(t)
		})
	}
}

func TestKnownModels(t *testing.T) {
	known, err := BuiltInModels().With([]byte(`{"gpt-5": {"window": 7, "input": 9, "output": 9}, "My-Model": {"window": 8}}`))
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		window int
		input  float64
	}{
		{"openai/GPT-5-2025-08-07", 400_000, 9}, {"gpt-5", 7, 9}, {"gpt-5-codex", 400_000, 9}, {"gpt-5.7", 400_000, 0}, {"gpt-5o", 0, 0},
		{"claude-opus-4-20250514", 200_000, 15}, {"claude-opus-4-5@20251101", 200_000, 5}, {"claude-opus-4.9", 200_000, 0}, {"my-model:latest", 8, 0}, {"llama3", 0, 0},
	} {
		f := known.Find(c.name)
		require.Equal(t, c.window, f.Window, c.name)
		require.Equal(t, c.input, f.Input, c.name)
	}
	_, err = known.With([]byte(`{`))
	require.Error(t, err)
}
