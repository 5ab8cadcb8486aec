package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostCalls is how many calls of one client may be under way.
const mostCalls = 16

var (
	errFull  = errors.New("there are as many sessions as there may be: end one, or try again later")
	errBusy  = fmt.Errorf("%d calls of this client are under way: wait for one of them", mostCalls)
	errEnded = errors.New("that session has ended, or never was: leave session out, and go on in a new one")
)

// clients are the backends of those who talk to a server, by the keys of their
// sessions.
type clients struct {
	open func() (Backend, error)
	most int
	idle time.Duration // of a named session

	mu      sync.Mutex
	byKey   map[string]*client
	closed  bool
	closing sync.WaitGroup
}

// client has what belongs to one session.
type client struct {
	opening sync.Once
	backend Backend // nil: it could not be opened, or was not yet
	err     error
	calls   int         // under way
	idle    *time.Timer // nil: it ends otherwise
}

// call runs a call of the session with this key, which is made if there is none.
func (c *clients) call(ctx context.Context, key string, r Request) Outcome {
	cl, _, err := c.enter(key, true, false)
	return c.run(ctx, key, cl, r, err)
}

// callOf runs a call of a session of the protocol, whose end is that of the backend.
func (c *clients) callOf(ctx context.Context, session *sdk.ServerSession, r Request) Outcome {
	cl, made, err := c.enter(session.ID(), true, false)
	if made {
		go func() {
			session.Wait()
			c.end(session.ID(), cl, false)
		}()
	}
	return c.run(ctx, session.ID(), cl, r, err)
}

func (c *clients) run(ctx context.Context, key string, cl *client, r Request, err error) Outcome {
	if err != nil {
		return Outcome{Text: err.Error(), Failed: true}
	}
	defer c.leave(key, cl)
	if cl.opening.Do(func() { cl.backend, cl.err = c.open() }); cl.err != nil {
		c.end(key, cl, false) // the next call tries again
		return Outcome{Text: cl.err.Error(), Failed: true}
	}
	return cl.backend.Call(ctx, r)
}

// enter begins a call. A session that is made ends after a while without calls if it is timed.
func (c *clients) enter(key string, create, timed bool) (cl *client, made bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cl = c.byKey[key]
	switch {
	case c.closed, cl == nil && !create:
		return nil, false, errEnded
	case cl == nil && len(c.byKey) >= c.most:
		return nil, false, errFull
	case cl == nil:
		cl, made = &client{}, true
		if c.byKey[key] = cl; timed {
			cl.idle = time.AfterFunc(c.idle, func() { c.end(key, cl, true) })
		}
	case cl.calls >= mostCalls:
		return nil, false, errBusy
	}
	if cl.calls++; cl.idle != nil {
		cl.idle.Stop()
	}
	return cl, made, nil
}

// leave ends a call.
func (c *clients) leave(key string, cl *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cl.calls--; cl.calls == 0 && cl.idle != nil {
		cl.idle.Reset(c.idle)
	}
}

// end ends a session; one that is in use, not for being idle.
func (c *clients) end(key string, cl *client, idle bool) {
	c.mu.Lock()
	if c.byKey[key] != cl || idle && cl.calls > 0 {
		c.mu.Unlock()
		return
	}
	delete(c.byKey, key)
	c.closing.Add(1)
	c.mu.Unlock()
	defer c.closing.Done()
	cl.close()
}

// close ends a backend. One that is being opened is waited for.
func (cl *client) close() (err error) {
	if cl.opening.Do(func() { cl.err = errEnded }); cl.backend != nil {
		err = cl.backend.Close()
	}
	return err
}

func (c *clients) close() error {
	c.mu.Lock()
	all := c.byKey
	c.byKey, c.closed = map[string]*client{}, true
	c.mu.Unlock()
	errs := make(chan error, len(all))
	for _, cl := range all {
		if cl.idle != nil {
			cl.idle.Stop()
		}
		go func() { errs <- cl.close() }()
	}
	var err error
	for range all {
		err = errors.Join(err, <-errs)
	}
	c.closing.Wait()
	return err
}

// sessionKey is the argument that names a session, where the protocol has none.
const sessionKey = "session"

// withSession is a schema with the argument that names a session. A schema that has one of
// that name is left as it is.
func withSession(schema json.RawMessage) json.RawMessage {
	const about = `{"type":"string","description":"The session to go on in, as the first result named it; left out, a new one begins"}`
	var all map[string]json.RawMessage
	var properties map[string]json.RawMessage
	if json.Unmarshal(schema, &all) != nil || all["properties"] != nil && json.Unmarshal(all["properties"], &properties) != nil || properties[sessionKey] != nil {
		return schema
	}
	rest := bytes.TrimPrefix(bytes.TrimSpace(all["properties"]), []byte("{"))
	if all["properties"] = json.RawMessage(`{"` + sessionKey + `":` + about); len(properties) > 0 {
		all["properties"] = append(append(all["properties"], ','), rest...)
	} else {
		all["properties"] = append(all["properties"], '}')
	}
	out, err := json.Marshal(all)
	if err != nil {
		return schema
	}
	return out
}

// callNamed runs a call in the session that its arguments name, or in a new one, whose
// name nobody can guess.
func (s *Server) callNamed(ctx context.Context, r Request) Outcome {
	var args map[string]json.RawMessage
	var name string
	if json.Unmarshal(r.Arguments, &args) == nil && json.Unmarshal(args[sessionKey], &name) == nil { // it is there, if only as "" or null
		delete(args, sessionKey)
		r.Arguments, _ = json.Marshal(args) // an object of raw JSON
	}
	begun := name == ""
	if begun {
		name = rand.Text()
	}
	cl, _, err := s.clients.enter(name, begun, true)
	out := s.clients.run(ctx, name, cl, r, err)
	if err == nil && begun {
		out.Text += fmt.Sprintf("\n[a new session: its directory, variables and files that were read are kept for calls with \"%s\": %q]", sessionKey, name)
	}
	if err == nil && out.Structured != nil {
		out.Structured[sessionKey] = name
	}
	return out
}
