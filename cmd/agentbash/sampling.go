package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/fieldbash/mcp"
)

// answerSampling has the configured model answer a server that the configuration lends
// it to. It is one request: the model gets what the server says and nothing of
// our conversation, and can run nothing.
func (b *configuredBash) answerSampling(ctx context.Context, _ string, p mcp.Prompting) (mcp.Completion, error) {
	s, err := b.chooseModel(ctx)
	if err != nil {
		return mcp.Completion{}, err
	}
	if s.model == "" {
		return mcp.Completion{}, errors.New("no model is configured")
	}
	prompt, err := samplingPrompt(p.Messages)
	if err != nil {
		return mcp.Completion{}, err
	}
	m := b.addFacts(chat.Model{Name: s.model, BaseURL: s.baseURL, APIKey: s.key})
	o := &chat.Options{
		System: strings.TrimSpace(p.System + "\nAnswer with text alone: no command can be run here."),
		Runner: refusingRunner{}, MaxTurns: 2, MaxCost: b.cfg.Limits.Cost, Known: b.knownModels(), Program: moduleVersion(), Settings: chatSettings,
	}
	o.SetModel(m)
	text, err := chat.New(o).Turn(ctx, prompt)
	if err != nil {
		return mcp.Completion{}, err
	}
	return mcp.Completion{Model: m.Name, Text: text, StopReason: "endTurn"}, nil
}

// samplingPrompt is what a server wants answered, as one prompt: its messages, with
// their roles where there are several.
func samplingPrompt(messages []mcp.PromptMessage) (string, error) {
	var b strings.Builder
	for _, m := range messages {
		if m.Content.Type != "text" {
			return "", errors.New("only text can be answered, not " + m.Content.Type)
		}
		if len(messages) > 1 {
			b.WriteString(m.Role + ": ")
		}
		b.WriteString(m.Content.Text + "\n")
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", errors.New("there is nothing to answer")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// refusingRunner refuses every command: a server's words are no reason to run one.
type refusingRunner struct{}

func (refusingRunner) Run(context.Context, string, time.Duration) (string, int) {
	return "no command can be run here: answer with text", 126
}
