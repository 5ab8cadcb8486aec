package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/registry"
)

// findModel finds the model that a person names in a chat: NAME at the present
// server, PROVIDER for the one that is taken there by default, or PROVIDER:NAME.
func (a *app) findModel(ctx context.Context, b *configuredBash, now chat.Model, name string) (chat.Model, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return now, &registry.UsageError{Problems: []string{"name a model, a provider, or PROVIDER:MODEL"}}
	}
	next := chat.Model{Name: name, BaseURL: now.BaseURL, APIKey: now.APIKey}
	provider, rest, _ := strings.Cut(name, ":")
	for _, p := range config.Providers() {
		if p.Name != provider {
			continue
		}
		next = chat.Model{Name: rest, BaseURL: p.BaseURL}
		if p.KeyVar != "" {
			key, _ := a.lookup(p.KeyVar)
			if next.APIKey = strings.TrimSpace(key); next.APIKey == "" {
				return now, &registry.UsageError{Problems: []string{fmt.Sprintf("the provider %s has no key: set %s and start again", p.Name, p.KeyVar)}}
			}
		}
		if next.Name == "" {
			next.Name = p.Model
		}
		if next.Name == "" {
			var err error
			if next.Name, err = config.FirstModel(ctx, next.BaseURL, next.APIKey); err != nil {
				return now, &registry.UsageError{Problems: []string{err.Error()}}
			}
		}
	}
	return b.addFacts(next), nil
}

// addFacts adds to a model what the configuration says of it, and what was learnt.
func (b *configuredBash) addFacts(m chat.Model) chat.Model {
	f := b.cfg.Models[m.Name]
	m.Window, m.Prices, m.API = f.Window, chat.Prices{Input: f.Input, Cached: f.Cached, Output: f.Output}, f.API
	m.Idle = time.Duration(f.Silence * float64(time.Second))
	if m.API == "" {
		known := m
		known.BaseURL = chat.BaseURL(m.BaseURL)
		m.KnownAPI = b.knownProtocols().protocolOf(known)
	}
	return m
}
