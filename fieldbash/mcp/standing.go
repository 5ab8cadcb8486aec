package mcp

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Disconnect ends the connection and the server, if there is one; the next use starts it again.
func (c *Client) Disconnect() {
	<-c.starting
	defer func() { c.starting <- struct{}{} }()
	c.mu.Lock()
	old := c.conn
	c.conn = nil
	c.mu.Unlock()
	if old != nil {
		old.close()
	}
}

// LastError is why the last start failed; nil: it did not, or there was none.
func (c *Client) LastError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// SignedIn reports whether there is a login for the server; wanted: it may want one.
func (c *Client) SignedIn() (in, wanted bool) {
	if c.oauth == nil {
		return false, false
	}
	h := c.oauth
	if !h.mu.TryLock() { // a person logs in just now
		return false, true
	}
	defer h.mu.Unlock()
	if h.flow != nil {
		if ts, err := h.flow.TokenSource(context.Background()); err == nil && ts != nil {
			return true, true
		}
	}
	return h.stored != nil || !h.loaded && h.loadTokens() != nil, true
}

// SignOut forgets the login.
func (c *Client) SignOut() error {
	if c.oauth == nil {
		return errors.New("it has no login that is kept here")
	}
	h := c.oauth
	if !h.mu.TryLock() {
		return errors.New("somebody logs in just now: try again when that is done")
	}
	defer h.mu.Unlock()
	h.flow, h.stored, h.loaded = nil, nil, true
	if err := os.Remove(h.conf.File); h.conf.File != "" && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
