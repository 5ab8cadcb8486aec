package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is how much runs without a question.
type Mode string

// The modes, from the strictest. Block is refused in each, Confirm asked about
// in each.
const (
	PlanMode Mode = "plan" // what only reads runs, the rest is denied
	AskMode  Mode = "ask"  // what only reads runs, the rest is asked about
	AutoMode Mode = "auto" // what writes the workspace and the scratch directories runs too
	FullMode Mode = "full" // everything runs
)

// Answer is what is done about a command.
type Answer string

// The answers, from the mildest.
const (
	Allow Answer = "allow"
	Ask   Answer = "ask"  // somebody must say yes; where nobody can, it is Deny
	Deny  Answer = "deny" // does not run
)

// Decision is what a mode and rules make of a verdict. It is not changed after
// it was made. Its JSON form is an interface that other programs build on.
type Decision struct {
	Answer  Answer   `json:"answer"`
	Mode    Mode     `json:"mode"`
	Because []string `json:"reasons"` // why not Allow, one line each; never nil
	Rule    string   `json:"rule"`    // the rule that decided, as it was written; "" if none did
	RuleAt  string   `json:"rule_at"` // where it stands, FILE:LINE:COLUMN; may be empty
	Suggest []string `json:"-"`       // rules that together would allow the command, each as it would be saved; nil where "always" is not to be had (Confirm, Block, Unknown, Deny)
}

// Decide tells what is done about a command line of this verdict, which was
// made in w. Deny beats ask, ask beats allow; a line runs only where every part
// of it may. Rules may be nil.
func Decide(mode Mode, rules []*Rules, v *Verdict, w *World) Decision {
	d := decider{mode: mode, rules: rules, v: v, w: w}
	d.Answer, d.Mode, d.Because = Allow, mode, []string{}
	if v.Danger == Block {
		d.Answer = Deny
		d.dangers(Block)
		return d.Decision
	}
	for i := range v.Parts {
		d.part(&v.Parts[i])
	}
	if d.Answer == Ask {
		d.Suggest = d.suggestions()
	} else if d.Answer == Allow {
		d.Because = []string{}
	}
	return d.Decision
}

// decider makes one decision.
type decider struct {
	Decision
	mode  Mode
	rules []*Rules
	v     *Verdict
	w     *World

	asked   []*Part // that a mode alone asks about
	byPlain bool    // something is asked about that no allow rule may let through
}

// part decides about one part, and keeps the strictest answer.
func (d *decider) part(p *Part) {
	found := d.lookup(p)
	switch {
	case found.deny != nil:
		d.say(Deny, found.deny, d.ruleSays(found.deny, p, false))
	case d.mode == PlanMode && p.set&^reads != 0 && (found.allow == nil || !found.allow.reads || p.Danger != NoDanger):
		if d.say(Deny, nil, "plan mode only reads") {
			d.because(p, p.set&^reads)
		}
	case p.Danger != NoDanger:
		d.byPlain = true
		if d.say(Ask, nil) {
			d.dangers(p.Danger)
		}
	case found.ask != nil:
		d.byPlain = true
		d.say(Ask, found.ask, d.ruleSays(found.ask, p, false))
	case found.maybe != nil:
		d.byPlain = true
		d.say(Ask, found.maybe, d.ruleSays(found.maybe, p, true))
	case d.mode != FullMode && d.secret(p) != "":
		d.byPlain = true
		d.say(Ask, nil, fmt.Sprintf("%s reads %s, which is on the list of secrets", p, d.secret(p)))
	case d.permits(p, &found):
	case found.allow != nil:
		d.say(Allow, found.allow)
	default:
		d.asked = append(d.asked, p)
		if d.say(Ask, nil) {
			d.because(p, p.set&^reads)
		}
	}
}

// say raises the answer; it reports whether this answer is the decision's, so
// that its reasons are wanted.
func (d *decider) say(a Answer, r *rule, because ...string) bool {
	if a.rank() < d.Answer.rank() {
		return false
	}
	if a.rank() > d.Answer.rank() {
		d.Because, d.Rule, d.RuleAt = d.Because[:0], "", ""
		d.Answer = a
	}
	if r != nil && d.Rule == "" {
		d.Rule, d.RuleAt = r.text, r.at
	}
	for _, text := range because {
		d.add(text)
	}
	return true
}

func (a Answer) rank() int { return strings.Index("allow ask deny", string(a)) }

// maxBecause bounds the lines of a decision; the rest is counted.
const maxBecause = 8

func (d *decider) add(text string) {
	if len(d.Because) < maxBecause && !slices.Contains(d.Because, text) {
		d.Because = append(d.Because, text)
	}
}

// dangers gives the reasons for a danger.
func (d *decider) dangers(danger Danger) {
	for _, r := range d.v.Reasons {
		if r.Danger == danger {
			d.add(r.Text)
		}
	}
}

// because gives a part's reasons for effects.
func (d *decider) because(p *Part, set effects) {
	before := len(d.Because)
	for _, r := range d.v.Reasons {
		if r.Start >= p.Start && r.End <= p.End && r.Danger == NoDanger && slices.Contains(set.list(), r.Effect) {
			d.add(r.Text)
		}
	}
	if len(d.Because) == before {
		d.add(fmt.Sprintf("%s: %s", p, strings.Join(words(set.list()), ", ")))
	}
}

func words(es []Effect) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = string(e)
	}
	return out
}

func (d *decider) ruleSays(r *rule, p *Part, maybe bool) string {
	verb := "is what"
	if maybe {
		verb = "may be what"
	}
	return fmt.Sprintf("%s %s the rule %q is about (%s)", p, verb, r.text, r.at)
}

// secret is the first of the files that a part is known to read which is on the
// list of secrets, or may be by its pattern; "" if none is.
func (d *decider) secret(p *Part) string {
	for i := range p.Paths {
		path := p.Paths[i].Path
		fixed, _, open := strings.Cut(path, "…")
		if at := strings.IndexAny(fixed, "*?["); at >= 0 {
			fixed, open = fixed[:at], true
		}
		for _, s := range d.w.Secrets {
			if p.Paths[i].Tree && strings.HasPrefix(s, strings.TrimSuffix(fixed, "/")+"/") {
				return s
			}
			if fixed == s || strings.HasPrefix(fixed, s+"/") || open && len(fixed) > len(d.w.Home)+1 && strings.HasPrefix(s, fixed) {
				return path
			}
		}
	}
	return ""
}

// permits reports whether the mode lets a part run, with the files that rules
// allow to be written.
func (d *decider) permits(p *Part, found *ruling) bool {
	switch {
	case d.mode == FullMode || p.set&^reads == 0:
		return true
	case p.set&^(reads|writes) != 0 || d.mode == PlanMode:
		return false
	}
	written := false
	for i := range p.Paths {
		path := &p.Paths[i]
		if !path.Write {
			continue
		}
		written = true
		if !(d.mode == AutoMode && path.mine()) && !(found.writable != nil && found.writable[i]) {
			return false
		}
	}
	return written
}

// mine reports whether a file is one that auto mode may write.
func (p *Path) mine() bool { return p.Place == Inside || p.Place == Scratch || p.Place == Harmless }
