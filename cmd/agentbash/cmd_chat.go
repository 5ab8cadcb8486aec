package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/router"
)

// chatFlags are those of chat and of -p.
type chatFlags struct {
	prompt    string
	hasPrompt bool
	dir       string
	on        targetName
	config    config.Flags
	run       runFlags

	first     string // a chat begins with it
	bare      bool   // -p has no prompt of its own
	goOn      bool   // with the session that was last written here
	resume    string // the session with this ID, or chooseLater
	fork      bool   // with a copy of it
	noSession bool
	replay    string

	format, schema string
	inputFormat    string
	output         string // the file of the answer
	turns          int
	cost, seconds  float64
	debugFile      string
	killAtLimit    bool

	batchFlags
}

func parseChat(mode string, on targetName, words []string, lookup func(string) (string, bool)) (chatFlags, error) {
	var c chatFlags
	f := newFlags("chat")
	f.StringVarP(&c.prompt, "prompt", "p", "", "")
	f.StringVar(&c.config.Provider, "provider", "", "")
	f.StringVarP(&c.config.Model, "model", "m", "", "")
	f.StringVar(&c.config.Effort, "effort", "", "")
	f.StringVar(&c.config.BaseURL, "base-url", "", "")
	f.StringVar(&c.config.APIKey, "api-key", "", "")
	f.StringVar(&c.config.Mode, "mode", mode, "")
	f.StringVar(&c.config.File, "config", "", "")
	f.StringVar(&c.dir, "dir", "", "")
	f.BoolVarP(&c.goOn, "continue", "c", false, "")
	f.StringVarP(&c.resume, "resume", "r", "", "")
	f.Lookup("resume").NoOptDefVal = chooseLater
	f.BoolVar(&c.fork, "fork", false, "")
	c.on = on
	f.Var(&c.on, "on", "")
	f.BoolVar(&c.noSession, "no-session", false, "")
	f.StringVar(&c.replay, "replay", "", "")
	f.StringVar(&c.format, "output-format", "text", "")
	f.StringVar(&c.schema, "json-schema", "", "")
	f.StringVar(&c.schema, "output-schema", "", "")
	f.StringVar(&c.inputFormat, "input-format", "text", "")
	f.StringVarP(&c.output, "output", "o", "", "")
	f.IntVar(&c.turns, "max-turns", 0, "")
	f.Float64Var(&c.cost, "max-cost", 0, "")
	f.Float64Var(&c.seconds, "max-time", 0, "")
	f.StringVar(&c.debugFile, "debug-file", "", "")
	f.BoolVar(&c.killAtLimit, "kill-at-limit", false, "")
	c.batchFlags.add(f)
	c.run.define(f)
	words, c.bare = joinOptional(f, words)
	if err := f.Parse(words); err != nil {
		return c, err
	}
	if err := c.run.applyTo(&c); err != nil {
		return c, err
	}
	c.hasPrompt = f.Changed("prompt") || c.bare
	switch c.first = f.Arg(0); {
	case f.NArg() == 1 && c.bare:
		c.prompt, c.first, c.bare = c.first, "", false
	case f.NArg() > 1 || c.hasPrompt && c.first != "":
		return c, fmt.Errorf("%q is not understood: one prompt, in quotes", f.Arg(f.NArg()-1))
	}
	if err := c.takeTask(f, lookup); err != nil {
		return c, err
	}
	if f.Changed("max-turns") && c.turns <= 0 {
		return c, errors.New("--max-turns: give a number above 0, or leave it out for no limit")
	}
	for _, check := range []error{c.checkLimits(f.Changed("max-cost"), f.Changed("max-time")), c.checkSession(), c.checkFormats(), c.checkBatch()} {
		if check != nil {
			return c, check
		}
	}
	return c, nil
}

func (c *chatFlags) checkLimits(cost, seconds bool) error {
	switch {
	case checkMode(c.config.Mode) != nil:
		return checkMode(c.config.Mode)
	case checkEffort(c.config.Effort) != nil:
		return checkEffort(c.config.Effort)
	case c.hasPrompt && !c.bare && strings.TrimSpace(c.prompt) == "":
		return errors.New("the prompt is empty: agentbash -p 'what to do'")
	case cost && !(c.cost > 0):
		return errors.New("--max-cost: give dollars above 0, or leave it out for no limit")
	case seconds && !(c.seconds > 0):
		return errors.New("--max-time: give seconds above 0, or leave it out for no limit")
	}
	return nil
}

// checkSession is the error of flags that name no session, or two.
func (c *chatFlags) checkSession() error {
	switch {
	case c.resume == chooseLater && c.hasPrompt:
		return errors.New("--resume wants the ID of a session here: agentbash sessions list shows them")
	case c.fork && !c.goOn && c.resume == "":
		return errors.New("--fork copies the session of --continue or --resume: give one of them")
	case c.goOn && c.resume != "":
		return errors.New("--continue and --resume name two sessions: give one of them")
	case c.noSession && (c.goOn || c.resume != ""):
		return errors.New("--no-session records nothing, so it does not go with --continue or --resume")
	}
	return nil
}

// checkFormats is the error of flags for runs without a terminal.
func (c *chatFlags) checkFormats() error {
	switch {
	case c.format != "text" && c.format != "json" && c.format != "stream-json":
		return fmt.Errorf("--output-format %q: it is text, json or stream-json", c.format)
	case c.inputFormat != "text" && c.inputFormat != "stream-json":
		return fmt.Errorf("--input-format %q: it is text or stream-json", c.inputFormat)
	case !c.hasPrompt && c.replay == "" && (c.format != "text" || c.schema != "" || c.inputFormat != "text" || c.output != ""):
		return errors.New("--output-format, --input-format, --output and --json-schema are for runs without a terminal: give -p")
	case c.inputFormat != "text" && !c.bare:
		return errors.New("--input-format stream-json takes the prompts from stdin: give -p without one")
	}
	return nil
}

