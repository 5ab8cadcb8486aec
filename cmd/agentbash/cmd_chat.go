package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/spf13/pflag"
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

// runFlags are what a chat or -p is told for one run, beside its configuration.
type runFlags struct {
	addDirs     []string
	allow, deny []string
	appended    string // to the system prompt
	worktree    bool
}

func (r *runFlags) define(f *pflag.FlagSet) {
	f.StringArrayVar(&r.addDirs, "add-dir", nil, "")
	f.StringArrayVar(&r.allow, "allow", nil, "")
	f.StringArrayVar(&r.deny, "deny", nil, "")
	f.StringVar(&r.appended, "append-system-prompt", "", "")
	f.BoolVar(&r.worktree, "worktree", false, "")
}

// applyTo adds them to what the configuration is read with.
func (r *runFlags) applyTo(c *chatFlags) error {
	for _, dir := range r.addDirs {
		full, err := workDir(dir)
		if err != nil {
			return fmt.Errorf("--add-dir %s: %w", dir, err)
		}
		c.config.AddDirs = append(c.config.AddDirs, full)
	}
	for _, given := range []struct {
		word  string
		rules []string
	}{{"deny", r.deny}, {"allow", r.allow}} {
		for _, rule := range given.rules {
			rule = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rule), given.word+" "))
			if rule == "" {
				return fmt.Errorf("--%s: give a rule, such as 'git push ...' or agent:write", given.word)
			}
			c.config.Rules = append(c.config.Rules, given.word+" "+rule)
		}
	}
	return nil
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

// chooseLater stands for the ID of a session that the person chooses from a list.
const chooseLater = "?"

// joinOptional gives --resume the ID that stands after it, and takes the -p without a prompt, of which
// it reports whether there is one: both may stand with a value and without.
func joinOptional(f *pflag.FlagSet, words []string) (out []string, bare bool) {
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w := words[i]; {
		case w == "--":
			return append(out, words[i:]...), bare
		case (w == "-r" || w == "--resume") && next != "" && next[0] != '-' && !strings.ContainsAny(next, " \n"):
			out = append(out, "--resume="+next)
			i++
		case (w == "-p" || w == "--prompt") && (i+1 == len(words) || isFlag(f, next)):
			bare = true
		case (w == "-p" || w == "--prompt") || takesValue(f, w):
			out = append(out, words[i:min(i+2, len(words))]...)
			i++
		default:
			out = append(out, w)
		}
	}
	return out, bare
}

// isFlag reports whether a word is one of the flags.
func isFlag(f *pflag.FlagSet, word string) bool {
	name, _, _ := strings.Cut(word, "=")
	long, ok := strings.CutPrefix(name, "--")
	return ok && f.Lookup(long) != nil || len(word) == 2 && word[0] == '-' && word[1] != '-' && f.ShorthandLookup(word[1:]) != nil
}

// takesValue reports whether the value of a flag is the next word.
func takesValue(f *pflag.FlagSet, word string) bool {
	flag := f.Lookup(strings.TrimLeft(word, "-"))
	if len(word) == 2 {
		flag = f.ShorthandLookup(word[1:])
	}
	return strings.HasPrefix(word, "-") && flag != nil && flag.NoOptDefVal == ""
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
