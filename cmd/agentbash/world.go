package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/audit"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/hooks"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// world is what a subcommand runs commands with: the one tool, as the
// configuration and the command line want it. Close it.
type world struct {
	*agentbash.Bash
	cfg   *config.Result
	asker *term.Prompter // nil: nobody is asked
	audit *audit.Recorder
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
	w := &world{}
	if w.cfg, err = config.Load(&config.Options{Flags: o.flags, Dir: dir, Lookup: a.lookup}); err != nil {
		return nil, err
	}
	if err := w.cfg.Dirs.MakeState(); err != nil {
		return nil, err
	}
	a.warn(w.cfg.Warnings...)
	for _, p := range w.cfg.Pending {
		fmt.Fprintf(a.err, "agentbash: %s is not trusted yet, so what it adds is left out: agentbash config trust shows it and trusts it\n", p.Path)
	}
	if o.ask {
		w.asker = a.asker()
	}
	if o.who == "" {
		o.who = whoPerson
	}
	w.audit = a.recorder(w.cfg.Dirs, o.who, w.secrets(a), o.id)
	if err := w.guardOptions(a, &o.guard); err != nil {
		return nil, err
	}
	c := w.cfg.Confine
	w.Bash, err = agentbash.New(&agentbash.Options{
		Dir: dir, Mode: o.guard.Mode, Offer: w.isOn, Fields: w.cfg.Fields, StateDir: w.cfg.Dirs.State, ToolsOnly: !o.session,
		Warn:     func(err error) { a.warn(err) },
		Commands: w.commandOptions(a), FieldOptions: w.fieldOptions(a), Guard: o.guard,
		Workspace:   a.workspaceOptions(w.cfg.Dirs, c),
		Confinement: confinement.Options{Environ: a.environ, Env: c.Env, Network: c.Network.All, Ports: c.Network.Ports},
		Router:      router.Options{Hooks: w.hooks(a, dir), Unset: w.keyVars(a), Secrets: w.secrets(a)},
	})
	if err != nil {
		return nil, err
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

// fieldOptions are what servers and functions get of the program.
func (w *world) fieldOptions(a *app) fieldbash.Options {
	o := fieldbash.Options{Env: a.environ, Version: moduleVersion(), Sample: w.sample,
		Log: func(format string, args ...any) { fmt.Fprintf(a.err, "agentbash: "+format+"\n", args...) }}
	if w.asker != nil {
		o.Log = func(format string, args ...any) { w.asker.Tell("agentbash: " + fmt.Sprintf(format, args...)) }
	}
	if p := (&person{w.asker}); w.asker.Present() {
		o.Confirm, o.Login, o.Elicit = p.confirm, p.login, p.elicit
	}
	return o
}

// isOn reports whether the configuration leaves a tool switched on.
func (w *world) isOn(name string) bool {
	on, said := w.cfg.Tools[name]
	return on || !said
}

func (a *app) warn(warnings ...error) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, "agentbash: warning:", w)
	}
}

// Close ends the shells, the servers and what they started.
func (w *world) Close() error { return errors.Join(w.Bash.Close(), w.audit.Close()) }
