package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentbash/agentbash/registry"
)

// Offer is a tool that a Server offers to other MCP clients.
type Offer struct {
	Name        string // letters, digits, _ and -
	Description string
	Schema      json.RawMessage // a JSON Schema of an object; what is none takes anything
	Output      json.RawMessage // the schema of Outcome.Structured; nil: there is none
	ReadOnly    bool
}

// Backend runs the calls of one client.
type Backend interface {
	// Call is called concurrently. The context ends when the client cancels the
	// call or goes away.
	Call(ctx context.Context, r Request) Outcome
	Close() error // ends the calls that run
}

// Request is a call of an offered tool.
type Request struct {
	Tool      string
	Arguments json.RawMessage // nobody has looked at them
	Exact     bool            // a command's streams are wanted whole, as bytes
	Stdin     []byte          // with Exact, of a command; nil: none
	Live      io.Writer       // what is written to it is told to a client that asked for progress
}

// Outcome is what came of a call.
type Outcome struct {
	Text       string
	Images     []registry.Image
	Structured map[string]any // nil: none
	Failed     bool           // Text is the tool's failure
}

// result is the outcome as MCP has it.
func (o Outcome) result() *sdk.CallToolResult {
	res := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: o.Text}}, IsError: o.Failed}
	for _, img := range o.Images {
		res.Content = append(res.Content, &sdk.ImageContent{Data: img.Data, MIMEType: img.MIME})
	}
	if o.Structured != nil {
		res.StructuredContent = o.Structured
	}
	return res
}

// ServerOptions configures a Server; nil means the defaults.
type ServerOptions struct {
	Name, Version string
	Instructions  string        // for the client's model; may be empty
	Progress      time.Duration // between two notes of a call's progress; 0 means a second
	Token         string        // HTTP: clients must send it as a bearer token; "" is none

	Hide        func(text string) string // what is told of a line of a call's progress; nil: all of it
	Shared      bool                     // all clients have one backend
	MaxSessions int                      // backends at a time; 0 means DefaultSessions
	Idle        time.Duration            // after which a session over HTTP ends; 0 means DefaultIdle
}

// Limits that apply where the options name none.
const (
	DefaultSessions = 200
	DefaultIdle     = 4 * time.Hour

	listingTTL = 5 * time.Minute // for which a client need not list again
)

// Server offers tools to other MCP clients, each of which has a backend of its own. It is
// safe for concurrent use. Close it.
type Server struct {
	sessions    *sdk.Server // for clients that have sessions of the protocol
	sessionless *sdk.Server // MCP 2026-07-28 over HTTP; a shell is named by an argument
	clients     clients
	opts        ServerOptions
}

// NewServer returns a server that offers these tools. open makes the backend of a client
// that makes its first call.
func NewServer(offers []Offer, open func() (Backend, error), opts *ServerOptions) *Server {
	s := &Server{}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.Progress = cmp.Or(max(s.opts.Progress, 0), time.Second)
	s.opts.Idle = cmp.Or(max(s.opts.Idle, 0), DefaultIdle)
	s.clients = clients{open: open, most: cmp.Or(max(s.opts.MaxSessions, 0), DefaultSessions), idle: s.opts.Idle, byKey: map[string]*client{}}
	s.sessions, s.sessionless = s.newSDK(offers, false), s.newSDK(offers, !s.opts.Shared)
	return s
}

// newSDK makes the SDK's server. With named, each tool takes the name of a session.
func (s *Server) newSDK(offers []Offer, named bool) *sdk.Server {
	capabilities := &sdk.ServerCapabilities{ // lists that the SDK answers for, and that do not change
		Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Extensions: map[string]any{extStreams: map[string]any{"named": named}}}
	server := sdk.NewServer(&sdk.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &sdk.ServerOptions{
		Instructions: s.opts.Instructions, Capabilities: capabilities,
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
			c.TTLMs, c.CacheScope = int(listingTTL.Milliseconds()), "private"
		},
	})
	for _, o := range offers {
		o.Schema = listable(o.Schema)
		tool := &sdk.Tool{Name: o.Name, Description: o.Description, InputSchema: o.Schema, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: o.ReadOnly}}
		if o.Output != nil {
			tool.OutputSchema = o.Output
		}
		if named {
			tool.InputSchema = withSession(o.Schema)
		}
		server.AddTool(tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			live := s.followOutput(ctx, req)
			defer live.stop()
			r := Request{Tool: o.Name, Arguments: req.Params.Arguments, Live: live}
			r.Exact, r.Stdin = exactly(req.Params.Meta)
			switch {
			case s.opts.Shared:
				return s.clients.call(ctx, "", r).result(), nil
			case named:
				return s.callNamed(ctx, r).result(), nil
			}
			return s.clients.callOf(ctx, req.Session, r).result(), nil
		})
	}
	return server
}

// listable is a schema that every client can read: for many one that is not of an object, or
// has a property that is not described by an object, spoils the whole listing.
func listable(schema json.RawMessage) json.RawMessage {
	var s struct {
		Type       string
		Properties map[string]map[string]any
		Required   []string
	}
	if json.Unmarshal(schema, &s) != nil || s.Type != "object" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}

// Close ends what the clients have. It returns when that is gone.
func (s *Server) Close() error { return s.clients.close() }

// Serve talks to one client over a pair of streams, a line a message, until in
// ends or the context does. It does not close the streams.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	answers := &wholeWriter{w: out}
	err := s.sessions.Run(ctx, &sdk.IOTransport{Reader: newMessages(in, answers), Writer: answers, MaxLineLength: -1})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// progress tells a client what a call writes, a line now and then.
type progress struct {
	io.Writer
	stop func()
}

// followOutput starts to tell the client of a call's output, if it asked for that.
func (s *Server) followOutput(ctx context.Context, req *sdk.CallToolRequest) progress {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return progress{io.Discard, func() {}}
	}
	last := &lastLine{hide: s.opts.Hide}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.opts.Progress)
		defer tick.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			note := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: last.text()}
			if req.Session.NotifyProgress(ctx, note) != nil {
				return
			}
		}
	}()
	return progress{last, func() { cancel(); <-done }}
}

// lastLine keeps the end of what was written.
type lastLine struct {
	hide func(string) string

	mu    sync.Mutex
	tail  []byte
	quiet bool // nothing came since the last call of text
}

func (l *lastLine) Write(p []byte) (int, error) {
	const most = 8 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail, l.quiet = append(l.tail, p...), false
	if over := len(l.tail) - most; over > 0 {
		_, whole, _ := bytes.Cut(l.tail[over:], []byte("\n"))
		l.tail = append(l.tail[:0], whole...)
	}
	return len(p), nil
}

// text is the last whole line that is not empty, its first 200 bytes: in a part of one a secret would not be known.
// One that stays unfinished, such as a prompt, counts as whole.
func (l *lastLine) text() string {
	const most = 200
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := l.tail
	if !l.quiet {
		whole = whole[:bytes.LastIndexByte(whole, '\n')+1]
	}
	l.quiet = true
	line := strings.TrimSpace(string(whole))
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if l.hide != nil {
		line = l.hide(line)
	}
	return strings.ToValidUTF8(line[:min(most, len(line))], "")
}
