package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// approver asks whoever sits at the terminal what may run. It implements
// [guard.Approver].
type approver struct{ w *configuredBash }

// The keys of the answers.
const (
	keyOnce        = "y"
	keySession     = "s"
	keySave        = "a"
	keyOutside     = "o"
	keySaveOutside = "O"
	keyNo          = "n"
	keyBecause     = "b"
)

// Approve puts one question.
func (p approver) Approve(ctx context.Context, e *guard.Entry) (guard.Approval, error) {
	if !p.w.asker.Present() {
		return guard.Approval{}, term.ErrNobody
	}
	q := hostQuestion(e, p.w.home)
	if e.Host == "" {
		q = approvalQuestion(e, e.PreviewChange(ctx), p.w.home)
	}
	reply, err := p.w.asker.Ask(ctx, q)
	if errors.Is(err, term.ErrNoAnswer) {
		return guard.Approval{Reason: guard.Unanswered}, nil
	}
	if err != nil {
		return guard.Approval{}, err
	}
	got := guard.Approval{Yes: true, Outside: reply.Key == keyOutside || reply.Key == keySaveOutside, Session: reply.Key == keySession || reply.Key == keySave}
	save := reply.Key == keySave || reply.Key == keySaveOutside
	switch {
	case reply.Key == keyNo || reply.Key == keyBecause:
		return guard.Approval{Reason: reply.Text}, nil
	case e.Host != "" && save:
		err = config.AddHost(p.w.cfg.Dirs, hostRule(e.Host))
	case e.Host == "" && (save || got.Session):
		got.Rules, err = p.keepRules(e.Decision.Suggest, got.Outside, save)
	}
	if err != nil { // the yes stands, for this once
		p.w.asker.Tell(fmt.Sprintf("agentbash: the rule is not kept: %v", err))
	}
	return got, nil
}

