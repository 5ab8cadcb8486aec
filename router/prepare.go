package router

import (
	"context"
	"fmt"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// isListing reports whether a call names no tool: agent:, field:, field:server.
func (p *Plan) isListing() bool {
	_, tool, isField := registry.SplitField(p.Name)
	return p.Name == "" || isField && tool == ""
}

// preparePlan makes a plan as it will run: of nothing after Close. A call is planned
// again whose tool was not known before its group is loaded, so that hooks and the
// guard see what the tool gets: to start a server is no more than a listing of its
// tools does. A group that does not load in time is left behind.
func (r *Router) preparePlan(ctx context.Context, p *Plan, hasStdin bool, limit time.Duration) *Plan {
	known := !p.InProcess || p.tool != nil || p.isListing()
	closed := r.isClosed()
	if p.Err != nil || known && !closed {
		return p
	}
	fresh := &Plan{ParsedCommand: ParsedCommand{Name: p.Name, Raw: p.Raw}, Layer: p.Layer, InProcess: p.InProcess, Inside: p.Inside, router: r, typed: p.typed, words: p.words}
	if closed {
		fresh.Err = ErrClosed
		return fresh
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeLimit)
	defer cancel()
	type loaded struct {
		tool *registry.Tool
		err  error
	}
	done := make(chan loaded, 1)
	go func() {
		t, err := r.reg.Resolve(ctx, p.Name)
		done <- loaded{t, err}
	}()
	select {
	case got := <-done:
		fresh.tool, fresh.Err = got.tool, asTyped(got.err, p.typed)
	case <-ctx.Done():
	}
	switch {
	case fresh.tool != nil:
		fresh.parseWords(fresh.tool, hasStdin)
	case context.Cause(ctx) == errTimeLimit:
		fresh.Err = fmt.Errorf("%s: its group did not load within the %w of %s: try again, or give it longer", p.typed, errTimeLimit, formatSeconds(limit))
	case ctx.Err() != nil:
		fresh.Err = errStopped
	}
	return fresh
}
