package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// jsonOf is a value as a server writes it.
func jsonOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// callOf is a call of bash as a chunk's or a message's tool_calls have it.
func callOf(index any, id, command string) string {
	c := map[string]any{"type": "function", "function": map[string]any{"name": "bash", "arguments": jsonOf(map[string]any{"command": command})}}
	if index != nil {
		c["index"] = index
	}
	if id != "" {
		c["id"] = id
	}
	return jsonOf(c)
}

func chunkOf(calls ...string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + strings.Join(calls, ",") + `]}}]}`
}

func saidChunk(text string) string {
	return `{"choices":[{"index":0,"delta":{"content":` + jsonOf(text) + `}}]}`
}

// wireCase is what a server answers, and what becomes of it.
type wireCase struct {
	name    string
	replies []modelserver.Reply
	final   string
	ran     []string
	exit    int      // of the error; 0: there is none
	says    []string // in the error
	sent    int      // requests; 0: one for each reply
}

func (c *wireCase) run(t *testing.T, change func(*Options)) *testChat {
	t.Helper()
	for i := range c.replies {
		c.replies[i].NewConversation = true // what is sent back is not what came
	}
	k := startChat(t, &modelserver.Script{Replies: c.replies}, change)
	final, err := k.Turn(context.Background(), "go")
	if c.exit != 0 {
		requireLine(t, err, c.exit, c.says...)
	} else {
		require.NoError(t, err)
	}
	require.Equal(t, c.final, final)
	require.Equal(t, c.ran, k.runner.ran())
	if c.sent > 0 {
		require.Len(t, k.server.Requests(), c.sent)
		k.server.Close()
	} else {
		k.played(t)
	}
	return k
}

func bodyReply(body, kind string) modelserver.Reply {
	return modelserver.Reply{Body: body, ContentType: kind}
}

