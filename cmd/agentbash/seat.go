package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

//go:embed prompt.md
var systemPrompt string

// defaultModel is asked for where the server is OpenAI's own and no model was named.
const defaultModel = "gpt-5"

var errNoModel = &registry.UsageError{Problems: []string{
	"no model is configured and no model server runs on this machine: set OPENAI_API_KEY, or name a server with --base-url http://HOST:PORT/v1"}}

// seat is who sends the commands: a model, or with no model the person.
type seat struct {
	model, baseURL, key string
	name                string // of a server that was found on this machine
}

// seat takes the configured model, else a server on this machine, else nobody.
func (w *world) seat(ctx context.Context) (seat, error) {
	s := seat{model: w.cfg.Model, baseURL: w.cfg.BaseURL, key: w.cfg.APIKey}
	switch {
	case w.cfg.Provider != "" && w.cfg.KeyVar != "" && s.key == "":
		return s, &registry.UsageError{Problems: []string{fmt.Sprintf("the provider %s has no key: set %s", w.cfg.Provider, w.cfg.KeyVar)}}
	case s.baseURL == "" && s.key == "":
		local := config.FindLocal(ctx, config.Candidates())
		if local == nil {
			return seat{}, nil
		}
		s.baseURL, s.name = local.BaseURL, local.Name
		if s.model == "" {
			s.model = local.Model
		}
	case s.model == "" && s.baseURL == "":
		s.model = defaultModel
	case s.model == "":
		model, err := config.FirstModel(ctx, s.baseURL, s.key)
		if err != nil {
			return s, &registry.UsageError{Problems: []string{err.Error()}}
		}
		s.model = model
	}
	return s, nil
}

// settings are the flags that errors of the conversation name.
var settings = chat.Settings{
	Model: "--model", BaseURL: "--base-url", APIKey: config.EnvKey, Prices: `its prices under "models" in a config file`,
	MaxTurns: "--max-turns", MaxCost: "--max-cost", MaxTime: "--max-time", Permission: "--mode or a rule",
}

// chatOptions puts together what a conversation needs.
func (a *app) chatOptions(w *world, s seat, past *past, c *chatFlags) (*chat.Options, error) {
	fill := strings.NewReplacer("{os}", runtime.GOOS+"/"+runtime.GOARCH, "{dir}", w.Router().Dir())
	limits := w.cfg.Limits
	m := w.facts(chat.Model{Name: s.model, BaseURL: s.baseURL, APIKey: s.key})
	o := &chat.Options{
		Model: m.Name, BaseURL: m.BaseURL, APIKey: m.APIKey, API: m.API, KnownAPI: m.KnownAPI, OnAPI: w.learnt().keep,
		System: fill.Replace(systemPrompt) + a.instructions(w), Runner: &chat.RouterRunner{Router: w.Router(), Turns: w.Guard()},
		MaxTurns: limits.Turns, MaxCost: limits.Cost, Window: m.Window, Prices: m.Prices,
		Spill:       chat.SpillTo(filepath.Join(w.cfg.Dirs.State, "outputs")),
		Description: router.Definition(w.Registry()).Description,
		Program:     moduleVersion(), History: past.records, Settings: settings,
	}
	if c.turns > 0 {
		o.MaxTurns = c.turns
	}
	if c.cost > 0 {
		o.MaxCost = c.cost
	}
	if j := past.journal(w, c); j != nil {
		o.Journal = j
	}
	if c.debugFile != "" {
		f, err := os.OpenFile(c.debugFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, fmt.Errorf("--debug-file: %w", err)
		}
		past.debug = f
		o.Debug = f
	}
	return o, nil
}
