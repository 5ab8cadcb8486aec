package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// offers are an echo, a failure, and one that ends when it is cancelled.
func offers() []mcp.Offer {
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	return []mcp.Offer{{Name: "echo", Description: "says it again", Schema: schema, ReadOnly: true}, {Name: "fail", Schema: schema}, {Name: "hang", Schema: schema}, {Name: "wait", Schema: schema}}
}

// waits ends the calls of wait, of one test.
var waits = make(chan struct{})

// backend is what a client has; it counts its calls, and tells of calls that end and of its end.
type backend struct {
	calls  atomic.Int64
	ended  chan<- error
	closed chan<- *backend
}

func (b *backend) Call(ctx context.Context, r mcp.Request) mcp.Outcome {
	n := b.calls.Add(1)
	switch r.Tool {
	case "echo":
		return mcp.Outcome{Text: string(r.Arguments), Images: []registry.Image{{Name: "dot.png", MIME: "image/png", Data: []byte("dot")}}, Structured: map[string]any{"calls": n}}
	case "wait":
		<-waits
		return mcp.Outcome{Text: "waited"}
	case "hang":
		fmt.Fprint(r.Live, "one\nse")
		fmt.Fprint(r.Live, "cret two\nthr")
		<-ctx.Done()
		b.ended <- ctx.Err()
		return mcp.Outcome{Text: "stopped", Failed: true}
	}
	return mcp.Outcome{Text: "no", Failed: true}
}

func (b *backend) Close() error {
	if b.closed != nil {
		b.closed <- b
	}
	return nil
}

// newServer is a server whose clients have a backend each.
func newServer(t *testing.T, ended chan<- error, opts *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(offers(), func() (mcp.Backend, error) { return &backend{ended: ended}, nil }, opts)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// dial connects the SDK's client.
func dial(t *testing.T, transport sdk.Transport, notes func(string)) *sdk.ClientSession {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if notes != nil {
				notes(r.Params.Message)
			}
		}})
	session, err := client.Connect(context.Background(), transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

// served runs a server over streams and over HTTP; each is a way to a session.
func served(t *testing.T, ended chan<- error) map[string]func(notes func(string)) *sdk.ClientSession {
	s := newServer(t, ended, &mcp.ServerOptions{Name: "agentbash", Version: "7", Instructions: "be nice", Progress: 10 * time.Millisecond,
		Hide: func(text string) string { return strings.ReplaceAll(text, "secret", "hidden") }})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	return map[string]func(notes func(string)) *sdk.ClientSession{
		"streams": func(notes func(string)) *sdk.ClientSession {
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			done := make(chan error, 1)
			go func() { done <- s.Serve(context.Background(), in, out); out.Close() }()
			t.Cleanup(func() { toServer.Close(); require.NoError(t, <-done) })
			return dial(t, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, notes)
		},
		"http": func(notes func(string)) *sdk.ClientSession {
			return dial(t, &sdk.StreamableClientTransport{Endpoint: web.URL + "/mcp"}, notes)
		},
	}
}

func TestAServerOffersTools(t *testing.T) {
	for name, connect := range served(t, nil) {
		t.Run(name, func(t *testing.T) {
			session := connect(nil)
			require.Equal(t, "be nice", session.InitializeResult().Instructions)
			require.Equal(t, "7", session.InitializeResult().ServerInfo.Version)
			ctx := t.Context()
			list, err := session.ListTools(ctx, nil)
			require.NoError(t, err)
			require.Len(t, list.Tools, 4)
			require.Equal(t, "echo", list.Tools[0].Name)
			require.True(t, list.Tools[0].Annotations.ReadOnlyHint)
			res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "é\n<&>"}})
			require.NoError(t, err)
			require.False(t, res.IsError)
			text, _, _ := strings.Cut(res.Content[0].(*sdk.TextContent).Text, "\n[a new session")
			require.JSONEq(t, `{"text":"é\n<&>"}`, text)
			require.Equal(t, []byte("dot"), res.Content[1].(*sdk.ImageContent).Data)
			require.Equal(t, "image/png", res.Content[1].(*sdk.ImageContent).MIMEType)
			res, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "fail"})
			require.NoError(t, err)
			require.True(t, res.IsError)
			_, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "none"})
			require.Error(t, err)
		})
	}
}

func TestAServersCallsTellOfProgressAndCanBeCancelled(t *testing.T) {
	ended := make(chan error, 1)
	for name, connect := range served(t, ended) {
		t.Run(name, func(t *testing.T) {
			told := make(chan string, 1000)
			session := connect(func(text string) { told <- text })
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				params := &sdk.CallToolParams{Name: "hang"}
				params.SetProgressToken("p")
				_, err := session.CallTool(ctx, params)
				failed <- err
			}()
			for _, line := range []string{"hidden two", "thr"} { // a line that goes on is told when it stays as it is
				for text := ""; text != line; text = <-told { // the first notes may come before the first line
					require.Contains(t, []string{"", "one", "hidden two"}, text)
				}
			}
			cancel()
			require.ErrorIs(t, <-failed, context.Canceled)
			require.ErrorIs(t, <-ended, context.Canceled)
		})
	}
}

func TestAServersHandlerRefusesStrangers(t *testing.T) {
	web := httptest.NewServer(newServer(t, nil, &mcp.ServerOptions{Name: "x", Token: "secret"}).Handler())
	defer web.Close()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"as it should be", func(*http.Request) {}, 200},
		{"its own page", func(r *http.Request) { r.Header.Set("Origin", web.URL) }, 200},
		{"another page", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"another port of this machine", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:1") }, 403},
		{"a page without an origin", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"a name that leads here", func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret2") }, 401},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(hello))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer secret")
			row.change(r)
			res, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer res.Body.Close()
			require.Equal(t, row.status, res.StatusCode)
		})
	}
}

