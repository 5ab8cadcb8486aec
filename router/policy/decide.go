package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// Mode is how much runs without a question.
type Mode string

// The modes, from the strictest. Block is refused in each, Confirm asked about in
// ask and auto. The kernel holds what they let run; where it cannot, they ask more.
const (
	PlanMode Mode = "plan" // what only reads runs, the rest is denied
	AskMode  Mode = "ask"  // what only reads runs, the rest is asked about
	AutoMode Mode = "auto" // what the workspace profile holds runs, else what reads and what writes the workspace
	FullMode Mode = "full" // everything runs, and nothing holds it
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
	Answer  Answer         `json:"answer"`
	Mode    Mode           `json:"mode"`
	Profile router.Profile `json:"profile,omitempty"` // holds it if it runs, also after a yes; "" where it does not run, or the kernel is not relied on
	Hosts   []string       `json:"hosts,omitempty"`   // that its text names to be connected to, each "host:port"
	Because []string       `json:"reasons"`           // why not Allow, one line each; never nil
	Rule    string         `json:"rule"`              // the rule that decided, as it was written; "" if none did
	RuleAt  string         `json:"rule_at"`           // where it stands, FILE:LINE:COLUMN; may be empty
	Outside bool           `json:"-"`                 // it needs what no profile of this machine gives: a yes is one to running it free, and so are the rules of Suggest
	Suggest []string       `json:"-"`                 // rules that together would allow the command, each as it would be saved; nil where "always" is not to be had (Confirm, Block, Unknown, Deny)
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
	if d.where = d.unasked(); v.Danger == Block {
		d.note(Deny, nil, d.reasons(&Part{Danger: Block}))
		return d.Decision
	}
	var asked []*Part
	for i := range v.Parts {
		answer, by, because := d.decide(&v.Parts[i])
		if d.note(answer, by, because); answer == Ask {
			asked = append(asked, &v.Parts[i])
		}
	}
	if len(v.Parts) == 0 && d.unheld() {
		d.note(Ask, nil, []string{"nothing on this machine holds what is judged to do nothing"})
	}
	d.setProfile()
	for _, p := range asked {
		if text := d.suggestion(p); !slices.Contains(d.Suggest, text) {
			d.Suggest = append(d.Suggest, text)
		}
	}
	secret := func(text string) bool { return v.hidden(text) != text } // a rule without it would be another
	if d.Answer != Ask || slices.Contains(d.Suggest, "") || slices.ContainsFunc(d.Suggest, secret) {
		d.Suggest = nil
	}
	for i, why := range d.Because {
		d.Because[i] = v.hidden(why)
	}
	return d.Decision
}

// decider makes one decision.
type decider struct {
	Decision
	rules []*rule
	v     *Verdict
	w     *World
	where router.Profile // holds what nobody is asked about; "": nothing is relied on
}

// unasked is what holds what nobody is asked about.
func (d *decider) unasked() router.Profile {
	freed := func(p Part) bool {
		return slices.ContainsFunc(d.rules, func(r *rule) bool { return r.outside && r.fit(&p, d.w) == fits })
	}
	switch {
	case d.Mode == FullMode, d.Mode != PlanMode && slices.ContainsFunc(d.v.Parts, freed):
		return router.FreeProfile
	case d.Mode == AutoMode && d.w.Holds.Workspace:
		return router.WorkspaceProfile
	case d.Mode != AutoMode && d.w.Holds.Read:
		return router.ReadProfile
	}
	return ""
}

// unheld reports whether reads are asked about: nothing holds them, and bash has a part in it.
func (d *decider) unheld() bool { return d.Mode == AskMode && d.where == "" && !d.v.inProcess }

// setProfile sets where the line runs.
func (d *decider) setProfile() {
	reading, beyond := true, false
	for i := range d.v.Parts {
		p := &d.v.Parts[i]
		reading, beyond = reading && p.set&^reads == 0, beyond || d.beyond(p) != ""
		d.Hosts = append(d.Hosts, p.Hosts...)
	}
	d.Outside = d.Answer == Ask && beyond && d.w.Holds.Workspace
	switch {
	case d.Answer == Deny:
	case d.Mode == PlanMode || d.Mode == FullMode, reading && !beyond && d.where == router.ReadProfile,
		d.Answer == Allow && (reading || d.Mode == AutoMode || d.where == router.FreeProfile):
		d.Profile = d.where
	case d.w.Holds.Workspace && !beyond:
		d.Profile = router.WorkspaceProfile
	default:
		d.Profile = router.FreeProfile
	}
}

// beyond is what a part needs that the profile in which it would run does not give; "" for nothing.
func (d *decider) beyond(p *Part) string {
	held, outside := d.w.Holds.Workspace, slices.IndexFunc(p.Paths, func(path Path) bool { return path.Write && path.Place == Outside })
	if d.Mode == PlanMode || d.Mode == AskMode && p.set&^reads == 0 {
		held = d.w.Holds.Read
	}
	switch {
	case !held || d.Mode == FullMode:
		return ""
	case p.set&networks != 0 && !d.w.Holds.Hosts && p.Kind != ToolPart:
		return "on this machine nothing can hold it to the hosts that are allowed"
	case outside >= 0:
		return "it writes " + show(p.Paths[outside].Path) + ", outside the workspace"
	}
	return cmp.Or(d.secret(p), p.needs)
}

