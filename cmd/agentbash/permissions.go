package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/router/policy"
)

// listRules are the rules in force, those of the highest rank first.
func listRules(rules []*policy.Rules) (all []policy.Listed) {
	for _, r := range rules {
		all = append(all, r.List()...)
	}
	return all
}

// ruleLines are rules in lines, numbered if they can be named by that.
func ruleLines(rules []policy.Listed, numbered bool) (lines []string) {
	width := 0
	for _, r := range rules {
		width = max(width, min(len(r.Rule), 40))
	}
	for i, r := range rules {
		line := fmt.Sprintf("%-*s   from %s", width, safetext.Line(r.Rule), safetext.Line(r.At))
		if r.Outside {
			line += ", runs outside"
		}
		if numbered {
			line = fmt.Sprintf("%2d  %s", i+1, line)
		}
		lines = append(lines, line)
	}
	return lines
}

// slashPermissions is /permissions.
func (b *configuredBash) slashPermissions(_ context.Context, args string) (string, error) {
	rules := listRules(b.Guard().Rules())
	word, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
		lines := append([]string{fmt.Sprintf("mode %s; what the rules say comes before what the mode says:", b.Guard().Mode())}, ruleLines(rules, true)...)
		if len(rules) == 0 {
			lines[0] = fmt.Sprintf("mode %s, and no rules", b.Guard().Mode())
		}
		for _, h := range b.cfg.Confine.Network.Allow {
			lines = append(lines, "    commands connect to "+h.String())
		}
		return strings.Join(append(lines, "", "/permissions add allow git push ...   keeps a rule (allow, ask or deny)", "/permissions remove N                 takes one away"), "\n"), nil
	case "add":
		return b.addRule(rest)
	case "allow", "ask", "deny":
		return b.addRule(args)
	case "remove":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > len(rules) {
			return "", fmt.Errorf("/permissions remove %s: which one? /permissions numbers them", rest)
		}
		return b.removeRule(rules[n-1])
	}
	return "", errors.New("/permissions, /permissions add RULE or /permissions remove N")
}

// addRule keeps a rule in the user's file, and has it count at once.
func (b *configuredBash) addRule(text string) (string, error) {
	rules, err := approver{b}.keepRules([]string{text}, false, true)
	var wrong *policy.RuleError
	if errors.As(err, &wrong) {
		return "", fmt.Errorf("%q: %s", text, wrong.Text)
	}
	if err != nil {
		return "", err
	}
	b.Guard().AddRules(rules...)
	return "kept in " + b.cfg.Dirs.UserFile() + ", and counts from here on", nil
}

// removeRule takes a rule away: out of the user's file, or for the session.
func (b *configuredBash) removeRule(r policy.Listed) (string, error) {
	found := false
	switch {
	case strings.HasPrefix(r.At, b.cfg.Dirs.UserFile()+":"):
		var err error
		if found, err = config.RemoveRule(b.cfg.Dirs, r.Rule); err != nil {
			return "", err
		}
	case !strings.HasPrefix(r.At, thisSession+":"):
		return "", fmt.Errorf("%q stands in %s: take it out there", r.Rule, r.At)
	}
	b.Guard().RemoveRule(r)
	if found {
		return fmt.Sprintf("%q is taken out of %s, and counts no more", r.Rule, b.cfg.Dirs.UserFile()), nil
	}
	return fmt.Sprintf("%q counts no more", r.Rule), nil
}

// thisSession is where rules stand that nobody kept.
const thisSession = "this session"

// inForce are the rows of what is in force beside the model and its server.
func inForce(cfg *config.Result, rules []policy.Listed) (rows [][2]string) {
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, [2]string{name, text})
		}
	}
	for _, line := range ruleLines(rules, false) {
		add("rule", line)
	}
	for i, h := range slices.Concat(cfg.Hooks.Before, cfg.Hooks.After) {
		when := "before"
		if i >= len(cfg.Hooks.Before) {
			when = "after"
		}
		add("hook", fmt.Sprintf("%s %s: %s", when, cmp.Or(strings.Join(h.Match, " "), "every call"), cmp.Or(h.Name, strings.Join(h.Argv, " "))))
	}
	var hosts, limits []string
	for _, h := range cfg.Confine.Network.Allow {
		hosts = append(hosts, h.String())
	}
	add("hosts", strings.Join(hosts, " "))
	l, n := cfg.Limits, cfg.Limits.Session
	for _, limit := range []struct {
		name  string
		value float64
	}{{"turns", float64(l.Turns)}, {"cost", l.Cost}, {"time", l.Time}, {"calls", float64(l.Calls)}, {"output", float64(l.Output)},
		{"session.calls", float64(n.Calls)}, {"session.time", n.Time}, {"session.output", float64(n.Output)}} {
		if limit.value > 0 {
			limits = append(limits, fmt.Sprintf("%s %v", limit.name, limit.value))
		}
	}
	add("limits", strings.Join(limits, ", "))
	return rows
}
