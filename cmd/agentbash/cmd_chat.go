package main

import (
	"cmp"
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
	// A headless run never waits for a person.
	s, err := a.openChat(&c, bashOptions{asker: a.askerIf(!c.hasPrompt && c.replay == "")})
	if err != nil {
		return a.reportError(err), false
	}
	defer s.Close()
	s.transcript.tellChanges(a, s.b)
	if c.hasPrompt || c.replay != "" && !a.playsOnScreen(&c) {
		defer a.tellLeft(s.b)
		return s.runPrompt(ctx, run), false
	}
	return s.runTerminal(ctx)
}

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

// maxTime is --max-time, or limits.time of a file; 0 is none.
func (s *openedChat) maxTime() time.Duration {
	return secondsDuration(cmp.Or(s.c.seconds, s.b.cfg.Limits.Time))
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
