package router

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
)

// Guard is asked before anything runs, and told what came of it: permissions,
// a record and budgets are its business. It is called concurrently.
type Guard interface {
	// Begin may refuse an action with an error, whose exit status (126 for one
	// that names none) and Refusal, a method of that name, become the action's; then
	// nothing runs. It may wait for a
	// person until ctx ends. Otherwise the action runs with what was granted.
	Begin(ctx context.Context, a *Action) (Grant, error)
}

// Profile is the kernel's boundary around what runs.
type Profile string

// The profiles, from the tightest.
const (
	ReadProfile      Profile = "read"      // writes nothing but a private scratch, no network, no process outside
	WorkspaceProfile Profile = "workspace" // writes the workspace too, and connects to the hosts that are allowed
	FreeProfile      Profile = "free"      // nothing holds it
)

// Grant is what an action that may run is given on its way. The zero value
// gives nothing, and asks to be told nothing.
type Grant struct {
	// Paths are absolute files and directories, with all that is below, that the
	// action's tools may read and write although they are protected, secret or
	// outside the workspace: somebody saw them and said yes. They get there by
	// registry.Allow. "/" is everything.
	Paths []string

	// Profile is what holds the action; "" is what the Confiner has for that. It
	// means nothing without a Confiner, and for a call from inside bash.
	// FreeProfile is for one command: somebody saw that it needs more than the
	// others allow and said yes. The free shell has the confined one's directory
	// and plain variables, and none of its functions and aliases.
	Profile Profile

	// Hosts may be connected to by what runs, besides those that may be anyway:
	// "host" or "host:port".
	Hosts []string

	// End, if it is not nil, is called once with what came of the action.
	End func(Outcome)
}

func (g *Grant) end(o Outcome) {
	if g.End != nil {
		g.End(o)
	}
}

// Action is what is about to run: a command string, or one call of a tool that
// a command string makes from inside bash while it runs.
type Action struct {
	Plan *Plan
	Dir  string // where it runs, absolute
}

// Outcome is what came of an action.
type Outcome struct {
	ExitCode int
	Canceled bool
	Duration time.Duration
	Result   *Result // of a command string, complete; nil for a call from inside bash, whose output goes to bash
	Hash     string  // of a result that is elsewhere: its Hash
}

// exitDenied is the exit status of what was not allowed.
const exitDenied = 126

// refusalStatus is the exit status of a guard's error.
func refusalStatus(err error) int {
	var s interface{ ExitStatus() int }
	if errors.As(err, &s) {
		return s.ExitStatus()
	}
	return exitDenied
}

// beginPlan asks the guard about a plan that no hook refused. A refusal is the whole of its result.
func (r *Router) beginPlan(ctx context.Context, p *Plan, s *streams, res *Result, refused error) (g Grant, ok bool) {
	if refused == nil {
		if r.opts.Guard == nil || p.Err != nil {
			return g, true
		}
		if r.failsAnyway(ctx, p, s, res) {
			return g, false
		}
		if g, refused = r.admitPlan(ctx, p); refused == nil {
			return g, true
		}
	}
	var why interface{ Refusal() *Refusal }
	if errors.As(refused, &why) {
		res.Refusal = why.Refusal()
	}
	res.ExitCode, res.Error, res.Denied, res.Canceled = refusalStatus(refused), refused.Error(), refused, ctx.Err() != nil
	fmt.Fprintln(s.err, safetext.Visible(refused.Error()))
	if hint := p.foreignHint(); hint != "" {
		fmt.Fprintln(s.err, "hint: "+safetext.Visible(hint))
	}
	r.setStatus(res.ExitCode)
	return Grant{}, false
}

// failsAnyway tries a call that would be asked about, if its tool can without a change: if it fails, nobody is asked.
func (r *Router) failsAnyway(ctx context.Context, p *Plan, s *streams, res *Result) bool {
	guard, ok := r.opts.Guard.(interface{ Asks(*Action) bool })
	if !ok || !p.InProcess || p.tool == nil || p.Help || p.tool.Params.Find("dry_run") == nil || !guard.Asks(&Action{Plan: p, Dir: r.Dir()}) {
		return false
	}
	kwargs := maps.Clone(p.Kwargs)
	kwargs["dry_run"] = true
	words, err := p.tool.Words(kwargs)
	if err != nil {
		return false
	}
	dry := &Action{Plan: r.planWords(prefixedName(p.Name), words, false), Dir: r.Dir()}
	if guard.Asks(dry) {
		return false
	}
	grant, err := r.opts.Guard.Begin(ctx, dry)
	if err != nil {
		return false
	}
	start := time.Now()
	var notes strings.Builder
	got := r.invokeTool(grant.context(ctx), dry.Plan, &registry.Call{Dir: r.Dir(), View: r.view(), Stdout: io.Discard, Stderr: &notes})
	grant.end(Outcome{ExitCode: got.ExitStatus, Canceled: ctx.Err() != nil, Duration: time.Since(start)})
	if got.ExitStatus != 1 {
		return false
	}
	io.WriteString(s.err, notes.String())
	res.ExitCode, res.Error = got.ExitStatus, got.Error
	r.setStatus(res.ExitCode)
	return true
}

// admitPlan asks the guard at the plan's turn: bash text is judged against the shell that it will meet.
func (r *Router) admitPlan(ctx context.Context, p *Plan) (Grant, error) {
	if p.InProcess {
		return r.opts.Guard.Begin(ctx, &Action{Plan: p, Dir: r.Dir()})
	}
	select {
	case r.bashSlot <- struct{}{}:
	case <-ctx.Done():
		return Grant{}, errStopped
	}
	g, err := r.opts.Guard.Begin(ctx, &Action{Plan: p, Dir: r.Dir()})
	if err != nil {
		<-r.bashSlot
		return g, err
	}
	given := g
	g.End = func(o Outcome) {
		given.end(o)
		<-r.bashSlot
	}
	return g, nil
}

// errStopped is why a command did not run that was stopped while it waited.
var errStopped error = &statusError{"interrupted before it ran", 130}

// runCall runs a call that a person typed, or that comes from inside bash, after its hooks and the guard.
func (r *Router) runCall(ctx context.Context, p *Plan, c *registry.Call) registry.ToolResult {
	p = r.preparePlan(ctx, p, c.Stdin != nil, r.timeLimit(0))
	p, o, refused := r.askHooks(ctx, p, func() string { return c.Dir }, c.Stdin != nil)
	grant := Grant{}
	if refused == nil && p.Err == nil && p.tool != nil && !p.Help && p.tool.ReadsAhead(p.Kwargs) {
		held := *c
		c = &held
		p.Err = p.tool.ReadAhead(ctx, &p.parsed, c)
		p.Kwargs = p.parsed.Kwargs
	}
	if refused == nil && p.Err == nil && r.opts.Guard != nil {
		grant, refused = r.opts.Guard.Begin(ctx, &Action{Plan: p, Dir: c.Dir})
	}
	if refused != nil {
		fmt.Fprintln(c.Stderr, safetext.Visible(refused.Error()))
		return registry.ToolResult{Error: refused.Error(), ExitStatus: refusalStatus(refused)}
	}
	start := time.Now()
	ctx = grant.context(ctx)
	var got registry.ToolResult
	if o == nil || !o.after {
		got = r.invokeTool(ctx, p, c)
	} else {
		got = r.invokeShown(ctx, p, c, o)
	}
	grant.end(Outcome{ExitCode: got.ExitStatus, Canceled: ctx.Err() != nil, Duration: time.Since(start)})
	return got
}
