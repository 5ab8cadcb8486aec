package main

import (
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// explainPlan is a plan with its verdict, and what the mode and the rules make of
// it.
func (b *configuredBash) explainPlan(p *router.Plan) guard.Explanation {
	return b.Guard().Explain(p, b.Router().Dir())
}

// explainVerdict is what route prints as JSON: with a decision where a mode was named.
func explainVerdict(e guard.Explanation, decide bool) guard.Explanation {
	if !decide {
		e.Decision = nil
	}
	return e
}

// decisionText is a verdict and a decision for a person.
func decisionText(e guard.Explanation) string {
	d := e.Decision
	if e.Error != "" {
		return ""
	}
	var b strings.Builder
	effects := []string{}
	for _, x := range e.Verdict.Effects {
		effects = append(effects, string(x))
	}
	if len(effects) == 0 {
		effects = []string{"none"}
	}
	fmt.Fprintf(&b, "effects: %s\n", strings.Join(effects, ", "))
	if e.Verdict.Danger != "" {
		fmt.Fprintf(&b, "danger: %s\n", e.Verdict.Danger)
	}
	for _, r := range e.Verdict.Reasons {
		fmt.Fprintf(&b, "  %s\n", r.Text)
	}
	fmt.Fprintf(&b, "mode %s: %s", d.Mode, map[policy.Answer]string{policy.Allow: "runs", policy.Ask: "asks", policy.Deny: "denied"}[d.Answer])
	where := string(d.Profile)
	if d.Profile == router.ReadProfile || d.Profile == router.WorkspaceProfile {
		where = "in the " + where + " profile"
	}
	switch {
	case d.Outside:
		b.WriteString("; after a yes it runs outside, where nothing holds it")
	case where != "" && d.Answer == policy.Ask:
		b.WriteString("; after a yes it runs " + where)
	case where != "":
		b.WriteString(" " + where)
	}
	if d.Rule != "" {
		fmt.Fprintf(&b, ", by the rule %q %s", d.Rule, d.RuleAt)
	}
	b.WriteByte('\n')
	return b.String()
}
