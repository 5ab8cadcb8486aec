package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/router"
)

const chatGCPercent = 50

// runTerminal is the chat: with a model, or with the person in its place.
func (s *openedChat) runTerminal(ctx context.Context) (status int, again bool) {
	a := s.a
	choice, err := s.chooseModel(ctx)
	if err != nil {
		return a.reportError(err), false
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A chat stays open for days and has little to do: memory counts more. By
	// default each long request would leave as much garbage as there is to keep.
	a.collectAt(chatGCPercent)
	interrupts, resize := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	signal.Notify(resize, syscall.SIGWINCH)
	defer signal.Stop(resize)
	if s.c.config.Mode == "" && choice.model == "" { // who types a command has said yes to it
		if err := s.b.TrustSender(ctx); err != nil {
			return a.reportError(err), false
		}
	}
	s.b.Start()
	s.b.Prepare() // warnings come before the screen
	o, err := s.terminalOptions(choice)
	if err != nil {
		return a.reportError(err), false
	}
	o.Interrupt, o.Resize = interrupts, resize
	t := &chatCommands{openedChat: s, fork: s.c.fork && s.c.resume == chooseLater, runner: o.Runner, root: confinement.Repository(s.b.Router().Dir())}
	if err := t.beginConversation(o, choice); err != nil {
		return a.reportError(err), false
	}
	o.Commands = t.slashCommands()
	var last *term.CommandError
	if err := term.Chat(ctx, o); errors.As(err, &last) {
		return last.Status, false
	} else if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted, false
	} else if err != nil {
		return a.reportError(err), false
	}
	if id := s.transcript.id(); id != "" && isTerminal(a.err) {
		fmt.Fprintf(a.err, "go on with: agentbash -r %s\n", id)
	}
	return exitOK, t.connected
}

// beginConversation has the model answer, or where there is none the shell, and says what comes first.
func (t *chatCommands) beginConversation(o *term.Options, choice modelChoice) (err error) {
	if id := t.transcript.id(); id != "" {
		o.Info.Notes = append(o.Info.Notes, "session "+id+" goes on")
	}
	if choice.model == "" {
		o.Incomplete = router.Incomplete
		if t.b.asker.Present() && (t.c.first != "" || t.b.isFirstRun()) {
			o.First = []string{"/connect"}
		} else if t.c.first != "" && !t.b.asker.Present() {
			return t.b.noModelError()
		}
		return nil
	}
	if t.opts, err = t.conversationOptions(choice); err != nil {
		return err
	}
	t.opts.MaxTime, t.opts.Waited = t.maxTime(), o.Asker.Waited
	if t.c.replay != "" {
		t.opts.HTTPClient.Transport = pacedTransport{t.opts.HTTPClient.Transport}
		if o.Script, err = replayPrompts(t.c.replay); err != nil {
			return err
		}
	}
	t.conv = chat.New(t.opts)
	o.Conversation = t.conv
	return nil
}

// firstTexts are what a chat begins with, as if it had been typed.
func (c *chatFlags) firstTexts() (texts []string) {
	if c.resume == chooseLater {
		texts = append(texts, "/resume")
	}
	if c.first != "" {
		texts = append(texts, c.first)
	}
	return texts
}

// bannerInfo is what the banner tells.
func (b *configuredBash) bannerInfo(s modelChoice) term.Info {
	info := term.Info{Version: moduleVersion(), Model: s.model, Server: s.name, Dir: b.Router().Dir()}
	if s.model == "" && b.cfg.Model != "" {
		info.Notes = []string{b.noModelError().Error()}
	}
	if s.model != "" && info.Server == "" {
		info.Server = "api.openai.com"
		if u, err := url.Parse(s.baseURL); err == nil && u.Host != "" {
			info.Server = u.Host
		}
	}
	return info
}
