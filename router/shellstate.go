package router

import "context"

// ShellState is what the session's shell has besides its environment (see session.Session.State), for
// another shell that is granted the profile of ctx. A free shell gets nothing of a confined one.
func (r *Router) ShellState(ctx context.Context) []byte {
	r.mu.Lock()
	sess, confined := r.sess, r.held.Launcher != nil
	r.mu.Unlock()
	if sess == nil || confined && ProfileOf(ctx) == FreeProfile {
		return nil
	}
	return sess.State()
}
