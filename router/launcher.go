package router

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/session"
)

// A Confiner holds bash to profiles. Its methods are called one at a time.
type Confiner interface {
	// Confine makes ready for what was granted, from now on: its Profile, where ""
	// is the one of what nobody judged, and its Hosts.
	Confine(g Grant) (Confined, error)

	// Ended is told that what Confine made ready for has ended, and says in the result
	// what it was refused. The note is for who reads that.
	Ended(held Confined, res *Result) (note string)

	// View is how confined commands see files.
	View() registry.View
}

// A Reader is a Confiner that judges the files which calls take values from, once
// they are open: a name may lead elsewhere by then.
type Reader interface {
	MayRead(ctx context.Context, f *os.File) error
}

// A Reconsiderer is a Guard that is asked again when the kernel refused a text to
// write that was let run to read only. Without an error the text runs again, with
// what is granted then.
type Reconsiderer interface {
	Reconsider(ctx context.Context, a *Action) (Grant, error)
}

// Confined is how bash is started and what holds it.
type Confined struct {
	Launcher *session.Launcher // nil: bash is started directly; the same as before: the shell that runs is held
	Env      []string          // the environment of commands; nil: the host's
	Profile  Profile           // that holds; "": nothing can be held
	Note     string            // for who reads the result: why it is not the one that was asked for
}

// Refresh confines bash anew, when what the Confiner does has been changed: a shell
// that runs is ended when its command has ended, if another is needed, and the next
// goes on with its directory and variables (see session.Session.Restart).
func (r *Router) Refresh(ctx context.Context) error {
	r.shell.Lock()
	defer r.shell.Unlock()
	_, err := r.confine(ctx, Grant{})
	return err
}

// confine holds bash to a profile, in another shell if need be: for who holds
// r.shell.
func (r *Router) confine(ctx context.Context, g Grant) (Confined, error) {
	if r.opts.Confiner == nil {
		return Confined{}, nil
	}
	c, err := r.opts.Confiner.Confine(g)
	if err != nil {
		return c, fmt.Errorf("confine bash: %w", err)
	}
	r.mu.Lock()
	old, sess, closed := r.held, r.sess, r.closed
	r.held = c
	r.mu.Unlock()
	switch {
	case closed:
		return c, ErrClosed
	case sess == nil || c.Launcher == old.Launcher:
		return c, nil
	}
	// What one confined shell leaves is as good as what the other does; a free one
	// takes only plain data.
	err = sess.Restart(ctx, &session.RestartOptions{Launcher: c.Launcher, Env: r.shellEnv(c.Env), Trust: c.Launcher != nil})
	return c, err
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

// runHeld runs a text in the shell that was granted.
func (r *Router) runHeld(ctx context.Context, p *Plan, g Grant, s *streams, res *Result) {
	r.shell.Lock()
	defer r.shell.Unlock()
	c, err := r.runConfined(ctx, p, g, s, res)
	if again, ok := r.opts.Guard.(Reconsiderer); ok && res.Refusal != nil && *res.Refusal == (Refusal{By: byKernel, Profile: ReadProfile}) {
		if g, refused := again.Reconsider(ctx, &Action{Plan: p, Dir: r.Dir()}); refused != nil {
			fmt.Fprintln(s.err, safetext.Visible(refused.Error()))
		} else {
			start := time.Now()
			res.Refusal = nil
			c, err = r.runConfined(ctx, p, g, s, res)
			g.end(Outcome{ExitCode: res.ExitCode, Canceled: res.Canceled, Duration: time.Since(start)})
		}
	}
	if c.Profile == FreeProfile {
		// Also when ctx has ended: nothing else may run in a free shell.
		if _, back := r.confine(context.WithoutCancel(ctx), Grant{}); err == nil {
			err = back
		}
	}
	if err != nil {
		res.Err, res.Error, res.ExitCode = err, err.Error(), exitTransport
		fmt.Fprintln(s.err, err)
	}
}

// byKernel says that a profile refused something.
const byKernel = "kernel"

// runConfined runs a text in the shell of one profile, and leaves that as it is.
func (r *Router) runConfined(ctx context.Context, p *Plan, g Grant, s *streams, res *Result) (Confined, error) {
	c, err := r.confine(ctx, g)
	if err != nil {
		return c, err
	}
	if res.Profile = c.Profile; c.Note != "" {
		fmt.Fprintln(s.err, c.Note)
	}
	r.runShell(ctx, p, s, res)
	if note := r.opts.Confiner.Ended(c, res); note != "" {
		fmt.Fprintln(s.err, note)
	}
	if c.Profile == FreeProfile && res.ExitCode == exitUnknown {
		fmt.Fprintln(s.err, "note: this ran outside, where functions, aliases and programs of the workspace's own PATH are not")
	}
	if c.Launcher != nil && res.Refusal == nil && s.err.holds(readOnly) && (c.Profile == ReadProfile || res.ExitCode != 0) {
		res.Refusal = &Refusal{By: byKernel, Profile: c.Profile}
		if c.Profile == WorkspaceProfile {
			fmt.Fprintln(s.err, "note: what is read-only here is outside the workspace, or protected in it because programs outside run what it says: write elsewhere, or have the person do it")
		}
	}
	return c, nil
}

// exitUnknown is the exit status of a command that is not found.
const exitUnknown = 127

// readOnly is how the C library says that a mount is read-only (EROFS).
const readOnly = "Read-only file system"

// view is how the commands of the shell see files.
func (r *Router) view() registry.View {
	if r.opts.Confiner == nil {
		return nil
	}
	return r.opts.Confiner.View()
}

type profileKey struct{}

// ProfileOf is the profile that a call of a tool was granted; "" is none in
// particular.
func ProfileOf(ctx context.Context) Profile {
	p, _ := ctx.Value(profileKey{}).(Profile)
	return p
}

func (g *Grant) context(ctx context.Context) context.Context {
	return context.WithValue(registry.Allow(ctx, g.Paths...), profileKey{}, g.Profile)
}
