package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// checkMode is the error of a --mode that is none; "" is none given.
func checkMode(mode string) error {
	switch policy.Mode(mode) {
	case "", policy.PlanMode, policy.AskMode, policy.AutoMode, policy.FullMode:
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

// guardFor makes the guard of a world: its workspace, its rules, its budgets.
func (w *world) guardFor(a *app, at confinement.Workspace, o guard.Options) (*guard.Guard, error) {
	for _, r := range w.cfg.Rules {
		rules, err := policy.ParseRules(r.File, r.Raw, r.Project)
		if err != nil {
			return nil, err
		}
		a.warn(rules.Warnings)
		o.Rules = append(o.Rules, rules)
	}
	l := w.cfg.Limits
	o.Turn = guard.Budget{Calls: l.Calls, Output: int64(l.Output), Time: seconds(l.Time)}
	o.Session = guard.Budget{Calls: l.Session.Calls, Output: int64(l.Session.Output), Time: seconds(l.Session.Time)}
	o.World = at.World()
	o.World.Kind = func(name string) registry.Kind {
		if t, ok := w.reg.Lookup(name); ok {
			return t.Kind
		}
		return ""
	}
	o.Carried = w.carried
	return guard.New(&o), nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// guarded runs a tool that a person called by its words, not by a command
// string, if the guard lets it.
func (a *app) guarded(ctx context.Context, g *guard.Guard, name string, words []string, call *registry.Call, run func(context.Context) registry.ToolResult) int {
	bare := strings.TrimPrefix(name, "agent:")
	plan := &router.Plan{Layer: router.Agent, InProcess: true, ParsedCommand: router.ParsedCommand{Name: bare, Raw: guard.Typed(name, words)}}
	grant, err := g.Begin(ctx, &router.Action{Plan: plan, Name: bare, Words: words, Dir: call.Dir})
	if err != nil {
		fmt.Fprintln(a.err, err)
		return registry.ExitStatus(err)
	}
	start := time.Now()
	res := run(registry.Allow(ctx, grant.Paths...))
	if grant.End != nil {
		grant.End(router.Outcome{ExitCode: res.ExitStatus, Canceled: ctx.Err() != nil, Duration: time.Since(start)})
	}
	return res.ExitStatus
}
