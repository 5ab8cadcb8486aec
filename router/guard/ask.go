package guard

import (
	"context"

	"github.com/agentbash/agentbash/router/policy"
)

// Approver asks a person. It may wait until ctx ends, and is called
// concurrently. An error means that nobody could be asked, and is a no.
type Approver interface {
	Approve(ctx context.Context, e *Entry) (Approval, error)
}

// Approval is what the person said.
type Approval struct {
	Yes    bool
	Reason string          // with no, for whoever sent the command; may be empty
	Rules  []*policy.Rules // with yes, allow more from now on; they are not saved here
}

// ask asks about an entry; nil is a yes.
func (g *Guard) ask(ctx context.Context, e *Entry) *Denial {
	got, err := g.opts.Approver.Approve(ctx, e)
	switch {
	case err != nil && ctx.Err() != nil:
		return g.denial(e, Refused, "the question was not answered before the command was stopped")
	case err != nil:
		return g.denial(e, Asked, "")
	case !got.Yes:
		return g.denial(e, Refused, got.Reason)
	}
	e.Approved = ByPerson
	if len(got.Rules) > 0 {
		g.AddRules(got.Rules...)
	}
	return nil
}
