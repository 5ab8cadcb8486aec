package confinement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/agentbash/agentbash/session"
	"github.com/agentbash/agentbash/session/sandbox"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	Mode policy.Mode // "" is AskMode

	// Trusted is for commands that a person types: nothing holds them.
	Trusted bool

	Environ []string // the person's own environment; nil is this process's
	Env     []string // further variables that commands get: "NAME" or "PREFIX_*"

	// Network says which hosts may be connected to, and AskHost asks about one of
	// which it says nothing, see package network; nil: nobody can be asked.
	Network network.Rules
	AskHost func(ctx context.Context, host string, port int) (bool, error)

	// TrustedRepositories are directories of repositories whose own configuration git
	// obeys in confined commands, with all that is below; relative to the home
	// directory or absolute, "~/" is home too.
	TrustedRepositories []string

	// Settings are the words for what a person may change.
	Settings registry.Settings

	// StateDir is the program's own: confined commands see nothing of it but Show,
	// directories that they may read. Changed caches are kept in it, or where it
	// lies in a directory that has caches, in /var/tmp. "" keeps no caches.
	StateDir string
	Show     []string
}

// A Confinement holds commands to a workspace, by the kernel and by the file
// tools, as far as the mode that is set demands. It makes a sandbox when one is
// first needed and keeps it until Close. It implements [router.Confiner], and is
// safe for concurrent use.
type Confinement struct {
	workspace Workspace
	opts      Options
	env       []string // of confined commands
	freeEnv   []string // of commands that run outside
	fullEnv   []string // in mode full

	mu      sync.Mutex // guards what follows
	mode    policy.Mode
	trusted bool
	boxes   map[sandbox.Profile]*box // one under both names, where it switches
	missing []string                 // why there is none
	locks   []*os.File               // of directories with caches
	keeper  *keeper                  // set with the first box
}

// box is a sandbox with what belongs to it.
type box struct {
	*sandbox.Sandbox
	launcher *session.Launcher
	trusts   bool // the repository's own configuration counts
	layers   []sandbox.Layer
	instead  string // where caches are, without layers
	proxy    *network.Proxy
	revoke   func()       // the hosts of the last grant
	apart    atomic.Int32 // programs that run on with the network, whatever runs beside them
}

// New returns the confinement of a workspace. Close it when all that was
// started in it has ended.
func New(w Workspace, opts *Options) *Confinement {
	c := &Confinement{workspace: w, boxes: map[sandbox.Profile]*box{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Environ == nil {
		c.opts.Environ = os.Environ()
	}
	c.env, c.fullEnv = CommandEnv(c.opts.Environ, c.opts.Env), CommandEnv(c.opts.Environ, slices.Concat(c.opts.Env, freeVars))
	c.freeEnv = withoutWorkspace(c.fullEnv, w.Roots)
	c.mode, c.trusted = cmp.Or(c.opts.Mode, policy.AskMode), c.opts.Trusted
	return c
}

// SetMode changes the mode for what is started from now on, and whether whoever
// sends the commands is trusted. undo takes that back.
func (c *Confinement) SetMode(mode policy.Mode, trusted bool) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldMode, oldTrusted := c.mode, c.trusted
	c.mode, c.trusted = mode, trusted
	return func() { c.SetMode(oldMode, oldTrusted) }
}

// holdsNothing reports whether the mode leaves commands free.
func (c *Confinement) holdsNothing() bool { return c.trusted || c.mode == policy.FullMode }

// Confine implements [router.Confiner].
func (c *Confinement) Confine(g router.Grant) (router.Confined, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trusted {
		return router.Confined{Env: c.opts.Environ}, nil
	}
	held := router.Confined{Env: c.freeEnv, Profile: g.Profile}
	if c.mode == policy.FullMode {
		held.Profile, held.Env = "", c.fullEnv
		return held, nil
	}
	if held.Profile == "" {
		held.Profile = c.usualProfile()
	}
	if held.Profile == router.FreeProfile {
		return held, nil
	}
	held.Env = c.env
	profile := sandboxProfile(held.Profile)
	b, err := c.box(profile)
	if err != nil {
		return held, err
	}
	if b == nil {
		held.Profile = ""
		return held, nil
	}
	held.Launcher = b.launcher
	if !b.Switches() {
		return held, nil
	}
	err = b.SetProfile(profile)
	if errors.Is(err, sandbox.ErrBusy) {
		held.Profile, err = router.WorkspaceProfile, nil
		held.Note = "note: something in the background works in the workspace, so this was held as that is: it could have written there too"
	}
	if held.Profile == router.WorkspaceProfile && c.keeper.isNew() {
		held.Note = strings.Trim(held.Note+"\n"+c.lookAround(b), "\n")
	}
	b.revoke()
	b.revoke = b.proxy.Grant(g.Hosts)
	b.proxy.SetOpen(held.Profile == router.WorkspaceProfile || b.apart.Load() > 0)
	return held, err
}

// refusalNote says which connection was not made, and what allows it.
func (c *Confinement) refusalNote(r network.Refusal) string {
	did := "was refused"
	if r.Failed {
		did = "failed"
	}
	note := fmt.Sprintf("note: the connection to %s %s: %s", net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), did, r.Reason)
	if r.Allow != "" && c.opts.Settings.Hosts != "" {
		note += "; the user may allow it: " + strings.ReplaceAll(c.opts.Settings.Hosts, "HOST", r.Allow)
	}
	return note
}

