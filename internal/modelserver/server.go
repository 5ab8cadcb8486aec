package modelserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are what a server can be told beside its script. Nil and the zero
// value mean the defaults.
type Options struct {
	Addr string    // where to listen; "" is a free port on 127.0.0.1
	Log  io.Writer // gets one JSON line a request; nil: no log
}

// Request is one request as the log has it.
type Request struct {
	N      int             `json:"n"` // from 1
	Time   time.Time       `json:"time"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body,omitempty"`
	Failed string          `json:"failed,omitempty"` // the check that it did not pass
}

// Server plays a script. Its methods are safe for concurrent use.
type Server struct {
	// BaseURL is what a client is given: http://127.0.0.1:PORT/v1.
	BaseURL string

	http   *http.Server
	served chan error
	log    io.Writer

	mu       sync.Mutex
	script   *Script
	replies  []Reply // what is still to be played is replies[next:]
	next     int
	last     *Reply // the reply before; nil at the start
	before   []json.RawMessage
	messages int // that before stands for
	tools    json.RawMessage
	requests []Request
	failures []error
}

// Start listens and serves. The server is ready when Start returns; the caller
// must Close it.
func Start(script *Script, opts *Options) (*Server, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	if err := script.check(); err != nil {
		return nil, fmt.Errorf("model script: %w", err)
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("model server: %w", err)
	}
	s := &Server{
		BaseURL: "http://" + l.Addr().String() + "/v1",
		served:  make(chan error, 1),
		log:     o.Log,
		script:  script,
		replies: script.unroll(),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	switch script.API {
	case "messages":
		mux.HandleFunc("POST /v1/messages", s.anthropic)
	case "responses":
		mux.HandleFunc("POST /v1/responses", s.responses)
		fallthrough
	default:
		mux.HandleFunc("POST /v1/chat/completions", s.completions)
	}
	mux.HandleFunc("/", s.elsewhere)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { s.served <- s.http.Serve(l) }()
	return s, nil
}

// Close ends the server and returns every check that failed and the replies
// that nobody asked for, or nil when the whole script was played.
func (s *Server) Close() error {
	err := s.http.Close()
	if serr := <-s.served; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next < len(s.replies) {
		s.failures = append(s.failures, fmt.Errorf("%d of %d replies were asked for", s.next, len(s.replies)))
	}
	return errors.Join(append(s.failures, err)...)
}

// Requests returns the requests so far, those for /v1/models included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Rewind makes the server play its script from the start, in a new conversation.
func (s *Server) Rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.last, s.before, s.messages, s.tools = 0, nil, nil, 0, nil
}

// models answers GET /v1/models, by which clients find what a server has.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if about := s.script.About[r.URL.Path]; about != "" || s.talking() {
		answerAbout(w, about)
		return
	}
	s.record(r, nil, nil)
	model := cmp.Or(s.script.Model, "scripted-1")
	w.Header().Set("Content-Type", "application/json")
	w.Write(encodeJSON(map[string]any{"object": "list", "data": []any{map[string]any{"id": model, "object": "model", "owned_by": "script"}}}))
}

// elsewhere answers a path that is not the API's; a client that comes here was
// given a wrong base URL.
func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && s.talking() {
		answerAbout(w, s.script.About[r.URL.Path])
		return
	}
	s.record(r, nil, nil)
	refuseRequest(w, http.StatusNotFound, "not_found_error", "no such path: "+r.URL.Path)
}

// talking reports whether there is a conversation: what is asked beside it is not recorded.
func (s *Server) talking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests) > 0
}

// answerAbout answers what a client asks about the server.
func answerAbout(w http.ResponseWriter, about string) {
	w.Header().Set("Content-Type", "application/json")
	if about == "" {
		w.WriteHeader(http.StatusNotFound)
		about = "{}"
	}
	io.WriteString(w, about)
}

// completions checks one request and plays the next reply.
func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	if s.script.API == "responses" {
		s.record(r, nil, nil)
		refuseRequest(w, http.StatusBadRequest, "invalid_request_error", refusal)
		return
	}
	s.serve(w, r, checkRequest, func(p *player) voice { return completionVoice{p} })
}

