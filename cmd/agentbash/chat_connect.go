package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/internal/secrettext"
)

// What can be chosen beside the providers.
const (
	otherServer = "other"
	noModel     = "none"
)

// connect is /connect: it asks for a provider, its key and a model, tries them, and keeps what
// answers in the user's file. The chat begins anew with it.
func (t *chatCommands) connect(ctx context.Context, _ string) (string, error) {
	p, err := t.chooseProvider(ctx)
	switch {
	case err != nil:
		return "", err
	case p.Name == noModel:
		return "no model: what you type runs as a command. /connect asks again.", os.WriteFile(connectMark(t.b.cfg.Dirs), nil, 0o600)
	case p.Name == otherServer:
		reply, err := t.b.asker.Ask(ctx, &term.Question{Title: "What is the server's address?", Text: "It is one that is compatible with OpenAI's, such as http://127.0.0.1:8080/v1"})
		if err != nil {
			return "", err
		}
		p.BaseURL = config.WithScheme(reply.Text)
	}
	key, typed, err := t.keyOf(ctx, p)
	if err != nil {
		return "", err
	}
	models, err := config.Models(ctx, p.BaseURL, key)
	if err != nil {
		return "", fmt.Errorf("%s does not answer as a model server (%w): nothing is kept; /connect tries again", secrettext.Shown(p.BaseURL), err)
	}
	model, err := t.chooseModelOf(ctx, p, models)
	if err != nil {
		return "", err
	}
	values := map[string]string{"provider": p.Name, "baseURL": "", "model": model, "apiKey": typed}
	if p.Name == otherServer {
		values["provider"], values["baseURL"] = "", p.BaseURL
	}
	if err := config.SetValues(t.b.cfg.Dirs, values); err != nil {
		return "", err
	}
	t.connected = true
	t.b.asker.Tell(fmt.Sprintf("kept in %s", t.b.cfg.Dirs.UserFile()))
	return "", term.ErrQuit
}

// chooseProvider has the person choose who is to answer.
func (t *chatCommands) chooseProvider(ctx context.Context) (config.Provider, error) {
	var ready, items []term.Item // what can answer at once comes first
	local := config.FindLocal(ctx, config.Candidates())
	for _, p := range config.Providers() {
		i := term.Item{Key: p.Name, Text: p.BaseURL, About: p.Name}
		switch {
		case local != nil && local.BaseURL == p.BaseURL:
			i.Text += ", which runs"
			ready = append(ready, i)
			continue
		case t.a.providerKey(p) != "":
			i.Text += ", with the key in " + p.KeyVar
			ready = append(ready, i)
			continue
		case p.KeyVar == "":
			i.Text += " (not running)"
		}
		items = append(items, i)
	}
	items = append(append(ready, items...), term.Item{Key: otherServer, Text: "a server that is compatible with OpenAI's, by its address", About: "other"},
		term.Item{Key: noModel, Text: "no model: what I type runs as a command", About: "none"})
	reply, err := t.b.asker.Ask(ctx, &term.Question{Title: "No model is connected. Who is to answer?", Items: items})
	if err != nil {
		return config.Provider{}, err
	}
	for _, p := range config.Providers() {
		if p.Name == reply.Key {
			return p, nil
		}
	}
	return config.Provider{Name: reply.Key}, nil
}

// keyOf is the provider's key, and what was typed of it.
func (t *chatCommands) keyOf(ctx context.Context, p config.Provider) (key, typed string, err error) {
	if key := t.a.providerKey(p); key != "" || p.KeyVar == "" && p.Name != otherServer {
		return key, "", nil
	}
	q := &term.Question{Title: "What is the key?", Secret: true, Text: fmt.Sprintf("It is kept in %s, which you alone can read.", t.b.cfg.Dirs.UserFile())}
	if p.KeyVar != "" {
		q.Text += fmt.Sprintf("\nTo keep it elsewhere: Esc, Ctrl-D, export %s=..., and start again.", p.KeyVar)
	} else {
		q.Text += "\nEnter alone: it wants none."
	}
	reply, err := t.b.asker.Ask(ctx, q)
	typed = strings.TrimSpace(reply.Text)
	if err == nil && typed == "" && p.KeyVar != "" {
		err = errors.New("no key was typed: /connect tries again")
	}
	return typed, typed, err
}

// chooseModelOf has the person choose one of several models, the one that is usual there first.
func (t *chatCommands) chooseModelOf(ctx context.Context, p config.Provider, models []string) (string, error) {
	if len(models) == 1 {
		return models[0], nil
	}
	if i := slices.Index(models, p.Model); i > 0 {
		models = append([]string{p.Model}, slices.Delete(models, i, i+1)...)
	}
	var items []term.Item
	for _, m := range models {
		items = append(items, term.Item{Key: m, Text: m})
	}
	reply, err := t.b.asker.Ask(ctx, &term.Question{Title: "Which model?", Items: items})
	return reply.Key, err
}

// connectMark is there when the person wants no model.
func connectMark(d config.Dirs) string { return filepath.Join(d.State, "no-model") }

// isFirstRun reports whether nobody has said yet who is to answer.
func (b *configuredBash) isFirstRun() bool {
	for _, path := range []string{b.cfg.Dirs.UserFile(), connectMark(b.cfg.Dirs)} {
		if _, err := os.Stat(path); err == nil {
			return false
		}
	}
	return true
}

// rememberModel keeps a model that was switched to for the next start, and says whether it does.
func (t *chatCommands) rememberModel(was, next chat.Model) string {
	from, own := t.b.cfg.From, t.b.cfg.Dirs.UserFile()
	for _, key := range []string{"model", "baseURL", "provider"} {
		if at := from[key]; at != "" && at != own && !strings.HasPrefix(at, "the provider ") {
			return fmt.Sprintf("; the next start begins with what %s names", at)
		}
	}
	values := map[string]string{"model": next.Name}
	if was.BaseURL != next.BaseURL {
		if from["apiKey"] == own {
			return fmt.Sprintf("; the next start begins with the server of the key in %s", own)
		}
		values["baseURL"], values["provider"] = next.BaseURL, ""
		for _, p := range config.Providers() {
			if chat.BaseURL(p.BaseURL) == next.BaseURL {
				values["baseURL"], values["provider"] = "", p.Name
			}
		}
	} else if t.b.cfg.BaseURL == "" && t.b.cfg.APIKey == "" { // it was found on this machine
		values["baseURL"] = next.BaseURL
	}
	if err := config.SetValues(t.b.cfg.Dirs, values); err != nil {
		return fmt.Sprintf("; it is not kept for the next start: %v", err)
	}
	return ", also after the next start"
}
