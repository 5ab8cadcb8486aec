package confinement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/confinement/network"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/agentbash/agentbash/session/sandbox"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	Mode policy.Mode // "" is AskMode

	// Trusted is for commands that a person types: nothing holds them.
	Trusted bool

	Environ []string // the person's own environment; nil is this process's
	Env     []string // further variables that commands get: "NAME" or "PREFIX_*"

	// Network says which hosts may be connected to, and AskHost asks about one of
	// which it says nothing, see package network; nil: nobody can be asked.
	Network network.Rules
	AskHost func(ctx context.Context, host string, port int) (bool, error)

	// TrustedRepositories are directories of repositories whose own configuration git
	// obeys in confined commands, with all that is below; relative to the home
	// directory or absolute, "~/" is home too.
	TrustedRepositories []string

	// Settings are the words for what a person may change.
	Settings registry.Settings

	// StateDir is the program's own: confined commands see nothing of it but Show,
	// directories that they may read. Changed caches are kept in it, or where it
	// lies in a directory that has caches, in /var/tmp. "" keeps no caches.
	StateDir string
	Show     []string
}

// A Confinement holds commands to a workspace, by the kernel and by the file
// tools, as far as the mode that is set demands. It makes a sandbox when one is
// first needed and keeps it until Close. It implements [router.Confiner], and is
// safe for concurrent use.
type Confinement struct {
	workspace Workspace
	opts      Options
	env       []string // of confined commands
	freeEnv   []string // of commands that run outside
	fullEnv   []string // in mode full

	mu      sync.Mutex // guards what follows
	mode    policy.Mode
	trusted bool
	boxes   map[sandbox.Profile]*box // one under both names, where it switches
	missing []string                 // why there is none
	locks   []*os.File               // of directories with caches
	keeper  *keeper                  // set with the first box
}

