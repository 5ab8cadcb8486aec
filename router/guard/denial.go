package guard

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// Cause is what a denial comes from.
type Cause string

// The causes.
const (
	Denied     Cause = "deny"       // the mode, a rule or the danger
	Asked      Cause = "ask"        // it needs a yes, and there is nobody to say it
	Refused    Cause = "no"         // the person said no
	OverBudget Cause = "limit"      // a budget is spent
	Unrecorded Cause = "unrecorded" // its record could not be written
)

// Denial is why an action did not run. Its JSON form is an interface that
// other programs build on.
type Denial struct {
	Cause   Cause         `json:"decision"`
	Mode    policy.Mode   `json:"mode"`
	Effects []string      `json:"effects"` // of the action; never nil
	Danger  policy.Danger `json:"danger"`
	Reasons []string      `json:"reasons"` // why, one line each; never nil
	Rule    string        `json:"rule"`    // that decided, as it was written; may be empty

	Host    string         `json:"host,omitempty"`    // "host:port" that was to be connected to
	Profile router.Profile `json:"profile,omitempty"` // that it would have run in after a yes

	RuleAt  string `json:"-"` // where it stands, FILE:LINE:COLUMN; may be empty
	Command string `json:"-"` // that was denied
	text    string
}

// Refusal is its form for other programs.
func (d *Denial) Refusal() *router.Refusal {
	by := map[Cause]string{Asked: "nobody", Refused: "user", OverBudget: "limit", Unrecorded: "unrecorded"}[d.Cause]
	switch {
	case by != "":
	case d.Danger == policy.Block:
		by = "danger"
	case d.Rule != "":
		by = "rule"
	default:
		by = "mode"
	}
	return &router.Refusal{By: by, Rule: d.Rule, Host: d.Host, Profile: d.Profile}
}

// ExitStatus is 126: found, but may not be run (POSIX, 2.8.2).
func (d *Denial) ExitStatus() int { return 126 }

// Error says who denied it, why, and what to do.
func (d *Denial) Error() string { return d.text }

// Told is a denial that was made elsewhere, with the text of its error.
func (d Denial) Told(text string) *Denial {
	d.text = text
	return &d
}

// denial makes the denial of an entry; why is the person's or the recorder's own word.
func (g *Guard) denial(e *Entry, cause Cause, why string) *Denial {
	d := &Denial{Cause: cause, Mode: e.Decision.Mode, Effects: []string{}, Danger: e.Verdict.Danger, Reasons: []string{},
		Rule: e.Decision.Rule, RuleAt: e.Decision.RuleAt, Host: g.lackingHost(e), Profile: e.Decision.Profile, Command: e.Plan.Raw}
	if d.Mode == "" {
		d.Mode = g.Mode()
	}
	for _, x := range e.Verdict.Effects {
		d.Effects = append(d.Effects, string(x))
	}
	switch cause {
	case Denied, Asked:
		d.Reasons = append(d.Reasons, e.Decision.Because...)
		if len(d.Reasons) == 0 {
			d.Reasons = reasonTexts(&e.Verdict)
		}
	default:
		if why != "" {
			d.Reasons = append(d.Reasons, why)
		}
	}
	d.text = d.message(why, g.next(e, d))
	return d
}

// ofLine says of a text of several commands that nothing of it ran. The line around a call from inside runs.
func (d *Denial) ofLine(e *Entry) *Denial {
	if !e.Plan.Inside && len(e.Verdict.Parts) != 1 {
		d.text += " (nothing of this line ran)"
	}
	return d
}

// lackingHost is the first host that an entry is about and that nobody allowed.
func (g *Guard) lackingHost(e *Entry) string {
	for _, host := range e.Decision.Hosts {
		if g.hostAnswer(host) != policy.Allow {
			return host
		}
	}
	return e.Host
}

// reasonTexts are a verdict's, without what points at bytes.
func reasonTexts(v *policy.Verdict) []string {
	out := []string{}
	for _, r := range v.Reasons {
		if len(out) == maxReasons {
			break
		}
		out = append(out, r.Text)
	}
	return out
}

// Unanswered is the Reason of an [Approval] that nobody gave.
const Unanswered = "the question was left without an answer: wait for what the user says"

// maxReasons bounds what a denial repeats of a verdict.
const maxReasons = 8

func (d *Denial) message(why, next string) string {
	because := strings.Join(d.Reasons, "; ")
	if because != "" {
		because = ": " + because
	}
	switch d.Cause {
	case Unrecorded:
		return fmt.Sprintf("not run: %s: nothing runs without its record in the audit log", why)
	case OverBudget:
		return "not run: " + why
	case Refused:
		if why == "" {
			return "denied by the user: do not try it another way; ask what to do, or go on with something else"
		}
		if why == Unanswered {
			return "denied: " + why
		}
		return "denied by the user, who says: " + why
	case Asked:
		return fmt.Sprintf("denied: in mode %s this must be asked about, and nobody can be asked here%s: %s", d.Mode, because, next)
	}
	switch {
	case d.Danger == policy.Block:
		return "denied: this is blocked in every mode" + because + ": it will not run here, go on without it"
	case d.Rule != "" && d.RuleAt != "":
		return fmt.Sprintf("denied by the rule %q (%s)%s: go on without it, or ask the user to change the rule", d.Rule, d.RuleAt, because)
	case d.Rule != "":
		return fmt.Sprintf("denied by the rule %q%s: go on without it, or ask the user to change the rule", d.Rule, because)
	case d.Mode == policy.PlanMode:
		return "denied in mode plan" + because + ": say what you would do; the user can change the mode"
	}
	return fmt.Sprintf("denied in mode %s%s: go on without it, or ask the user", d.Mode, because)
}

// next is what helps where nobody can be asked.
func (g *Guard) next(e *Entry, d *Denial) string {
	const user = "go on with what needs no yes, and leave this to the user, who may "
	hosts := g.opts.Settings.Hosts
	switch {
	case d.Danger == policy.Confirm:
		return "such a command always needs a person's yes: go on with what needs none, and leave this to the user"
	case d.Mode == policy.FullMode || d.Rule != "":
		return user + "change the rule"
	case d.Mode == policy.PlanMode:
		return user + "change the mode"
	case e.Decision.Outside:
		return user + "allow it with a rule that lets it run outside, or in mode full"
	case d.Mode == policy.AutoMode && d.Host != "" && hosts != "":
		return user + "allow it: " + strings.ReplaceAll(hosts, "HOST", strings.TrimSuffix(d.Host, ":443"))
	case d.Mode == policy.AutoMode:
		return user + "allow it with " + g.rule(e) + " or in mode full"
	}
	return user + "allow it with " + g.rule(e) + ", or in mode auto or full"
}

// rule names the rule that would allow an entry, if it is short, and where it goes.
func (g *Guard) rule(e *Entry) string {
	text := "a rule"
	if list := e.Decision.Suggest; len(list) == 1 && list[0] != "" && len(list[0]) <= maxRule {
		text = "the rule " + strconv.Quote(list[0])
	}
	if at := g.opts.Settings.Rules; at != "" {
		text += " (" + at + ")"
	}
	return text
}

// maxRule is the length of a rule that a denial shows, in bytes.
const maxRule = 80
