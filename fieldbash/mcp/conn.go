package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// codeRejected is how the SDK marks, as if it were the server's, an error of
// its HTTP transport that leaves the connection usable.
const codeRejected = -32005

// conn is one connection to a server, from its start to its end.
type conn struct {
	client  *Client
	session *sdk.ClientSession
	stdio   *stdioConn    // nil for HTTP
	http    *roundTripper // nil for stdio
	end     context.CancelCauseFunc

	ended     chan struct{} // closed when the session is over
	closeOnce sync.Once

	mu      sync.Mutex
	next    int
	calls   map[string]*activeCall // by progress token
	arrived int                    // notes (progress, log messages) read off the wire
	handled int                    // of them shown
	shown   chan struct{}          // closed and replaced when handled grows
}

// activeCall is a call whose answer has not come.
type activeCall struct {
	limit  *time.Timer
	after  time.Duration
	cancel context.CancelCauseFunc

	mu     sync.Mutex // held while notes is written to
	notes  io.Writer  // nil: nobody reads, or the call is over
	told   int        // notes of progress that came
	toldAt time.Time  // when one was shown last
	held   string     // one that was not shown; "": it was
}

func newConn(c *Client) *conn {
	return &conn{client: c, ended: make(chan struct{}), calls: map[string]*activeCall{}, shown: make(chan struct{})}
}

// watch notices the end of the session, whoever brought it about.
func (k *conn) watch() {
	k.session.Wait()
	close(k.ended)
}

// over reports whether the session has ended.
func (k *conn) over() bool {
	select {
	case <-k.ended:
		return true
	default:
	}
	return k.stdio != nil && k.stdio.proc.gone()
}

// gone waits a moment for the session to end and reports whether it did: the
// SDK tells a call of the end before it tells Wait.
func (k *conn) gone(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-k.ended:
		return true
	case <-timer.C:
		return k.over()
	}
}

// close ends the session and the server's process, and joins what serves them.
func (k *conn) close() {
	k.closeOnce.Do(func() {
		if k.stdio != nil {
			k.stdio.Close() // first: the SDK's Close waits for calls under way
		} else {
			k.cancelCalls()
		}
		k.session.Close()
		if k.http != nil {
			k.http.base.CloseIdleConnections()
		}
		k.end(errClosed)
	})
	<-k.ended
}

// runRequest runs one request under the client's call limit and explains its failure.
// notes takes progress and log messages while it runs; it may be nil.
func (k *conn) runRequest(ctx context.Context, op string, notes io.Writer, send func(ctx context.Context, token string) error) error {
	after := k.client.spec.CallTimeout
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var sent atomic.Bool
	ctx = context.WithValue(ctx, sentKey{}, &sent)
	call := &activeCall{notes: notes, after: after, cancel: cancel}
	call.limit = time.AfterFunc(after, func() { cancel(&timeoutError{after: after, what: "no answer and no progress"}) })
	defer call.limit.Stop()
	hard := time.AfterFunc(progressFactor*after, func() {
		cancel(&timeoutError{after: progressFactor * after, what: "progress but no answer"})
	})
	defer hard.Stop()
	ctx = context.WithValue(ctx, pauseKey{}, func() func() {
		call.limit.Stop()
		return func() { call.limit.Reset(after) }
	})
	ctx = context.WithValue(ctx, loginKey{}, &login{})
	token := k.addCall(call)
	defer call.over()
	defer k.removeCall(token)
	err := send(ctx, token)
	k.drainNotifications()
	if err == nil {
		return nil
	}
	if e := fromContext(ctx, op, err); e != nil {
		if e.Status == exitTimedOut {
			e.Next = `the server was told to stop; raise "timeout" (seconds) of this server if it is only slow`
		}
		return e
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code != codeRejected && !k.over() {
		return &RequestError{Code: refused.Code, Message: plainText(k.client.redact(strings.ReplaceAll(refused.Message, "\n", " ")))}
	}
	if k.http != nil {
		e := k.httpError(op, err)
		e.unsent = !sent.Load() || errors.Is(err, sdk.ErrSessionMissing)
		return e
	}
	return k.lostError(op, err, sent.Load())
}

// lostError explains a stdio connection that ended under a call.
func (k *conn) lostError(op string, err error, sent bool) *Error {
	e := &Error{Op: op, Err: err, Status: exitTransport, unsent: !sent}
	k.stdio.proc.wait(graceDrain * 2) // for its status and its last words
	if k.stdio.proc.gone() {
		e.Err = fmt.Errorf("the server ended (%s)", k.stdio.proc.status)
	}
	e.Next = "the next call starts it again"
	if sent {
		e.Next = "it had the request: see what it did of it before you call again, which starts it again"
	}
	e.Stderr = k.client.redact(k.stdio.proc.stderr.String())
	return e
}

// httpError explains a failed HTTP exchange.
func (k *conn) httpError(op string, err error) *Error {
	text := strings.ReplaceAll(err.Error(), "rejected by transport: ", "")
	e := &Error{Op: op, Err: errors.New(plainText(k.client.redact(text))), Status: exitTransport}
	if status := k.http.refused(); k.client.oauth != nil && (status == http.StatusUnauthorized || status == http.StatusForbidden) {
		e.Status, e.Next = exitAuth, "log in: use the server once from a terminal"
		e.unsent = op == "start"
		return e
	}
	switch status := k.http.refused(); {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Status = exitAuth
		e.Err = fmt.Errorf("the server answered %d %s", status, http.StatusText(status))
		e.Next = `put a valid token into "headers" of this server: {"Authorization": "Bearer ${TOKEN}"}`
	case status >= 500:
		e.Err = fmt.Errorf("the server answered %d %s", status, http.StatusText(status))
		e.Next = "the fault is on its side: try again later"
	case status >= 400:
		e.Err = fmt.Errorf("the server answered %d %s", status, http.StatusText(status))
		e.Next = `check "url" of this server`
	default:
		e.Next = `check that the server runs and that "url" of this server is right`
	}
	e.unsent = op == "start"
	return e
}

func (k *conn) addCall(call *activeCall) (token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next++
	token = "agentbash-" + strconv.Itoa(k.next)
	if k.stdio != nil && k.stdio.proc.kept != nil {
		token += "-" + strconv.Itoa(k.stdio.proc.kept.Number) // no other client's
	}
	k.calls[token] = call
	return token
}

// cancelCalls ends the calls under way: the SDK's Close would wait for their answers.
func (k *conn) cancelCalls() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, call := range k.calls {
		call.cancel(errClosed)
	}
}

func (k *conn) removeCall(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.calls, token)
}
