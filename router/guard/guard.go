package guard

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	Mode  policy.Mode     // "" is AskMode
	Rules []*policy.Rules // besides the mode

	// World is what commands are judged against at first. Its Dir is not used:
	// each action has its own.
	World policy.World

	// Holds, when set, tells what the kernel can hold and which directories may be
	// written besides the workspace, instead of World: it is called when something
	// is judged for the first time.
	Holds func() (policy.Holds, []string)

	// Said makes whoever sends the commands the one who would be asked: a person
	// who types a command has said yes to it. Nothing is asked then; what is
	// denied stays denied.
	Said bool

	Approver Approver // nil: nobody can be asked, and what would be asked is denied
	Recorder Recorder // nil: nothing is recorded
	Turn     Budget   // of what runs between two calls of BeginTurn
	Session  Budget   // of the guard's whole life

	// BeforeWrite, when set, is called once in a turn, before the first action that may
	// change files is run, and waited for; again before the next where it was cancelled.
	// What a person types among a model's commands does not count.
	BeforeWrite func(ctx context.Context)

	// Parent is the guard of whoever had this one's sender begin: its budgets, and its turns, are
	// this one's too. nil: there is none.
	Parent *Guard

	// Settings are the words for what a person may change.
	Settings registry.Settings

	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Guard decides what may run. It belongs to one router, whose shell it follows.
// It is safe for concurrent use.
type Guard struct {
	opts  Options
	holds sync.Once // asks Options.Holds

	hosts  sync.Map      // "host:port" that a person allowed for the session
	asking chan struct{} // holds one while somebody is asked about a host

	mu      sync.Mutex // guards what follows; never held while somebody is asked
	mode    policy.Mode
	rules   []*policy.Rules
	world   policy.World
	line    *approvedLine // that bash runs now; nil: none, or nobody said yes to it
	running *running      // the command line that was started last; nil: none

	account *account
}

// New returns a guard for one router.
func New(opts *Options) *Guard {
	g := &Guard{}
	if opts != nil {
		g.opts = *opts
	}
	if g.opts.Now == nil {
		g.opts.Now = time.Now
	}
	g.mode = g.opts.Mode
	if g.mode == "" {
		g.mode = policy.AskMode
	}
	g.rules = slices.Clone(g.opts.Rules)
	g.world, g.asking = g.opts.World, make(chan struct{}, 1)
	g.world.Host = g.hostAnswer
	now := g.opts.Now()
	g.account = &account{turn: spent{since: now}, session: spent{since: now}, begun: new(begun)}
	if p := g.opts.Parent; p != nil {
		g.account, g.opts.Turn, g.opts.Session, g.opts.BeforeWrite = p.account, p.opts.Turn, p.opts.Session, p.opts.BeforeWrite
	}
	return g
}

// Mode is the mode that decides now.
func (g *Guard) Mode() policy.Mode {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mode
}

// SetMode changes the mode for what begins from now on. Whoever sends the
// commands is asked, or denied, from now on, even if they were said before.
func (g *Guard) SetMode(m policy.Mode) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mode, g.opts.Said = m, false
}

// SetSaid says whether sending a command is saying yes to it; see Options.Said.
func (g *Guard) SetSaid(said bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opts.Said = said
}

// AddRules adds rules for the rest of the guard's life.
func (g *Guard) AddRules(rules ...*policy.Rules) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules = append(slices.Clone(g.rules), rules...)
}

// Rules are those in force.
func (g *Guard) Rules() []*policy.Rules {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.rules)
}

// RemoveRule takes one out for the rest of the guard's life.
func (g *Guard) RemoveRule(l policy.Listed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules = slices.Clone(g.rules)
	for i, r := range g.rules {
		g.rules[i] = r.Without(l)
	}
}

// Begin implements [router.Guard].
func (g *Guard) Begin(ctx context.Context, a *router.Action) (router.Grant, error) {
	e := &Entry{Plan: a.Plan, Dir: a.Dir}
	v, w := g.judge(a)
	e.Verdict = v
	denied := g.overBudget(e)
	if denied == nil {
		denied = g.decide(ctx, a, e, &w)
	}
	if denied != nil {
		e.Denied = denied.ofLine(e)
		g.record(e) // it does not run, with its record or without
		return router.Grant{}, denied
	}
	outcome, err := g.record(e)
	if err != nil {
		return router.Grant{}, g.denial(e, Unrecorded, err.Error()).ofLine(e)
	}
	g.beforeWrite(ctx, e)
	grant := grantFor(e)
	started := g.started(a, e)
	grant.End = func(o router.Outcome) {
		g.ended(a, e, started, o)
		outcome(o)
	}
	return grant, nil
}

// decide applies the mode and the rules, and asks where they say so; nil: the action may run.
func (g *Guard) decide(ctx context.Context, a *router.Action, e *Entry, w *policy.World) *Denial {
	g.mu.Lock()
	mode, rules, line := g.mode, g.rules, g.line
	e.Said = g.opts.Said || IsSaid(ctx) || a.Plan.Inside && line != nil && line.all
	g.mu.Unlock()
	if e.Said {
		mode = policy.FullMode // nobody is above who says it
	}
	e.Decision = policy.Decide(mode, rules, &e.Verdict, w)
	switch {
	case e.Decision.Answer == policy.Allow:
		if e.Said {
			e.Approved = BySender
		}
		return nil
	case e.Decision.Answer == policy.Deny:
		return g.denial(e, Denied, "")
	case e.Said:
		e.Approved = BySender
		return nil
	case a.Plan.Inside && line.covers(&e.Verdict):
		e.Approved = ByLine
		return nil
	}
	return g.ask(ctx, e)
}

// Asks reports whether the mode alone would have somebody asked about an action.
func (g *Guard) Asks(a *router.Action) bool {
	v, w := g.judge(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	d := policy.Decide(g.mode, g.rules, &v, &w)
	return d.Answer == policy.Ask && d.Rule == "" && !g.opts.Said
}

// judge makes the verdict of an action in the world as it is now, which it returns too.
func (g *Guard) judge(a *router.Action) (policy.Verdict, policy.World) {
	g.holds.Do(func() {
		if g.opts.Holds != nil {
			g.SetHolds(g.opts.Holds())
		}
	})
	g.mu.Lock()
	if len(g.world.Roots) == 0 { // the workspace stays where the work began, wherever a cd leads
		g.world.Roots = []string{a.Dir}
	}
	w := g.world // its maps are replaced, never changed
	g.mu.Unlock()
	w.Dir, w.Tool, w.Carried = a.Dir, a.Plan.Lookup, a.Plan.Carried
	return policy.Judge(a.Plan, &w), w
}

// Explanation is a plan with its verdict, as other programs read it.
type Explanation struct {
	router.Explanation
	Verdict  policy.Verdict   `json:"verdict"`
	Decision *policy.Decision `json:"decision,omitempty"`
}

// Explain tells what a plan's verdict would be in a directory, and what would
// be decided about it. It asks nobody, and records nothing.
func (g *Guard) Explain(p *router.Plan, dir string) Explanation {
	v, w := g.judge(&router.Action{Plan: p, Dir: dir})
	g.mu.Lock()
	defer g.mu.Unlock()
	d := policy.Decide(g.mode, g.rules, &v, &w)
	return Explanation{Explanation: p.Explain(), Verdict: v, Decision: &d}
}

// Said is whether sending a command is saying yes to it; see Options.Said.
func (g *Guard) Said() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opts.Said
}