// serve does what all protocols have in common.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, check checker, speak speaker) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	arrived := time.Now() // before the checks, which take their time for a long request
	if key := s.script.Key; key != "" && r.Header.Get("Authorization") != "Bearer "+key && r.Header.Get("X-Api-Key") != key {
		s.recordAt(arrived, r, body, nil)
		refuseRequest(w, http.StatusUnauthorized, "invalid_request_error", "Incorrect API key provided.")
		return
	}
	win := s.script.Window
	if win != nil && win.answer(w, r, body, speak) {
		s.recordAt(arrived, r, body, nil)
		return
	}
	reply, n, err := s.accept(r, body, check)
	s.recordAt(arrived, r, body, err)
	if err != nil {
		refuseRequest(w, http.StatusBadRequest, "invalid_request_error", "modelserver: "+err.Error())
		return
	}
	if win != nil && reply.Usage == nil {
		counted := *reply
		counted.Usage = win.usage(body)
		reply = &counted
	}
	playReply(w, r, reply, n, speak)
}

type (
	checker func(body []byte) (*request, []message, error)
	speaker func(p *player) voice
)

// accept checks a request and moves on to the next reply; n is its number from 1.
func (s *Server) accept(r *http.Request, body []byte, check checker) (reply *Reply, n int, err error) {
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		return nil, 0, fmt.Errorf("content type %q", ct)
	}
	req, ms, err := check(body)
	if err != nil && !(s.script.Loose && req != nil) {
		return nil, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.replies) {
		return nil, 0, fmt.Errorf("the script has only %d replies", len(s.replies))
	}
	reply = &s.replies[s.next]
	if err := s.checkOrder(reply, req, ms); err != nil {
		return nil, 0, err
	}
	if err := checkExpected(reply.Expect, req.Model, ms); err != nil {
		return nil, 0, fmt.Errorf("reply %d expected something else: %w", s.next+1, err)
	}
	s.before, s.messages, s.tools, s.last = req.Messages, len(ms), req.Tools, reply
	s.next++
	return reply, s.next, nil
}

// checkOrder compares a request with the one before it; s.mu is held.
func (s *Server) checkOrder(reply *Reply, req *request, ms []message) error {
	if s.last == nil || reply.NewConversation || s.script.Window != nil || s.script.Loose {
		return nil
	}
	if !bytes.Equal(s.tools, req.Tools) {
		return fmt.Errorf("the tool changed: it was %s and is %s", clipText(s.tools), clipText(req.Tools))
	}
	if err := checkAppended(s.before, req.Messages); err != nil {
		return err
	}
	if len(ms) == s.messages {
		if s.last.complete() {
			return fmt.Errorf("the request is repeated, though reply %d was whole", s.next)
		}
		return nil
	}
	return checkEcho(s.last, s.next, &ms[s.messages])
}

func checkExpected(want Expectations, model string, ms []message) error {
	if len(want) > len(ms) {
		return fmt.Errorf("%d messages are too few", len(ms))
	}
	for i, e := range want {
		m := ms[len(ms)-len(want)+i]
		if e.Model != "" && e.Model != model {
			return fmt.Errorf("the model is %q, not %q", model, e.Model)
		}
		if e.Reasoning != nil && *e.Reasoning != m.Reasoning {
			return fmt.Errorf("message %d: its reasoning_content is %q, not %q", len(ms)-len(want)+i, m.Reasoning, *e.Reasoning)
		}
		if bad := e.check(m.Role, m.content()); bad != "" {
			return fmt.Errorf("message %d: %s: %q", len(ms)-len(want)+i, bad, m.content())
		}
	}
	return nil
}

// record keeps and logs a request of now.
func (s *Server) record(r *http.Request, body []byte, failed error) {
	s.recordAt(time.Now(), r, body, failed)
}

// recordAt keeps and logs a request; failed is the check it did not pass, or nil.
func (s *Server) recordAt(at time.Time, r *http.Request, body []byte, failed error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req := Request{N: len(s.requests) + 1, Time: at, Method: r.Method, Path: r.URL.Path}
	if json.Valid(body) {
		req.Body = body
	}
	if failed != nil {
		req.Failed = failed.Error()
		s.failures = append(s.failures, fmt.Errorf("request %d: %w", req.N, failed))
	}
	s.requests = append(s.requests, req)
	if s.log != nil {
		s.log.Write(append(encodeJSON(req), '\n'))
	}
}

// refuseRequest answers with a status and an error as OpenAI's servers write it.
func refuseRequest(w http.ResponseWriter, status int, kind, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encodeJSON(map[string]any{"error": map[string]any{"message": text, "type": kind, "param": nil, "code": nil}}))
}
