package acp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/coder/acp-go-sdk"
)

// modes are those that a person can choose, with what they mean.
var modes = []acp.SessionMode{
	{Id: "plan", Name: "plan", Description: acp.Ptr("looks and proposes, changes nothing")},
	{Id: "ask", Name: "ask", Description: acp.Ptr("reads unasked, asks before it changes anything")},
	{Id: "auto", Name: "auto", Description: acp.Ptr("works in the directory unasked, held by the kernel; asks about the rest")},
	{Id: "full", Name: "full", Description: acp.Ptr("runs everything, held by nothing")},
}

// agent is one connection.
type agent struct {
	host    Host
	version string
	conn    *acp.AgentSideConnection
	client  acp.ClientCapabilities
	begun   chan struct{} // a prompt has; holds one

	mu       sync.Mutex
	sessions map[acp.SessionId]*session
	opening  int        // that many more
	new      []*session // whose editor has not got the answer yet
}

// Serve serves one editor until its stream or ctx ends, and closes its sessions. Who ends ctx
// closes out too, lest an editor that reads nothing hold it.
func Serve(ctx context.Context, host Host, version string, in io.Reader, out io.Writer) error {
	a := &agent{host: host, version: version, sessions: map[acp.SessionId]*session{}, begun: make(chan struct{}, 1)}
	w := &answers{Writer: out, agent: a}
	// The connection reads before it is there: nothing comes until it has "begun", too.
	a.conn = acp.NewAgentSideConnection(a, w, &messages{in: bufio.NewReaderSize(in, 64<<10), out: w, begun: a.begun, wait: true})
	a.conn.SetLogger(slog.New(slog.DiscardHandler))
	a.begun <- struct{}{}
	select {
	case <-a.conn.Done():
	case <-ctx.Done():
	}
	var errs []error
	a.mu.Lock()
	open := a.sessions
	a.sessions = nil
	a.mu.Unlock()
	for _, s := range open {
		errs = append(errs, s.end())
	}
	return errors.Join(errs...)
}

// Initialize implements [acp.Agent].
func (a *agent) Initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.mu.Lock()
	a.client = p.ClientCapabilities
	a.mu.Unlock()
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "agentbash", Version: a.version},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:         true,
			McpCapabilities:     acp.McpCapabilities{Http: true, Sse: true},
			PromptCapabilities:  acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{Close: &acp.SessionCloseCapabilities{}, List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{}},
		},
	}, nil
}

// Authenticate implements [acp.Agent]: keys are in the configuration.
func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// mostSessions bounds what one connection may hold: each has a bash.
const mostSessions = 100

