package remote

import (
	"errors"
	"maps"
	"sync"
)

// Targets are the sessions of a program, by the names of their targets. It is safe for
// concurrent use. Close it.
type Targets struct {
	opts Options

	mu      sync.Mutex // guards what follows
	clients map[string]*Client
}

// NewTargets makes them; nothing is started.
func NewTargets(o Options) *Targets { return &Targets{opts: o, clients: map[string]*Client{}} }

// Client is the session of a target, one for each text.
func (t *Targets) Client(text string) (*Client, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.client(text, text)
}

// client makes a session under a key, if it is not there.
func (t *Targets) client(text, key string) (*Client, error) {
	if c := t.clients[key]; c != nil {
		return c, nil
	}
	target, err := ParseTarget(text, t.opts.Names)
	if err != nil {
		return nil, err
	}
	if t.opts.Dir != "" {
		target.Dir, t.opts.Dir = t.opts.Dir, ""
	}
	t.clients[key] = newClient(target, t.opts, t.Names)
	return t.clients[key], nil
}

// take returns the session of a target for one command of another session, or of this side
// (nil). Where that one runs a command, as in a pipeline of two, or is the one that asks, which
// would wait for itself, it is a further session.
func (t *Targets) take(text string, from *Client) (c *Client, done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key := text; ; key += "\x00" {
		if c, err = t.client(text, key); err != nil {
			return nil, nil, err
		}
		if c != from && !c.taken && c.inRun.Load() == 0 {
			break
		}
	}
	c.taken = true
	return c, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		c.taken = false
	}, nil
}

// All are the sessions.
func (t *Targets) All() (all []*Client) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range sortedKeys(t.clients) {
		all = append(all, t.clients[name])
	}
	return all
}

// Names are what a model may name: configured targets, and those that the user named.
func (t *Targets) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := maps.Clone(t.opts.Names)
	if names == nil {
		names = map[string]string{}
	}
	for _, c := range t.clients {
		names[c.Target()] = ""
	}
	return sortedKeys(names)
}

// Close ends all of them.
func (t *Targets) Close() error {
	all := t.All()
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i, c := range all {
		wait.Go(func() { errs[i] = c.Close() })
	}
	wait.Wait()
	return errors.Join(errs...)
}
