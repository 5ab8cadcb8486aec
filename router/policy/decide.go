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

// The answers, from the mildest, as the alphabet has it.
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
	d := decider{Decision: Decision{Answer: Allow, Mode: mode, Because: []string{}}, v: v, w: w}
	for _, rs := range rules {
		for i := 0; rs != nil && i < len(rs.list); i++ {
			d.rules = append(d.rules, &rs.list[i])
		}
	}
	if v.Danger == Block {
		d.note(Deny, nil, d.reasons(&Part{Danger: Block}))
		return d.Decision
	}
	var suggest []string
	for i := range v.Parts {
		answer, by, because := d.decide(&v.Parts[i])
		d.note(answer, by, because)
		if answer == Ask && !slices.Contains(suggest, "") {
			if text := d.suggestion(&v.Parts[i]); !slices.Contains(suggest, text) {
				suggest = append(suggest, text)
			}
		}
	}
	if d.Answer == Ask && !slices.Contains(suggest, "") {
		d.Suggest = suggest
	}
	return d.Decision
}

// decider makes one decision.
type decider struct {
	Decision
	rules []*rule
	v     *Verdict
	w     *World
}

// decide tells what is done about one part, by which rule, and why.
func (d *decider) decide(p *Part) (answer Answer, by *rule, because []string) {
	found := d.lookup(p)
	deny, ask, unsure, allow := found[Deny], found[Ask], found[maybe], found[Allow]
	secret := d.secret(p)
	switch {
	case deny != nil:
		return Deny, deny, []string{deny.isAbout(p, "is")}
	case d.Mode == PlanMode && p.set&^reads != 0 && (allow == nil || !allow.reads || p.Danger != NoDanger):
		return Deny, nil, append([]string{"plan mode only reads"}, d.reasons(p)...)
	case p.Danger != NoDanger:
		return Ask, nil, d.reasons(p)
	case ask != nil:
		return Ask, ask, []string{ask.isAbout(p, "is")}
	case unsure != nil:
		return Ask, unsure, []string{unsure.isAbout(p, "may be")}
	case secret != "" && d.Mode != FullMode:
		return Ask, nil, []string{fmt.Sprintf("%s reads %s, which is on the list of secrets", p, secret)}
	case d.permits(p):
		return Allow, nil, nil
	case allow != nil:
		return Allow, allow, nil
	}
	return Ask, nil, d.reasons(p)
}

// maxBecause bounds the lines of a decision.
const maxBecause = 8

// note keeps the strictest answer, with its reasons and the first of its rules.
func (d *decider) note(a Answer, by *rule, because []string) {
	if a < d.Answer {
		return
	}
	if a > d.Answer {
		d.Answer, d.Because, d.Rule, d.RuleAt = a, []string{}, "", ""
	}
	if by != nil && d.Rule == "" {
		d.Rule, d.RuleAt = by.text, by.at
	}
	for _, text := range because {
		if len(d.Because) < maxBecause && !slices.Contains(d.Because, text) {
			d.Because = append(d.Because, text)
		}
	}
}

// reasons are those of the verdict for a part's danger, or if it has none for
// what it does besides reading.
func (d *decider) reasons(p *Part) (out []string) {
	does := (p.set &^ reads).list()
	for _, r := range d.v.Reasons {
		if r.Danger == p.Danger && (r.Danger != NoDanger || r.Start >= p.Start && r.End <= p.End && slices.Contains(does, r.Effect)) {
			out = append(out, r.Text)
		}
	}
	if len(out) == 0 {
		var names []string
		for _, e := range does {
			names = append(names, string(e))
		}
		out = []string{p.String() + ": " + strings.Join(names, ", ")}
	}
	return out
}

func (r *rule) isAbout(p *Part, verb string) string {
	return fmt.Sprintf("%s %s what the rule %q is about (%s)", p, verb, r.text, r.at)
}

// maybe is the answer of rules that deny or ask if what is not known of a part
// is what they say.
const maybe Answer = "maybe"

// lookup finds the first of the rules about a part, by what they answer. Those
// about files that may be written have no answer of their own.
func (d *decider) lookup(p *Part) map[Answer]*rule {
	found := map[Answer]*rule{}
	for _, r := range d.rules {
		answer, f := r.answer, r.fit(p, d.w)
		if f == mayFit {
			answer = maybe
		}
		if f != misses && found[answer] == nil && !(r.answer == Allow && r.paths != nil) {
			found[answer] = r
		}
	}
	return found
}

// secret is the first of the list of secrets that a part is known to read, or
// may be by the beginning of a pattern; "" if none is.
func (d *decider) secret(p *Part) string {
	for i := range p.Paths {
		fixed := p.Paths[i].raw
		at := strings.IndexAny(fixed, "*?[\x00")
		if at >= 0 {
			fixed = fixed[:at]
		}
		for _, s := range d.w.Secrets {
			_, within := below(fixed, s)
			above := strings.HasPrefix(s, strings.TrimSuffix(fixed, "/")+"/")
			if within || above && p.Paths[i].Tree || at > len(d.w.Home)+1 && strings.HasPrefix(s, fixed) {
				return s
			}
		}
	}
	return ""
}

// permits reports whether the mode lets a part run, with the files that rules
// allow to be written.
func (d *decider) permits(p *Part) bool {
	switch {
	case d.Mode == FullMode || p.set&^reads == 0:
		return true
	case p.set&^(reads|writes) != 0 || d.Mode == PlanMode:
		return false
	}
	written := false
	for i := range p.Paths {
		path := &p.Paths[i]
		allows := func(r *rule) bool {
			return r.answer == Allow && r.write && path.Place != Nowhere && r.fitPath(path, d.w) == fits
		}
		if path.Write && !(d.Mode == AutoMode && path.mine()) && !slices.ContainsFunc(d.rules, allows) {
			return false
		}
		written = written || path.Write
	}
	return written
}

// mine reports whether a file is one that auto mode may write.
func (p *Path) mine() bool { return p.Place == Inside || p.Place == Scratch || p.Place == Harmless }
