package guard

import "github.com/agentbash/agentbash/router/policy"

// SetHolds says what the kernel can hold from now on, and which directories may be
// written besides the workspace.
func (g *Guard) SetHolds(h policy.Holds, scratch []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.world.Holds, g.world.Scratch = h, scratch
}

// NewShell notes that the shell was started again with the directory, options
// and plain variables of the one before, and without its functions and aliases:
// names mean commands again.
func (g *Guard) NewShell() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.world.NewShell(false)
}
