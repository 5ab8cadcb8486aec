package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/internal/remote"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/policy"
)

// takeTarget takes the --on that stands before a command, a tool or flags.
func (a *app) takeTarget() (err error) {
	if len(a.args) == 0 {
		return nil
	}
	if on, joined := strings.CutPrefix(a.args[0], "--on="); joined {
		err, a.args = a.on.Set(on), a.args[1:]
	} else if a.args[0] == "--on" && len(a.args) > 1 {
		err, a.args = a.on.Set(a.args[1]), a.args[2:]
	}
	if err != nil {
		return fmt.Errorf("--on: %w", err)
	}
	return nil
}

// targetName is the value of --on. What is empty, a variable that is not set maybe, does not
// mean this machine.
type targetName string

// Set implements [pflag.Value].
func (t *targetName) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("the target is empty: name one, such as ssh:HOST, or leave --on out to work here")
	}
	*t = targetName(s)
	return nil
}

func (t *targetName) String() string { return string(*t) }

// Type implements [pflag.Value].
func (t *targetName) Type() string { return "target" }

// runServe is agentbash serve, which --on starts on another machine.
func runServe(a *app, words []string) int {
	if err := remote.Serve(moduleVersion(), words, a.in, a.out); err != nil {
		return a.reportError(err)
	}
	return exitOK
}

// openTargets makes what reaches the targets, and goes to the one that was named, to its
// directory dir.
func (b *configuredBash) openTargets(a *app, o *agentbash.Options, on, dir string) error {
	own, err := os.Executable()
	if on == "" {
		dir, err = "", nil // who stays here needs no /proc for it
	}
	b.targets = remote.NewTargets(remote.Options{Bash: b.Bash, Made: o, Names: b.cfg.Targets.Names, Environ: a.environ, Version: moduleVersion(), Dir: dir,
		Programs: func() map[string]string { return remote.Programs(own, filepath.Dir(own), b.cfg.Dirs.State) },
		Keep:     secondsDuration(b.cfg.Targets.Keep), Tell: func(text string) { b.tell(a, text) }})
	if on != "" && err == nil {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // else nobody ends what runs there
		_, err = b.targets.Client(on)
	}
	if err == nil && len(b.targets.Names()) > 0 && b.isOn("on") {
		err = b.Registry().Register(remote.OnTool(b.targets, b.targets.Names()))
	}
	if on != "" && err == nil {
		err = b.goTo(context.Background(), on)
	}
	return err
}

// goTo has commands run on a target from now on.
func (b *configuredBash) goTo(ctx context.Context, on string) error {
	c, err := b.targets.Client(on)
	if err == nil {
		err = c.Open(ctx)
	}
	if err != nil {
		return err
	}
	b.on = c
	b.Router().SetRemote(c)
	return nil
}

// slashOn is /on.
func (b *configuredBash) slashOn(ctx context.Context, name string) (string, error) {
	switch {
	case name == "" && b.on == nil:
		return "commands run on this machine; /on NAME, /on ssh:HOST or /on docker:NAME has them run there" + b.namedTargets(), nil
	case name == "":
		return "commands run on " + b.on.Target() + "; /on local has them run here" + b.namedTargets(), nil
	case name == "local" && b.startedOn != "":
		return "", fmt.Errorf("this chat was started on %s and has no shell here: start another without --on", b.startedOn)
	case name == "local":
		b.on = nil
		b.Router().SetRemote(nil)
		return "commands run on this machine, in " + b.Router().Dir(), nil
	}
	if err := b.goTo(ctx, name); err != nil {
		return "", err
	}
	return fmt.Sprintf("commands run on %s (%s), in %s", b.on.Target(), b.on.System(), b.on.Dir()), nil
}

func (b *configuredBash) namedTargets() string {
	if names := b.targets.Names(); len(names) > 0 {
		return "; there are " + strings.Join(names, ", ")
	}
	return ""
}

// tell tells whoever looks on.
func (b *configuredBash) tell(a *app, text string) {
	if b.asker == nil {
		fmt.Fprintln(a.err, "agentbash: "+text)
		return
	}
	b.asker.Tell("agentbash: " + text)
}

// SetMode changes the mode, here and on all targets.
func (b *configuredBash) SetMode(ctx context.Context, mode policy.Mode) (missing []string, err error) {
	if missing, err = b.Bash.SetMode(ctx, mode); err != nil {
		return nil, err
	}
	for _, c := range b.targets.All() {
		lacks, err := c.SetMode(ctx, mode, false)
		if err != nil {
			return nil, fmt.Errorf("mode %s on %s: %w", mode, c.Target(), err)
		}
		for _, m := range lacks {
			missing = append(missing, c.Target()+": "+m)
		}
	}
	return missing, nil
}

// TrustSender is for commands that a person types, here and on all targets.
func (b *configuredBash) TrustSender(ctx context.Context) error {
	err := b.Bash.TrustSender(ctx)
	for _, c := range b.targets.All() {
		_, there := c.SetMode(ctx, policy.FullMode, true)
		err = errors.Join(err, there)
	}
	return err
}

// BeginTurn begins a turn, here and on all targets.
func (b *configuredBash) BeginTurn() {
	b.Guard().BeginTurn()
	for _, c := range b.targets.All() {
		c.BeginTurn()
	}
}

// Start starts bash in the background, where commands run here.
func (b *configuredBash) Start() {
	if b.on == nil {
		b.Bash.Start()
	}
}

// jobs are the background shells where commands run.
func (b *configuredBash) jobs() []shells.Job {
	if b.on != nil {
		return b.on.Jobs()
	}
	return b.Shells().Jobs()
}

// runningShells is how many of them run.
func (b *configuredBash) runningShells() int {
	n := 0
	for _, j := range b.jobs() {
		if j.Status == shells.Running {
			n++
		}
	}
	return n
}

// projectDir is the directory of this machine that the work belongs to.
func (b *configuredBash) projectDir() string {
	if b.on != nil {
		return b.dir
	}
	return b.Router().Dir()
}

// callTool runs a tool where it belongs: those of files and shells on the target.
func (b *configuredBash) callTool(ctx context.Context, name string, words []string, call *registry.Call) registry.ToolResult {
	if b.on != nil {
		if t, ok := b.Registry().Lookup(strings.TrimPrefix(name, "agent:")); ok && !remote.IsNear(t) {
			return b.on.Tool(ctx, name, words, call)
		}
	}
	return b.Router().Call(ctx, name, words, call)
}
