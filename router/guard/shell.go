package guard

// NewShell notes that the shell was started again with the directory, options
// and plain variables of the one before, and without its functions and aliases:
// names mean commands again.
func (g *Guard) NewShell() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.world.NewShell(false)
}