// keepRules has rules count at once, and with save writes them to the person's own
// file. What they allow runs outside if the person said so.
func (p approver) keepRules(texts []string, outside, save bool) ([]*policy.Rules, error) {
	var all []json.RawMessage
	for _, text := range texts {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		var rule any = text
		if outside {
			rule = struct {
				Rule    string `json:"rule"`
				Outside bool   `json:"outside"`
			}{text, true}
		}
		if err := e.Encode(rule); err != nil {
			return nil, err
		}
		all = append(all, bytes.TrimSpace(b.Bytes()))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	where := thisSession
	if save {
		where = p.w.cfg.Dirs.UserFile()
	}
	rules, err := policy.ParseRules(where, raw, false)
	if err != nil {
		return nil, err
	}
	if save {
		var placed config.Rules
		if placed, err = config.AddRules(p.w.cfg.Dirs, all); err == nil {
			rules, err = policy.ParseRules(placed.File, placed.Raw, false)
		}
	}
	return []*policy.Rules{rules}, err
}

// hostRule is a host as the configuration names it: without the port that most
// have.
func hostRule(address string) string { return strings.TrimSuffix(address, ":443") }

// hostQuestion asks about a connection of a command that runs.
func hostQuestion(e *guard.Entry, home string) *term.Question {
	host := oneLine(e.Host)
	text := fmt.Sprintf("%s\n\nin %s (mode %s)\nwants to connect to ", e.Plan.Raw, placeOf(e, home), e.Decision.Mode)
	return &term.Question{Title: "The command that runs wants to connect to another machine. May it?", Text: text + host,
		Mark: []term.Span{{From: len(text), To: len(text) + len(host)}},
		Choices: savedChoices(e, []term.Choice{{Key: keyOnce, Label: "yes, for this command"}, {Key: keySession, Label: "yes, until the session ends"},
			{Key: keySave, Label: "yes, and always: add " + hostRule(host) + " to network.allow in my configuration"},
			{Key: keyNo, Label: "no"}, {Key: keyBecause, Label: "no, because", Text: true}})}
}

// approvalQuestion is the question: the command with what is risky marked, what it
// would do and why that is asked about, where a yes runs it, and what would change.
func approvalQuestion(e *guard.Entry, preview, home string) *term.Question {
	d := &e.Decision
	q := &term.Question{Title: "May this run?"}
	if e.Plan.Inside {
		q.Title = "The command that runs calls this. May it run?"
	}
	var b strings.Builder
	b.WriteString(e.Plan.Raw)
	q.Mark = reasonSpans(e)
	marked := func(marks *[]term.Span, text string) {
		*marks = append(*marks, term.Span{From: b.Len(), To: b.Len() + len(text)})
		b.WriteString(text + "\n")
	}
	fmt.Fprintf(&b, "\n\nin %s (mode %s)\n", placeOf(e, home), d.Mode)
	because := namedOnce(d.Because)
	if effects := describeEffects(&e.Verdict); effects != "it writes files" || len(because) == len(d.Because) {
		b.WriteString(effects + "\n")
	}
	for _, why := range because {
		marked(&q.Mark, "- "+oneLine(why))
	}
	if d.Rule != "" {
		fmt.Fprintf(&b, "asked about by the rule %q (%s)\n", d.Rule, d.RuleAt)
	}
	held := d.Profile == router.ReadProfile || d.Profile == router.WorkspaceProfile
	if held {
		fmt.Fprintf(&b, "yes runs it %s\n", profileText(d.Profile))
	}
	if d.Outside || held && d.Mode != policy.PlanMode && !e.Plan.Inside {
		marked(&q.Keep, "outside runs it "+profileText(router.FreeProfile))
	}
	if len(d.Suggest) > 0 {
		b.WriteString("a rule that would allow it:\n")
		for _, r := range d.Suggest {
			marked(&q.Keep, "  "+oneLine(r))
		}
	}
	if preview != "" {
		b.WriteString("\n" + preview)
	}
	q.Text, q.Choices = b.String(), approvalChoices(e, held)
	return q
}

// namedOnce leaves out that a tool changes files, where it is said which.
func namedOnce(reasons []string) []string {
	if !slices.ContainsFunc(reasons, func(r string) bool { return strings.HasPrefix(r, "writes ") }) {
		return reasons
	}
	return slices.DeleteFunc(slices.Clone(reasons), func(r string) bool { return strings.HasSuffix(r, " changes files") })
}

// placeOf is where a command runs.
func placeOf(e *guard.Entry, home string) string {
	if e.Target != "" {
		return oneLine(e.Dir) + " on " + oneLine(e.Target)
	}
	return term.ShortPath(e.Dir, home)
}

// savedChoices leaves out what saves a rule where it was made on another machine: it would
// count on all.
func savedChoices(e *guard.Entry, all []term.Choice) []term.Choice {
	return slices.DeleteFunc(all, func(c term.Choice) bool {
		return e.Target != "" && (c.Key == keySave || c.Key == keySaveOutside)
	})
}

// approvalChoices are the answers. What only runs outside has no plain yes.
func approvalChoices(e *guard.Entry, held bool) (all []term.Choice) {
	d, keep := &e.Decision, len(e.Decision.Suggest) > 0
	if !d.Outside {
		all = append(all, term.Choice{Key: keyOnce, Label: "yes, once"})
	}
	if !d.Outside && keep {
		all = append(all, term.Choice{Key: keySession, Label: "yes, and what the rule allows until the session ends"},
			term.Choice{Key: keySave, Label: "yes, and always: save the rule in my configuration"})
	}
	if d.Outside || held && d.Mode != policy.PlanMode && !e.Plan.Inside {
		all = append(all, term.Choice{Key: keyOutside, Label: "outside, once"})
		if keep {
			all = append(all, term.Choice{Key: keySaveOutside, Label: "outside, and always: save the rule as one that runs outside"})
		}
	}
	return append(savedChoices(e, all), term.Choice{Key: keyNo, Label: "no"}, term.Choice{Key: keyBecause, Label: "no, because", Text: true})
}

// profileText says what a profile means.
func profileText(p router.Profile) string {
	switch p {
	case router.ReadProfile:
		return "in the read profile: it writes nothing but a private scratch, and has no network"
	case router.WorkspaceProfile:
		return "in the workspace profile: it writes the workspace, and connects to the hosts that are allowed"
	}
	return "free: nothing holds it, so it has all your files, the network and your keys"
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
		text += "; this is asked about in every mode but full"
	}
	return text
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
