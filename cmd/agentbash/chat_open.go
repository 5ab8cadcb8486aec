package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/telemetry"
	"github.com/agentbash/agentbash/router"
)

// openedChat is what a conversation is held with, by a person, an editor or a run without either.
// Close it.
type openedChat struct {
	a          *app
	c          *chatFlags
	b          *configuredBash
	transcript *chatTranscript
}

// openChat opens the session that the flags name, and the bash. Of o it takes who may be asked and
// the servers.
func (a *app) openChat(c *chatFlags, o bashOptions) (*openedChat, error) {
	saved, err := a.openTranscript(c)
	if err != nil {
		return nil, err
	}
	o.dir, o.on, o.flags, o.killAtLimit, o.appended = c.dir, c.on, c.config, c.killAtLimit, c.run.appended
	o.session, o.agents, o.who, o.id = true, true, whoModel, saved.id
	b, err := a.openBash(o)
	if err != nil {
		saved.close()
		return nil, err
	}
	return &openedChat{a: a, c: c, b: b, transcript: saved}, nil
}

// Close ends the bash, and closes the session.
func (s *openedChat) Close() error { return errors.Join(s.b.Close(), s.transcript.close()) }

// chooseModel is who answers: the recording that is played, or as the configuration has it.
func (s *openedChat) chooseModel(ctx context.Context) (modelChoice, error) {
	if s.c.replay != "" {
		return replayModel(), nil
	}
	return s.b.chooseModel(ctx)
}

// modelOptions are conversationOptions where there has to be a model.
func (s *openedChat) modelOptions(ctx context.Context) (*chat.Options, error) {
	choice, err := s.chooseModel(ctx)
	if err != nil {
		return nil, err
	}
	if choice.model == "" {
		return nil, s.b.noModelError()
	}
	return s.conversationOptions(choice)
}

// conversationOptions puts together what a conversation needs.
func (s *openedChat) conversationOptions(choice modelChoice) (*chat.Options, error) {
	a, b, c := s.a, s.b, s.c
	limits := b.cfg.Limits
	m := b.addFacts(chat.Model{Name: choice.model, BaseURL: choice.baseURL, APIKey: choice.key})
	o := &chat.Options{
		OnAPI: b.knownProtocols().saveProtocol, Known: b.knownModels(), Fallback: a.fallback(b, m),
		System: a.systemText(b), Brief: func(most int) (string, string) { return a.briefPrompt(b, most) }, Runner: &chat.RouterRunner{Router: b.Router(), Turns: b},
		MaxTurns: limits.Turns, MaxCost: limits.Cost, Budget: &chat.Budget{},
		Spill:       chat.SpillTo(filepath.Join(b.cfg.Dirs.State, "outputs")),
		Description: router.Definition(b.Registry()).Description,
		Program:     moduleVersion(), History: s.transcript.records, Settings: chatSettings,
	}
	o.SetModel(m)
	if c.turns > 0 {
		o.MaxTurns = c.turns
	}
	if c.cost > 0 {
		o.MaxCost = c.cost
	}
	var err error
	if b.telemetry, err = telemetry.New(a.lookup, moduleVersion(), b.audit.Secrets.HideCommand, b.warn); err != nil {
		a.warn(err)
	}
	if b.agents != nil {
		b.agents.startFrom(o)
	}
	o.Journal = b.telemetry.Journal(s.transcript.journal(b, c), m.Name)
	if c.replay != "" {
		if o.HTTPClient, err = replayClient(c.replay); err != nil {
			return nil, err
		}
	}
	if c.debugFile != "" {
		f, err := os.OpenFile(c.debugFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, fmt.Errorf("--debug-file: %w", err)
		}
		s.transcript.debug, o.Debug = f, f
	}
	return o, nil
}

// maxTime is --max-time, or limits.time of a file; 0 is none.
func (s *openedChat) maxTime() time.Duration {
	return secondsDuration(cmp.Or(s.c.seconds, s.b.cfg.Limits.Time))
}
