package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// modes are from the strictest to the loosest.
var modes = [...]policy.Mode{policy.PlanMode, policy.AskMode, policy.AutoMode, policy.FullMode}

// checkMode is the error of a --mode that is none; "" is none given.
func checkMode(mode string) error {
	if mode == "" || slices.Contains(modes[:], policy.Mode(mode)) {
		return nil
	}
	return fmt.Errorf("--mode %q: it is plan, ask, auto or full", mode)
}

// typedBy makes options for somebody who types the commands: with the mode that
// was asked for, or else with the authority that they have anyway.
func typedBy(mode string) guard.Options {
	if mode == "" {
		return guard.Options{Mode: policy.FullMode, Said: true}
	}
	return guard.Options{Mode: policy.Mode(mode)}
}

// guardOptions adds what the configuration says: the mode, rules and budgets.
func (b *configuredBash) guardOptions(a *app, o *guard.Options) error {
	if o.Mode == "" {
		o.Mode = policy.Mode(b.cfg.Mode)
	}
	given := b.cfg.Rules
	if o.Parent != nil {
		o.Rules, given = o.Parent.Rules(), nil // those too that were given for the session
	}
	for _, r := range given {
		rules, err := policy.ParseRules(r.File, r.Raw, r.Project)
		if err != nil {
			return err
		}
		a.warn(rules.Warnings...)
		o.Rules = append(o.Rules, rules)
	}
	l := b.cfg.Limits
	o.Turn = guard.Budget{Calls: l.Calls, Output: int64(l.Output), Time: secondsDuration(l.Time)}
	o.Session = guard.Budget{Calls: l.Session.Calls, Output: int64(l.Session.Output), Time: secondsDuration(l.Session.Time)}
	o.Recorder = b.audit
	if b.asker.Present() {
		o.Approver = approver{b}
	}
	return nil
}

func secondsDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
