package confinement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/session"
	"github.com/agentbash/agentbash/session/sandbox"
)

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

// opened is a sandbox that was made; nil: none was.
func (c *Confinement) opened() *box {
	return cmp.Or(c.boxes[sandbox.Read], c.boxes[sandbox.Workspace])
}

// shellBox is where a command that goes on in the background runs: where bash would
// start it that runs the commands of this context. nil: nothing holds it. The caller
// holds mu.
func (c *Confinement) shellBox(ctx context.Context) (b *box, profile router.Profile, err error) {
	if profile = router.ProfileOf(ctx); profile == "" {
		profile = c.usualProfile()
	}
	if !c.holdsNothing() && profile != router.FreeProfile {
		b, err = c.box(sandboxProfile(profile))
	}
	return b, profile, err
}

// Keeps is nil when a shell of this context outlasts the program, and says why not when it is confined.
func (c *Confinement) Keeps(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holdsNothing() || router.ProfileOf(ctx) == router.FreeProfile || c.missing != nil {
		return nil
	}
	return errors.New("a confined shell ends with agentbash, which confines it: leave --keep out, or have the person start it")
}

// OpenTerminal opens a terminal for StartShell.
func (c *Confinement) OpenTerminal(ctx context.Context, columns, rows int) (control, terminal *os.File, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, _, err := c.shellBox(ctx)
	if err != nil {
		return nil, nil, err
	}
	if b == nil {
		return shells.OpenTerminal(ctx, columns, rows)
	}
	return b.OpenTerminal(columns, rows)
}

// StartShell starts a command that goes on in the background. Dir is by the name that
// commands have for it.
func (c *Confinement) StartShell(ctx context.Context, cmd *exec.Cmd) (pid int, wait func() syscall.WaitStatus, err error) {
	view := c.View()
	c.mu.Lock()
	defer c.mu.Unlock()
	b, profile, err := c.shellBox(ctx)
	if err != nil {
		return 0, nil, err
	}
	if b == nil {
		cmd.Dir = view.Real(cmd.Dir)
		return shells.StartDirectly(ctx, cmd)
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