// runChat is agentbash, agentbash chat and agentbash -p.
func runChat(ctx context.Context, a *app, words []string) (status int) {
	c, err := parseChat(a.mode, a.on, words, a.lookup)
	if err != nil {
		return a.usageError("chat", err)
	}
	if c.logFormat == "json" {
		log := newJSONLog(a.err, &c.batchFlags)
		a.err = log
		defer func() { log.end(status) }()
	}
	done, err := a.enterWorktree(ctx, &c)
	if err != nil {
		return a.reportError(err)
	}
	defer done()
	for {
		status, again := a.runChatOnce(ctx, c)
		if !again {
			return status
		}
	}
}

// runChatOnce is a chat from its start to its end; again: a model was connected, with which it begins anew.
func (a *app) runChatOnce(ctx context.Context, c chatFlags) (status int, again bool) {
	run, err := a.openBatchRun(&c)
	defer func() { status = run.end(status) }()
	if err != nil {
		return a.reportError(err), false
	}
	if run.run != nil && run.run.Result != nil {
		return run.tellAgain(c.format), false
	}
	saved, err := a.openTranscript(&c)
	if err != nil {
		return a.reportError(err), false
	}
	defer saved.close()
	// A headless run never waits for a person.
	b, err := a.openBash(bashOptions{dir: c.dir, on: c.on, flags: c.config, session: true, asker: a.askerIf(!c.hasPrompt && c.replay == ""),
		who: whoModel, id: saved.id, killAtLimit: c.killAtLimit, agents: true, appended: c.run.appended})
	if err != nil {
		return a.reportError(err), false
	}
	defer b.Close()
	saved.tellChanges(a, b)
	if c.hasPrompt || c.replay != "" && !a.playsOnScreen(&c) {
		defer a.tellLeft(b)
		return a.runPrompt(ctx, b, saved, &c, run), false
	}
	return a.runSession(ctx, b, saved, &c)
}

const chatGCPercent = 50

// runSession is the chat: with a model, or with the person in its place.
func (a *app) runSession(ctx context.Context, b *configuredBash, saved *chatTranscript, c *chatFlags) (status int, again bool) {
	choice, err := replayModel(), error(nil)
	if c.replay == "" {
		choice, err = b.chooseModel(ctx)
	}
	if err != nil {
		return a.reportError(err), false
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A chat stays open for days and has little to do: memory counts more. By
	// default each long request would leave as much garbage as there is to keep.
	a.collectAt(chatGCPercent)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if c.config.Mode == "" && choice.model == "" { // who types a command has said yes to it
		if err := b.TrustSender(ctx); err != nil {
			return a.reportError(err), false
		}
	}
	b.Start()
	b.Prepare() // warnings come before the screen
	prompter, _ := b.asker.(*term.Prompter)
	o := &term.Options{Records: saved.records, First: c.firstTexts(), In: a.in, Out: a.out, Err: a.err, Runner: &typedRunner{chat.RouterRunner{Router: b.Router(), Turns: b}, c.config.Mode == "" || choice.model != "", choice.model == ""}, Interrupt: interrupts,
		Info: b.bannerInfo(choice), Plain: a.plainTerminal(), Color: a.wantsColours(), Asker: prompter, Background: func() int { return b.runningShells() + b.Agents().Running() }}
	o.StatusLine = a.statusCommand(b)
	t := &chatCommands{a: a, b: b, transcript: saved, none: c.noSession, fork: c.fork && c.resume == chooseLater, runner: o.Runner, root: confinement.Repository(b.Router().Dir())}
	if err := b.describeTerminal(o); err != nil {
		return a.reportError(err), false
	}
	o.Mode, o.SetMode, o.ModeText = func() string { return string(b.Guard().Mode()) }, b.setMode, b.modeText
	if choice.model != "" {
		opts, err := a.chatOptions(b, choice, saved, c)
		if err != nil {
			return a.reportError(err), false
		}
		opts.MaxTime, opts.Waited = c.maxTime(b), prompter.Waited
		if err := c.playRecording(o, opts); err != nil {
			return a.reportError(err), false
		}
		o.Conversation = chat.New(opts)
		t.opts, t.conv = opts, o.Conversation
	} else {
		o.Incomplete = router.Incomplete
	}
	if o.Conversation == nil && c.first != "" && !b.asker.Present() {
		return a.reportError(b.noModelError()), false
	} else if o.Conversation == nil && b.asker.Present() && (c.first != "" || b.isFirstRun()) {
		o.First = []string{"/connect"}
	}
	if id := saved.id(); id != "" {
		o.Info.Notes = append(o.Info.Notes, "session "+id+" goes on")
	}
	o.Commands = t.slashCommands()
	defer a.setUpTerminal(o, b)()
	var last *term.CommandError
	if err := term.Chat(ctx, o); errors.As(err, &last) {
		return last.Status, false
	} else if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted, false
	} else if err != nil {
		return a.reportError(err), false
	}
	if id := saved.id(); id != "" && isTerminal(a.err) {
		fmt.Fprintf(a.err, "go on with: agentbash -r %s\n", id)
	}
	return exitOK, t.connected
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
