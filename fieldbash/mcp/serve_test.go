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
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// offers are an echo, a failure, and one that ends when it is cancelled.
func offers(ended chan<- error) []mcp.Offer {
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	return []mcp.Offer{
		{Name: "echo", Description: "says it again", Schema: schema, ReadOnly: true, Call: func(_ context.Context, args json.RawMessage, _ io.Writer) mcp.Outcome {
			return mcp.Outcome{Text: string(args), Images: []registry.Image{{Name: "dot.png", MIME: "image/png", Data: []byte("dot")}}}
		}},
		{Name: "fail", Schema: schema, Call: func(context.Context, json.RawMessage, io.Writer) mcp.Outcome {
			return mcp.Outcome{Text: "no", Failed: true}
		}},
		{Name: "hang", Schema: schema, Call: func(ctx context.Context, _ json.RawMessage, live io.Writer) mcp.Outcome {
			fmt.Fprint(live, "one\ntwo\n")
			<-ctx.Done()
			ended <- ctx.Err()
			return mcp.Outcome{Text: "stopped", Failed: true}
		}},
	}
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
	s := mcp.NewServer(offers(ended), &mcp.ServerOptions{Name: "agentbash", Version: "7", Instructions: "be nice", Progress: 10 * time.Millisecond})
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
			require.Len(t, list.Tools, 3)
			require.Equal(t, "echo", list.Tools[0].Name)
			require.True(t, list.Tools[0].Annotations.ReadOnlyHint)
			res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "é\n<&>"}})
			require.NoError(t, err)
			require.False(t, res.IsError)
			require.JSONEq(t, `{"text":"é\n<&>"}`, res.Content[0].(*sdk.TextContent).Text)
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
			for <-told != "two" { // the first notes may come before the first line
			}
			cancel()
			require.ErrorIs(t, <-failed, context.Canceled)
			require.ErrorIs(t, <-ended, context.Canceled)
		})
	}
}

func TestAServersHandlerRefusesStrangers(t *testing.T) {
	web := httptest.NewServer(mcp.NewServer(offers(nil), &mcp.ServerOptions{Name: "x", Token: "secret"}).Handler())
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
	s := mcp.NewServer(offers(nil), nil)
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
