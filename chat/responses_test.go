package chat

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/internal/modelserver"
)

func onResponses(replies ...modelserver.Reply) *modelserver.Script {
	return &modelserver.Script{API: "responses", Replies: replies}
}

func paths(s *modelserver.Server) string {
	var out []string
	for _, r := range s.Requests() {
		out = append(out, strings.TrimPrefix(r.Path, "/v1/"))
	}
	return strings.Join(out, " ")
}

func TestAModelThatRefusesToolsOnChatIsAskedByResponses(t *testing.T) {
	j := &tape{}
	var told []Model
	script := onResponses(
		modelserver.Reply{Reasoning: "Hm, a look first.", Text: "Let me look.", ToolCalls: []modelserver.ToolCall{{Command: "echo 1"}, {Command: "echo 2"}}, Chunk: 1},
		modelserver.Reply{Expect: modelserver.Expectations{{Role: "user", Equals: text("go")}, {Role: "assistant", Equals: text("Let me look.")}, {Role: "tool", Equals: text("1\n")}, {Role: "tool", Equals: text("2\n")}},
			Text: "Done.", Usage: &modelserver.Usage{PromptTokens: 70, CompletionTokens: 7, CachedTokens: 60}},
		modelserver.Reply{Text: "Again."})
	k := startChat(t, script, func(o *Options) { o.Journal, o.OnAPI = j, func(m Model) { told = append(told, m) } })
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "Done.", final)
	require.Equal(t, "Let me look.Done.", k.shown())
	require.Equal(t, []string{"echo 1", "echo 2"}, k.runner.ran())
	require.Equal(t, "chat/completions responses responses", paths(k.server), "it is asked once")
	require.Len(t, told, 1)
	require.Equal(t, APIResponses, told[0].KnownAPI)
	usages := pick[Usage](k.events)
	require.Equal(t, Usage{Prompt: 70, Completion: 7, Cached: 60}, usages[1])
	var thought strings.Builder
	for _, e := range pick[Reasoning](k.events) {
		thought.WriteString(e.Delta)
	}
	require.Equal(t, "Hm, a look first.", thought.String())

	require.Equal(t, []string{"message", "reasoning", "message", "function_call", "function_call", "function_call_output", "function_call_output"}, itemKinds(t, k.server, 2))
	require.Contains(t, string(k.server.Requests()[2].Body), `"encrypted_content":"encrypted-1"`)
	require.NotContains(t, string(k.server.Requests()[2].Body), `"status":null`)

	_, err = k.Turn(context.Background(), "once more")
	require.NoError(t, err)
	k.played(t)

	again := startChat(t, onResponses(modelserver.Reply{Text: "Here."}), func(o *Options) { o.History, o.KnownAPI = j.records, APIResponses })
	_, err = again.Turn(context.Background(), "go on")
	require.NoError(t, err)
	require.Equal(t, "responses", paths(again.server), "it is remembered")
	require.Equal(t, []string{"message", "reasoning", "message", "function_call", "function_call"}, itemKinds(t, again.server, 0)[:5], "a resumed session has its reasoning")
	again.played(t)
}

// itemKinds are the types of the input of the nth request.
func itemKinds(t *testing.T, s *modelserver.Server, n int) []string {
	t.Helper()
	var request struct{ Input []struct{ Type string } }
	require.NoError(t, json.Unmarshal(s.Requests()[n].Body, &request))
	var out []string
	for _, i := range request.Input {
		out = append(out, i.Type)
	}
	return out
}

func TestTheProtocolThatIsConfiguredIsTheOnlyOne(t *testing.T) {
	k := startChat(t, onResponses(modelserver.Reply{Text: "ok"}), func(o *Options) { o.API = APIResponses })
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "responses", paths(k.server))
	k.played(t)

	k = startChat(t, onResponses(modelserver.Reply{Text: "ok"}), func(o *Options) { o.API = APIChat })
	_, err = k.Turn(context.Background(), "go")
	require.ErrorContains(t, err, "use /v1/responses")
	require.Equal(t, "chat/completions", paths(k.server))
	k.server.Close()
}

