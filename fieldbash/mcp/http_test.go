package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// everythingHTTP runs the real everything server on a port and returns its base URL.
func everythingHTTP(t testing.TB, mode string) string {
	t.Helper()
	spec := npm(t, "server-everything", mode)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	cmd := exec.Command("node", spec.Command.Args...)
	cmd.Env = append(spec.Command.Env, fmt.Sprintf("PORT=%d", port))
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			c.Close()
		}
		return err == nil
	}, waitLimit, 20*time.Millisecond, "the server does not listen")
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}

func TestRealServerOverHTTP(t *testing.T) {
	for _, row := range []struct {
		name, mode, path string
		sse              bool
	}{
		{"streamable", "streamableHttp", "/mcp", false},
		{"sse", "sse", "/sse", true},
		{"sse, found by itself", "sse", "/sse", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			base := everythingHTTP(t, row.mode)
			c := open(t, mcp.Spec{URL: base + row.path, SSE: row.sse}, nil)
			ctx := t.Context()
			tools, err := c.Tools(ctx)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(tools), 13)
			require.Contains(t, string(tools[0].InputSchema), `{"$schema":`, "schemas are kept as written")
			r, err := c.Call(ctx, mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{"message":"hi"}`)})
			require.Equal(t, "Echo: hi", text(t, r, err))
			var notes bytes.Buffer
			r, err = c.Call(ctx, mcp.Call{Tool: "trigger-long-running-operation", Arguments: json.RawMessage(`{"duration":0.3,"steps":3}`), Notes: &notes})
			require.Contains(t, text(t, r, err), "completed")
			require.Contains(t, notes.String(), "[progress] 1/3")
			short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			_, err = c.Call(short, mcp.Call{Tool: "trigger-long-running-operation", Arguments: json.RawMessage(`{"duration":30,"steps":1}`)})
			var e *mcp.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, 124, e.ExitStatus())
			r, err = c.Call(ctx, mcp.Call{Tool: "echo", Arguments: json.RawMessage(`{"message":"again"}`)})
			require.Equal(t, "Echo: again", text(t, r, err))
		})
	}
}

// rpcServer answers initialize and tools/call over plain JSON, and lets hook
// answer first.
func rpcServer(t testing.TB, hook func(w http.ResponseWriter, r *http.Request, method string, body []byte) bool) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var req request
		json.Unmarshal(body, &req)
		if hook(w, r, req.Method, body) {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch req.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`, req.ID)
		case "tools/call":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"hologram"},{"type":"text","text":"ok"}],"structuredContent":{"n":9007199254740993}}}`, req.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, req.ID)
		case "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, req.ID)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestHTTPHeadersStayAtTheirOrigin(t *testing.T) {
	var away atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { away.Add(1) }))
	defer other.Close()
	headers := make(chan string, 100)
	srv := rpcServer(t, func(w http.ResponseWriter, r *http.Request, method string, _ []byte) bool {
		headers <- r.Header.Get("Authorization")
		if method == "tools/call" {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	c := open(t, mcp.Spec{URL: srv.URL, Headers: map[string]string{"Authorization": "Bearer s3cret"}}, nil)
	_, err := c.Call(t.Context(), mcp.Call{Tool: "x"})
	require.ErrorContains(t, err, "the server redirects to "+other.URL)
	require.NotContains(t, err.Error(), "s3cret")
	require.Zero(t, away.Load())
	require.Equal(t, "Bearer s3cret", <-headers)
}

func TestHTTPResultsAreKeptAsWritten(t *testing.T) {
	for name, events := range map[string]bool{"json": false, "event stream": true} {
		t.Run(name, func(t *testing.T) {
			srv := rpcServer(t, func(w http.ResponseWriter, r *http.Request, method string, body []byte) bool {
				if !events || method != "tools/call" {
					return false
				}
				var req request
				json.Unmarshal(body, &req)
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				fmt.Fprintf(w, ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"hologram\"},{\"type\":\"text\",\"text\":\"ok\"}],\"structuredContent\":{\"n\":9007199254740993}}}\n\n", req.ID)
				return true
			})
			c := open(t, mcp.Spec{URL: srv.URL}, nil)
			r, err := c.Call(t.Context(), mcp.Call{Tool: "x"})
			require.Equal(t, "ok", text(t, r, err))
			require.Equal(t, `{"n":9007199254740993}`, string(r.Structured))
		})
	}
}

func TestHTTPRefusals(t *testing.T) {
	for _, row := range []struct {
		status, exit int
		want         string
	}{
		{401, 4, `put a valid token into "headers"`},
		{403, 4, "403 Forbidden"},
		{404, 3, `check "url"`},
		{500, 3, "500 Internal Server Error"},
	} {
		t.Run(http.StatusText(row.status), func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(row.status) }))
			defer srv.Close()
			c := open(t, mcp.Spec{URL: srv.URL}, nil)
			_, err := c.Tools(t.Context())
			var e *mcp.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, row.exit, e.ExitStatus(), err)
			require.ErrorContains(t, err, row.want)
		})
	}
}

func TestSilentHTTPDiscovery(t *testing.T) {
	release := make(chan struct{})
	srv := rpcServer(t, func(w http.ResponseWriter, r *http.Request, method string, _ []byte) bool {
		if method == "server/discover" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
			return true
		}
		return false
	})
	t.Cleanup(func() { close(release) })
	patiently(t, 3*time.Second, func(t *testing.T, limit time.Duration) error {
		c := open(t, mcp.Spec{URL: srv.URL, StartTimeout: limit}, nil)
		if _, err := c.Start(t.Context()); err != nil {
			return err
		}
		r, err := c.Call(t.Context(), mcp.Call{Tool: "x"})
		require.Equal(t, "ok", text(t, r, err))
		return nil
	})
}

// A server closes a connection that it kept open while a request is on its way.
func TestAClosedConnectionIsOpenedAgain(t *testing.T) {
	for _, method := range []string{"server/discover", "initialize", "tools/list", "tools/call"} {
		t.Run(method, func(t *testing.T) {
			var closed atomic.Bool
			srv := rpcServer(t, func(w http.ResponseWriter, r *http.Request, m string, _ []byte) bool {
				if m != method || closed.Swap(true) {
					return false
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					conn.Close()
				}
				return true
			})
			c := open(t, mcp.Spec{URL: srv.URL}, nil)
			_, err := c.Tools(t.Context())
			require.NoError(t, err)
			_, err = c.Call(t.Context(), mcp.Call{Tool: "x"})
			require.True(t, closed.Load())
			require.Equal(t, method == "tools/call", err != nil, "a call that was sent is not sent again: %v", err)
		})
	}
}

func TestExpiredHTTPSessionIsRenewed(t *testing.T) {
	var sessions, calls atomic.Int64
	srv := rpcServer(t, func(w http.ResponseWriter, r *http.Request, method string, _ []byte) bool {
		switch method {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", sessions.Add(1)))
		case "tools/call":
			calls.Add(1)
			if strings.HasSuffix(r.Header.Get("Mcp-Session-Id"), "s1") {
				w.WriteHeader(http.StatusNotFound)
				return true
			}
		}
		return false
	})
	c := open(t, mcp.Spec{URL: srv.URL}, nil)
	r, err := c.Call(t.Context(), mcp.Call{Tool: "x"})
	require.Equal(t, "ok", text(t, r, err))
	require.EqualValues(t, 2, sessions.Load())
	require.EqualValues(t, 2, calls.Load())
}
