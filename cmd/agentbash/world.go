package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/audit"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/hooks"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// world is what a subcommand runs commands with. Close it.
type world struct {
	cfg         *config.Result
	reg         *registry.ToolRegistry
	fields      *fieldbash.Fields
	router      *router.Router
	commands    *agentbash.Commands
	guard       *guard.Guard
	confinement *confinement.Confinement
	asker       *term.Prompter // nil: nobody is asked
	audit       *audit.Log
}

// worldOptions say what a subcommand needs of it.
type worldOptions struct {
	dir     string // "" is the working directory
	flags   config.Flags
	session bool // many commands: write guards what was never read, bash can call tools
	guard   guard.Options
	ask     bool          // whoever sits at the terminal may be asked
	who     string        // sends the commands; "" is the person
	id      func() string // of the session, once there is one; nil: there is none
}

// open loads the configuration and registers everything; nothing is started.
func (a *app) open(o worldOptions) (*world, error) {
	dir, err := workDir(o.dir)
	if err != nil {
		return nil, err
	}
	w := &world{reg: registry.New()}
	if w.cfg, err = config.Load(&config.Options{Flags: o.flags, Dir: dir, Lookup: a.lookup}); err != nil {
		return nil, err
	}
	if err := w.cfg.Dirs.MakeState(); err != nil {
		return nil, err
	}
	a.warn(w.cfg.Warnings)
	for _, p := range w.cfg.Pending {
		fmt.Fprintf(a.err, "agentbash: %s is not trusted yet, so what it adds is left out: agentbash config trust shows it and trusts it\n", p.Path)
	}
	if err := w.toolbox(a, dir, &o); err != nil {
		return nil, err
	}
	if o.ask {
		w.asker = a.asker()
	}
	if err := w.openFields(a, dir); err != nil {
		return nil, err
	}
	if o.who == "" {
		o.who = whoPerson
	}
	record := a.recorder(w.cfg.Dirs, o.who, w.secrets(a), o.id)
	w.audit, o.guard.Recorder = record.Log, record
	if w.asker.Present() {
		o.guard.Approver = approver{w}
	}
	if o.guard.Mode == "" {
		o.guard.Mode = policy.Mode(w.cfg.Mode)
	}
	at, c := a.workspace(w.cfg.Dirs, w.cfg.Confine, dir), w.cfg.Confine
	if w.guard, err = w.guardFor(a, at, o.guard); err != nil {
		return nil, errors.Join(err, w.fields.Close())
	}
	w.confinement = confinement.New(at, &confinement.Options{
		Mode: w.guard.Mode(), Trusted: o.guard.Said, Environ: a.environ, Env: c.Env, Network: c.Network.All, Ports: c.Network.Ports,
	})
	shell := confinement.Start{Env: a.environ}
	if o.session {
		if shell, err = w.confinement.Start(); err != nil {
			return nil, errors.Join(err, w.fields.Close())
		}
	}
	for _, m := range shell.Missing {
		fmt.Fprintln(a.err, "agentbash: warning:", m)
	}
	w.router, err = router.New(w.reg, &router.Options{
		Dir: dir, Hooks: w.hooks(a, dir), Guard: w.guard, Launcher: shell.Launcher, Env: shell.Env, Unset: w.keyVars(a), Secrets: w.secrets(a),
		StateDir: filepath.Join(w.cfg.Dirs.State, "outputs"), NoCalls: !o.session,
	})
	if err != nil {
		return nil, errors.Join(err, w.fields.Close(), w.confinement.Close())
	}
	return w, nil
}

// hooks are the programs that the configuration wants to be asked. The keys
// are not theirs either.
func (w *world) hooks(a *app, dir string) []router.Hook {
	env := slices.DeleteFunc(slices.Clone(a.environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(w.keyVars(a), name)
	})
	return hooks.New(w.cfg.Hooks, &hooks.Options{Dir: dir, Env: env})
}

// keyVars are the variables that the shell does not get: the keys are ours.
func (w *world) keyVars(a *app) []string {
	names := []string{config.EnvKey}
	if v := w.cfg.KeyVar; v != "" && v != config.EnvKey {
		names = append(names, v)
	}
	if key, v := w.cfg.SearchKey(a.lookup); key != "" {
		names = append(names, v)
	}
	return names
}

// secrets are the keys themselves.
func (w *world) secrets(a *app) []string {
	key, _ := w.cfg.SearchKey(a.lookup)
	return []string{w.cfg.APIKey, key}
}

func workDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("working directory: %w: cd to one that exists", err)
	}
	if st, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("working directory: %w: name one that exists", err)
	} else if !st.IsDir() {
		return "", fmt.Errorf("working directory %s: not a directory: name one", dir)
	}
	return dir, nil
}

// openFields registers the functions, and the servers as groups.
func (w *world) openFields(a *app, dir string) error {
	o := fieldbash.Options{
		Dir: dir, Env: a.environ, Version: version(), State: filepath.Join(w.cfg.Dirs.State, "field"),
		Log:     func(format string, args ...any) { fmt.Fprintf(a.err, "agentbash: "+format+"\n", args...) },
		Changed: w.reg.ReloadGroup, Sample: w.sample, Offer: w.isOn, Warn: func(err error) { a.warn([]error{err}) },
	}
	if w.asker != nil {
		o.Log = func(format string, args ...any) { w.asker.Tell("agentbash: " + fmt.Sprintf(format, args...)) }
	}
	if p := (&person{w.asker}); w.asker.Present() {
		o.Confirm, o.Login, o.Elicit = p.confirm, p.login, p.elicit
	}
	fields, err := fieldbash.New(w.cfg.Fields, &o)
	if err != nil {
		return err
	}
	w.fields = fields
	if err := fields.Register(w.reg); err != nil {
		return errors.Join(err, fields.Close())
	}
	return nil
}

// isOn reports whether the configuration leaves a tool switched on.
func (w *world) isOn(name string) bool {
	on, said := w.cfg.Tools[name]
	return on || !said
}

func (a *app) warn(warnings []error) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, "agentbash: warning:", w)
	}
}

// Close ends the shells, the servers and what they started.
func (w *world) Close() error {
	return errors.Join(w.commands.Close(), w.router.Close(), w.fields.Close(), w.confinement.Close(), w.audit.Close())
}

// start starts bash in the background, so that it is there when the first
// command comes.
func (w *world) start(context.Context) { go w.router.Start() }
