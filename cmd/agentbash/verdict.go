package main

import (
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// explain is a plan with its verdict, and what the mode and the rules make of it.
func (w *world) explain(p *router.Plan) (router.Explanation, policy.Decision) {
	v, d := w.guard.Explain(p, w.router.Dir())
	e := p.Explain()
	e.Verdict = router.Verdict{Effects: []string{}, Danger: string(v.Danger), Reasons: []string{}}
	for _, x := range v.Effects {
		e.Verdict.Effects = append(e.Verdict.Effects, string(x))
	}
	for _, r := range v.Reasons {
		e.Verdict.Reasons = append(e.Verdict.Reasons, r.Text)
	}
	return e, d
}

// decided is an explanation with a decision.
type decided struct {
	router.Explanation
	Decision decision `json:"decision"`
}

type decision struct {
	Answer  policy.Answer `json:"answer"`
	Mode    policy.Mode   `json:"mode"`
	Reasons []string      `json:"reasons"`
	Rule    string        `json:"rule"`
	RuleAt  string        `json:"rule_at"`
}

// explained is what route prints as JSON: with a decision where a mode was named.
func explained(e router.Explanation, d policy.Decision, decide bool) any {
	if !decide {
		return e
	}
	return decided{e, decision{d.Answer, d.Mode, d.Because, d.Rule, d.RuleAt}}
}

// decisionText is a verdict and a decision for a person.
func decisionText(e router.Explanation, d policy.Decision) string {
	if e.Error != "" {
		return ""
	}
	var b strings.Builder
	effects := strings.Join(e.Verdict.Effects, ", ")
	if effects == "" {
		effects = "none"
	}
	fmt.Fprintf(&b, "effects: %s\n", effects)
	if e.Verdict.Danger != "" {
		fmt.Fprintf(&b, "danger: %s\n", e.Verdict.Danger)
	}
	for _, r := range e.Verdict.Reasons {
		fmt.Fprintf(&b, "  %s\n", r)
	}
	fmt.Fprintf(&b, "mode %s: %s", d.Mode, map[policy.Answer]string{policy.Allow: "runs", policy.Ask: "asks", policy.Deny: "denied"}[d.Answer])
	if d.Rule != "" {
		fmt.Fprintf(&b, ", by the rule %q %s", d.Rule, d.RuleAt)
	}
	b.WriteByte('\n')
	return b.String()
}
