package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastHandshake is the newest MCP revision that begins with initialize.
const lastHandshake = "2025-11-25"

// startServer connects to the server, starting its process if it has one, within
// the spec's start timeout.
func (c *Client) startServer(ctx context.Context) (*conn, error) {
	if c.opts.Permit != nil {
		if err := c.opts.Permit(); err != nil {
			return nil, (&refusedError{err}).notStarted()
		}
	}
	life, end := context.WithCancelCause(context.Background())
	fromCaller := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	limit := time.AfterFunc(c.spec.StartTimeout, func() {
		end(&timeoutError{after: c.spec.StartTimeout, what: "no answer"})
	})
	pause := func() func() {
		limit.Stop()
		return func() { limit.Reset(c.spec.StartTimeout) }
	}
	starting := context.WithValue(context.WithValue(life, pauseKey{}, pause), loginKey{}, &login{})
	var k *conn
	var err error
	if c.spec.Command != nil {
		if c.spec.installs() {
			defer time.AfterFunc(installNotice, func() {
				c.logf("%s may be installing the server, and has %s for that", c.spec.Command.Name, c.spec.StartTimeout)
			}).Stop()
		}
		k, err = c.startProcess(starting)
	} else {
		k, err = c.startHTTP(starting)
	}
	if err == nil {
		c.askLevel(starting, k.session)
	}
	limit.Stop()
	fromCaller()
	if err == nil && life.Err() != nil { // ended at the very last moment
		k.close()
		err = fromContext(life, "start", life.Err())
	}
	if err != nil {
		end(nil)
		return nil, err
	}
	k.end = end
	go k.watch()
	return k, nil
}

// startProcess starts the command and shakes hands with it. A server that ends
// when it is asked server/discover is started once more without the question;
// one that did not answer it in time, and refuses to be initialized, once more
// with all the time there is.
func (c *Client) startProcess(ctx context.Context) (*conn, error) {
	for {
		k, again, err := c.tryProcess(ctx)
		if !again || ctx.Err() != nil {
			return k, err
		}
	}
}

// discoverLimit is how long server/discover may stay unanswered.
func (c *Client) discoverLimit() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.patient {
		return c.spec.StartTimeout
	}
	return min(discoverWait, c.spec.StartTimeout/3)
}

// setPatient reports whether it was not set before.
func (c *Client) setPatient() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.patient
	c.patient = true
	return !was
}

func (c *Client) tryProcess(ctx context.Context) (k *conn, again bool, err error) {
	proc, err := c.process(ctx)
	var refused *refusedError
	if errors.As(err, &refused) {
		return nil, false, refused.notStarted()
	}
	if err != nil {
		return nil, false, &Error{
			Op: "start", Err: err, Status: exitTransport, unsent: true,
			Next: `install it, or correct "command" and "args" of this server`,
		}
	}
	k = newConn(c)
	transport := &stdioTransport{proc: proc, noted: k.noteArrived, discoverWait: c.discoverLimit()}
	k.session, err = c.sdkClient(k).Connect(ctx, transport, c.sessionOptions())
	k.stdio = transport.conn
	if err == nil {
		if k.stdio.wasSilent() {
			c.setNoProbe()
		}
		return k, false, nil
	}
	proc.wait(graceDrain * 2) // it may be about to end: then its status says more
	k.stdio.Close()
	ended := k.stdio.endedItself()
	if ended && k.stdio.diedDiscovering() && !c.skipProbe() {
		c.setNoProbe()
		return nil, true, nil
	}
	if !ended && k.stdio.wasSilent() && ctx.Err() == nil && c.setPatient() {
		return nil, true, nil
	}
	return nil, false, c.startError(ctx, err, proc, ended)
}

func (c *Client) sessionOptions() *sdk.ClientSessionOptions {
	if c.skipProbe() {
		return &sdk.ClientSessionOptions{ProtocolVersion: lastHandshake}
	}
	return nil
}

func (c *Client) skipProbe() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.noProbe
}

func (c *Client) setNoProbe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noProbe = true
}

// startError says why a process did not become a server.
func (c *Client) startError(ctx context.Context, err error, proc *process, ended bool) error {
	e := fromContext(ctx, "start", err)
	if e == nil {
		e = &Error{Op: "start", Err: fmt.Errorf("it does not speak MCP: %w", err), Status: exitTransport}
	}
	byHand := "run it by hand to see why: " + strings.Join(append([]string{c.spec.Command.Name}, c.spec.Command.Args...), " ")
	switch {
	case ended && ctx.Err() == nil: // and not because we gave up
		e = &Error{Op: "start", Err: fmt.Errorf("the server ended before it answered (%s)", proc.status), Status: exitTransport}
		e.Next = byHand
	case e.Status == exitTimedOut:
		e.Next = `raise "startTimeout" (seconds) of this server if it is only slow, or ` + byHand
	case e.Status == exitTransport:
		e.Next = byHand
	}
	e.Stderr, e.unsent, e.Next = c.redact(proc.stderr.String()), true, c.redact(e.Next)
	return e
}

// startHTTP connects to the URL: streamable HTTP first, then, if the server
// refuses that as an SSE server does, SSE.
func (c *Client) startHTTP(ctx context.Context) (*conn, error) {
	u, err := url.Parse(c.spec.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &Error{Op: "start", Err: fmt.Errorf("%q is no http or https URL", c.redact(c.spec.URL)), Status: exitTransport,
			Next: `correct "url" of this server`, unsent: true}
	}
	k, err := c.tryHTTP(ctx, u, c.spec.SSE)
	if err != nil && k.http.silent.Load() && ctx.Err() == nil && c.setPatient() {
		k, err = c.tryHTTP(ctx, u, c.spec.SSE)
	}
	var e *Error
	if err != nil && !c.spec.SSE && ctx.Err() == nil && errors.As(err, &e) && e.Status == exitTransport && looksLikeSSE(k) {
		if old, sseErr := c.tryHTTP(ctx, u, true); sseErr == nil {
			return old, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// looksLikeSSE reports whether the failed attempt was refused with one of the
// statuses by which the specification (2025-11-25, transports, backwards
// compatibility) tells a client to try the older transport.
func looksLikeSSE(k *conn) bool {
	switch k.http.refused() {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// tryHTTP returns the conn also with an error, for what its requests noted.
func (c *Client) tryHTTP(ctx context.Context, u *url.URL, sse bool) (*conn, error) {
	k := newConn(c)
	k.http = newRoundTripper(u.Scheme+"://"+u.Host, c.spec.Headers, c.discoverLimit())
	k.http.noted = k.noteArrived
	var err error
	k.session, err = c.sdkClient(k).Connect(ctx, c.httpTransport(sse, k.http), c.sessionOptions())
	if named := streamsOf(k.session)["named"] == true; err == nil && named && !c.skipProbe() { // where the protocol has sessions, the server keeps one shell for us
		k.session.Close()
		c.setNoProbe()
		return c.tryHTTP(ctx, u, sse)
	}
	if err == nil {
		return k, nil
	}
	k.http.base.CloseIdleConnections()
	if e := fromContext(ctx, "start", err); e != nil {
		e.Next, e.unsent = "check that "+u.Host+" is reachable", true
		return k, e
	}
	return k, k.httpError("start", err)
}