// open opens a session and says what can be typed into it.
func (a *agent) open(ctx context.Context, id acp.SessionId, dir string, servers []acp.McpServer) (*session, error) {
	a.mu.Lock()
	full := len(a.sessions)+a.opening >= mostSessions
	if !full {
		a.opening++
	}
	a.mu.Unlock()
	if full {
		return nil, fmt.Errorf("%d sessions are open on this connection: close one with session/close", mostSessions)
	}
	defer func() {
		a.mu.Lock()
		a.opening--
		a.mu.Unlock()
	}()
	s := &session{agent: a}
	o := &Open{ID: string(id), Dir: dir, Servers: map[string]fieldbash.Server{}, Editor: s}
	for _, v := range servers {
		name, server := translateServer(v)
		o.Servers[name] = server
	}
	var err error
	if s.Session, err = a.host.Open(ctx, o); err != nil {
		return nil, err
	}
	if s.id = acp.SessionId(s.ID()); id != "" && s.id != id { // the beginning of its ID was enough
		return nil, errors.Join(unknownSession(id), s.Session.Close())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions == nil {
		return nil, errors.Join(errors.New("the connection has ended"), s.Session.Close())
	}
	a.sessions[s.id] = s
	return s, nil
}

func translateServer(v acp.McpServer) (string, fieldbash.Server) {
	headers := func(list []acp.HttpHeader) map[string]string {
		out := map[string]string{}
		for _, h := range list {
			out[h.Name] = h.Value
		}
		return out
	}
	switch {
	case v.Http != nil:
		return v.Http.Name, fieldbash.Server{Type: "http", URL: v.Http.Url, Headers: headers(v.Http.Headers)}
	case v.Sse != nil:
		return v.Sse.Name, fieldbash.Server{Type: "sse", URL: v.Sse.Url, Headers: headers(v.Sse.Headers)}
	case v.Stdio != nil:
		env := map[string]string{}
		for _, e := range v.Stdio.Env {
			env[e.Name] = e.Value
		}
		return v.Stdio.Name, fieldbash.Server{Command: v.Stdio.Command, Args: v.Stdio.Args, Env: env}
	}
	return "", fieldbash.Server{Disabled: true}
}

// NewSession implements [acp.Agent].
func (a *agent) NewSession(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	s, err := a.open(ctx, "", p.Cwd, p.McpServers)
	if err != nil {
		return acp.NewSessionResponse{}, refusal(err)
	}
	a.mu.Lock()
	a.new = append(a.new, s)
	a.mu.Unlock()
	return acp.NewSessionResponse{SessionId: s.id, Modes: s.modes()}, nil
}

// answers is the stream to the editor. A session's state is told behind the answer that
// begins it, since an editor drops what it hears of a session that it does not know.
type answers struct {
	io.Writer
	agent *agent
	mu    sync.Mutex
}

func (w *answers) Write(p []byte) (int, error) {
	w.mu.Lock()
	n, err := w.Writer.Write(p)
	w.mu.Unlock()
	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	w.agent.new = slices.DeleteFunc(w.agent.new, func(s *session) bool {
		answered := bytes.Contains(p, []byte(`"sessionId":"`+string(s.id)+`"`))
		if answered {
			s.known.Store(true)
			go s.tellCommands()
		}
		return answered
	})
	return n, err
}

// reopen opens a session that the editor knows.
func (a *agent) reopen(ctx context.Context, id acp.SessionId, dir string, servers []acp.McpServer) (*session, error) {
	if id == "" {
		return nil, acp.NewInvalidParams("the sessionId is empty: session/list has those that there are")
	}
	s, err := a.open(ctx, id, dir, servers)
	if err != nil {
		return nil, refusal(err)
	}
	s.known.Store(true)
	return s, nil
}

// LoadSession implements [acp.AgentLoader]: what was said is told again.
func (a *agent) LoadSession(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	s, err := a.reopen(ctx, p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return acp.LoadSessionResponse{}, err
	}
	_, done, err := s.begin(ctx) // so that no prompt comes in between
	if err != nil {
		return acp.LoadSessionResponse{}, err
	}
	defer done()
	s.replay(ctx)
	s.tellCommands()
	return acp.LoadSessionResponse{Modes: s.modes()}, nil
}

// ResumeSession implements [acp.Agent].
func (a *agent) ResumeSession(ctx context.Context, p acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	s, err := a.reopen(ctx, p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return acp.ResumeSessionResponse{}, err
	}
	return acp.ResumeSessionResponse{Modes: s.modes()}, nil
}

// ListSessions implements [acp.Agent].
func (a *agent) ListSessions(_ context.Context, p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	dir := ""
	if p.Cwd != nil {
		dir = *p.Cwd
	}
	found, err := a.host.Find(dir)
	if err != nil {
		return acp.ListSessionsResponse{}, refusal(err)
	}
	out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	for _, f := range found {
		out.Sessions = append(out.Sessions, acp.SessionInfo{SessionId: acp.SessionId(f.ID), Cwd: f.Dir, Title: &f.Title, UpdatedAt: &f.Modified})
	}
	return out, nil
}

// CloseSession implements [acp.Agent].
func (a *agent) CloseSession(_ context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	a.mu.Lock()
	s := a.sessions[p.SessionId]
	delete(a.sessions, p.SessionId)
	a.mu.Unlock()
	if s == nil {
		return acp.CloseSessionResponse{}, unknownSession(p.SessionId)
	}
	return acp.CloseSessionResponse{}, s.end()
}

// find returns an open session.
func (a *agent) find(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, unknownSession(id)
}

func unknownSession(id acp.SessionId) error {
	return acp.NewInvalidParams(fmt.Sprintf("no session %s is open: session/new begins one, session/load goes on with one", id))
}

// refusal gives an error's text to a person: some editors show the message alone.
func refusal(err error) error {
	return &acp.RequestError{Code: -32000, Message: err.Error()}
}

// SetSessionMode implements [acp.Agent].
func (a *agent) SetSessionMode(ctx context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := a.find(p.SessionId)
	if err == nil {
		if err = s.SetMode(ctx, string(p.ModeId)); err != nil {
			err = acp.NewInvalidParams(err.Error())
		}
	}
	return acp.SetSessionModeResponse{}, err
}

// SetSessionConfigOption implements [acp.Agent]: there are none.
func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

// Cancel implements [acp.Agent].
func (a *agent) Cancel(_ context.Context, p acp.CancelNotification) error {
	s, err := a.find(p.SessionId)
	if err == nil {
		s.cancel()
	}
	return err
}

// Prompt implements [acp.Agent]: it is one turn.
func (a *agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	s, err := a.find(p.SessionId)
	done := func() {}
	if err == nil {
		ctx, done, err = s.begin(ctx)
	}
	select {
	case a.begun <- struct{}{}:
	default:
	}
	if err != nil {
		return acp.PromptResponse{}, err
	}
	defer done()
	prompt, err := translatePrompt(p.Prompt)
	if err != nil {
		return acp.PromptResponse{}, acp.NewInvalidParams(err.Error())
	}
	if c, words := s.command(prompt.Text); c != nil {
		err = s.runCommand(ctx, c, words)
	} else {
		err = s.Send(ctx, prompt, func(e chat.Event) { s.tell(ctx, e) })
	}
	s.tellState(ctx)
	var failed *chat.Error
	switch {
	case ctx.Err() != nil:
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	case errors.As(err, &failed) && failed.Exit == chat.ExitLimit:
		s.say(ctx, failed.Error())
		return acp.PromptResponse{StopReason: acp.StopReasonMaxTurnRequests}, nil
	case err != nil:
		return acp.PromptResponse{}, refusal(err)
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// command is the slash command that a prompt is; nil: none.
func (s *session) command(text string) (*term.Command, string) {
	if !strings.HasPrefix(text, "/") {
		return nil, ""
	}
	name, words, _ := strings.Cut(text[1:], " ")
	list := s.Commands()
	i := slices.IndexFunc(list, func(c term.Command) bool { return c.Name == name })
	if i < 0 {
		return nil, ""
	}
	return &list[i], strings.TrimSpace(words)
}
