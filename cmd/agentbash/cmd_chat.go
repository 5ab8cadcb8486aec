package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/chat"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

//go:embed prompt.md
var systemPrompt string

// defaultModel is asked for where the server is OpenAI's own and no model was named.
const defaultModel = "gpt-5"

// chatFlags are those of chat and of -p.
type chatFlags struct {
	prompt    string
	hasPrompt bool
	dir       string
	config    config.Flags
}

func parseChat(words []string) (chatFlags, error) {
	var c chatFlags
	f := flags("chat")
	f.StringVarP(&c.prompt, "prompt", "p", "", "")
	f.StringVar(&c.config.Model, "model", "", "")
	f.StringVar(&c.config.BaseURL, "base-url", "", "")
	f.StringVar(&c.config.APIKey, "api-key", "", "")
	f.StringVar(&c.config.File, "config", "", "")
	f.StringVar(&c.dir, "dir", "", "")
	if err := f.Parse(words); err != nil {
		return c, err
	}
	c.hasPrompt = f.Changed("prompt")
	switch {
	case f.NArg() > 0:
		return c, fmt.Errorf("%q is not understood: a prompt goes after -p, in quotes", f.Arg(0))
	case c.hasPrompt && strings.TrimSpace(c.prompt) == "":
		return c, errors.New("the prompt is empty: agentbash -p 'what to do'")
	}
	return c, nil
}

// runChat is agentbash, agentbash chat and agentbash -p.
func runChat(ctx context.Context, a *app, words []string) int {
	c, err := parseChat(words)
	if err != nil {
		return a.usage("chat", err)
	}
	w, err := a.open(worldOptions{dir: c.dir, flags: c.config, session: true})
	if err != nil {
		return a.fail(err)
	}
	defer w.Close()
	if c.hasPrompt {
		return a.runPrompt(ctx, w, c.prompt)
	}
	return a.runSession(ctx, w)
}

// runPrompt is agentbash -p: one turn, its answer on stdout.
func (a *app) runPrompt(ctx context.Context, w *world, prompt string) int {
	ctx, stop := interruptible(ctx)
	defer stop()
	seat, err := w.seat(ctx)
	if err != nil {
		return a.fail(err)
	}
	if seat.model == "" {
		return a.fail(errNoModel)
	}
	w.start(ctx)
	conv := chat.New(w.chatOptions(seat, nil))
	answer, err := conv.Turn(ctx, prompt)
	if answer != "" {
		io.WriteString(a.out, strings.TrimSuffix(answer, "\n")+"\n")
	}
	if err != nil {
		return a.fail(err)
	}
	return exitOK
}

var errNoModel = &registry.UsageError{Problems: []string{
	"no model is configured and no model server runs on this machine: set OPENAI_API_KEY, or name a server with --base-url http://HOST:PORT/v1"}}

// seat is who sends the commands: a model, or with no model the person.
type seat struct {
	model, baseURL, key string
	name                string // of a server that was found on this machine
}

// seat takes the configured model, else a server on this machine, else nobody.
func (w *world) seat(ctx context.Context) (seat, error) {
	s := seat{model: w.cfg.Model, baseURL: w.cfg.BaseURL, key: w.cfg.APIKey}
	switch {
	case s.baseURL == "" && s.key == "":
		local := config.FindLocal(ctx, config.Candidates())
		if local == nil {
			return seat{}, nil
		}
		s.baseURL, s.name = local.BaseURL, local.Name
		if s.model == "" {
			s.model = local.Model
		}
	case s.model == "" && s.baseURL == "":
		s.model = defaultModel
	case s.model == "":
		model, err := config.FirstModel(ctx, s.baseURL, s.key)
		if err != nil {
			return s, &registry.UsageError{Problems: []string{err.Error()}}
		}
		s.model = model
	}
	return s, nil
}

func (w *world) chatOptions(s seat, events func(chat.Event)) *chat.Options {
	fill := strings.NewReplacer("{os}", runtime.GOOS+"/"+runtime.GOARCH, "{dir}", w.router.Dir())
	return &chat.Options{Model: s.model, BaseURL: s.baseURL, APIKey: s.key, System: fill.Replace(systemPrompt), Runner: runner{w.router}, Events: events}
}

// runner gives the chat the router: the model sees a result's Output.
type runner struct{ r *router.Router }

// Run runs one command string.
func (r runner) Run(ctx context.Context, command string, timeout time.Duration) (string, int) {
	res := r.r.Run(ctx, command, &router.RunOptions{Timeout: timeout})
	return res.Output, res.ExitCode
}

// runSession is the chat: with a model, or with the person in its place.
func (a *app) runSession(ctx context.Context, w *world) int {
	seat, err := w.seat(ctx)
	if err != nil {
		return a.fail(err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	w.start(ctx)
	o := &term.Options{In: a.in, Out: a.out, Err: a.err, Runner: runner{w.router}, Interrupt: interrupts,
		Info: w.info(seat), Plain: a.plainTerminal()}
	if seat.model != "" {
		o.Conversation = chat.New(w.chatOptions(seat, nil))
	} else {
		o.Incomplete = router.Incomplete
	}
	defer a.dress(o, w)()
	if err := term.Chat(ctx, o); errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return exitInterrupted
	} else if err != nil {
		return a.fail(err)
	}
	return exitOK
}

// info is what the banner tells.
func (w *world) info(s seat) term.Info {
	info := term.Info{Version: version(), Model: s.model, Server: s.name, Dir: w.router.Dir()}
	if s.model != "" && info.Server == "" {
		info.Server = "api.openai.com"
		if u, err := url.Parse(s.baseURL); err == nil && u.Host != "" {
			info.Server = u.Host
		}
	}
	if m := w.cfg.Mode; m != "" && m != config.ModeFull {
		info.Notes = append(info.Notes, "mode "+m+" is configured but not available yet: commands run without asking")
	}
	return info
}

// plainTerminal reports a terminal that can only print.
func (a *app) plainTerminal() bool {
	t, _ := a.lookup("TERM")
	return t == "dumb" || t == ""
}
