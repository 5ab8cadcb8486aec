package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/router"
)

// chatFlags are those of chat and of -p.
type chatFlags struct {
	prompt    string
	hasPrompt bool
	dir       string
	config    config.Flags

	goOn      bool   // with the session that was last written here
	resume    string // the session with this ID
	noSession bool
	replay    string

	format, schema string
	turns          int
	cost, seconds  float64
	debugFile      string
	killAtLimit    bool
}

func parseChat(mode string, words []string) (chatFlags, error) {
	var c chatFlags
	f := newFlags("chat")
	f.StringVarP(&c.prompt, "prompt", "p", "", "")
	f.StringVar(&c.config.Provider, "provider", "", "")
	f.StringVar(&c.config.Model, "model", "", "")
	f.StringVar(&c.config.BaseURL, "base-url", "", "")
	f.StringVar(&c.config.APIKey, "api-key", "", "")
	f.StringVar(&c.config.Mode, "mode", mode, "")
	f.StringVar(&c.config.File, "config", "", "")
	f.StringVar(&c.dir, "dir", "", "")
	f.BoolVar(&c.goOn, "continue", false, "")
	f.StringVar(&c.resume, "resume", "", "")
	f.BoolVar(&c.noSession, "no-session", false, "")
	f.StringVar(&c.replay, "replay", "", "")
	f.StringVar(&c.format, "output-format", "text", "")
	f.StringVar(&c.schema, "json-schema", "", "")
	f.IntVar(&c.turns, "max-turns", 0, "")
	f.Float64Var(&c.cost, "max-cost", 0, "")
	f.Float64Var(&c.seconds, "max-time", 0, "")
	f.StringVar(&c.debugFile, "debug-file", "", "")
	f.BoolVar(&c.killAtLimit, "kill-at-limit", false, "")
	if err := f.Parse(words); err != nil {
		return c, err
	}
	c.hasPrompt = f.Changed("prompt")
	if f.NArg() > 0 {
		return c, fmt.Errorf("%q is not understood: a prompt goes after -p, in quotes", f.Arg(0))
	}
	if f.Changed("max-turns") && c.turns <= 0 {
		return c, errors.New("--max-turns: give a number above 0, or leave it out for no limit")
	}
	return c, c.checkLimits(f.Changed("max-cost"), f.Changed("max-time"))
}

func (c *chatFlags) checkLimits(cost, seconds bool) error {
	switch {
	case checkMode(c.config.Mode) != nil:
		return checkMode(c.config.Mode)
	case c.hasPrompt && strings.TrimSpace(c.prompt) == "":
		return errors.New("the prompt is empty: agentbash -p 'what to do'")
	case cost && !(c.cost > 0):
		return errors.New("--max-cost: give dollars above 0, or leave it out for no limit")
	case seconds && !(c.seconds > 0):
		return errors.New("--max-time: give seconds above 0, or leave it out for no limit")
	case c.goOn && c.resume != "":
		return errors.New("--continue and --resume name two sessions: give one of them")
	case c.noSession && (c.goOn || c.resume != ""):
		return errors.New("--no-session records nothing, so it does not go with --continue or --resume")
	case c.format != "text" && c.format != "json" && c.format != "stream-json":
		return fmt.Errorf("--output-format %q: it is text, json or stream-json", c.format)
	case !c.hasPrompt && c.replay == "" && (c.format != "text" || c.schema != ""):
		return errors.New("--output-format and --json-schema are for one prompt: give it with -p")
	}
	return nil
}

// runChat is agentbash, agentbash chat and agentbash -p.
func runChat(ctx context.Context, a *app, words []string) int {
	c, err := parseChat(a.mode, words)
	if err != nil {
		return a.usageError("chat", err)
	}
	saved, err := a.openTranscript(&c)
	if err != nil {
		return a.reportError(err)
	}
	defer saved.close()
	// A headless run never waits for a person.
	b, err := a.openBash(bashOptions{dir: c.dir, flags: c.config, session: true, ask: !c.hasPrompt && c.replay == "",
		who: whoModel, id: saved.id, killAtLimit: c.killAtLimit})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	saved.tellChanges(a, b)
	if c.hasPrompt || c.replay != "" {
		defer a.tellLeft(b)
		return a.runPrompt(ctx, b, saved, &c)
	}
	return a.runSession(ctx, b, saved, &c)
}

const chatGCPercent = 50

// runSession is the chat: with a model, or with the person in its place.
func (a *app) runSession(ctx context.Context, b *configuredBash, saved *chatTranscript, c *chatFlags) int {
	choice, err := b.chooseModel(ctx)
	if err != nil {
		return a.reportError(err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if _, said := a.lookup("GOGC"); !said {
		// A chat stays open for days and has little to do: memory counts more. By
		// default each long request would leave as much garbage as there is to keep.
		debug.SetGCPercent(chatGCPercent)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if c.config.Mode == "" && choice.model == "" { // who types a command has said yes to it
		if err := b.TrustSender(ctx); err != nil {
			return a.reportError(err)
		}
	}
	b.Start()
	b.Prepare() // warnings come before the screen
	o := &term.Options{In: a.in, Out: a.out, Err: a.err, Runner: &typedRunner{chat.RouterRunner{Router: b.Router(), Turns: b.Guard()}, c.config.Mode == "" || choice.model != "", choice.model == ""}, Interrupt: interrupts,
		Info: b.bannerInfo(choice), Plain: a.plainTerminal(), Color: a.wantsColours(), Asker: b.asker, Background: b.Shells().Running}
	t := &chatCommands{a: a, b: b, transcript: saved, none: c.noSession}
	o.Mode, o.SetMode, o.ModeText = func() string { return string(b.Guard().Mode()) }, b.setMode, b.modeText
	if choice.model != "" {
		opts, err := a.chatOptions(b, choice, saved, c)
		if err != nil {
			return a.reportError(err)
		}
		opts.MaxTime = c.maxTime(b)
		o.Conversation = chat.New(opts)
		t.opts, t.conv, o.Resume = opts, o.Conversation, t.resumeSession
	} else {
		o.Incomplete = router.Incomplete
	}
	o.Commands = t.slashCommands()
	defer a.setUpTerminal(o, b)()
	if err := term.Chat(ctx, o); errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted
	} else if err != nil {
		return a.reportError(err)
	}
	return exitOK
}

// maxTime is --max-time, or limits.time of a file; 0 is none.
func (c *chatFlags) maxTime(b *configuredBash) time.Duration {
	seconds := c.seconds
	if seconds == 0 {
		seconds = b.cfg.Limits.Time
	}
	return time.Duration(seconds * float64(time.Second))
}

// bannerInfo is what the banner tells.
func (b *configuredBash) bannerInfo(s modelChoice) term.Info {
	info := term.Info{Version: moduleVersion(), Model: s.model, Server: s.name, Dir: b.Router().Dir()}
	if s.model != "" && info.Server == "" {
		info.Server = "api.openai.com"
		if u, err := url.Parse(s.baseURL); err == nil && u.Host != "" {
			info.Server = u.Host
		}
	}
	return info
}

// plainTerminal reports a terminal that can only print, or a person who wants
// it to.
func (a *app) plainTerminal() bool {
	t, _ := a.lookup("TERM")
	accessible, _ := a.lookup("ACCESSIBLE")
	return t == "dumb" || t == "" || accessible != "" && accessible != "0"
}

// wantsColours reports whether the person wants colours (no-color.org).
func (a *app) wantsColours() bool {
	noColor, _ := a.lookup("NO_COLOR")
	return noColor == ""
}
