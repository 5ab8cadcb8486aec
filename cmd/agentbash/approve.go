package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// approver asks whoever sits at the terminal what may run. It implements
// [guard.Approver].
type approver struct{ w *configuredBash }

// The keys of the answers.
const (
	keyOnce    = "y"
	keySession = "s"
	keySave    = "a"
	keyNo      = "n"
	keyBecause = "b"
)

// Approve puts one question.
func (p approver) Approve(ctx context.Context, e *guard.Entry) (guard.Approval, error) {
	if !p.w.asker.Present() {
		return guard.Approval{}, term.ErrNobody
	}
	reply, err := p.w.asker.Ask(ctx, approvalQuestion(e, p.previewChange(ctx, e)))
	if errors.Is(err, term.ErrNoAnswer) {
		return guard.Approval{Reason: "the question was left without an answer: wait for what the user says"}, nil
	}
	if err != nil {
		return guard.Approval{}, err
	}
	got := guard.Approval{Yes: true}
	switch reply.Key {
	case keyOnce:
	case keySession:
		got.Rules, err = rulesOf("this session", e.Decision.Suggest)
	case keySave:
		got.Rules, err = p.saveRules(e.Decision.Suggest)
	default:
		return guard.Approval{Reason: reply.Text}, nil
	}
	if err != nil { // the yes stands, for this once
		p.w.asker.Tell(fmt.Sprintf("agentbash: the rule is not kept: %v", err))
	}
	return got, nil
}

func rulesOf(where string, texts []string) ([]*policy.Rules, error) {
	raw, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	rules, err := policy.ParseRules(where, raw, false)
	if err != nil {
		return nil, err
	}
	return []*policy.Rules{rules}, nil
}

// saveRules writes rules to the person's own file, and has them count at once.
func (p approver) saveRules(texts []string) ([]*policy.Rules, error) {
	rules, err := rulesOf(p.w.cfg.Dirs.UserFile(), texts)
	if err != nil {
		return nil, err
	}
	return rules, config.AddRules(p.w.cfg.Dirs, texts)
}

// approvalQuestion is the question: the command with what is risky marked, what it
// would do and why that is asked about, and what would change.
func approvalQuestion(e *guard.Entry, preview string) *term.Question {
	q := &term.Question{Title: "May this run?", Choices: []term.Choice{{Key: keyOnce, Label: "yes, once"}}}
	if e.Plan.Inside {
		q.Title = "The command that runs calls this. May it run?"
	}
	var b strings.Builder
	b.WriteString(e.Plan.Raw)
	q.Mark = reasonSpans(e)
	fmt.Fprintf(&b, "\n\nin %s (mode %s)\n%s\n", e.Dir, e.Decision.Mode, describeEffects(&e.Verdict))
	for _, why := range e.Decision.Because {
		from := b.Len()
		b.WriteString("- " + oneLine(why))
		q.Mark = append(q.Mark, term.Span{From: from, To: b.Len()})
		b.WriteByte('\n')
	}
	if e.Decision.Rule != "" {
		fmt.Fprintf(&b, "asked about by the rule %q (%s)\n", e.Decision.Rule, e.Decision.RuleAt)
	}
	if rules := e.Decision.Suggest; len(rules) > 0 {
		b.WriteString("a rule that would allow it:\n")
		for _, r := range rules {
			from := b.Len()
			b.WriteString("  " + oneLine(r))
			q.Mark = append(q.Mark, term.Span{From: from, To: b.Len()})
			b.WriteByte('\n')
		}
		q.Choices = append(q.Choices,
			term.Choice{Key: keySession, Label: "yes, and what the rule allows until the session ends"},
			term.Choice{Key: keySave, Label: "yes, and always: save the rule in my configuration"})
	}
	if preview != "" {
		b.WriteString("\n" + preview)
	}
	q.Text = b.String()
	q.Choices = append(q.Choices, term.Choice{Key: keyNo, Label: "no"}, term.Choice{Key: keyBecause, Label: "no, because", Text: true})
	return q
}

// reasonSpans are the parts of the command that reasons point at: the dangers if
// there are any, else whatever is no reading.
func reasonSpans(e *guard.Entry) (spans []term.Span) {
	dangers := slices.ContainsFunc(e.Verdict.Reasons, func(r policy.Reason) bool { return r.Danger != policy.NoDanger })
	for _, r := range e.Verdict.Reasons {
		risky := r.Danger != policy.NoDanger || !dangers && r.Effect != policy.Read
		if risky && r.End > r.Start && r.End <= len(e.Plan.Raw) {
			spans = append(spans, term.Span{From: r.Start, To: r.End})
		}
	}
	return spans
}

// describeEffects says in words what a verdict found.
func describeEffects(v *policy.Verdict) string {
	var names []string
	for _, x := range v.Effects {
		names = append(names, map[policy.Effect]string{policy.Read: "reads", policy.Write: "writes files", policy.Execute: "runs code",
			policy.Network: "talks to other machines", policy.Unknown: "does what cannot be told"}[x])
	}
	text := "it " + strings.Join(names, ", ")
	if len(names) == 0 {
		text = "it changes nothing but the shell"
	}
	if v.Danger == policy.Confirm {
		text += "; this is asked about in every mode"
	}
	return text
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// previewTime is how long the making of a preview may take.
const previewTime = 2 * time.Second

// previewChange is the change that a call would make, as a diff: "" where that cannot
// be told beforehand. The tool is asked, which changes nothing when it shall not.
func (p approver) previewChange(ctx context.Context, e *guard.Entry) string {
	t := e.Plan.Tool()
	if t == nil || t.Kind != registry.Write || t.Params.Find("dry_run") == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	var paths []string
	for _, part := range e.Verdict.Parts {
		for _, path := range part.Paths {
			paths = append(paths, path.Path)
		}
	}
	kwargs := maps.Clone(e.Plan.Kwargs)
	kwargs["dry_run"] = true
	var out strings.Builder
	res := t.Invoke(registry.Allow(ctx, paths...), &registry.Call{Kwargs: kwargs, Dir: e.Dir, Stdout: &out})
	if !res.Success {
		return ""
	}
	return out.String()
}
