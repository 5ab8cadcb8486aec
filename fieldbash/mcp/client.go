package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentbash/agentbash/fieldbash/kept"
)

// Limits that apply where the configuration names none.
const (
	DefaultStartTimeout = 30 * time.Second
	InstallStartTimeout = 5 * time.Minute // where the command may have to install the server first
	DefaultCallTimeout  = 120 * time.Second

	// progressFactor bounds a call whose server keeps reporting progress: its
	// time limit starts anew with each report, up to this many times its length.
	progressFactor = 10

	installNotice = 3 * time.Second        // until a start that may be an installation is told of
	discoverWait  = 10 * time.Second       // for an answer to server/discover
	changeQuiet   = 200 * time.Millisecond // after the last list_changed of a burst
)

// Spec says how to reach one server: by a command, or by a URL.
type Spec struct {
	Command      *Command          // nil: URL
	URL          string            // of a streamable HTTP or SSE endpoint
	SSE          bool              // the URL speaks SSE (2024-11-05); else that is tried when the other is refused
	Headers      map[string]string // sent with every HTTP request to the URL's origin
	OAuth        *OAuth            // how to log in at the URL; nil: not at all
	Secrets      []string          // texts that no message of ours may show
	LogLevel     string            // one of LogLevels, the least that is shown; "": warning
	StartTimeout time.Duration     // 0: DefaultStartTimeout, or InstallStartTimeout
	CallTimeout  time.Duration     // 0: DefaultCallTimeout
}

// installs reports whether the command fetches what it starts when it is not there yet.
func (s *Spec) installs() bool {
	return s.Command != nil && slices.Contains(strings.Fields("npx bunx pnpx uvx pipx docker podman"), filepath.Base(s.Command.Name))
}

// Options configures a client. The zero value works.
type Options struct {
	Watchdog     *Watchdog                        // ends the servers when this program is killed; nil: nothing does
	Permit       func() error                     // asked before the server is started or connected to; an error prevents it; nil: it may be
	Version      string                           // our own version, told to the server
	Roots        []string                         // absolute directories that are told to the server as its roots
	Log          func(format string, args ...any) // what a server says outside a call; nil: dropped
	ToolsChanged func()                           // the server says its tools changed; called from a goroutine
	Elicit       Elicitor                         // asks the person; nil: every question is declined
	Sample       Sampler                          // has our model answer the server; nil: not offered

	// Kept connects to where a server with a command is kept for several programs; nil,
	// or a nil connection: it is started.
	Kept func(ctx context.Context) *kept.Conn
}

// Client is one configured server. It is safe for concurrent use.
type Client struct {
	spec Spec
	opts Options

	starting chan struct{} // holds one token; whoever has it may change conn
	mu       sync.Mutex
	conn     *conn // nil before the first use and after Close
	closed   bool
	failed   error         // the last start
	noProbe  bool          // this server ended on server/discover, or did not answer it
	patient  bool          // it did not answer it in time, and refused the older way: it is only slow
	oauth    *oauthHandler // of all connections; nil: no login
	changed  *time.Timer
	told     map[string][]chan struct{} // who waits for changes of resources, by their URIs
	waiting  sync.WaitGroup             // a ToolsChanged call that is under way
}

// NewClient returns a client; nothing is started until it is used.
func NewClient(spec Spec, opts *Options) *Client {
	if spec.StartTimeout <= 0 && spec.installs() {
		spec.StartTimeout = InstallStartTimeout
	}
	if spec.StartTimeout <= 0 {
		spec.StartTimeout = DefaultStartTimeout
	}
	if spec.CallTimeout <= 0 {
		spec.CallTimeout = DefaultCallTimeout
	}
	c := &Client{spec: spec, starting: make(chan struct{}, 1)}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Version == "" {
		c.opts.Version = "dev"
	}
	if spec.OAuth != nil && spec.URL != "" {
		c.oauth = &oauthHandler{conf: *spec.OAuth, server: spec.URL, client: &http.Client{Timeout: DefaultStartTimeout}}
	}
	c.starting <- struct{}{}
	return c
}

var errClosed = errors.New("this client is closed")

// connect returns the live connection, starting the server if there is none.
func (c *Client) connect(ctx context.Context) (*conn, error) {
	if live := c.liveConn(); live != nil {
		return live, nil
	}
	select {
	case <-c.starting:
		defer func() { c.starting <- struct{}{} }()
	case <-ctx.Done():
		return nil, fromContext(ctx, "start", ctx.Err())
	}
	if live := c.liveConn(); live != nil {
		return live, nil
	}
	c.mu.Lock()
	old, closed := c.conn, c.closed
	c.conn = nil
	c.mu.Unlock()
	if old != nil {
		old.close()
	}
	if closed {
		return nil, &Error{Op: "start", Err: errClosed, Status: exitTransport, unsent: true}
	}
	fresh, err := c.startServer(ctx)
	c.mu.Lock()
	c.failed = err
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.conn, closed = fresh, c.closed
	if closed {
		c.conn = nil
	}
	c.mu.Unlock()
	if closed {
		fresh.close()
		return nil, &Error{Op: "start", Err: errClosed, Status: exitTransport, unsent: true}
	}
	return fresh, nil
}

// liveConn returns the connection if there is one that has not ended.
func (c *Client) liveConn() *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil || c.conn.over() {
		return nil
	}
	return c.conn
}

// Running reports whether the server is connected now.
func (c *Client) Running() bool { return c.liveConn() != nil }

// Close ends the connection and the server and everything the server started;
// calls under way fail. It returns when they are gone.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	conn := c.conn
	if c.changed != nil && c.changed.Stop() {
		c.waiting.Done()
	}
	c.changed = nil
	c.mu.Unlock()
	if conn != nil {
		conn.close()
	}
	<-c.starting // whoever is starting it has seen closed by now, or sees it next
	c.starting <- struct{}{}
	c.waiting.Wait()
	return nil
}

// noteChanged calls ToolsChanged once a burst of notifications is over.
func (c *Client) noteChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.opts.ToolsChanged == nil {
		return
	}
	if c.changed != nil && c.changed.Stop() {
		c.changed.Reset(changeQuiet)
		return
	}
	c.waiting.Add(1)
	c.changed = time.AfterFunc(changeQuiet, func() {
		defer c.waiting.Done()
		c.opts.ToolsChanged()
	})
}

func (c *Client) logf(format string, args ...any) {
	if c.opts.Log != nil {
		c.opts.Log("%s", c.redact(fmt.Sprintf(format, args...)))
	}
}

// minSecret is the length below which a text is too common to be blotted out.
const minSecret = 4

// redact blots out the spec's secrets.
func (c *Client) redact(text string) string {
	for _, s := range c.spec.Secrets {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	return text
}
