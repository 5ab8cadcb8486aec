package guard

import (
	"slices"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// approvedLine is a command line that somebody said yes to, while it runs.
type approvedLine struct {
	calls [][]policy.Word
	all   bool // who sent it has said it: whatever it calls
}

// covers reports whether a call from inside bash is one that the line
// contained: the same tool, and the same words where they were known.
func (l *approvedLine) covers(p *router.Plan) bool {
	return l != nil && (l.all || slices.ContainsFunc(l.calls, func(words []policy.Word) bool { return matchesPlan(words, p) }))
}

// matchesPlan reports whether a call is what a part of a line foresaw. A word that
// was not known may have become any number of words.
func matchesPlan(words []policy.Word, p *router.Plan) bool {
	if len(words) == 0 || words[0].Text != p.Name {
		return false
	}
	return matchWords(words[1:], p.Words())
}

// matchWords goes back to the last unknown word only, as matching with * does.
func matchWords(pattern []policy.Word, words []string) bool {
	p, w, star, from := 0, 0, -1, 0
	for w < len(words) {
		switch {
		case p < len(pattern) && !pattern[p].Known:
			star, from = p, w
			p++
		case p < len(pattern) && pattern[p].Text == words[w]:
			p++
			w++
		case star >= 0:
			from++
			p, w = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && !pattern[p].Known {
		p++
	}
	return p == len(pattern)
}

// started notes that an action runs. It returns what ended needs.
func (g *Guard) started(a *router.Action, e *Entry) (line *approvedLine) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn.calls++
	g.session.calls++
	if a.Plan.InProcess || e.Approved == "" {
		return nil
	}
	line = &approvedLine{all: e.Said}
	for i := range e.Verdict.Parts {
		if p := &e.Verdict.Parts[i]; p.Kind == policy.ToolPart {
			line.calls = append(line.calls, p.Words())
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
	n := int64(len(o.Result.Stdout) + len(o.Result.Stderr))
	g.turn.output += n
	g.session.output += n
	if a.Plan.InProcess {
		return
	}
	g.world.After(e.Verdict, o.ExitCode == 0 && !o.Canceled && !o.Result.TimedOut)
	if o.Result.Restarted {
		g.world.NewShell(true) // it has what an older snapshot had
	}
}