// A line that is no message is answered, and the next one counts.
func TestAServerThatIsSentNonsense(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	s := newServer(t, nil, nil)
	for _, nonsense := range []string{"hello", "[]", "{", strings.Repeat("{", 1<<20), strings.Repeat("x", 70<<20), "\x00\xff", `{"a":1} {"b":2}`} {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- s.Serve(t.Context(), in, out); out.Close() }()
		go func() {
			io.WriteString(toServer, "\n  \n"+nonsense+"\n"+ping+"\n")
		}()
		lines := bufio.NewScanner(fromServer)
		require.True(t, lines.Scan())
		require.Contains(t, lines.Text(), `"code":-32700`)
		require.True(t, lines.Scan())
		require.Contains(t, lines.Text(), `"id":7`)
		toServer.Close()
		io.Copy(io.Discard, fromServer)
		require.NoError(t, <-done)
	}
	for _, odd := range []string{"{}", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, `{"jsonrpc":"1.0","id":1}`} {
		var out strings.Builder
		s.Serve(t.Context(), strings.NewReader(odd+"\n"), &out) // it ends, one way or another
		require.NotContains(t, out.String(), "panic")
	}
}

// sessionless makes a request of MCP 2026-07-28 over HTTP and returns the answer's JSON-RPC message.
func sessionless(t *testing.T, url, method, name, params string) (message string) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`))
	require.NoError(t, err)
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	if _, data, ok := strings.Cut(string(body), "data: "); ok {
		return strings.TrimSpace(data)
	}
	return string(body)
}

// Where the protocol has no sessions, an argument names one, and nobody else's can be guessed.
func TestASessionlessClientNamesItsSession(t *testing.T) {
	web := httptest.NewServer(newServer(t, nil, &mcp.ServerOptions{Name: "x"}).Handler())
	t.Cleanup(web.Close)
	require.Contains(t, sessionless(t, web.URL, "server/discover", "", ""), `"2026-07-28"`)
	list := sessionless(t, web.URL, "tools/list", "", "")
	require.Contains(t, list, `"properties":{"session":{`)
	require.Contains(t, list, `"ttlMs":300000`)
	call := func(session string) (named string, calls int64, text string) {
		var res struct {
			Result struct {
				Content           []struct{ Text string }
				StructuredContent struct {
					Session string
					Calls   int64
				}
			}
		}
		answer := sessionless(t, web.URL, "tools/call", "echo", `"name":"echo","arguments":{`+session+`"text":"a"},`)
		require.NoError(t, json.Unmarshal([]byte(answer), &res), answer)
		s := res.Result.StructuredContent
		return s.Session, s.Calls, res.Result.Content[0].Text
	}
	one, calls, text := call("")
	require.EqualValues(t, 1, calls)
	require.Contains(t, text, one)
	two, calls, _ := call("")
	require.EqualValues(t, 1, calls, "another's session")
	require.NotEqual(t, one, two)
	same, calls, text := call(`"session":"` + one + `",`)
	require.Equal(t, one, same)
	require.EqualValues(t, 2, calls)
	require.Equal(t, `{"text":"a"}`, text, "the name is not the tool's")
	for _, none := range []string{`""`, "null"} {
		_, calls, text = call(`"session":` + none + `,`)
		require.EqualValues(t, 1, calls)
		require.Contains(t, text, `{"text":"a"}`+"\n", "nor is one that names none")
	}
	_, calls, text = call(`"session":"none",`)
	require.Zero(t, calls)
	require.Contains(t, text, "has ended, or never was")
}

func TestSessionsAreBoundedAndEndWhenIdle(t *testing.T) {
	closed := make(chan *backend, 10)
	s := mcp.NewServer(offers(), func() (mcp.Backend, error) { return &backend{closed: closed}, nil },
		&mcp.ServerOptions{Name: "x", MaxSessions: 1, Idle: time.Millisecond})
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	require.Contains(t, sessionless(t, web.URL, "tools/call", "echo", `"name":"echo","arguments":{},`), `"calls":1`)
	require.NotNil(t, <-closed, "the idle session")
	require.Contains(t, sessionless(t, web.URL, "tools/call", "echo", `"name":"echo","arguments":{},`), `"calls":1`)
	require.NotNil(t, <-closed)
	require.NoError(t, s.Close())

	s = mcp.NewServer(offers(), func() (mcp.Backend, error) { return &backend{closed: closed}, nil }, &mcp.ServerOptions{Name: "x", MaxSessions: 1})
	web = httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	first := dial(t, &sdk.StreamableClientTransport{Endpoint: web.URL}, nil)
	_, err := first.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo"})
	require.NoError(t, err)
	require.Contains(t, sessionless(t, web.URL, "tools/call", "echo", `"name":"echo","arguments":{},`), "as many sessions as there may be")
	require.NoError(t, s.Close())
	require.NotNil(t, <-closed)
}

func TestCallsOfAClientAreBounded(t *testing.T) {
	session := served(t, nil)["streams"](nil)
	answers := make(chan string, 100)
	for range 20 {
		go func() {
			res, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "wait"})
			if err != nil {
				answers <- err.Error()
				return
			}
			answers <- res.Content[0].(*sdk.TextContent).Text
		}()
	}
	for range 4 {
		require.Contains(t, <-answers, "16 calls of this client are under way")
	}
	close(waits)
	for range 16 {
		require.Equal(t, "waited", <-answers)
	}
}