// lookAround is what is done about protected files that have been made while no command
// ran: by the person, who may, or by something in the background.
func (c *Confinement) lookAround(b *box) (note string) {
	if !b.Idle() {
		note = c.keeper.takeOut()
	}
	if err := b.Protect(); err != nil {
		note += fmt.Sprintf("\nwarning: new files are not protected: %v", err)
	}
	c.keeper.note()
	return strings.TrimPrefix(note, "\n")
}

// Ended implements [router.Confiner]: it looks what a command has made that could not
// be protected, and which hosts it was refused.
func (c *Confinement) Ended(held router.Confined, res *router.Result) string {
	if held.Launcher == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var notes []string
	for _, refused := range c.opened().proxy.Refusals() {
		if !refused.Failed {
			res.RefuseHost(net.JoinHostPort(refused.Host, strconv.Itoa(refused.Port)))
		}
		notes = append(notes, c.refusalNote(refused))
	}
	if held.Profile == router.WorkspaceProfile && c.keeper.isNew() {
		notes = append(notes, c.keeper.takeOut(), c.lookAround(c.opened()))
	}
	return strings.Join(slices.DeleteFunc(slices.Compact(notes), func(note string) bool { return note == "" }), "\n")
}

// usualProfile is that of what nobody judged.
func (c *Confinement) usualProfile() router.Profile {
	if c.mode == policy.AutoMode {
		return router.WorkspaceProfile
	}
	return router.ReadProfile
}

func sandboxProfile(p router.Profile) sandbox.Profile {
	if p == router.ReadProfile {
		return sandbox.Read
	}
	return sandbox.Workspace
}

