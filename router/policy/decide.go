package policy

import "slices"

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
// it was made.
type Decision struct {
	Answer  Answer
	Mode    Mode
	Because []string // why not Allow, one line each; never nil
	Rule    string   // the rule that decided, as it was written; "" if none did
	RuleAt  string   // where it stands, FILE:LINE:COLUMN; may be empty
	Suggest []string // token rules that would allow the command, each as it would be saved; nil where "always" is not to be had (Confirm, Block, Unknown, Deny)
}

// Decide tells what is done about a command line of this verdict. Deny beats
// ask, ask beats allow; a line runs only where every part of it may.
func Decide(mode Mode, rules []*Rules, v *Verdict, w *World) Decision {
	d := Decision{Answer: Allow, Mode: mode, Because: []string{}}
	for _, r := range v.Reasons {
		if r.Danger == v.Danger && v.Danger != NoDanger {
			d.Because = append(d.Because, r.Text)
		}
	}
	reads := !slices.ContainsFunc(v.Effects, func(e Effect) bool { return e != Read })
	switch {
	case v.Danger == Block:
		d.Answer = Deny
	case mode == PlanMode && !reads:
		d.Answer = Deny
	case v.Danger == Confirm, mode == AskMode && !reads:
		d.Answer = Ask
	}
	return d
}

// Rules are one file's rules.
type Rules struct{}
