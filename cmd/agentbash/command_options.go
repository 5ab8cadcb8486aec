package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	agentcommands "github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/clarify"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/agentbash/skills"
	"github.com/agentbash/agentbash/agentbash/web"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/registry"
)

// commandOptions are what the agent commands get of the program.
func (b *configuredBash) commandOptions(a *app, who string) agentcommands.Options {
	o := agentcommands.Options{
		Skills:  skills.Options{Dirs: func(dir string) []string { return a.skillDirs(b, dir) }, Person: who == whoPerson},
		Clarify: clarify.Options{Ask: b.askClarification},
		Web:     b.webOptions(a),
		Shells:  shells.Options{Limit: time.Duration(b.cfg.Shell.BackgroundLimit * float64(time.Second))},
	}
	if b.agents != nil {
		o.Agents.Work = b.agents.work
	}
	return o
}

// askClarification asks whoever sits at the terminal.
func (b *configuredBash) askClarification(ctx context.Context, q clarify.Question) (string, error) {
	if !b.asker.Present() {
		return "", clarify.ErrNobody
	}
	ask := &term.Question{Title: "The agent asks", Text: q.Text, Default: q.Default, Free: true}
	for i, c := range q.Choices {
		key := strconv.Itoa(i + 1)
		ask.Choices = append(ask.Choices, term.Choice{Key: key, Label: c})
		if c == q.Default {
			ask.Default = key
		}
	}
	r, err := b.asker.Ask(ctx, ask)
	switch {
	case errors.Is(err, term.ErrNobody):
		return "", clarify.ErrNobody
	case errors.Is(err, term.ErrNoAnswer):
		return "", clarify.ErrNoAnswer
	case err != nil:
		return "", err
	}
	if n, err := strconv.Atoi(r.Key); err == nil && n >= 1 && n <= len(q.Choices) {
		return q.Choices[n-1], nil
	}
	return r.Text, nil
}

// webOptions are what the configuration says of the web.
func (b *configuredBash) webOptions(a *app) web.Options {
	o := web.Options{Version: moduleVersion(), Lookup: a.lookup, Search: b.cfg.Search(a.lookup)}
	if f := b.cfg.WebFetch; f != nil {
		o.Allow, o.Timeout, o.MaxBytes = f.Allow, time.Duration(f.Timeout*float64(time.Second)), f.MaxBytes
	}
	return o
}

// runConfigured runs an agent command for a person at a terminal, with what the
// configuration says of it.
func (a *app) runConfigured(ctx context.Context, name string, words []string, call *registry.Call) int {
	b, err := a.openBash(bashOptions{on: a.on, asker: a.newAsker(), noHooks: a.mode == "", guard: typedBy(a.mode)})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	if !b.isOn(name) {
		fmt.Fprintf(a.err, "agentbash %s: it is switched off: \"tools\" in a config file says so; agentbash config shows the files\n", name)
		return exitUnknown
	}
	return b.callTool(ctx, name, words, call).ExitStatus
}

// isRestricted reports whether the configuration switches a command off or has rules for it to
// be judged by; one that cannot be read does not.
func (a *app) isRestricted(name, dir string) bool {
	cfg, err := config.Load(&config.Options{Dir: dir, Lookup: a.lookup})
	if err != nil {
		return false
	}
	on, said := cfg.Tools[name]
	return said && !on || len(cfg.Rules) > 0 || cfg.Targets.Target != ""
}
