package router

import "context"

// Remote runs command strings elsewhere, with a shell, tools, a guard and hooks of its own. It
// is safe for concurrent use.
type Remote interface {
	Run(ctx context.Context, command string, opts *RunOptions) Result
	Dir() string // the directory of its next command
}

// SetRemote has command strings run elsewhere from now on; nil: here. Call still runs tools here.
func (r *Router) SetRemote(remote Remote) {
	if remote == nil {
		r.remote.Store(nil)
		return
	}
	r.remote.Store(&remote)
}