// New returns the confinement of a workspace. Close it when all that was
// started in it has ended.
func New(w Workspace, opts *Options) *Confinement {
	c := &Confinement{workspace: w, boxes: map[sandbox.Profile]*box{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Environ == nil {
		c.opts.Environ = os.Environ()
	}
	c.env, c.fullEnv = CommandEnv(c.opts.Environ, c.opts.Env), CommandEnv(c.opts.Environ, slices.Concat(c.opts.Env, freeVars))
	c.freeEnv = withoutWorkspace(c.fullEnv, w.Roots)
	c.mode, c.trusted = cmp.Or(c.opts.Mode, policy.AskMode), c.opts.Trusted
	return c
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

// holdsNothing reports whether the mode leaves commands free.
func (c *Confinement) holdsNothing() bool { return c.trusted || c.mode == policy.FullMode }

// Confine implements [router.Confiner].
func (c *Confinement) Confine(g router.Grant) (router.Confined, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trusted {
		return router.Confined{Env: c.opts.Environ}, nil
	}
	held := router.Confined{Env: c.freeEnv, Profile: g.Profile}
	if c.mode == policy.FullMode {
		held.Profile, held.Env = "", c.fullEnv
		return held, nil
	}
	if held.Profile == "" {
		held.Profile = c.usualProfile()
	}
	if held.Profile == router.FreeProfile {
		return held, nil
	}
	held.Env = c.env
	profile := sandboxProfile(held.Profile)
	b, err := c.box(profile)
	if err != nil {
		return held, err
	}
	if b == nil {
		held.Profile = ""
		return held, nil
	}
	held.Launcher = b.launcher
	if !b.Switches() {
		return held, nil
	}
	err = b.SetProfile(profile)
	if errors.Is(err, sandbox.ErrBusy) {
		held.Profile, err = router.WorkspaceProfile, nil
		held.Note = "note: something in the background works in the workspace, so this was held as that is: it could have written there too"
	}
	if held.Profile == router.WorkspaceProfile && c.keeper.isNew() {
		held.Note = strings.Trim(held.Note+"\n"+c.lookAround(b), "\n")
	}
	b.revoke()
	b.revoke = b.proxy.Grant(g.Hosts)
	b.proxy.SetOpen(held.Profile == router.WorkspaceProfile || b.apart.Load() > 0)
	return held, err
}

// refusalNote says which connection was not made, and what allows it.
func (c *Confinement) refusalNote(r network.Refusal) string {
	did := "was refused"
	if r.Failed {
		did = "failed"
	}
	note := fmt.Sprintf("note: the connection to %s %s: %s", net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), did, r.Reason)
	if r.Allow != "" && c.opts.Settings.Hosts != "" {
		note += "; the user may allow it: " + strings.ReplaceAll(c.opts.Settings.Hosts, "HOST", r.Allow)
	}
	return note
}

// lookAround is what is done about protected files that have been made while no command
// ran: by the person, who may, or by something in the background.
func (c *Confinement) lookAround(b *box) (note string) {
	if !b.Idle() {
		note = c.keeper.takeOut()
	}
	if err := b.Protect(); err != nil {
		note += fmt.Sprintf("\nwarning: new files are not protected: %v", err)
	}
	c.keeper.note()
	return strings.TrimPrefix(note, "\n")
}

// Ended implements [router.Confiner]: it looks what a command has made that could not
// be protected, and which hosts it was refused.
func (c *Confinement) Ended(held router.Confined, res *router.Result) string {
	if held.Launcher == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var notes []string
	for _, refused := range c.opened().proxy.Refusals() {
		if !refused.Failed {
			res.RefuseHost(net.JoinHostPort(refused.Host, strconv.Itoa(refused.Port)))
		}
		notes = append(notes, c.refusalNote(refused))
	}
	if held.Profile == router.WorkspaceProfile && c.keeper.isNew() {
		notes = append(notes, c.keeper.takeOut(), c.lookAround(c.opened()))
	}
	return strings.Join(slices.DeleteFunc(slices.Compact(notes), func(note string) bool { return note == "" }), "\n")
}

// usualProfile is that of what nobody judged.
func (c *Confinement) usualProfile() router.Profile {
	if c.mode == policy.AutoMode {
		return router.WorkspaceProfile
	}
	return router.ReadProfile
}

// Missing opens what the mode needs and lists what this machine cannot hold of it, a
// line each for a person to read.
func (c *Confinement) Missing() ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holdsNothing() {
		return nil, nil
	}
	b, err := c.box(sandboxProfile(c.usualProfile()))
	if b == nil {
		return slices.Clone(c.missing), err
	}
	return b.Missing(), nil
}

// Host tells what the rules of the network say of "host:port".
func (c *Confinement) Host(address string) policy.Answer {
	host, port, err := net.SplitHostPort(address)
	number, bad := strconv.Atoi(port)
	if err != nil || bad != nil {
		return policy.Ask
	}
	switch c.opts.Network.Judge(host, number) {
	case network.Allowed:
		return policy.Allow
	case network.Denied:
		return policy.Deny
	}
	return policy.Ask
}

// Holds tells what the kernel can hold in the mode that is set, whoever sends the
// commands.
func (c *Confinement) Holds() policy.Holds {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mode == policy.FullMode {
		return policy.Holds{}
	}
	b, err := c.box(sandboxProfile(c.usualProfile()))
	if b == nil || err != nil {
		return policy.Holds{}
	}
	return policy.Holds{Read: true, Workspace: true, Hosts: b.Switches()}
}

// Close removes the sandboxes; all that ran in them has ended, or ends.
func (c *Confinement) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	closed := map[*box]bool{}
	for _, b := range c.boxes {
		if !closed[b] {
			closed[b] = true
			errs = append(errs, b.Close())
			b.proxy.Close()
		}
	}
	for _, lock := range c.locks {
		lock.Close()
	}
	return errors.Join(errs...)
}