// box returns the sandbox for a profile, which is made at first use; nil where the
// kernel cannot hold anything.
func (c *Confinement) box(p sandbox.Profile) (*box, error) {
	if b := c.boxes[p]; b != nil || c.missing != nil {
		return b, nil
	}
	spec, err := c.spec()
	if err != nil {
		return nil, err
	}
	b := &box{trusts: c.trusts(), layers: spec.Layers, instead: spec.Instead, proxy: network.New(&network.Options{Rules: c.opts.Network, Ask: c.opts.AskHost}), revoke: func() {}}
	spec.Listen = func(l sandbox.Listeners) {
		b.proxy.Serve(network.Listeners{HTTP: l.Proxy, DNS: l.DNS, Transparent: l.Transparent})
	}
	if b.Sandbox, err = sandbox.Open(spec, p); err != nil {
		b.proxy.Close()
	}
	if errors.Is(err, sandbox.ErrUnsupported) {
		c.missing = []string{err.Error() + ": what commands do is judged, and nothing else holds them"}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.keeper == nil {
		c.keeper = newKeeper(c.workspace.Roots, c.workspace.Protected, filepath.Join(cmp.Or(c.opts.StateDir, b.Dir), "taken"))
	}
	b.launcher = &session.Launcher{Dir: b.Dir, Env: b.env(), Start: b.start}
	c.boxes[p] = b
	if b.Switches() {
		c.boxes[sandbox.Read], c.boxes[sandbox.Workspace] = b, b
	}
	return b, nil
}

// start starts a shell.
func (b *box) start(cmd *exec.Cmd) (session.Process, error) {
	p, err := b.Start(cmd)
	if err != nil {
		return session.Process{}, err
	}
	return session.Process{Pid: p.Pid, PidFD: p.PidFD, Init: p.Init, Wait: p.Wait}, nil
}

// spec is what the kernel is asked for.
func (c *Confinement) spec() (sandbox.Spec, error) {
	s := sandbox.Spec{Write: c.workspace.Roots, Protected: c.protected(), Secret: c.workspace.Secrets, Connect: c.opts.Network.AllowAll()}
	if c.opts.StateDir != "" {
		s.Cover = []string{c.opts.StateDir}
	}
	for _, dir := range c.opts.Show {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, fmt.Errorf("directory of the program's own: %w", err)
		}
		s.Keep = append(s.Keep, dir)
	}
	s.Texts = c.gitConfigs()
	s.Layers, s.Instead = c.layers()
	return s, nil
}

// protected are those of the protected paths that could be written at all.
func (c *Confinement) protected() []string {
	paths := slices.Clone(c.workspace.Protected)
	for _, root := range c.workspace.Roots {
		paths = slices.Concat(paths, protected.InTree(root), protected.InGitDir(filepath.Join(root, ".git")))
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		return !slices.ContainsFunc(c.workspace.Roots, func(root string) bool { return p != root && registry.Below(p, root) })
	})
}

// Missing opens what the mode needs and lists what this machine cannot hold of it, a
// line each for a person to read.
func (c *Confinement) Missing() ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holdsNothing() {
		return nil, nil
	}
	b, err := c.box(sandboxProfile(c.usualProfile()))
	if b == nil {
		return slices.Clone(c.missing), err
	}
	return b.Missing(), nil
}

// Host tells what the rules of the network say of "host:port".
func (c *Confinement) Host(address string) policy.Answer {
	host, port, err := net.SplitHostPort(address)
	number, bad := strconv.Atoi(port)
	if err != nil || bad != nil {
		return policy.Ask
	}
	switch c.opts.Network.Judge(host, number) {
	case network.Allowed:
		return policy.Allow
	case network.Denied:
		return policy.Deny
	}
	return policy.Ask
}

// Holds tells what the kernel can hold in the mode that is set, whoever sends the
// commands.
func (c *Confinement) Holds() policy.Holds {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mode == policy.FullMode {
		return policy.Holds{}
	}
	b, err := c.box(sandboxProfile(c.usualProfile()))
	if b == nil || err != nil {
		return policy.Holds{}
	}
	return policy.Holds{Read: true, Workspace: true, Hosts: b.Switches()}
}

// opened is a sandbox that was made; nil: none was.
func (c *Confinement) opened() *box {
	return cmp.Or(c.boxes[sandbox.Read], c.boxes[sandbox.Workspace])
}

// View implements [router.Confiner].
func (c *Confinement) View() (v registry.View) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.opened()
	if b == nil || c.holdsNothing() {
		return nil
	}
	for _, dir := range b.Temps() {
		v = append(v, registry.Mount{At: dir, Is: filepath.Join(b.Dir, "tmp")})
	}
	if v == nil {
		return nil
	}
	for _, l := range b.layers {
		v = append(v, registry.Mount{At: l.Dir, Is: l.Dir, Over: filepath.Join(l.Upper, "upper")})
	}
	for _, dir := range slices.Concat(c.workspace.Roots, c.opts.Show, []string{b.Dir}) {
		v = append(v, registry.Mount{At: dir, Is: dir})
	}
	return v
}

