package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/audit"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/hooks"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/telemetry"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/remote"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
)

// configuredBash is what a subcommand runs commands with: the one tool, as the
// configuration and the command line want it. Close it.
type configuredBash struct {
	*agentbash.Bash
	cfg   *config.Result
	asker asker
	audit *audit.Recorder
	check func(argv []string, dir string) error // of what servers and functions run; nil: a person named it just so

	telemetry *telemetry.Exporter // nil: none is wanted
	agents    *subagents          // nil: there are none
	appended  string              // to the system prompt
	home      string
	dir       string // of this machine

	targets   *remote.Targets
	on        *remote.Client // where commands run; nil: here
	startedOn string         // the target that was named at the start; "": none was
}

// bashOptions say what a subcommand needs of it.
type bashOptions struct {
	dir     string     // "" is the working directory
	on      targetName // a target; "" is the configuration's
	flags   config.Flags
	session bool // many commands: write refuses to overwrite what was never read, bash can call tools
	guard   guard.Options
	noHooks bool                        // a person typed the name of a tool
	exit    func(stdout, stderr []byte) // as in session.Options
	asker   asker                       // who may be asked; nil: nobody
	who     string                      // sends the commands; "" is the person
	id      func() string               // of the session, once there is one; nil: there is none

	agents      bool                        // a model may start others
	appended    string                      // to the system prompt
	killAtLimit bool                        // commands end at their time limit
	noSnapshots bool                        // turns cannot be taken back
	servers     map[string]fieldbash.Server // besides those of the files
	only        map[string]fieldbash.Server // in their place; nil: those
}

// settings are the keys of the configuration that messages name.
var settings = registry.Settings{
	Workspace:  `name the directory in "workspace" of their configuration`,
	Secrets:    `change "secrets" in their configuration`,
	WebAllow:   `"webFetch": {"allow": [ADDRESS]} in the user's config file`,
	WebSearch:  `write {"webSearch": {"provider": "searxng", "url": "http://127.0.0.1:8080"}} in the user's config file`,
	Rules:      `"rules" in the user's config file`,
	Hosts:      `write "network": {"allow": ["HOST"]} in the user's config file`,
	AddServers: "add mcpServers or functions to .agentbash/config.json",
	TurnLimit:  "limits", SessionLimit: "limits.session",
}

// openBash loads the configuration and registers everything; nothing is started.
func (a *app) openBash(o bashOptions) (*configuredBash, error) {
	here := o.dir
	if here != "" && o.on == "" {
		if cfg, err := config.Load(&config.Options{Flags: o.flags, Dir: here, Lookup: a.lookup}); err == nil {
			o.on = targetName(cfg.Targets.Target)
		}
	}
	if o.on != "" { // it is a directory there
		here = ""
	}
	dir, err := workDir(here)
	if err != nil {
		return nil, err
	}
	b := &configuredBash{dir: dir}
	if b.cfg, err = config.Load(&config.Options{Flags: o.flags, Dir: dir, Lookup: a.lookup, Fields: fieldbash.Config{MCPServers: o.servers}}); err != nil {
		return nil, err
	}
	b.check = b.cfg.CheckRun
	if o.only != nil {
		b.cfg.Fields, b.check = fieldbash.Config{MCPServers: o.only}, nil
	}
	if err := b.cfg.Dirs.MakeState(); err != nil {
		return nil, err
	}
	if err := b.cfg.TrustFirstSeen(); err != nil {
		return nil, err
	}
	b.hideKeys(a)
	a.warn(b.cfg.Warnings...)
	if o.noHooks {
		b.cfg.Hooks = config.Hooks{}
	}
	for _, p := range b.cfg.Pending {
		fmt.Fprintln(a.err, "agentbash: "+pendingNote(p))
	}
	if b.asker = o.asker; b.asker == nil {
		b.asker = a.readsErrors()
	}
	b.home, _ = a.lookup("HOME")
	if o.who == "" {
		o.who = whoPerson
	}
	b.appended = o.appended
	if o.agents {
		b.agents = &subagents{a: a, b: b}
	}
	b.audit = a.newRecorder(b.cfg.Dirs, o.who, b.apiKeys(a), o.id)
	if err := a.makeBash(b, dir, o); err != nil {
		return nil, err
	}
	return b, nil
}

// makeBash makes what runs the commands, as b's configuration and o say.
func (a *app) makeBash(b *configuredBash, dir string, o bashOptions) (err error) {
	if err := b.guardOptions(a, &o.guard); err != nil {
		return err
	}
	b.startedOn = cmp.Or(string(o.on), b.cfg.Targets.Target)
	c := b.cfg.Confine
	made := &agentbash.Options{
		Settings: settings,
		Dir:      dir, Mode: o.guard.Mode, Offer: b.isOn, Fields: b.cfg.Fields, StateDir: b.cfg.Dirs.State, ToolsOnly: !o.session || b.startedOn != "",
		Warn: func(err error) { b.warn(err) }, Session: o.id,
		Snapshots: b.snapshotOptions(o.noSnapshots),
		Commands:  b.commandOptions(a, o.who), FieldOptions: b.fieldOptions(a, dir, o.flags.File), Guard: o.guard,
		Workspace:   a.workspaceOptions(b.cfg.Dirs, c, b.cfg.Executed()),
		Confinement: confinement.Options{Environ: a.environ, Env: c.Env, Network: c.Network.Rules, TrustedRepositories: c.TrustedRepositories},
		Router:      router.Options{Exit: o.exit, KillAtLimit: o.killAtLimit, PromptCommand: b.cfg.Shell.PromptCommand, Hooks: b.configuredHooks(a, dir), Unset: b.keyVars(a), Secrets: b.apiKeys(a)},
	}
	if b.Bash, err = agentbash.New(made); err != nil {
		return errors.Join(err, b.audit.Close())
	}
	if err := b.openTargets(a, made, b.startedOn, o.dir); err != nil {
		return errors.Join(err, b.Close())
	}
	return nil
}

