package main

import (
	"context"
	"fmt"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/registry"
)

// defaultModel is asked for where the server is OpenAI's own and no model was named.
const defaultModel = "gpt-5"

var errNoModel = &registry.UsageError{Problems: []string{
	"no model is configured and no model server runs on this machine: set OPENAI_API_KEY, or name a server with --base-url http://HOST:PORT/v1"}}

// noModelError says what is missing.
func (b *configuredBash) noModelError() error {
	if b.cfg.Model == "" {
		return errNoModel
	}
	return &registry.UsageError{Problems: []string{fmt.Sprintf("the model %s is configured (%s), but neither a key nor a server: set OPENAI_API_KEY, or name the server with --base-url http://HOST:PORT/v1 or --provider",
		b.cfg.Model, b.cfg.From["model"])}}
}

// modelChoice is who sends the commands: a model, or with no model the person.
type modelChoice struct {
	model, baseURL, key string
	name                string // of a server that was found on this machine
}

// chooseModel takes the configured model, else a server on this machine, else nobody.
func (b *configuredBash) chooseModel(ctx context.Context) (modelChoice, error) {
	s := modelChoice{model: b.cfg.Model, baseURL: b.cfg.BaseURL, key: b.cfg.APIKey}
	switch {
	case b.cfg.Provider != "" && b.cfg.KeyVar != "" && s.key == "":
		return s, &registry.UsageError{Problems: []string{fmt.Sprintf("the provider %s has no key: set %s", b.cfg.Provider, b.cfg.KeyVar)}}
	case s.baseURL == "" && s.key == "":
		local := config.FindLocal(ctx, config.Candidates())
		if local == nil {
			return modelChoice{}, nil
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

// chatSettings are the flags that errors of the conversation name.
var chatSettings = chat.Settings{
	Model: "--model", BaseURL: "--base-url", APIKey: config.EnvKey, Prices: "its prices in models.json beside the user's config file",
	MaxTurns: "--max-turns", MaxCost: "--max-cost", MaxTime: "--max-time", Permission: "--mode or a rule", ReadFile: "read --file_path",
}