func TestWhereNeitherProtocolIsThereTheFirstErrorIsTold(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Status: 400, Error: "use the Responses API"}, {Text: "ok"}}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.ErrorContains(t, err, "400 Bad Request: use the Responses API")
	require.Equal(t, "chat/completions responses", paths(k.server))
	_, err = k.Turn(context.Background(), "go")
	require.NoError(t, err)
	k.played(t)

	k = startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Text: "ok"}}}, func(o *Options) { o.KnownAPI = APIResponses })
	_, err = k.Turn(context.Background(), "go")
	require.NoError(t, err, "what was learnt once may have changed")
	require.Equal(t, "responses chat/completions", paths(k.server))
	k.played(t)
}

func TestOtherProtocolsThatMisbehave(t *testing.T) {
	retried := func(r modelserver.Reply) []modelserver.Reply { return []modelserver.Reply{r, {Text: "ok"}} }
	for _, c := range []struct {
		name    string // with the protocol before a colon, where only that has it
		replies []modelserver.Reply
		final   string
		ran     []string
		err     string
	}{
		{"429 and 503", []modelserver.Reply{{Status: 429, RetryAfter: "0"}, {Status: 503}, {Cut: modelserver.CutDrop}, {Text: "ok"}}, "ok", nil, ""},
		{"no body", retried(modelserver.Reply{Cut: modelserver.CutEmpty}), "ok", nil, ""},
		{"a reset", retried(modelserver.Reply{Text: "I wi", Cut: modelserver.CutReset}), "ok", nil, ""},
		{"an early end", retried(modelserver.Reply{Text: "I wi", Cut: modelserver.CutEnd}), "ok", nil, ""},
		{"no last event", retried(modelserver.Reply{Text: "I wi", FinishReason: "none"}), "ok", nil, ""},
		{"cut in a call", retried(modelserver.Reply{ToolCalls: call("touch x"), Cut: modelserver.CutEnd}), "ok", nil, ""},
		{"an error event", retried(modelserver.Reply{Text: "I", Error: "overloaded"}), "ok", nil, ""},
		{"an error event that stays", []modelserver.Reply{{Text: "I", Error: "no", ErrorCode: "invalid_prompt"}}, "I", nil, "broke off the reply (no)"},
		{"1,000 keep-alive comments", []modelserver.Reply{{KeepAlives: 1000, Text: "ok"}}, "ok", nil, ""},
		{"arguments in 1-byte pieces", []modelserver.Reply{{ToolCalls: call("echo 'ä\"'"), Chunk: 1}, {Text: "ok"}}, "ok", []string{"echo 'ä\"'"}, ""},
		{"100 parallel calls", []modelserver.Reply{{ToolCalls: slices.Repeat(call("echo x"), 100)}, {Text: "ok"}}, "ok", slices.Repeat([]string{"echo x"}, 100), ""},
		{"calls without ids", []modelserver.Reply{{ToolCalls: []modelserver.ToolCall{{NoID: true, Command: "echo 1"}, {NoID: true, Command: "echo 2"}}}, {Text: "ok"}}, "ok", []string{"echo 1", "echo 2"}, ""},
		{"malformed arguments", []modelserver.Reply{{ToolCalls: []modelserver.ToolCall{{Arguments: text(`{"command": "ls`)}}}, {Expect: modelserver.Expectations{{Contains: []string{"not a JSON object"}}}, Text: "ok"}}, "ok", nil, ""},
		{"an unknown tool", []modelserver.Reply{{ToolCalls: []modelserver.ToolCall{{Name: "rm -rf", Arguments: text(`{"a":1}`)}}}, {Text: "ok"}}, "ok", nil, ""},
		{"no usage", []modelserver.Reply{{NoUsage: true, Text: "ok"}}, "ok", nil, ""},
		{"a reply of 1 MB", []modelserver.Reply{{Text: "0123456789abcdef", TextTimes: 1 << 16, Chunk: 1 << 12}}, strings.Repeat("0123456789abcdef", 1<<16), nil, ""},
		{"the output limit", []modelserver.Reply{{Text: "A long", FinishReason: "length"}}, "A long", nil, "output limit"},
		{"filtered", []modelserver.Reply{{Text: "A", FinishReason: "content_filter"}}, "A", nil, "filtered"},
		{"401", []modelserver.Reply{{Status: 401, Error: "bad key"}}, "", nil, "401 Unauthorized: bad key"},
		{"a web page", []modelserver.Reply{{Status: 403, Body: "<html>no</html>"}}, "", nil, "403 Forbidden"},
		{"an error object in place of events", []modelserver.Reply{{Body: "event: error\n{\"error\":{\"message\":\"broken\",\"type\":\"invalid\"}}\n"}}, "", nil, "broken"},
		{"an event that is not JSON", []modelserver.Reply{{Body: "data: {\"type\n\n"}}, "", nil, "an event that"},
		{"responses: an event of the wrong shape", []modelserver.Reply{{Body: "data: {\"type\":\"response.output_text.delta\",\"delta\":7}\n\n"}}, "", nil, "wrong shape"},
		{"responses: events that nobody knows", []modelserver.Reply{{Body: `data: {"type":"response.new.thing","delta":{"x":1}}` + "\n\n" + `data: {"type":"ping","error":null}` + "\n\n" +
			`data: {"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"all at once"}]}],"usage":null}}` + "\n\n"}}, "all at once", nil, ""},
		{"responses: failed", []modelserver.Reply{{Body: `data: {"type":"response.failed","response":{"error":{"code":"invalid_image","message":"no such picture"}}}` + "\n\n"}}, "", nil, "no such picture"},
		{"messages: events that nobody knows", []modelserver.Reply{{Body: `data: {"type":"new_thing","delta":{"x":1}}` + "\n\n" + `data: {"type":"ping","error":null}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"all at once"}}` + "\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n"}}, "all at once", nil, ""},
		{"messages: a call that comes whole", []modelserver.Reply{{Body: `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"bash","input":{"command":"echo 1"}}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n"}, {NewConversation: true, Expect: modelserver.Expectations{{Role: "tool", Equals: text("1\n")}}, Text: "ok"}}, "ok", []string{"echo 1"}, ""},
	} {
		for _, api := range []string{APIResponses, APIMessages} {
			only, name, _ := strings.Cut(c.name, ": ")
			if name != "" && only != api {
				continue
			}
			t.Run(api+" "+c.name, func(t *testing.T) {
				k := startChat(t, &modelserver.Script{API: api, Replies: c.replies}, func(o *Options) { o.API = api })
				final, err := k.Turn(context.Background(), "go")
				if c.err != "" {
					require.ErrorContains(t, err, c.err)
				} else {
					require.NoError(t, err)
				}
				require.Equal(t, c.final, final)
				require.Equal(t, c.ran, k.runner.ran())
				k.played(t)
			})
		}
	}
}

func TestCancelInTheMiddleOfAResponse(t *testing.T) {
	k := startChat(t, onResponses(modelserver.Reply{Text: "I think so", Chunk: 100, Hold: true},
		modelserver.Reply{Expect: modelserver.Expectations{{Role: "assistant", Contains: []string{"I think so", "cut off here"}}, {Role: "user"}}, Text: "ok"}), nil)
	k.SetModel(Model{Name: "m", BaseURL: k.server.BaseURL, API: APIResponses})
	ctx, cancel := context.WithCancel(context.Background())
	k.OnEvent(func(e Event) {
		if _, ok := e.(Text); ok {
			cancel()
		}
	})
	_, err := k.Turn(ctx, "go")
	require.Equal(t, ExitInterrupted, exitOf(err))
	k.OnEvent(func(Event) {})
	_, err = k.Turn(context.Background(), "well?")
	require.NoError(t, err)
	k.played(t)
}

func TestWhatAServerOfResponsesDoesNotUnderstandIsLeftOut(t *testing.T) {
	has := func(k *testChat, n int, s string) bool {
		return strings.Contains(string(k.server.Requests()[n].Body), s)
	}
	k := startChat(t, onResponses(
		modelserver.Reply{Status: 400, Error: "Unsupported parameter: 'reasoning.summary' is not supported with this model."},
		modelserver.Reply{Status: 400, Error: "Encrypted content is not supported with this model."},
		modelserver.Reply{Reasoning: "hm", Text: "one"},
		modelserver.Reply{Status: 400, Error: "The encrypted content for item rs_1 could not be verified."},
		modelserver.Reply{NewConversation: true, Text: "two"},
	), func(o *Options) { o.API = APIResponses })
	for range 2 {
		_, err := k.Turn(context.Background(), "go")
		require.NoError(t, err)
	}
	require.True(t, has(k, 0, `"summary":"auto"`))
	require.False(t, has(k, 1, `"summary":"auto"`))
	require.True(t, has(k, 1, `"include"`))
	require.False(t, has(k, 2, `"include"`))
	require.True(t, has(k, 3, `encrypted-3`))
	require.False(t, has(k, 4, `encrypted-3`))
	k.played(t)
}

func TestPicturesInResponses(t *testing.T) {
	k := startChat(t, onResponses(modelserver.Reply{Text: "A pixel."}), func(o *Options) { o.API = APIResponses })
	img, err := NewImage("p.png", onePixel)
	require.NoError(t, err)
	_, err = k.Send(context.Background(), Prompt{Text: "see", Images: []Image{img}})
	require.NoError(t, err)
	require.Contains(t, string(k.server.Requests()[0].Body), `"content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgouLi4u"}]`)
	k.played(t)
}

// Two ways in which servers get the places of items wrong.
func TestItemsOfAResponseAreFound(t *testing.T) {
	added := func(index int, id, callID string) string {
		return `{"type":"response.output_item.added","output_index":` + string(rune('0'+index)) + `,"item":{"type":"function_call","id":"` + id + `","call_id":"` + callID + `","name":"bash","arguments":""}}`
	}
	delta := func(index int, id, text string) string {
		d, _ := json.Marshal(text)
		return `{"type":"response.function_call_arguments.delta","output_index":` + string(rune('0'+index)) + `,"item_id":"` + id + `","delta":` + string(d) + `}`
	}
	for _, c := range []struct {
		name   string
		events []string
	}{
		{"another id in every event", []string{added(0, "a", "c1"), delta(0, "b", `{"command":`), added(1, "c", "c2"), delta(1, "d", `{"command":"two"}`), delta(0, "e", `"one"}`)}},
		{"every place is 0", []string{added(0, "a", "c1"), delta(0, "a", `{"command":`), added(0, "b", "c2"), delta(0, "b", `{"command":"two"}`), delta(0, "a", `"one"}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conv := New(&Options{Model: "m", Runner: &bashRunner{}})
			r := &reply{}
			for _, e := range append(c.events, `{"type":"response.completed","response":{}}`) {
				require.NoError(t, conv.takeResponse(r, []byte(e)))
			}
			r.endCalls(1, 1)
			require.Len(t, r.calls, 2)
			require.Equal(t, `{"command":"one"}`, r.calls[0].arguments)
			require.Equal(t, `{"command":"two"}`, r.calls[1].arguments)
			require.Equal(t, "c2", r.calls[1].id)
		})
	}
}

func TestARecordingOfResponsesIsReplayed(t *testing.T) {
	records := []transcript.Record{{Type: transcript.TypeUser, Text: "u"}, {Type: transcript.TypeAssistant, Text: "Said.", Reasoning: "hm", Extra: []byte(`{"responses":[{"type":"reasoning"},"text"]}`)}}
	c := New(&Options{Model: "m", Runner: &bashRunner{}, HTTPClient: &http.Client{Transport: NewReplay(records)}})
	final, err := c.Turn(context.Background(), "u")
	require.NoError(t, err)
	require.Equal(t, "Said.", final)
}
