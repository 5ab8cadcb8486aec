// Package agentbash is one tool for a language model, bash, whose commands
// reach a real shell, agent commands (read, edit, ...) and field tools of MCP
// servers and functions, all of them composable in one pipeline.
//
//	b, err := agentbash.New(nil)
//	...
//	defer b.Close()
//	res := b.Run(ctx, "read ./go.mod | head -n 3", nil)
//
// [New] puts together what can also be used alone: a registry with the agent
// commands (package agentbash/agentbash), the field layer (fieldbash), the guard
// that decides what may run (router/guard and router/policy), what the kernel and
// the tools hold commands to (confinement), and the router with its bash (router,
// session). What a model is told of the one tool is [Bash.Definition]; package
// chat is a loop that gives it to one.
//
// # Safety
//
// New(nil) is as safe as the program: mode ask, with nobody to ask. What only
// reads runs; what would be asked about is denied. Commands get an environment
// without secrets, the tools keep to the workspace, and in the modes plan, ask and auto
// the kernel holds bash too, where it can. For that this executable is started a
// second time as the launcher of bash; that process never reaches main.
//
// Calls of tools from inside bash (read x | head) are made by a small program that
// this package brings for Linux on amd64. Elsewhere a program needs one more line,
// which makes it that client when it is started by a tool's name:
//
//	import _ "github.com/agentbash/agentbash/router/incall"
package agentbash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	commands "github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/agents"
	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/agentbash/todo"
	"github.com/agentbash/agentbash/confinement"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/internal/snapshot"
	"github.com/agentbash/agentbash/internal/tempdir"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// Options configures New; nil means the defaults; copied. From Commands on, they
// are the options of the parts: New sets what connects the parts (directories, the
// access of tools, the launcher, the guard) and leaves the rest as it is.
type Options struct {
	Dir  string      // where commands start, and the workspace; "" is the current directory
	Mode policy.Mode // how much runs without a question; "" is policy.AskMode

	Tools  []*registry.Tool       // more tools
	Offer  func(name string) bool // which tools there are, by their names; nil: all
	Fields fieldbash.Config       // MCP servers and functions

	// StateDir holds what outlasts a command: checkpoints for undo, outputs that
	// are cut, background shells, the state of servers. "" makes a private one
	// that Close removes.
	StateDir string

	// Session names the session whose turns undo --turn takes back. nil: with ToolsOnly
	// those of all, else this Bash is one.
	Session func() string

	// Snapshots bounds the snapshots of the workspace that turns begin with. Without a
	// StateDir, and with ToolsOnly, none are taken.
	Snapshots SnapshotOptions

	// ToolsOnly is for a program that calls tools and never runs bash text: no
	// confined shell is prepared, and bash text cannot call tools.
	ToolsOnly bool

	// Settings are the words in which messages name what a person may change in
	// this program, such as a key of its configuration.
	Settings registry.Settings

	// Warn gets the problems that do not stop New: an entry of Fields that cannot
	// be used, what the kernel cannot enforce. nil: warnings are dropped, and an
	// entry that cannot be used is an error of New.
	Warn func(error)

	Commands     commands.Options
	FieldOptions fieldbash.Options
	Workspace    confinement.WorkspaceOptions
	Confinement  confinement.Options // Mode, Trusted and StateDir are set
	Guard        guard.Options       // Mode, World, Holds and BeforeWrite are set
	Router       router.Options
}

// Bash is the one tool, with everything behind it. It is safe for concurrent
// use. Close it.
type Bash struct {
	registry    *registry.ToolRegistry
	commands    *commands.Commands
	fields      *fieldbash.Fields
	guard       *guard.Guard
	confinement *confinement.Confinement
	router      *router.Router
	preparing   sync.WaitGroup
	snapshots   *snapshot.Store // nil: none are taken
	ownDir      *tempdir.Dir    // nil: the state directory is the caller's
	warned      atomic.Bool     // that no snapshot could be taken
	callsDir    string          // whose socket all commands have the name of; "" without a shell
}

