package chat

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// httpClient is the client of the requests.
func (c *Conversation) httpClient() *http.Client {
	client := http.Client{}
	if c.opts.HTTPClient != nil {
		client = *c.opts.HTTPClient
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	if client.CheckRedirect == nil {
		// A redirected POST becomes a GET, and its answer misleads.
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	if c.opts.Debug != nil {
		client.Transport = &debugger{next: client.Transport, out: c.opts.Debug, key: c.opts.APIKey}
	}
	client.Transport = &retrier{
		next:     &checker{next: client.Transport, setting: c.opts.Settings.BaseURL},
		attempts: cmp.Or(c.opts.Attempts, defaultAttempts),
		backoff:  cmp.Or(c.opts.Backoff, defaultBackoff),
		tell:     func(r Retry) { c.emitEvent(r) },
	}
	return &client
}

// checker refuses responses that can be no reply.
type checker struct {
	next    http.RoundTripper
	setting string // of the base URL
}

// requestState travels with a request's context to the transport.
type requestState struct {
	timer *time.Timer // ends the request when nothing comes
	idle  time.Duration
}

type stateKey struct{}

func stateOf(ctx context.Context) *requestState {
	s, _ := ctx.Value(stateKey{}).(*requestState)
	return s
}

// restartWait starts the wait for the next byte anew.
func (s *requestState) restartWait() {
	if s != nil {
		s.timer.Reset(s.idle)
	}
}

// stopWait stops the wait, until alive is called.
func (s *requestState) stopWait() {
	if s != nil {
		s.timer.Stop()
	}
}

// withState adds to a request's context what ends it when it is silent for too long.
func (c *Conversation) withState(ctx context.Context, cancel context.CancelCauseFunc) context.Context {
	s := &requestState{idle: c.idleLimit()}
	s.timer = time.AfterFunc(s.idle, func() { cancel(errIdle) })
	context.AfterFunc(ctx, func() { s.timer.Stop() })
	return context.WithValue(ctx, stateKey{}, s)
}

// responseError is a response that cannot be a model's reply.
type responseError struct{ text string }

func (e *responseError) Error() string { return e.text }

func (c *checker) RoundTrip(req *http.Request) (*http.Response, error) {
	state := stateOf(req.Context())
	state.restartWait()
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	state.restartWait()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		resp.Body.Close()
		return nil, &responseError{fmt.Sprintf("it redirects to %s: set %s to where it really is", oneLine(resp.Header.Get("Location")), c.setting)}
	case resp.StatusCode >= 400:
		return resp, nil
	}
	// Waiting for the first byte here lets the retrier take a body that broke off
	// before it for a connection that did.
	body := bufio.NewReader(&living{resp.Body, state})
	if _, err := body.Peek(1); err != nil {
		resp.Body.Close()
		return nil, err
	}
	if err := checkType(resp.Header.Get("Content-Type"), body, c.setting); err != nil {
		resp.Body.Close()
		return nil, err
	}
	resp.Body = &rereadBody{Reader: body, Closer: resp.Body}
	return resp, nil
}

// living tells that bytes come.
type living struct {
	r     io.Reader
	state *requestState
}

func (l *living) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.state.restartWait()
	return n, err
}

// checkType wants text/event-stream. Some servers send events or JSON under another
// name, so that other types are judged by how the body begins.
func checkType(header string, body *bufio.Reader, setting string) error {
	kind, _, _ := mime.ParseMediaType(header)
	if kind == "text/event-stream" {
		return nil
	}
	head, _ := body.Peek(min(body.Buffered(), 200))
	start := bytes.TrimLeft(head, "\r\n \ufeff")
	if beginsEvent(start) || len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return nil
	}
	return noReplyError(cmp.Or(kind, "no content type"), string(start), setting)
}

func noReplyError(kind, body, setting string) error {
	return &responseError{fmt.Sprintf("it answered with %s in place of an event stream (%s): check the base URL with %s, it usually ends in /v1", kind, quoteHead(oneLine(body)), setting)}
}

// isReset reports an error of a connection that was closed under us.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "server closed idle connection") ||
		strings.Contains(err.Error(), "malformed MIME header: missing colon") // closed in the middle of the headers
}

// defaultBackoff is the wait before the second attempt.
const defaultBackoff = 500 * time.Millisecond