// Scratch are the directories that may be written besides the workspace, by the
// names that commands have for them.
func (c *Confinement) Scratch() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.opened()
	switch {
	case b == nil || c.holdsNothing():
		return c.workspace.Scratch
	case b.Switches():
		return append(b.Temps(), "/dev/shm")
	}
	return []string{filepath.Join(b.Dir, "tmp")}
}

// Access is what file tools may touch now; nil is everything.
func (c *Confinement) Access(context.Context) *files.Access {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holdsNothing() {
		return nil
	}
	a := c.workspace.Access()
	if b := c.opened(); b != nil {
		a.Write = append(slices.Clone(c.workspace.Roots), filepath.Join(b.Dir, "tmp"))
	}
	if c.mode == policy.PlanMode {
		a.Write = nil // whoever judges commands let none through that writes
	}
	return a
}

// StartShell starts a command that goes on in the background as bash would start it
// that runs the commands of this context. Dir is by the name that commands have
// for it.
func (c *Confinement) StartShell(ctx context.Context, cmd *exec.Cmd) (pid int, wait func() syscall.WaitStatus, err error) {
	profile := router.ProfileOf(ctx)
	view := c.View()
	c.mu.Lock()
	defer c.mu.Unlock()
	if profile == "" {
		profile = c.usualProfile()
	}
	var b *box
	if !c.holdsNothing() && profile != router.FreeProfile {
		if b, err = c.box(sandboxProfile(profile)); err != nil {
			return 0, nil, err
		}
	}
	if b == nil {
		cmd.Dir = view.Real(cmd.Dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return 0, nil, err
		}
		return cmd.Process.Pid, func() syscall.WaitStatus {
			cmd.Wait()
			return cmd.ProcessState.Sys().(syscall.WaitStatus)
		}, nil
	}
	cmd.Env = append(cmd.Env, b.launcher.Env...)
	p, err := b.StartApart(cmd, sandboxProfile(profile))
	if err != nil {
		return 0, nil, err
	}
	if profile == router.WorkspaceProfile {
		b.apart.Add(1)
		b.proxy.SetOpen(true)
	}
	return p.Pid, func() syscall.WaitStatus {
		defer syscall.Close(p.PidFD)
		ws := p.Wait()
		if profile == router.WorkspaceProfile {
			b.apart.Add(-1)
		}
		return ws
	}, nil
}

// Close removes the sandboxes; all that ran in them has ended, or ends.
func (c *Confinement) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	closed := map[*box]bool{}
	for _, b := range c.boxes {
		if !closed[b] {
			closed[b] = true
			errs = append(errs, b.Close())
			b.proxy.Close()
		}
	}
	for _, lock := range c.locks {
		lock.Close()
	}
	return errors.Join(errs...)
}

// isBelow reports whether a path is a directory of the list or lies below one.
func isBelow(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return registry.Below(path, dir) })
}

// env are the variables of a confined shell.
func (b *box) env() []string {
	env := slices.Clone(b.Env)
	if !b.trusts {
		env = append(env, gitEnv...)
	}
	if !b.Switches() {
		return append(env, cacheEnv(cmp.Or(b.instead, filepath.Join(b.Dir, "tmp")))...)
	}
	return append(env, network.Env("http://"+sandbox.ProxyAddr)...)
}

// gitEnv keeps git from repositories that lie in a tree for no reason, and from
// programs that a repository's own configuration names for each look at it. A branch
// that is made from a remote one follows nothing: that would stand in .git/config.
var gitEnv = strings.Fields(`GIT_NO_LAZY_FETCH=1 GIT_CONFIG_COUNT=3
	GIT_CONFIG_KEY_0=safe.bareRepository GIT_CONFIG_VALUE_0=explicit GIT_CONFIG_KEY_1=core.fsmonitor GIT_CONFIG_VALUE_1=false
	GIT_CONFIG_KEY_2=branch.autoSetupMerge GIT_CONFIG_VALUE_2=false`)
