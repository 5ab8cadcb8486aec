package guard

import (
	"context"

	"github.com/agentbash/agentbash/router"
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

	// Outside, with yes, runs it where nothing holds it. In mode plan it means
	// nothing.
	Outside bool
	// Session, with yes to a connection, is a yes to that host and port until the
	// guard's end. Otherwise it counts for the command that runs.
	Session bool
}

type saidKey struct{}

// Said returns a context in which who sends a command has said yes to it by
// that, as with Options.Said: a person who types among a model's commands.
func Said(ctx context.Context) context.Context { return context.WithValue(ctx, saidKey{}, true) }

// IsSaid reports whether a context is one of Said.
func IsSaid(ctx context.Context) bool {
	said, _ := ctx.Value(saidKey{}).(bool)
	return said
}

// ask asks about an entry; nil is a yes.
func (g *Guard) ask(ctx context.Context, e *Entry) *Denial {
	if g.opts.Approver == nil {
		return g.denial(e, Asked, "")
	}
	got, err := g.opts.Approver.Approve(ctx, e)
	switch {
	case err != nil && ctx.Err() != nil:
		return g.denial(e, Refused, Unanswered)
	case err != nil:
		return g.denial(e, Asked, "")
	case !got.Yes:
		return g.denial(e, Refused, got.Reason)
	}
	if e.Approved = ByPerson; got.Outside && e.Decision.Mode != policy.PlanMode {
		e.Decision.Profile = router.FreeProfile
	}
	if e.Host != "" && got.Session {
		g.hosts.Store(e.Host, true)
	}
	if len(got.Rules) > 0 {
		g.AddRules(got.Rules...)
	}
	return nil
}
