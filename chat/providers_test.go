package chat

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// events are the chunks of a stream, as a body.
func events(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\ndata: [DONE]\n\n"
}

const (
	theEnd = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	called = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
)

// Chunks that are not what the standard says, and what becomes of them.
func TestChunksOfTheWrongShape(t *testing.T) {
	said := `{"choices":[{"delta":{"content":"ok"}}]}`
	calls := func(list string) string { return `{"choices":[{"delta":{"tool_calls":` + list + `}}]}` }
	run := `"function":{"name":"bash","arguments":"{\"command\":\"echo 1\"}"}`
	for _, c := range []struct {
		name, body string
		final      string
		ran        []string
	}{
		{"null everywhere", events(`{"choices":[{"index":0,"delta":{"content":null,"tool_calls":null,"refusal":null,"reasoning":null,"reasoning_details":null},"finish_reason":null}],"usage":null,"error":null}`, said, theEnd), "ok", nil},
		{"no delta, no choices", events(`{"choices":null}`, `{"choices":[]}`, `{"choices":[null]}`, `{"choices":[{"delta":null}]}`, `{}`, said, theEnd), "ok", nil},
		{"choices that are an object", events(`{"choices":{"delta":{"content":"ok"}}}`, theEnd), "ok", nil},
		{"a number in the place of text", events(`{"choices":[{"delta":{"content":42}}]}`, theEnd), "42", nil},
		{"parts in the place of text", events(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"ok"}]}}]}`, theEnd), "ok", nil},
		{"an object in the place of text", events(`{"choices":[{"delta":{"content":{"a":1}}}]}`, said, theEnd), "ok", nil},
		{"usage of the wrong type", events(said, theEnd, `{"choices":[],"usage":"free"}`, `{"choices":[],"usage":{"prompt_tokens":"many"}}`), "ok", nil},
		{"a second choice", events(said, `{"choices":[{"index":1,"delta":{"content":"not this"},"finish_reason":"stop"}]}`, theEnd), "ok", nil},
		{"fields that nobody knows", events(`{"x":[1,{"y":null}],"choices":[{"delta":{"content":"ok","audio":{"a":1}},"logprobs":{}}],"service_tier":7}`, theEnd), "ok", nil},
		{"a finish reason that nobody knows", events(said, `{"choices":[{"delta":{},"finish_reason":"eos"}]}`), "ok", nil},
		{"a huge index", events(calls(`[{"index":9223372036854775807,"id":"a",`+run+`}]`), called), "", []string{"echo 1"}},
		{"an index that is no number", events(calls(`[{"index":1e99,"id":"a",`+run+`},{"index":"0","id":"b",`+run+`},{"index":-1,"id":"c",`+run+`}]`), called), "", []string{"echo 1", "echo 1", "echo 1"}},
		{"an id that is a number", events(calls(`[{"index":0,"id":7,`+run+`}]`), called), "", []string{"echo 1"}},
		{"one call without its list", events(calls(`{"id":"a",`+run+`}`), called), "", []string{"echo 1"}},
		{"a call without a function", events(calls(`[{"index":0,"id":"a"}]`), called), "", nil},
		{"a name that is null", events(calls(`[{"index":0,"id":"a","function":{"name":null,"arguments":null}}]`), called), "", nil},
		{"arguments that are an object", events(calls(`[{"index":0,"id":"a","function":{"name":"bash","arguments":{"command":"echo 1","description":"[1]"}}}]`), called), "", []string{"echo 1"}},
		{"the same id twice at other places", events(calls(`[{"index":0,"id":"a",`+run+`},{"index":1,"id":"a","function":{"name":"bash","arguments":""}}]`), called), "", []string{"echo 1"}},
		{"carriage returns, other fields, no space", "\ufeff: hello\r\nevent: message\r\nid: 1\r\nretry: 5\r\ndata:" + said + "\r\n\r\ndata:" + theEnd + "\r\n\r\ndata:[DONE]\r\n\r\n", "ok", nil},
		{"300 blank lines", strings.Repeat("\n", 300) + events(said, theEnd), "ok", nil},
		{"no [DONE]", "data: " + said + "\n\ndata: " + theEnd + "\n\n", "ok", nil},
		{"no end of the last line", "data: " + said + "\n\ndata: " + theEnd, "ok", nil},
		{"events after [DONE]", events(said, theEnd) + "data: {\"choices\"\n\n", "ok", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []modelserver.Reply{{Body: c.body}}
			if c.final == "" {
				replies = append(replies, modelserver.Reply{NewConversation: true, Text: ""})
				replies[1].Body = events(`{"choices":[{"delta":{"content":"ok"}}]}`, theEnd)
				c.final = "ok"
			}
			k := startChat(t, &modelserver.Script{Replies: replies}, nil)
			final, err := k.Turn(context.Background(), "go")
			require.NoError(t, err)
			require.Equal(t, c.final, final)
			require.Equal(t, c.ran, k.runner.ran())
			k.played(t)
		})
	}
}

func TestErrorsInAStreamInEveryForm(t *testing.T) {
	for _, c := range []struct{ name, event, want string }{
		{"a text", `{"error":"no more"}`, "no more"},
		{"an object of its own", `{"object":"error","message":"no more","type":"invalid_request"}`, "no more"},
		{"an object without a message", `{"error":{"type":"invalid_request_error","param":3}}`, "invalid_request_error"},
		{"a status", `{"error":{"message":"no more","code":400}}`, "no more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Body: events(c.event)}}}, func(o *Options) { o.Attempts = 1 })
			_, err := k.Turn(context.Background(), "go")
			requireLine(t, err, ExitModel, c.want)
			k.played(t)
		})
	}
}

func TestUsageThatIsToldAgainAndAgainCountsOnce(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{{Body: events(
		`{"choices":[{"delta":{"content":"o"}}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`,
		`{"choices":[{"delta":{"content":"k"}}],"usage":{"prompt_tokens":10,"completion_tokens":2,"cost":0.5}}`, theEnd)}}}, nil)
	_, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, []Usage{{Prompt: 10, Completion: 2, Cost: 0.5}}, pick[Usage](k.events))
	k.played(t)
}

func TestACallThatTheServerCouldNotReadIsAskedForAgain(t *testing.T) {
	k := startChat(t, &modelserver.Script{Replies: []modelserver.Reply{
		{Body: events(`{"choices":[{"delta":{},"finish_reason":"function_call_filter: MALFORMED_FUNCTION_CALL"}]}`)}, {Text: "ok"}}}, nil)
	final, err := k.Turn(context.Background(), "go")
	require.NoError(t, err)
	require.Equal(t, "ok", final)
	k.played(t)
}

// rawServer answers each connection by hand, once the request was read.
func rawServer(t *testing.T, answer func(n int32, w net.Conn)) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	var n atomic.Int32
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				io.Copy(io.Discard, req.Body)
				answer(n.Add(1), conn)
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/v1"
}

func TestServersThatSpeakHTTPInTheirOwnWay(t *testing.T) {
	body := events(`{"choices":[{"delta":{"content":"ok"}}]}`, theEnd)
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	for _, c := range []struct {
		name   string
		answer func(n int32, w net.Conn)
		err    string // "": it works
	}{
		{"HTTP/1.0, ended by the connection", func(_ int32, w net.Conn) {
			io.WriteString(w, "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"+body)
		}, ""},
		{"one byte at a time", func(_ int32, w net.Conn) {
			io.WriteString(w, head+"Connection: close\r\n\r\n")
			for i := range len(body) {
				io.WriteString(w, body[i:i+1])
			}
		}, ""},
		{"gzip that nobody asked about", func(_ int32, w net.Conn) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			io.WriteString(z, body)
			z.Close()
			fmt.Fprintf(w, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, b.Len(), b.String())
		}, ""},
		{"closed before the headers, then well", func(n int32, w net.Conn) {
			if n > 1 {
				io.WriteString(w, head+"Connection: close\r\n\r\n"+body)
			}
		}, ""},
		{"closed in the headers, then well", func(n int32, w net.Conn) {
			if n == 1 {
				io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Ty")
				return
			}
			io.WriteString(w, head+"Connection: close\r\n\r\n"+body)
		}, ""},
		{"a body shorter than it says, then well", func(n int32, w net.Conn) {
			if n == 1 {
				fmt.Fprintf(w, "%sContent-Length: %d\r\n\r\n%s", head, len(body)+10, body[:30])
				return
			}
			io.WriteString(w, head+"Connection: close\r\n\r\n"+body)
		}, ""},
		{"always closed", func(int32, net.Conn) {}, "the connection was closed before an answer came"},
		{"no HTTP", func(_ int32, w net.Conn) { io.WriteString(w, "SSH-2.0-OpenSSH_9.2\r\n") }, "malformed HTTP"},
		{"204", func(_ int32, w net.Conn) { io.WriteString(w, "HTTP/1.1 204 No Content\r\n\r\n") }, "the connection was closed"},
		{"a redirect to elsewhere", func(_ int32, w net.Conn) {
			io.WriteString(w, "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://evil.invalid/\r\nContent-Length: 0\r\n\r\n")
		}, "redirects to http://evil.invalid/"},
		{"a line that never ends", func(_ int32, w net.Conn) {
			io.WriteString(w, head+"Connection: close\r\n\r\ndata: ")
			for range 34 {
				if _, err := w.Write(bytes.Repeat([]byte{'x'}, 1<<20)); err != nil {
					return
				}
			}
		}, "a line of more than 33554432 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conv := New(&Options{Model: "m", BaseURL: rawServer(t, c.answer), Runner: &bashRunner{}, Backoff: time.Millisecond})
			final, err := conv.Turn(context.Background(), "go")
			if c.err != "" {
				requireLine(t, err, ExitModel, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "ok", final)
		})
	}
}