// TestRepliesInEveryForm: what servers send in the place of the stream that the standard asks for.
func TestRepliesInEveryForm(t *testing.T) {
	const asJSON = "application/json"
	whole := `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`
	wholeCall := `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` + callOf(nil, "a", "echo 1") + `]},"finish_reason":"tool_calls"}]}`
	ok := modelserver.Reply{Text: "ok"}
	one := []string{"echo 1"}
	said := saidChunk("ok")
	for _, c := range []wireCase{
		{name: "a whole reply", replies: []modelserver.Reply{bodyReply(whole, asJSON)}, final: "ok"},
		{name: "over several lines", replies: []modelserver.Reply{bodyReply(strings.ReplaceAll(whole, ",", ",\n"), asJSON)}, final: "ok"},
		{name: "in a list", replies: []modelserver.Reply{bodyReply("["+whole+"]", asJSON)}, final: "ok"},
		{name: "as text/plain", replies: []modelserver.Reply{bodyReply(whole, "text/plain")}, final: "ok"},
		{name: "as an event stream", replies: []modelserver.Reply{bodyReply(whole, "")}, final: "ok"},
		{name: "as one event", replies: []modelserver.Reply{bodyReply("data: "+whole+"\n\n", "")}, final: "ok"},
		{name: "without a finish reason", replies: []modelserver.Reply{bodyReply(`{"choices":[{"message":{"content":"ok"}}]}`, asJSON)}, final: "ok"},
		{name: "a whole reply with a call", replies: []modelserver.Reply{bodyReply(wholeCall, asJSON), ok}, final: "ok", ran: one},
		{name: "the deltas, and then the message once more", replies: []modelserver.Reply{bodyReply(events(said, whole), "")}, final: "ok"},
		{name: "message in the place of delta", replies: []modelserver.Reply{bodyReply(events(`{"choices":[{"index":0,"message":{"content":"ok"},"finish_reason":"stop"}]}`), "")}, final: "ok"},
		{name: "function_call", replies: []modelserver.Reply{bodyReply(events(
			`{"choices":[{"delta":{"function_call":{"name":"bash","arguments":""}}}]}`, `{"choices":[{"delta":{"function_call":{"arguments":"{\"command\":"}}}]}`,
			`{"choices":[{"delta":{"function_call":{"arguments":" \"echo 1\"}"}}}]}`, `{"choices":[{"delta":{},"finish_reason":"function_call"}]}`), ""), ok}, final: "ok", ran: one},
		{name: "a whole function_call", replies: []modelserver.Reply{bodyReply(`{"choices":[{"message":{"function_call":{"name":"bash","arguments":"{\"command\": \"echo 1\"}"}},"finish_reason":"function_call"}]}`, asJSON), ok}, final: "ok", ran: one},
		{name: "[DONE] without a finish reason", replies: []modelserver.Reply{bodyReply(events(said), "")}, final: "ok"},
		{name: "[DONE] after a call that is whole", replies: []modelserver.Reply{bodyReply(events(chunkOf(callOf(0, "a", "echo 1"))), ""), ok}, final: "ok", ran: one},
		{name: "[DONE] after half a call", replies: []modelserver.Reply{bodyReply(events(chunkOf(`{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\": \"echo"}}`)), ""), ok}, final: "ok"},
		{name: "an event in two data lines", replies: []modelserver.Reply{bodyReply("data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"ok\"}}]}\n\ndata: "+theEnd+"\n\n", "")}, final: "ok"},
		{name: "no blank line between events", replies: []modelserver.Reply{bodyReply("data: "+said+"\ndata: "+theEnd+"\ndata: [DONE]\n", "")}, final: "ok"},
		{name: "lines that end with CR alone", replies: []modelserver.Reply{bodyReply(strings.ReplaceAll(events(said, theEnd), "\n", "\r"), "")}, final: "ok"},
		{name: "two calls with one id at two places", replies: []modelserver.Reply{bodyReply(events(chunkOf(callOf(0, "a", "echo 1")), chunkOf(callOf(1, "a", "echo 2")), called), ""), ok}, final: "ok", ran: []string{"echo 1", "echo 2"}},
		{name: "two calls at place 0 without ids", replies: []modelserver.Reply{bodyReply(events(chunkOf(callOf(0, "", "echo 1")), chunkOf(callOf(0, "", "echo 2")), called), ""), ok}, final: "ok", ran: []string{"echo 1", "echo 2"}},
		{name: "two calls without place and id", replies: []modelserver.Reply{bodyReply(events(chunkOf(callOf(nil, "", "echo 1"), callOf(nil, "", "echo 2")), called), ""), ok}, final: "ok", ran: []string{"echo 1", "echo 2"}},
		{name: "a call that is sent twice", replies: []modelserver.Reply{bodyReply(events(chunkOf(callOf(0, "a", "echo 1")), chunkOf(callOf(0, "a", "echo 1")), called), ""), ok}, final: "ok", ran: one},
		{name: "the name in every piece", replies: []modelserver.Reply{bodyReply(events(
			chunkOf(`{"index":0,"function":{"name":"bash","arguments":"{\"command\": "}}`), chunkOf(`{"index":0,"function":{"name":"bash","arguments":"\"echo 1\"}"}}`), chunkOf(`{"index":0,"function":{"name":"bash","arguments":""}}`), called), ""), ok}, final: "ok", ran: one},
		{name: "arguments that are a list", replies: []modelserver.Reply{bodyReply(events(chunkOf(`{"index":0,"id":"a","function":{"name":"bash","arguments":["echo 1"]}}`), called), ""), ok}, final: "ok", ran: one},
		{name: "a character cut in two pieces of text", replies: []modelserver.Reply{bodyReply(events(rawSaid("caf\xc3"), rawSaid("\xa9 \xf0\x9f"), rawSaid("\x99\x82"), theEnd), "")}, final: "café 🙂"},
		{name: "an escaped character cut in two", replies: []modelserver.Reply{bodyReply(events(rawSaid(`\ud83d`), rawSaid(`\ude42`), theEnd), "")}, final: "🙂"},
		{name: "a character cut in two pieces of arguments", replies: []modelserver.Reply{bodyReply(events(rawCall("{\\\"command\\\": \\\"echo \xc3"), rawCall("\xa9\\\"}"), called), ""), ok}, final: "ok", ran: []string{"echo é"}},
		{name: "a character that is lost", replies: []modelserver.Reply{bodyReply(events(rawCall("{\\\"command\\\": \\\"rm \\ufffd.txt\\\"}"), called), ""), {Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"U+FFFD", "nothing ran"}}}, Text: "ok"}}, final: "ok"},
		{name: "a call in the message after the deltas of a text", replies: []modelserver.Reply{bodyReply(events(saidChunk("I "), saidChunk("look"), `{"choices":[{"message":{"content":"I look","tool_calls":[`+callOf(0, "a", "echo 1")+`]},"finish_reason":"tool_calls"}]}`), ""), ok}, final: "ok", ran: one},
		{name: "finish_reason length after a whole call", replies: []modelserver.Reply{{ToolCalls: call("echo 1"), FinishReason: "length"}, ok}, final: "ok", ran: one},
		{name: "one call of three is broken", replies: []modelserver.Reply{bodyReply(events(chunkOf(callOf(0, "a", "echo 1"), `{"index":1,"id":"b","function":{"name":"bash","arguments":"{\"command\": \"echo"}}`, callOf(2, "c", "echo 3")), called), ""), ok}, final: "ok", ran: []string{"echo 1", "echo 3"}},
		{name: "the name comes last", replies: []modelserver.Reply{bodyReply(events(chunkOf(`{"index":1,"id":"","function":{"arguments":"{\"command\": \"echo 1\"}"}}`), chunkOf(`{"index":1,"id":"","function":{"name":"bash"}}`), called), ""), ok}, final: "ok", ran: one},
		{name: "the pieces of two calls by turns", replies: []modelserver.Reply{bodyReply(events(chunkOf(`{"index":0,"id":"a","function":{"name":"bash","arguments":""}}`), chunkOf(`{"index":1,"id":"b","function":{"name":"bash","arguments":"{\"com"}}`),
			chunkOf(`{"index":0,"function":{"arguments":"{\"command\": \"echo 1\"}"}}`), chunkOf(`{"index":1,"function":{"arguments":"mand\": \"echo 2\"}"}}`), called), ""), ok}, final: "ok", ran: []string{"echo 1", "echo 2"}},
		{name: "a command of 221,000 characters", replies: []modelserver.Reply{{ToolCalls: call("echo 1 #" + strings.Repeat("x", 221_000))}, ok}, final: "ok", ran: []string{"echo 1 #" + strings.Repeat("x", 221_000)}},
		{name: "nothing, with finish_reason tool_calls", replies: []modelserver.Reply{bodyReply(events(called), ""), {Expect: modelserver.Expectations{{Role: "user", Contains: []string{"empty"}}}, Text: "ok"}}, final: "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, nil)
		})
	}
}

