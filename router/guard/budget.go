package guard

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// Budget bounds what runs. Zero values are no limit.
type Budget struct {
	Calls  int           // commands and calls from inside bash
	Time   time.Duration // by the clock, from the beginning; what runs is not stopped
	Output int64         // bytes that command strings wrote
}

// spent is how much of a budget is gone.
type spent struct {
	since  time.Time
	calls  int
	output int64
}

// account is what was spent of the budgets of a guard, and of those that have it as Parent.
type account struct {
	mu      sync.Mutex // guards what follows
	turn    spent
	session spent
	begun   *begun
}

// add notes calls, and bytes of output.
func (a *account) add(calls int, output int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range []*spent{&a.turn, &a.session} {
		s.calls += calls
		s.output += output
	}
}

// BeginTurn begins a turn: its budget is whole again, and nothing was written in it.
func (g *Guard) BeginTurn() {
	g.account.mu.Lock()
	defer g.account.mu.Unlock()
	g.account.turn, g.account.begun = spent{since: g.opts.Now()}, new(begun)
}

// beforeWrite calls Options.BeforeWrite before the first action of a turn that may change files.
func (g *Guard) beforeWrite(ctx context.Context, e *Entry) {
	mayWrite := func(what policy.Effect) bool { return what != policy.Read && what != policy.Network }
	if g.opts.BeforeWrite == nil || IsSaid(ctx) || e.Decision.Profile == router.ReadProfile || !slices.ContainsFunc(e.Verdict.Effects, mayWrite) {
		return
	}
	g.account.mu.Lock()
	turn := g.account.begun
	g.account.mu.Unlock()
	turn.Lock()
	defer turn.Unlock()
	if !turn.done {
		g.opts.BeforeWrite(ctx)
		turn.done = ctx.Err() == nil // else the next does it
	}
}

// begun says whether BeforeWrite was called in a turn; it is held meanwhile.
type begun struct {
	sync.Mutex
	done bool
}

// overBudget is a denial when a budget is spent.
func (g *Guard) overBudget(e *Entry) *Denial {
	now := g.opts.Now()
	g.account.mu.Lock()
	why := g.account.turn.over(g.opts.Turn, now, "turn", g.opts.Settings.TurnLimit)
	if why == "" {
		why = g.account.session.over(g.opts.Session, now, "session", g.opts.Settings.SessionLimit)
	}
	g.account.mu.Unlock()
	e.Decision.Mode = g.Mode()
	if why == "" {
		return nil
	}
	e.Decision.Answer, e.Decision.Because = policy.Deny, []string{}
	return g.denial(e, OverBudget, why)
}

// over says which part of a budget is spent, "" for none.
func (s *spent) over(b Budget, now time.Time, of, settings string) string {
	named := func(part string) string {
		if settings == "" {
			return ""
		}
		return " (" + settings + "." + part + ")"
	}
	switch {
	case b.Calls > 0 && s.calls >= b.Calls:
		return fmt.Sprintf("this %s has had its %d calls%s: %s", of, b.Calls, named("calls"), insteadOf(of))
	case b.Time > 0 && now.Sub(s.since) >= b.Time:
		return fmt.Sprintf("this %s has had its %g seconds%s: %s", of, b.Time.Seconds(), named("time"), insteadOf(of))
	case b.Output > 0 && s.output >= b.Output:
		return fmt.Sprintf("the commands of this %s have written %d bytes, and %d are its limit%s: %s", of, s.output, b.Output, named("output"), insteadOf(of))
	}
	return ""
}

func insteadOf(of string) string {
	if of == "turn" {
		return "say what is done and what is left; the user can go on with another prompt, or raise the limit"
	}
	return "say what is done and what is left; the user can begin another session, or raise the limit"
}
