package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/clarify"
	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/agentbash/notes"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/agentbash/skills"
	"github.com/agentbash/agentbash/agentbash/web"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// toolbox makes the agent commands; what they need of the session is asked for
// when they run, since the router is made after them.
func (w *world) toolbox(a *app, dir string, o *worldOptions) (err error) {
	state := w.cfg.Dirs.State
	w.commands, err = agentbash.New(&agentbash.Options{
		Files: files.Options{StateDir: filepath.Join(state, "checkpoints"), Guard: o.session,
			Access: func(ctx context.Context) *files.Access { return w.confinement.Access(ctx) }},
		Notes:   notes.Options{Root: confinement.Repository(dir)},
		Skills:  skills.Options{Dirs: func(dir string) []string { return a.skillDirs(w, dir) }},
		Clarify: clarify.Options{Ask: w.clarify},
		Shells: shells.Options{StateDir: filepath.Join(state, "background"), Env: a.environ, Alone: !o.session,
			Prepare: func(command string) string { return w.router.Script(command) }, Launch: w.launch},
		Web: w.webOptions(a),
	})
	if err != nil {
		return registry.Usagef("config: %v", err)
	}
	return w.reg.Register(slices.DeleteFunc(w.commands.Tools(), func(t *registry.Tool) bool { return !w.isOn(t.Name) })...)
}

// clarify asks whoever sits at the terminal.
func (w *world) clarify(ctx context.Context, q clarify.Question) (string, error) {
	if !w.asker.Present() {
		return "", clarify.ErrNobody
	}
	ask := &term.Question{Title: "The agent asks", Text: q.Text, Default: q.Default, Free: true}
	for i, c := range q.Choices {
		key := strconv.Itoa(i + 1)
		ask.Choices = append(ask.Choices, term.Choice{Key: key, Label: c})
		if c == q.Default {
			ask.Default = key
		}
	}
	r, err := w.asker.Ask(ctx, ask)
	switch {
	case errors.Is(err, term.ErrNobody):
		return "", clarify.ErrNobody
	case errors.Is(err, term.ErrNoAnswer):
		return "", clarify.ErrNoAnswer
	case err != nil:
		return "", err
	}
	if n, err := strconv.Atoi(r.Key); err == nil && n >= 1 && n <= len(q.Choices) {
		return q.Choices[n-1], nil
	}
	return r.Text, nil
}

// launch makes a background shell start as the session's own does, confined if
// that is.
func (w *world) launch(cmd *exec.Cmd) error {
	l, _ := w.router.Launcher()
	if l == nil {
		return nil
	}
	if cmd.Err != nil {
		return cmd.Err
	}
	cmd.Args = slices.Concat(l.Argv, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = l.Argv[0]
	cmd.Env = append(cmd.Env, l.Env...)
	return nil
}

// webOptions are what the configuration says of the web.
func (w *world) webOptions(a *app) web.Options {
	o := web.Options{Version: version(), Lookup: a.lookup}
	if f := w.cfg.WebFetch; f != nil {
		o.Allow, o.Timeout, o.MaxBytes = f.Allow, time.Duration(f.Timeout*float64(time.Second)), f.MaxBytes
	}
	if s := w.cfg.WebSearch; s != nil {
		o.Search = web.Search{Provider: s.Provider, URL: s.URL}
	}
	o.Search.Key, o.Search.KeyVar = w.cfg.SearchKey(a.lookup)
	return o
}

// runConfigured runs an agent command for a person at a terminal, with what the
// configuration says of it.
func (a *app) runConfigured(ctx context.Context, name string, words []string, call *registry.Call) int {
	w, err := a.open(worldOptions{ask: true, guard: typedBy(a.mode)})
	if err != nil {
		return a.fail(err)
	}
	defer w.Close()
	if !w.isOn(name) {
		return a.switchedOff(name)
	}
	return a.guarded(ctx, w.guard, name, words, call, func(ctx context.Context) registry.ToolResult { return w.router.Call(ctx, name, words, call) })
}

// carried is the plan of the command string that a call of a tool carries: the
// guard judges it as if it were sent itself.
func (w *world) carried(name string, words []string) *router.Plan {
	t, ok := w.reg.Lookup(name)
	if !ok || name != "bash_start" {
		return nil
	}
	parsed, err := t.Parse(words, false)
	command, ok := parsed.Kwargs["command"].(string)
	if err != nil || !ok {
		return nil
	}
	p := w.router.Plan(command)
	return &p
}

func (a *app) switchedOff(name string) int {
	fmt.Fprintf(a.err, "agentbash %s: it is switched off: \"tools\" in a config file says so; agentbash config shows the files\n", name)
	return exitUnknown
}

// isOff reports whether the configuration switches a command off that needs no
// configuration; one that cannot be read does not.
func (a *app) isOff(name, dir string) bool {
	cfg, err := config.Load(&config.Options{Dir: dir, Lookup: a.lookup})
	if err != nil {
		return false
	}
	on, said := cfg.Tools[name]
	return said && !on
}
