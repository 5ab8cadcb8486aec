package router

import "context"

// runFree runs a text as runBash does, in a shell that is not confined.
func (r *Router) runFree(ctx context.Context, p *Plan, s *streams, res *Result) {
	r.runBash(ctx, p, s, res)
}
