package guard

import (
	"slices"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// approvedLine is a command line that somebody said yes to, while it runs.
type approvedLine struct {
	calls []*policy.Part
	all   bool // who sent it has said it: whatever it calls
}

// covers reports whether a call from inside bash is one that the line contained.
func (l *approvedLine) covers(v *policy.Verdict) bool {
	return l != nil && (l.all || slices.ContainsFunc(l.calls, func(call *policy.Part) bool { return call.Foresees(&v.Parts[0]) }))
}

// started notes that an action runs. It returns what ended needs.
func (g *Guard) started(a *router.Action, e *Entry) (line *approvedLine) {
	g.account.add(1, 0)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !a.Plan.InProcess && !a.Plan.Inside {
		g.running = &running{Entry: e, hosts: map[string]bool{}}
	}
	if a.Plan.InProcess || e.Approved == "" {
		return nil
	}
	line = &approvedLine{all: e.Said}
	later := e.Decision.Mode == policy.AutoMode && g.world.Holds.Workspace // such as are not known were not asked about
	for i := range e.Verdict.Parts {
		if p := &e.Verdict.Parts[i]; p.Kind == policy.ToolPart && (p.Known() || !later) {
			line.calls = append(line.calls, p)
		}
	}
	g.line = line
	return line
}

// ended notes what an action left behind.
func (g *Guard) ended(a *router.Action, e *Entry, line *approvedLine, o router.Outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if line != nil && g.line == line {
		g.line = nil
	}
	if o.Result == nil {
		return
	}
	g.account.add(0, int64(len(o.Result.Stdout)+len(o.Result.Stderr)))
	if a.Plan.InProcess {
		return
	}
	g.world.After(e.Verdict, o.ExitCode == 0 && !o.Canceled && !o.Result.TimedOut)
	if o.Result.Restarted {
		g.world.NewShell(true) // it has what an older snapshot had
	}
}