// decide tells what is done about one part, by which rule, and why.
func (d *decider) decide(p *Part) (answer Answer, by *rule, because []string) {
	found := d.lookup(p)
	deny, ask, unsure, allow := found[Deny], found[Ask], found[maybe], found[Allow]
	secret, beyond, denied := d.secret(p), d.beyond(p), d.hosts(p, Deny)
	if allow != nil && (d.Mode == PlanMode && !allow.reads || !allow.outside && (beyond != "" || d.where == router.FreeProfile && d.Mode != FullMode)) {
		allow = nil // it changes what is asked, not where it runs
	}
	switch {
	case deny != nil:
		return Deny, deny, []string{deny.isAbout(p, "is")}
	case len(denied) > 0:
		return Deny, nil, []string{"the configuration denies connections to " + strings.Join(denied, ", ")}
	case d.Mode == PlanMode && (beyond != "" || p.set&^reads != 0 && !p.fetches() && (allow == nil || p.Danger != NoDanger)):
		return Deny, nil, append([]string{"plan mode only reads"}, d.reasons(p)...)
	case p.Danger != NoDanger && d.Mode != FullMode:
		return Ask, nil, d.reasons(p)
	case ask != nil:
		return Ask, ask, []string{ask.isAbout(p, "is")}
	case unsure != nil:
		return Ask, unsure, []string{unsure.isAbout(p, "may be")}
	case secret != "" && d.Mode != FullMode && (allow == nil || !allow.outside):
		return Ask, nil, []string{secret}
	case d.permits(p):
		return Allow, nil, nil
	case allow != nil:
		return Allow, allow, nil
	}
	return Ask, nil, d.reasons(p)
}

// fetches reports whether a part is an agent tool that only gets something from another machine.
func (p *Part) fetches() bool {
	return p.Kind == ToolPart && p.set&^(reads|networks) == 0 && !strings.HasPrefix(p.words[0].text, registry.FieldPrefix)
}

// hosts are those that a part names and of which the configuration says this.
func (d *decider) hosts(p *Part, says Answer) []string {
	return slices.DeleteFunc(slices.Clone(p.Hosts), func(host string) bool { return d.w.Host == nil || d.w.Host(host) != says })
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

// reasons are the verdict's for a part's danger, or if it has none for what it does besides reading.
func (d *decider) reasons(p *Part) (out []string) {
	does := (p.set &^ reads).list()
	for _, r := range d.v.Reasons {
		if r.Danger == p.Danger && (r.Danger != NoDanger || r.Start >= p.Start && r.End <= p.End && slices.Contains(does, r.Effect)) {
			out = append(out, r.Text)
		}
	}
	if hosts := strings.Join(p.Hosts, ", "); hosts != "" && p.Danger == NoDanger {
		out = append(out, "connects to "+hosts)
	}
	if beyond := d.beyond(p); beyond != "" && p.Danger != Block && !slices.Contains(out, beyond) {
		out = append(out, beyond)
	}
	if len(out) == 0 && d.unheld() && p.set&^reads == 0 {
		out = []string{"nothing on this machine holds what is judged to read"}
	}
	if len(out) == 0 {
		out = []string{fmt.Sprintf("%s: %s", p, strings.Trim(fmt.Sprint(does), "[]"))}
	}
	return out
}

func (r *rule) isAbout(p *Part, verb string) string {
	return fmt.Sprintf("%s %s what the rule %q is about (%s)", p, verb, r.text, r.at)
}

// maybe is the answer of rules that deny or ask if what is not known of a part is what they say.
const maybe Answer = "maybe"

// lookup finds the first of the rules about a part, by what they answer; which files may be written is not among them.
func (d *decider) lookup(p *Part) map[Answer]*rule {
	found := map[Answer]*rule{}
	for _, r := range d.rules {
		answer, f := r.answer, r.fit(p, d.w)
		if f == mayFit {
			answer = maybe
		}
		if f != misses && (found[answer] == nil || r.outside && f == fits) && !(r.answer == Allow && r.paths != nil) {
			found[answer] = r
		}
	}
	return found
}

// secret says which of the list of secrets a part is known to read, or may by
// the beginning of a pattern; "" if none. Where the kernel holds reads, a tree
// that holds secrets is read without them.
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
			if within || above && p.Paths[i].Tree && !d.w.Holds.Read || at > len(d.w.Home)+1 && strings.HasPrefix(s, fixed) {
				return fmt.Sprintf("%s reads %s, which is on the list of secrets", p, s)
			}
		}
	}
	return ""
}

// permits reports whether the mode lets a part run, with the files that rules allow to be written.
func (d *decider) permits(p *Part) bool {
	free := d.where == router.FreeProfile
	switch {
	case d.Mode == FullMode:
		return true
	case !free && (d.beyond(p) != "" || d.Mode == AutoMode && len(d.hosts(p, Allow)) < len(p.Hosts)):
		return false
	case p.set&^reads == 0: // what runs free beside what a rule has set free has to be plain
		return !d.unheld() && (!free || p.known && p.Via == "" && !d.w.unsure)
	case d.where == router.WorkspaceProfile && (p.Kind != ToolPart || !p.Known()), // a call is judged again when its words are known
		d.Mode == AutoMode && len(p.Hosts) > 0 && p.fetches():
		return true
	case p.set&^(reads|writes) != 0 || d.Mode == PlanMode:
		return false
	}
	written := slices.DeleteFunc(slices.Clone(p.Paths), func(path Path) bool { return !path.Write })
	return len(written) > 0 && !slices.ContainsFunc(written, func(path Path) bool {
		allows := func(r *rule) bool {
			return r.answer == Allow && r.paths != nil && (r.outside || !free) && path.Place != Nowhere && r.fit(&Part{Paths: []Path{path}}, d.w) == fits
		}
		return !(d.Mode == AutoMode && path.mine()) && !slices.ContainsFunc(d.rules, allows)
	})
}

// mine reports whether a file is one that auto mode may write.
func (p *Path) mine() bool { return p.Place == Inside || p.Place == Scratch || p.Place == Harmless }
