package confinement

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/policy"
)

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

// MayRead judges a file that a call takes a value from. See [router.Reader].
func (c *Confinement) MayRead(ctx context.Context, f *os.File) error {
	return c.Access(ctx).MayRead(ctx, f, c.opts.Settings)
}

// isBelow reports whether a path is a directory of the list or lies below one.
func isBelow(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return registry.Below(path, dir) })
}
