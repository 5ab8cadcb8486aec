package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// roundTripper stands between the SDK's HTTP transports and the network. The
// transports themselves are not wrapped: the SDK knows its own by their type,
// and would not open the stream of server messages on another.
type roundTripper struct {
	base         *http.Transport
	headers      map[string]string // sent to the configured origin only
	origin       string            // scheme://host of the configured URL
	discoverWait time.Duration     // how long server/discover may stay unanswered
	noted        func()            // called for each note that arrives
	silent       atomic.Bool       // server/discover was not answered in time

	mu     sync.Mutex
	status int    // of the last answer that was an error, or 0
	auth   string // its WWW-Authenticate header
}

// newHTTPClient returns a client that follows redirects within the configured
// origin only, so that no header of the configuration leaves it.
func newHTTPClient(rt *roundTripper) *http.Client {
	return &http.Client{
		Transport: rt,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if originOf(req) != rt.origin {
				return fmt.Errorf("the server redirects to %s: make that address its \"url\" if you trust it", originOf(req))
			}
			if len(via) > 5 {
				return fmt.Errorf("too many redirects")
			}
			return nil
		},
	}
}

func originOf(req *http.Request) string { return req.URL.Scheme + "://" + req.URL.Host }

// RoundTrip sends one request.
func (rt *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	method := rpcMethod(req)
	ctx := req.Context()
	if sent, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	}
	cancel := context.CancelFunc(func() {})
	if method == methodDiscover {
		ctx, cancel = context.WithTimeout(ctx, rt.discoverWait)
	}
	req = req.Clone(ctx)
	if method == methodInitialize {
		// Not sent: it lets a request that met the end of a kept connection go out again on a new one.
		req.Header["Idempotency-Key"] = nil
	}
	if id, ok := ctx.Value(taskKey{}).(string); ok {
		req.Header.Set("Mcp-Name", id)
	}
	if originOf(req) == rt.origin {
		for k, v := range rt.headers {
			req.Header.Set(k, v)
		}
	}
	resp, err := rt.base.RoundTrip(req)
	if err != nil {
		rt.silent.Store(rt.silent.Load() || method == methodDiscover && ctx.Err() == context.DeadlineExceeded)
		cancel()
		return nil, err
	}
	rt.noteRefusal(resp)
	resp.Body = &keepingBody{body: resp.Body, kind: bodyKind(resp), done: cancel, noted: rt.noted}
	if resp.ContentLength > 0 {
		resp.ContentLength = -1 // the text is rewritten
		resp.Header.Del("Content-Length")
	}
	return resp, nil
}

// noteRefusal remembers why the server refused, for the error message.
func (rt *roundTripper) noteRefusal(resp *http.Response) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if resp.StatusCode >= 400 && resp.Request.Method == http.MethodPost || resp.StatusCode == http.StatusUnauthorized {
		rt.status, rt.auth = resp.StatusCode, resp.Header.Get("WWW-Authenticate")
	}
	if resp.StatusCode < 300 && resp.Request.Method == http.MethodPost {
		rt.status, rt.auth = 0, ""
	}
}

// refused returns the last refusal's status, or 0.
func (rt *roundTripper) refused() int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.status
}

// rpcMethod reads the JSON-RPC method of a request that the SDK is about to
// post; its body is in memory.
func rpcMethod(req *http.Request) string {
	if req.Method != http.MethodPost || req.GetBody == nil {
		return ""
	}
	body, err := req.GetBody()
	if err != nil {
		return ""
	}
	defer body.Close()
	head, _ := io.ReadAll(io.LimitReader(body, 4<<10))
	if !bytes.Contains(head, []byte(methodDiscover)) && !bytes.Contains(head, []byte(methodInitialize)) {
		return ""
	}
	var m struct{ Method string }
	json.Unmarshal(head, &m)
	return m.Method
}

const (
	bodyOther = iota
	bodyJSON
	bodyEvents
)

func bodyKind(resp *http.Response) int {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "application/json":
		return bodyJSON
	case "text/event-stream":
		return bodyEvents
	}
	return bodyOther
}

// keepingBody passes a response on and applies keepResult to the JSON-RPC
// responses in it: a whole JSON body, or the data lines of an event stream.
type keepingBody struct {
	body io.ReadCloser
	kind int
	done context.CancelFunc

	noted func()

	line []byte // of an event stream: read and not complete
	out  []byte // ready to be handed out
	err  error
	buf  []byte
}

func (b *keepingBody) Read(p []byte) (int, error) {
	if b.kind == bodyOther {
		return b.body.Read(p)
	}
	for len(b.out) == 0 && b.err == nil {
		if b.kind == bodyJSON {
			b.whole()
		} else {
			b.event()
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	if n == 0 {
		return 0, b.err
	}
	return n, nil
}

func (b *keepingBody) whole() {
	text, err := io.ReadAll(io.LimitReader(b.body, maxMessage+1))
	switch {
	case err != nil:
		b.err = err
	case len(text) > maxMessage:
		b.err = errTooLong
	default:
		b.out, b.err = keepInMessage(text), io.EOF
	}
}

// event reads once and releases the lines that are complete.
func (b *keepingBody) event() {
	if b.buf == nil {
		b.buf = make([]byte, 32<<10)
	}
	n, err := b.body.Read(b.buf)
	chunk := b.buf[:n]
	for {
		i := bytes.IndexByte(chunk, '\n')
		if i < 0 {
			break
		}
		b.out = append(b.out, b.keepInLine(append(b.line, chunk[:i+1]...))...)
		b.line, chunk = nil, chunk[i+1:]
	}
	b.line = append(b.line, chunk...)
	if len(b.line) > maxMessage && err == nil {
		err = errTooLong
	}
	if err != nil {
		b.out = append(b.out, b.line...)
		b.line, b.err = nil, err
	}
}

func (b *keepingBody) keepInLine(line []byte) []byte {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return line
	}
	message := bytes.TrimSpace(data)
	if len(message) < 64<<10 && bytes.Contains(message, []byte(`"notifications/`)) {
		var m struct{ Method string }
		if json.Unmarshal(message, &m) == nil && isNote(m.Method) {
			b.noted()
		}
	}
	if changed := keepInMessage(message); len(changed) > 0 && &changed[0] != &message[0] {
		return append(append([]byte("data: "), changed...), '\n')
	}
	return line
}

func (b *keepingBody) Close() error {
	b.done()
	return b.body.Close()
}

// newRoundTripper makes the network side for a server's URL.
func newRoundTripper(origin string, headers map[string]string, discoverWait time.Duration) *roundTripper {
	base := http.DefaultTransport.(*http.Transport).Clone()
	return &roundTripper{noted: func() {}, base: base, headers: headers, origin: origin, discoverWait: discoverWait}
}

// httpTransport is the SDK's transport for the client's URL: streamable HTTP,
// or the event stream of the 2024-11-05 revision.
func (c *Client) httpTransport(sse bool, rt *roundTripper) sdk.Transport {
	client := newHTTPClient(rt)
	if sse {
		if c.oauth != nil {
			client.Transport = &loginTripper{next: rt, auth: c.oauth}
		}
		return &sdk.SSEClientTransport{Endpoint: c.spec.URL, HTTPClient: client, MaxEventSize: 2 * maxMessage}
	}
	t := &sdk.StreamableClientTransport{Endpoint: c.spec.URL, HTTPClient: client, MaxEventSize: 2 * maxMessage}
	if c.oauth != nil { // a nil pointer in the interface would not be nil
		t.OAuthHandler = c.oauth
	}
	return t
}
