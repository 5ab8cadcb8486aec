package guard

import (
	"context"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// Reconsider implements [router.Reconsiderer]: what was judged to read and was refused
// a write by the kernel is what cannot be told, and asked about or denied as such.
func (g *Guard) Reconsider(ctx context.Context, a *router.Action) (router.Grant, error) {
	e := &Entry{Plan: a.Plan, Dir: a.Dir}
	const because = "it was judged to read only, and the kernel refused it a write: nothing was changed"
	e.Verdict, _ = g.judge(a)
	e.Verdict.Effects = []policy.Effect{policy.Unknown}
	e.Decision = policy.Decision{Answer: policy.Ask, Mode: g.Mode(), Profile: router.WorkspaceProfile, Because: []string{because}}
	switch {
	case e.Decision.Mode == policy.PlanMode:
		e.Decision.Answer = policy.Deny
		e.Denied = g.denial(e, Denied, "")
	default:
		e.Denied = g.ask(ctx, e)
	}
	outcome, err := g.record(e)
	if err != nil && e.Denied == nil {
		e.Denied = g.denial(e, Unrecorded, err.Error())
	}
	if e.Denied != nil {
		return router.Grant{}, e.Denied
	}
	g.beforeWrite(ctx, e)
	grant := grantFor(e)
	grant.End = outcome
	return grant, nil
}
