package router

import (
	"context"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// isListing reports whether a call names no tool: agent:, field:, field:server.
func (p *Plan) isListing() bool {
	_, tool, isField := registry.SplitField(p.Name)
	return p.Name == "" || isField && tool == ""
}

// loadTool plans a call again whose tool was not known before its group is loaded, so
// that hooks and the guard see what the tool gets. To start a server is no more than
// a listing of its tools does. A group that does not load in time is left behind.
func (r *Router) loadTool(ctx context.Context, p *Plan, hasStdin bool, limit time.Duration) *Plan {
	if !p.InProcess || p.tool != nil || p.Err != nil || p.isListing() {
		return p
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeLimit)
	defer cancel()
	fresh := &Plan{ParsedCommand: ParsedCommand{Name: p.Name, Raw: p.Raw}, Layer: p.Layer, InProcess: true, Inside: p.Inside, router: r, typed: p.typed, words: p.words}
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
	case ctx.Err() != nil:
		fresh.Err = context.Cause(ctx)
	}
	return fresh
}