// configuredHooks are the programs that the configuration wants to be asked. The keys
// are not theirs either.
func (b *configuredBash) configuredHooks(a *app, dir string) []router.Hook {
	env := slices.DeleteFunc(slices.Clone(a.environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(b.keyVars(a), name)
	})
	return hooks.New(b.cfg.Hooks, &hooks.Options{Dir: dir, Env: env, Check: b.cfg.CheckRun})
}

// keyVars are the variables that the shell does not get: the keys are ours.
func (b *configuredBash) keyVars(a *app) []string {
	names := append([]string{config.EnvKey, telemetry.EnvHeaders}, b.cfg.KeyVars...)
	if v := b.cfg.KeyVar; v != "" && v != config.EnvKey {
		names = append(names, v)
	}
	if s := b.cfg.Search(a.lookup); s.Key != "" {
		names = append(names, s.KeyVar)
	}
	return names
}

// apiKeys are the keys themselves.
func (b *configuredBash) apiKeys(a *app) []string {
	return []string{b.cfg.APIKey, b.cfg.Search(a.lookup).Key}
}

// pendingNote says what waits to be trusted.
func pendingNote(p config.PendingProject) string {
	if p.Changed {
		return fmt.Sprintf("%s changed since it was trusted, so what runs it in %s does not run: agentbash config trust shows it and asks you", p.Files[0].Path, p.Path)
	}
	return p.Path + " is not trusted yet, so what it adds is left out: agentbash config trust shows it and asks you"
}

// hideKeys keeps keys from whoever reads this process's environment and arguments, and
// what else in the environment looks like a secret.
func (b *configuredBash) hideKeys(a *app) {
	vars, keys := b.keyVars(a), b.apiKeys(a)
	isSecret := func(name, value string) bool { return slices.Contains(vars, name) || confinement.IsSecret(name, value) }
	if err := a.hide(isSecret, keys...); err != nil && strings.Join(keys, "") != "" {
		a.warn(fmt.Errorf("%w: commands can read them in /proc", err))
	}
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
func (b *configuredBash) fieldOptions(a *app, dir, file string) fieldbash.Options {
	o := fieldbash.Options{Env: a.environ, Version: moduleVersion(), Sample: b.answerSampling, Check: b.check, Keeper: a.startKeeper(dir, file),
		Log: func(format string, args ...any) { b.asker.Tell("agentbash: " + fmt.Sprintf(format, args...)) }}
	if p := (&person{b.asker}); b.asker.Present() {
		o.Confirm, o.Login, o.Elicit = p.confirmServer, p.showLogin, p.askElicitation
	}
	return o
}

// isOn reports whether the configuration leaves a tool switched on.
func (b *configuredBash) isOn(name string) bool {
	on, said := b.cfg.Tools[name]
	return on || !said
}

func (a *app) warn(warnings ...error) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, "agentbash: warning:", w)
	}
}

// tellLeft says what still runs in the background and ends now, where nobody sees a list of it.
func (a *app) tellLeft(b *configuredBash) {
	secrets := audit.NewSecrets(b.apiKeys(a), a.environ) // it may get into the log of who runs us
	for _, j := range b.jobs() {
		if j.Status == shells.Running && !j.Kept {
			fmt.Fprintf(a.err, "agentbash: still running at the end, and ended: shell %s; all its output is in %s\n", safetext.Visible(secrets.HideCommand(j.Line())), j.Log)
		}
	}
	for _, line := range b.Agents().Working() {
		fmt.Fprintf(a.err, "agentbash: still working at the end, and ended: agent %s\n", safetext.Visible(line))
	}
}

// snapshotOptions bound the snapshots of turns.
func (b *configuredBash) snapshotOptions(off bool) agentbash.SnapshotOptions {
	c := b.cfg.Snapshots
	if c == nil {
		return agentbash.SnapshotOptions{Off: off}
	}
	return agentbash.SnapshotOptions{Off: off || c.Off, MaxFiles: c.Files, MaxBytes: c.Bytes, MaxAge: secondsDuration(c.Days * 24 * 3600)}
}

// warn tells a warning at any time: on a terminal between what else is shown.
func (b *configuredBash) warn(err error) {
	b.asker.Tell("agentbash: warning: " + err.Error())
}

// Close ends the shells, the servers and what they started.
func (b *configuredBash) Close() error {
	return errors.Join(b.targets.Close(), b.Bash.Close(), b.audit.Close(), b.telemetry.Close())
}
