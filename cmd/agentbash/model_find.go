package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		if next.APIKey = a.providerKey(p); next.APIKey == "" && p.KeyVar != "" {
			return now, &registry.UsageError{Problems: []string{fmt.Sprintf("the provider %s has no key: set %s and start again", p.Name, p.KeyVar)}}
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

// providerKey is what the environment has of a provider's key.
func (a *app) providerKey(p config.Provider) string {
	key, _ := a.lookup(p.KeyVar)
	return strings.TrimSpace(key)
}

// addFacts adds to a model what the configuration says of it, and what was learnt.
func (b *configuredBash) addFacts(m chat.Model) chat.Model {
	f := b.cfg.Models[m.Name]
	m.Window, m.Prices = f.Window, chat.Prices{Input: f.Input, Cached: f.Cached, Output: f.Output}
	m.API, m.Effort = cmp.Or(f.API, config.APIOf(m.BaseURL)), cmp.Or(b.cfg.Effort, f.Effort)
	m.Idle = time.Duration(f.Silence * float64(time.Second))
	if m.API == "" {
		known := m
		known.BaseURL = chat.BaseURL(m.BaseURL)
		m.KnownAPI = b.knownProtocols().protocolOf(known)
	}
	return m
}

// knownModels are the windows and prices that are known by name: those of the user's own
// file instead of the built-in ones.
func (b *configuredBash) knownModels() chat.KnownModels {
	path := filepath.Join(b.cfg.Dirs.Config, "models.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var known chat.KnownModels
	if err == nil {
		known, err = chat.BuiltInModels().With(data)
	}
	if err != nil {
		b.warn(fmt.Errorf("%s is left out: %w: it looks like {\"gpt-5\": {\"window\": 400000, \"input\": 1.25, \"cached\": 0.125, \"output\": 10}}", path, err))
	}
	return known
}

// fallback returns the models that go on where a server fails, one after the other.
func (a *app) fallback(b *configuredBash, first chat.Model) func(context.Context) (chat.Model, bool) {
	names := b.cfg.Fallbacks
	return func(ctx context.Context) (chat.Model, bool) {
		for len(names) > 0 {
			m, err := a.findModel(ctx, b, first, names[0])
			if names = names[1:]; err == nil {
				return m, true
			}
			b.warn(err)
		}
		return chat.Model{}, false
	}
}
