package mcp

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentbash/agentbash/registry"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Offer is a tool that a Server offers to other MCP clients.
type Offer struct {
	Name        string // letters, digits, _ and -
	Description string
	Schema      json.RawMessage // a JSON Schema of type object; anything else panics
	ReadOnly    bool

	// Call runs the tool on raw arguments, which nobody has looked at; it is
	// called concurrently. What it writes to live is told to a client that asked
	// for progress. The context ends when the client cancels the call or goes away.
	Call func(ctx context.Context, arguments json.RawMessage, live io.Writer) Outcome
}

// Outcome is what came of a call of an Offer.
type Outcome struct {
	Text   string
	Images []registry.Image
	Failed bool // Text is the tool's failure
}

// result is the outcome as MCP has it.
func (a Outcome) result() *sdk.CallToolResult {
	res := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Text}}, IsError: a.Failed}
	for _, img := range a.Images {
		res.Content = append(res.Content, &sdk.ImageContent{Data: img.Data, MIMEType: img.MIME})
	}
	return res
}

// ServerOptions configures a Server; nil means the defaults.
type ServerOptions struct {
	Name, Version string
	Instructions  string        // for the client's model; may be empty
	Progress      time.Duration // between two notes of a call's progress; 0 means a second
	Token         string        // HTTP: clients must send it as a bearer token; "" is none
}

// Server offers tools to other MCP clients. It is safe for concurrent use.
type Server struct {
	sdk  *sdk.Server
	opts ServerOptions
}

// NewServer returns a server that offers these tools.
func NewServer(offers []Offer, opts *ServerOptions) *Server {
	s := &Server{}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Progress <= 0 {
		s.opts.Progress = time.Second
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: s.opts.Name, Version: s.opts.Version},
		&sdk.ServerOptions{Instructions: s.opts.Instructions, Capabilities: &sdk.ServerCapabilities{}})
	for _, o := range offers {
		tool := &sdk.Tool{Name: o.Name, Description: o.Description, InputSchema: o.Schema, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: o.ReadOnly}}
		s.sdk.AddTool(tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			live := s.followOutput(ctx, req)
			defer live.stop()
			return o.Call(ctx, req.Params.Arguments, live).result(), nil
		})
	}
	return s
}

// Serve talks to one client over a pair of streams, a line a message, until in
// ends or the context does. It does not close the streams.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	answers := &wholeWriter{w: out}
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: newMessages(in, answers), Writer: answers, MaxLineLength: -1})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// idleSession is how long a client over HTTP may be silent before it has to
// begin anew.
const idleSession = 24 * time.Hour

// Handler serves clients over streamable HTTP at every path. A request that a
// browser sends for a page of another origin is refused, and so is one to
// another host's name that came by the loopback address (DNS rebinding).
func (s *Server) Handler() http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{SessionTimeout: idleSession, MaxRequestBodyBytes: mostMessage})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !sameOrigin(r):
			http.Error(w, "requests from pages of other origins are refused", http.StatusForbidden)
		case s.opts.Token != "" && !s.hasToken(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token that the server was started with: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// sameOrigin reports whether a request comes from no page, or from one of ours.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host
}

func (s *Server) hasToken(r *http.Request) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(got), []byte(s.opts.Token)) == 1
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
	last := &lastLine{}
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

// lastLine keeps the last line that was written and is not empty, 200 bytes at most.
type lastLine struct{ line atomic.Pointer[string] }

func (l *lastLine) Write(p []byte) (int, error) {
	const most = 200
	text := strings.TrimSpace(string(p[max(0, len(p)-4*most):]))
	if text = text[strings.LastIndexByte(text, '\n')+1:]; text != "" {
		text = strings.ToValidUTF8(text[:min(most, len(text))], "")
		l.line.Store(&text)
	}
	return len(p), nil
}

func (l *lastLine) text() string {
	if t := l.line.Load(); t != nil {
		return *t
	}
	return ""
}
