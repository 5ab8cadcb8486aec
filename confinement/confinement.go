package confinement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/internal/protected"
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

	// Network allows all connections in mode auto. Without it, Ports are the TCP
	// ports that may be connected to.
	Network bool
	Ports   []uint16
}

// A Confinement holds commands to a workspace, by the kernel and by the file
// tools, as far as the mode that is set demands. It makes a sandbox for each mode
// that needs one and keeps it until Close, since what was started in it may still
// run. It is safe for concurrent use.
type Confinement struct {
	workspace Workspace
	opts      Options

	mu      sync.Mutex // guards what follows
	mode    policy.Mode
	trusted bool
	boxes   map[policy.Mode]*sandbox.Sandbox
}

// New returns the confinement of a workspace. Close it when all that was
// started in it has ended.
func New(w Workspace, opts *Options) *Confinement {
	c := &Confinement{workspace: w, boxes: map[policy.Mode]*sandbox.Sandbox{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Environ == nil {
		c.opts.Environ = os.Environ()
	}
	c.mode, c.trusted = cmp.Or(c.opts.Mode, policy.AskMode), c.opts.Trusted
	return c
}

// Start is how a shell is started. Launcher is nil where the kernel holds nothing:
// in the modes ask and full, and on a kernel that cannot. Missing lists what the
// mode promises and this kernel cannot enforce, a line each for a person to read,
// the first time that a mode is started.
type Start struct {
	Launcher *session.Launcher
	Env      []string // the environment
	Missing  []string
}

// Start makes what a shell needs to be started in the mode that is set.
func (c *Confinement) Start() (Start, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trusted {
		return Start{Env: c.opts.Environ}, nil
	}
	s := Start{Env: CommandEnv(c.opts.Environ, c.opts.Env)}
	spec, ok := c.spec()
	if !ok {
		s.Env = CommandEnv(c.opts.Environ, slices.Concat(c.opts.Env, freeVars))
		return s, nil
	}
	box := c.boxes[c.mode]
	if box == nil {
		var err error
		box, err = sandbox.Open(spec)
		if errors.Is(err, sandbox.ErrUnsupported) {
			s.Missing = []string{fmt.Sprintf("mode %s: %v: what commands do is judged, and nothing else holds them", c.mode, err)}
			return s, nil
		}
		if err != nil {
			return Start{}, err
		}
		c.boxes[c.mode] = box
		for _, m := range box.Missing() {
			s.Missing = append(s.Missing, fmt.Sprintf("mode %s: %s", c.mode, m))
		}
	}
	s.Launcher = &session.Launcher{Argv: box.Argv, Dir: box.Dir, Env: box.Env}
	return s, nil
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

// spec is what the kernel is asked for in a mode.
func (c *Confinement) spec() (sandbox.Spec, bool) {
	switch c.mode {
	case policy.PlanMode:
		return sandbox.Spec{Secret: c.workspace.Secrets}, true
	case policy.AutoMode:
		return sandbox.Spec{Write: c.workspace.Roots, Protected: c.protected(), Secret: c.workspace.Secrets, Connect: c.opts.Network, Ports: c.opts.Ports}, true
	}
	return sandbox.Spec{}, false
}

// protected are those of the protected paths that could be written at all. Only
// those that are there when a shell starts can be kept from it.
func (c *Confinement) protected() []string {
	paths := slices.Clone(c.workspace.Protected)
	for _, root := range c.workspace.Roots {
		paths = append(paths, protected.InTree(root)...)
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		return !slices.ContainsFunc(c.workspace.Roots, func(root string) bool { return p != root && strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/") })
	})
}

// Access is what file tools may touch now; nil is everything.
func (c *Confinement) Access(context.Context) *files.Access {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trusted || c.mode == policy.FullMode {
		return nil
	}
	a := c.workspace.Access()
	if c.mode == policy.PlanMode {
		a.Write = nil // whoever judges commands let none through that writes
	}
	return a
}

// Close removes the sandboxes; all that ran in them has ended.
func (c *Confinement) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, box := range c.boxes {
		errs = append(errs, box.Close())
	}
	return errors.Join(errs...)
}