// rawSaid and rawCall are chunks whose text is the inside of a JSON string as it is sent.
func rawSaid(inside string) string {
	return `{"choices":[{"index":0,"delta":{"content":"` + inside + `"}}]}`
}

func rawCall(inside string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"` + inside + `"}}]}}]}`
}

// readBody reads a body as a reply of Chat Completions.
func readBody(body io.Reader) (*reply, error) {
	c := New(&Options{Model: "m", BaseURL: "http://there.invalid/v1", Runner: &bashRunner{}})
	r, e := &reply{}, newEventReader(io.NopCloser(body))
	for {
		raw, err := e.next()
		if err == io.EOF {
			c.endText(r)
			return r, c.endReply(r, e)
		}
		if err == nil {
			err = c.addEvent(r, raw)
		}
		if err != nil {
			return r, err
		}
	}
}

// cutReader reads a text in pieces of random sizes.
type cutReader struct {
	text   []byte
	random *rand.Rand
}

func (c *cutReader) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.text[:1+c.random.IntN(min(len(c.text), 40))])
	c.text = c.text[n:]
	return n, nil
}

// shape writes a known reply in one of the shapes that servers have, by the random choices.
func shape(random *rand.Rand, text string, commands []string) []byte {
	pick := func() bool { return random.IntN(2) == 0 }
	var calls []any
	message := map[string]any{"role": "assistant", "content": text}
	chunks := []any{}
	choice := func(delta map[string]any, finish any) any {
		return map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	for _, piece := range cutText(random, text) {
		chunks = append(chunks, choice(map[string]any{"content": piece}, nil))
	}
	ids, indexes := random.IntN(3), random.IntN(3) // 0: its own, 1: none, 2: always the same
	if ids == 2 && indexes == 2 {
		ids = 0
	}
	for i, command := range commands {
		arguments := jsonOf(map[string]any{"command": command})
		calls = append(calls, map[string]any{"id": fmt.Sprint("c", i), "type": "function", "function": map[string]any{"name": "bash", "arguments": arguments}})
		pieces := cutText(random, arguments)
		for k, piece := range pieces {
			function := map[string]any{"arguments": piece}
			if k == 0 || ids == 0 && pick() {
				function["name"] = "bash"
			}
			call := map[string]any{"function": function}
			if id := []any{fmt.Sprint("c", i), nil, "same"}[ids]; id != nil && (k == 0 || pick()) {
				call["id"] = id
			}
			if index := []any{i, nil, 0}[indexes]; index != nil {
				call["index"] = index
			}
			chunks = append(chunks, choice(map[string]any{"tool_calls": []any{call}}, nil))
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	if random.IntN(4) == 0 {
		return []byte(jsonOf(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}}))
	}
	if pick() {
		chunks = append(chunks, choice(map[string]any{}, "stop"))
	}
	var b strings.Builder
	for _, chunk := range chunks {
		if pick() {
			b.WriteString(": alive\n\nevent: message\n")
		}
		b.WriteString("data: " + jsonOf(chunk) + "\n\n")
	}
	b.WriteString("data: [DONE]\n\n")
	return []byte(strings.ReplaceAll(b.String(), "\n", []string{"\n", "\r\n", "\r"}[random.IntN(3)]))
}

// cutText cuts a text between characters at random places.
func cutText(random *rand.Rand, text string) (out []string) {
	for runes := []rune(text); len(runes) > 0; {
		n := 1 + random.IntN(min(len(runes), 12))
		out, runes = append(out, string(runes[:n])), runes[n:]
	}
	return out
}

// FuzzReply: a known reply in any shape, read in any pieces, is that reply; where it is cut, that
// reply or an error, and never half a call.
func FuzzReply(f *testing.F) {
	f.Add(uint64(1), "I look.", "ls -l", "echo 'é \"x\" \\d'", 10_000)
	f.Add(uint64(2), "", "cat <<'EOF'\n{\"a\": 1}\nEOF", "", 90)
	f.Add(uint64(3), "🙂 done", "", "", 40)
	f.Add(uint64(4), "a", "{", "}{", 300)
	f.Fuzz(func(t *testing.T, seed uint64, text, first, second string, cut int) {
		clean := func(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\ufffd", ""), "") }
		if text = clean(text); strings.ContainsAny(text, "<[|`") {
			t.Skip("it is not a plain text")
		}
		var commands []string
		for _, c := range []string{clean(first), clean(second)} {
			if c != "" {
				commands = append(commands, c)
			}
		}
		random := rand.New(rand.NewPCG(seed, seed))
		body := shape(random, text, commands)
		isCut := cut >= 0 && cut < len(body)
		if isCut {
			body = body[:cut]
		}
		r, err := readBody(&cutReader{bytes.Clone(body), random})
		if err != nil {
			require.True(t, isCut, "%v: %q", err, body)
			require.NotEmpty(t, err.Error())
			return
		}
		var got []string
		for _, c := range r.calls {
			var args struct{ Command string }
			require.NoError(t, json.Unmarshal([]byte(c.arguments), &args), "%q", body)
			got = append(got, args.Command)
		}
		require.Equal(t, text, r.text.String(), "%q", body)
		require.True(t, slices.Equal(commands, got), "%q: %q: %q", commands, got, body)
	})
}
