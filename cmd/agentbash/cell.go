package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/agentbash/agentbash/session"
	"github.com/agentbash/agentbash/session/sandbox"
)

// A cell is what the kernel and the tools hold commands to, which follows from
// the mode. It makes a sandbox for each mode that has one and keeps it until
// Close, for what was started in it may still run.
type cell struct {
	w       *world
	environ []string // the person's own
	places  places

	mu   sync.Mutex // guards what follows
	mode policy.Mode
	said bool // whoever sends commands is the person: see guard.Options.Said
	box  map[policy.Mode]*sandbox.Sandbox
}

func (w *world) newCell(a *app, judged policy.World, mode policy.Mode, said bool) *cell {
	return &cell{w: w, environ: a.environ, places: w.placesOf(judged), mode: mode, said: said, box: map[policy.Mode]*sandbox.Sandbox{}}
}

// start is how bash is started in the mode that is set: its launcher, which is
// nil outside of plan and auto, its environment, and what the kernel does not
// do of what the mode promises, a line each.
func (c *cell) start() (l *session.Launcher, env, missing []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said {
		return nil, c.environ, nil, nil
	}
	env = commandEnv(c.environ, c.w.cfg.Confine.Env)
	spec, ok := c.spec()
	if !ok {
		return nil, env, nil, nil
	}
	box := c.box[c.mode]
	if box == nil {
		box, err = sandbox.Open(spec)
		if errors.Is(err, sandbox.ErrUnsupported) {
			return nil, env, []string{fmt.Sprintf("mode %s: %v: what commands do is judged, and nothing else holds them", c.mode, err)}, nil
		}
		if err != nil {
			return nil, nil, nil, err
		}
		c.box[c.mode] = box
		for _, m := range box.Missing() {
			missing = append(missing, fmt.Sprintf("mode %s: %s", c.mode, m))
		}
	}
	return &session.Launcher{Argv: box.Argv, Dir: box.Dir, Env: box.Env}, env, missing, nil
}

// confined is how bash is started at first, if it will be; what the kernel
// lacks is said.
func (w *world) confined(a *app, shell bool) (*session.Launcher, []string, error) {
	if !shell {
		return nil, a.environ, nil
	}
	l, env, missing, err := w.cell.start()
	for _, m := range missing {
		fmt.Fprintln(a.err, "agentbash: warning:", m)
	}
	return l, env, err
}

// spec is what the kernel is asked for in a mode.
func (c *cell) spec() (sandbox.Spec, bool) {
	switch c.mode {
	case policy.PlanMode:
		return sandbox.Spec{Secret: c.places.secrets}, true
	case policy.AutoMode:
		net := c.w.cfg.Confine.Network
		return sandbox.Spec{Write: c.places.roots, Protected: c.protected(), Secret: c.places.secrets, Connect: net.All, Ports: net.Ports}, true
	}
	return sandbox.Spec{}, false
}

// protected are those of the protected places that could be written at all. Only
// those that are there when a shell starts can be kept from it.
func (c *cell) protected() []string {
	paths := slices.Clone(c.places.protected)
	for _, root := range c.places.roots {
		paths = append(paths, protected.InTree(root)...)
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		return !slices.ContainsFunc(c.places.roots, func(root string) bool { return p != root && strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/") })
	})
}

// access is what the tools may touch now: nil is everything.
func (c *cell) access(context.Context) *agentbash.Access {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said || c.mode == policy.FullMode {
		return nil
	}
	a := c.places.access()
	if c.mode == policy.PlanMode {
		a.Write = nil // whoever judges commands let none through that writes
	}
	return a
}

// enter changes the mode of a world: who decides, what the kernel and the tools
// hold commands to, and the environment. The shell is started again with its
// directory and variables; the context bounds the wait for a command that runs.
// missing says what the kernel does not do of what the mode promises.
func (w *world) enter(ctx context.Context, mode policy.Mode) (missing []string, err error) {
	c := w.cell
	c.mu.Lock()
	old, oldSaid := c.mode, c.said
	c.mode, c.said = mode, false
	c.mu.Unlock()
	w.guard.SetMode(mode)
	l, env, missing, err := c.start()
	if err == nil {
		// From auto to plan nothing is gained, so the whole state may go along.
		trust := old == mode || mode == policy.PlanMode
		err = w.router.SetLauncher(ctx, session.RestartOptions{Launcher: l, Env: env, Trust: trust})
		if err == nil && !trust && (old == policy.PlanMode || old == policy.AutoMode) {
			w.guard.NewShell()
		}
	}
	if err != nil {
		c.mu.Lock()
		c.mode, c.said = old, oldSaid
		c.mu.Unlock()
		w.guard.SetMode(old)
		return nil, fmt.Errorf("mode %s: %w", mode, err)
	}
	return missing, nil
}

// trustSender makes whoever sends commands the person: nothing holds them.
func (w *world) trustSender(ctx context.Context) error {
	w.guard.SetMode(policy.FullMode)
	w.guard.SetSaid(true)
	w.cell.mu.Lock()
	w.cell.mode, w.cell.said = policy.FullMode, true
	w.cell.mu.Unlock()
	l, env, _, err := w.cell.start()
	if err != nil {
		return err
	}
	return w.router.SetLauncher(ctx, session.RestartOptions{Launcher: l, Env: env})
}

// Close removes the sandboxes; all that ran in them has ended.
func (c *cell) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, box := range c.box {
		errs = append(errs, box.Close())
	}
	return errors.Join(errs...)
}
