package router

import (
	"context"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/session"
)

// SetLauncher changes how bash is started and what its environment is, from now
// on: a bash that runs is ended when its command has ended, and the next one
// goes on with its directory and variables (see session.Session.Restart). Who
// switches to a launcher that allows less than the one before, or to any from
// none, sets Trust and so keeps all of the state.
func (r *Router) SetLauncher(ctx context.Context, o session.RestartOptions) error {
	r.shell.Lock()
	defer r.shell.Unlock()
	return r.relaunch(ctx, o)
}

// Launcher is what bash is started by; nil: nothing. Env is its environment,
// without what calls from inside bash need; nil is the host's.
func (r *Router) Launcher() (l *session.Launcher, env []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opts.Launcher, r.opts.Env
}

// relaunch is SetLauncher for who holds r.shell.
func (r *Router) relaunch(ctx context.Context, o session.RestartOptions) error {
	r.mu.Lock()
	r.opts.Launcher = o.Launcher
	if o.Env != nil {
		r.opts.Env = o.Env
		o.Env = r.shellEnv(o.Env)
	}
	sess, closed := r.sess, r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case sess == nil:
		return nil
	}
	return sess.Restart(ctx, &o)
}

// shellEnv is an environment with what calls from inside bash need.
func (r *Router) shellEnv(env []string) []string {
	if r.host == nil {
		return env
	}
	if env == nil {
		env = os.Environ()
	}
	return r.host.addEnv(env)
}

// runFree runs a text as runBash does, in a shell without the launcher.
func (r *Router) runFree(ctx context.Context, p *Plan, s *streams, res *Result) {
	r.shell.Lock()
	defer r.shell.Unlock()
	confined, _ := r.Launcher()
	if confined == nil {
		r.runShell(ctx, p, s, res)
		return
	}
	err := r.relaunch(ctx, session.RestartOptions{})
	if err == nil {
		r.runShell(ctx, p, s, res)
	}
	// Also when ctx has ended: nothing else may run in a free shell.
	back := r.relaunch(context.WithoutCancel(ctx), session.RestartOptions{Launcher: confined})
	if err == nil {
		err = back
	}
	if err != nil {
		res.Err, res.Error, res.ExitCode = err, err.Error(), exitTransport
		fmt.Fprintln(s.err, err)
	}
}