// New makes a Bash. Servers and the shell are started when they are first
// needed.
func New(opts *Options) (_ *Bash, err error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := checkMode(o.Mode); err != nil {
		return nil, err
	}
	if o.Confinement.Environ == nil {
		o.Confinement.Environ = os.Environ()
	}
	b := &Bash{registry: registry.New()}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	if st, err := os.Stat(o.Dir); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("working directory %s: it is not a directory: make it, or name another", o.Dir)
	}
	if o.StateDir == "" {
		if b.ownDir, err = tempdir.Make("", "agentbash-state-"); err != nil {
			return nil, fmt.Errorf("state directory: %w", err)
		}
		o.StateDir = b.ownDir.Path
	}
	if b.ownDir == nil && !o.Snapshots.Off {
		b.snapshots = openSnapshots(&o)
	}
	if err = b.register(&o); err == nil {
		err = b.open(&o)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// checkMode is the error of a mode that there is not; "" is the default.
func checkMode(mode policy.Mode) error {
	switch mode {
	case "", policy.PlanMode, policy.AskMode, policy.AutoMode, policy.FullMode:
		return nil
	}
	return fmt.Errorf("mode %q: it is plan, ask, auto or full", mode)
}

// register makes the tools.
func (b *Bash) register(o *Options) (err error) {
	c := &o.Commands
	c.Files.Settings, c.Web.Settings = o.Settings, o.Settings
	c.Files.Workspace, c.Files.Snapshots = confinement.Repository(o.Dir), b.snapshots
	c.Files.StateDir, c.Files.RequireRead = filepath.Join(o.StateDir, "checkpoints"), !o.ToolsOnly
	c.Files.Access = func(ctx context.Context) *files.Access { return b.confinement.Access(ctx) }
	c.Web.DialOwn, c.Web.AskHost = b.dialOwn, b.askHost
	if c.Notes.Root == "" {
		c.Notes.Root = confinement.Repository(o.Dir)
	}
	c.Shells.Env = o.Confinement.Environ
	c.Shells.StateDir, c.Shells.Alone = filepath.Join(o.StateDir, "background"), o.ToolsOnly
	c.Shells.Prepare = func(command string) string { return b.router.Script(command) }
	c.Shells.Keeps = func(ctx context.Context) error { return b.confinement.Keeps(ctx) }
	c.Shells.State = func(ctx context.Context) []byte { return b.router.ShellState(ctx) }
	c.Shells.Start = func(ctx context.Context, cmd *exec.Cmd) (int, func() syscall.WaitStatus, error) {
		return b.confinement.StartShell(ctx, cmd)
	}
	c.Shells.Terminal = func(ctx context.Context, columns, rows int) (_, _ *os.File, err error) {
		return b.confinement.OpenTerminal(ctx, columns, rows)
	}
	if b.commands, err = commands.New(c); err != nil {
		return err
	}
	tools := append(b.commands.Tools(), o.Tools...)
	if o.Offer != nil {
		tools = slices.DeleteFunc(tools, func(t *registry.Tool) bool { return t != nil && !o.Offer(t.Name) })
	}
	if err := b.registry.Register(tools...); err != nil {
		return err
	}
	f := &o.FieldOptions
	if f.Env == nil {
		f.Env = o.Confinement.Environ
	}
	f.Dir, f.State, f.Changed, f.Offer = o.Dir, filepath.Join(o.StateDir, "field"), b.registry.ReloadGroup, o.Offer
	f.Warn = o.Warn
	if f.Launch == nil {
		f.Launch = func(cmd *exec.Cmd, s fieldbash.Sandbox) error {
			return b.confinement.Apart(cmd, router.Profile(s.Profile), s.Network)
		}
	}
	if f.Permit == nil {
		f.Permit = b.permitServer
	}
	if b.fields, err = fieldbash.New(o.Fields, f); err != nil {
		return err
	}
	return b.fields.Register(b.registry)
}

// permitServer keeps servers from being started in mode plan, but for those that are
// trusted or cannot change anything. One with an address runs nothing here.
func (b *Bash) permitServer(_ string, s fieldbash.Server) error {
	if b.guard.Mode() != policy.PlanMode || s.Command == "" || s.Trust || s.Sandbox != nil && s.Sandbox.Profile == "read" {
		return nil
	}
	return errors.New(`mode plan starts no server that is not trusted: set "trust": true or "sandbox": "read" for it in your own configuration, or leave the mode`)
}

// open makes what decides, what confines, and the router.
func (b *Bash) open(o *Options) (err error) {
	at := confinement.FindWorkspace(o.Dir, &o.Workspace)
	r := &o.Router
	r.Dir, r.StateDir, r.NoCalls = o.Dir, filepath.Join(o.StateDir, "outputs"), o.ToolsOnly
	shown := []string{r.StateDir, filepath.Join(o.StateDir, "background")}
	if !o.ToolsOnly {
		if r.CallsDir, err = router.MakeCallsDir(); err != nil {
			return err
		}
		shown, b.callsDir = append(shown, r.CallsDir.Path), r.CallsDir.Path
	}
	o.Confinement.Mode, o.Confinement.Trusted = cmp.Or(o.Mode, policy.AskMode), o.Guard.Said
	o.Confinement.StateDir, o.Confinement.Settings = o.StateDir, o.Settings
	o.Confinement.Show = append(o.Confinement.Show, shown...)
	o.Confinement.AskHost = func(ctx context.Context, host string, port int) (bool, error) {
		return b.guard.AskHost(ctx, host, port)
	}
	b.confinement = confinement.New(at, &o.Confinement)
	o.Guard.Mode, o.Guard.World, o.Guard.Settings = o.Mode, at.World(), o.Settings
	if !o.ToolsOnly { // the first command comes later, and waits for it if need be
		b.preparing.Go(func() {
			missing, _ := b.confinement.Missing() // an error is the first command's
			for _, m := range missing {
				if o.Warn != nil {
					o.Warn(errors.New(m))
				}
			}
		})
	}
	o.Guard.Holds = func() (policy.Holds, []string) { return b.confinement.Holds(), b.confinement.Scratch() }
	o.Guard.World.Host = b.confinement.Host
	if b.snapshots != nil && !o.ToolsOnly {
		o.Guard.BeforeWrite = func(ctx context.Context) { b.takeSnapshot(ctx, o.Warn) }
	}
	b.guard = guard.New(&o.Guard)
	r.Settings = o.Settings
	r.Guard, r.Confiner, r.Background = b.guard, b.confinement, background{b.commands.Shells()}
	b.router, err = router.New(b.registry, r)
	return err
}

// Run runs a command string and never fails: what went wrong is in the result.
// Cancelling the context stops what the command started and keeps the shell.
func (b *Bash) Run(ctx context.Context, command string, opts *router.RunOptions) router.Result {
	return b.router.Run(ctx, command, opts)
}

// Definition returns the definition of the bash tool, to be sent to a model. Its
// description names the tools that are registered now.
func (b *Bash) Definition() registry.Definition { return router.Definition(b.registry) }

// Registry holds the tools; more can be registered at any time.
func (b *Bash) Registry() *registry.ToolRegistry { return b.registry }

// Router runs the commands.
func (b *Bash) Router() *router.Router { return b.router }

// Guard decides what may run.
func (b *Bash) Guard() *guard.Guard { return b.guard }

// Confinement is what holds commands.
func (b *Bash) Confinement() *confinement.Confinement { return b.confinement }

// Shells are those that bash_start started, and the commands that went on after their time limit.
func (b *Bash) Shells() *shells.Shells { return b.commands.Shells() }

// Agents are those that agent_start started.
func (b *Bash) Agents() *agents.Agents { return b.commands.Agents() }

// Todo is the list of steps that the model keeps with todo.
func (b *Bash) Todo() *todo.List { return b.commands.Todo() }

// Fields is the field layer.
func (b *Bash) Fields() *fieldbash.Fields { return b.fields }

// Prepare waits until what holds commands is made, and Options.Warn has been told what
// the machine cannot hold.
func (b *Bash) Prepare() { b.preparing.Wait() }

// Start starts bash in the background, so that it is there when the first
// command comes.
func (b *Bash) Start() { go b.router.Start() }

// SetMode changes the mode: what is asked about, what the kernel and the tools
// hold commands to, and the environment. The shell is started again with its
// directory and variables; ctx bounds the wait for a command that runs. missing
// lists what the mode promises and this kernel cannot enforce. After an error the
// mode is as it was.
func (b *Bash) SetMode(ctx context.Context, mode policy.Mode) (missing []string, err error) {
	if err := checkMode(cmp.Or(mode, "none")); err != nil {
		return nil, err
	}
	old := b.guard.Mode()
	undo := b.confinement.SetMode(mode, false)
	b.guard.SetMode(mode)
	missing, err = b.confinement.Missing()
	if err == nil {
		err = b.router.Refresh(ctx)
	}
	if err != nil && b.guard.Mode() == mode {
		undo()
		b.guard.SetMode(old)
	}
	if err != nil {
		return nil, fmt.Errorf("mode %s: %w", mode, err)
	}
	b.guard.SetHolds(b.confinement.Holds(), b.confinement.Scratch())
	if mode == policy.FullMode && old != mode {
		b.guard.NewShell()
	}
	return missing, nil
}

// TrustSender is for commands that a person types: nothing is asked and nothing
// confines them from now on. What is blocked in every mode stays blocked.
func (b *Bash) TrustSender(ctx context.Context) error {
	b.guard.SetMode(policy.FullMode)
	b.guard.SetSaid(true)
	b.confinement.SetMode(policy.FullMode, true)
	return b.router.Refresh(ctx)
}

// Close ends the shells, the servers and all that they started.
func (b *Bash) Close() error {
	var errs []error
	b.preparing.Wait()
	if b.commands != nil {
		errs = append(errs, b.commands.Close())
	}
	if b.router != nil {
		errs = append(errs, b.router.Close())
	}
	if b.fields != nil {
		errs = append(errs, b.fields.Close())
	}
	if b.confinement != nil {
		errs = append(errs, b.confinement.Close())
	}
	if b.ownDir != nil {
		errs = append(errs, b.ownDir.Remove())
	}
	return errors.Join(errs...)
}
