package router

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/internal/tempdir"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/session"
)

// Options configures New; nil means the defaults; copied.
type Options struct {
	Dir      string            // where commands start; "" is the host's directory
	Env      []string          // the commands' environment, without a Confiner; nil is the host's
	Unset    []string          // names never passed to commands (the program's own API keys)
	StateDir string            // takes the whole of outputs that are cut; "" makes a private one that Close removes
	Secrets  []string          // texts of 8 bytes or more that a model is never shown, in Output and Error, besides those of well-known forms
	MaxChars int               // of a result's Output; 0 means 30,000; at most a million
	Timeout  time.Duration     // of one command; 0 means 120 s; at most 600 s
	NoCalls  bool              // commands inside bash text cannot call tools: no socket, no links
	Hooks    []Hook            // look at input and output of what runs, in this order
	Guard    Guard             // is asked before anything runs; nil: nobody is
	Settings registry.Settings // the words for what a person may change

	// Confiner holds bash to profiles; nil: nothing holds it. It belongs to the
	// caller, who ends it after Close.
	Confiner Confiner

	// CallsDir, which MakeCallsDir made, is for what bash needs to call tools: a socket
	// and links. Close removes it. nil makes one.
	CallsDir *tempdir.Dir

	// Background takes over what goes on after its time limit; nil: nothing does. With
	// KillAtLimit every command ends there, whatever KillAtLimit, the function, says of one.
	Background  Background
	KillAtLimit bool

	// PromptCommand has bash run PROMPT_COMMAND after each command; see session.Options.
	PromptCommand bool

	// Exit gets what an EXIT trap writes when Close ends the shell; see
	// session.Options. nil: it is dropped.
	Exit func(stdout, stderr []byte)
}

// DefaultMaxChars is how many characters of a result a model is shown.
const DefaultMaxChars = 30_000

const maxMaxChars = 1_000_000

// MaxTimeout is the longest time limit a command can have.
const MaxTimeout = 600 * time.Second

// DefaultTimeout is a command's time limit when none is given.
const DefaultTimeout = 120 * time.Second

// Router runs command strings against one bash session and one registry. It
// owns the session, which is started by the first command that needs it. It is
// safe for concurrent use; bash text runs one command at a time.
type Router struct {
	reg      *registry.ToolRegistry
	opts     Options
	names    atomic.Pointer[nameIndex]
	indexing sync.Mutex // orders the making of names
	stop     func()     // ends the registry's events
	hider    *secrettext.Hider
	host     *host         // nil with NoCalls
	bashSlot chan struct{} // holds one while guarded bash text is judged and runs
	dir      string        // holds spill files
	ownDir   *tempdir.Dir  // nil: the directory is the caller's

	shell sync.Mutex // held by what runs in bash, where there is a Confiner

	mu       sync.Mutex // guards sess, closed and held
	held     Confined
	sess     *session.Session
	closed   bool
	showing  atomic.Pointer[pictures] // takes those of calls from inside bash; nil: nobody does
	remote   atomic.Pointer[Remote]   // runs command strings; nil: this router does
	ended    atomic.Bool              // a result said that the shell ended
	keptTold atomic.Bool              // what a new shell has of the old one, and
	lostTold sync.Map                 // the parts that it has not
	status   atomic.Int32             // exit status of an in-process command that bash does not know yet, plus 1; 0: none
}

// HideSecrets hides in a text what a model is never shown (Options.Secrets).
func (r *Router) HideSecrets(text string) string { return r.hider.Hide(text) }

// New returns a router over the registry's tools, present and future. Close it.
func New(reg *registry.ToolRegistry, opts *Options) (*Router, error) {
	return newRouter(reg, opts, true)
}

// newRouter is New; without small, this executable makes the calls from inside bash everywhere.
func newRouter(reg *registry.ToolRegistry, opts *Options, small bool) (*Router, error) {
	r := &Router{reg: reg, bashSlot: make(chan struct{}, 1)}
	if opts != nil {
		r.opts = *opts
	}
	r.held.Env = r.opts.Env
	r.hider = secrettext.New(r.opts.Secrets...)
	if r.opts.MaxChars <= 0 {
		r.opts.MaxChars = DefaultMaxChars
	}
	r.opts.MaxChars = min(r.opts.MaxChars, maxMaxChars)
	if err := r.makeDirectories(); err != nil {
		return nil, err
	}
	if !r.opts.NoCalls {
		var err error
		if r.host, err = newHost(r, small); err != nil {
			r.removeOwnDir()
			return nil, err
		}
		r.host.links.known = r.knownTools
	}
	r.stop = reg.Subscribe(r.followRegistry)
	r.names.Store(newNameIndex(reg))
	r.linkTools(reg.All()...)
	return r, nil
}

// makeDirectories makes the paths absolute and the state directory private.
func (r *Router) makeDirectories() (err error) {
	if r.opts.Dir == "" {
		r.opts.Dir = "."
	}
	if r.opts.Dir, err = filepath.Abs(r.opts.Dir); err != nil {
		return fmt.Errorf("router: working directory: %w", err)
	}
	r.dir = r.opts.StateDir
	if r.dir == "" {
		if r.ownDir, err = tempdir.Make("", "agentbash-outputs-"); err == nil {
			r.dir = r.ownDir.Path
		}
	} else {
		err = os.MkdirAll(r.dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("router: state directory: %w", err)
	}
	return nil
}

// followRegistry keeps up with the registry.
func (r *Router) followRegistry(e registry.Event) {
	if !strings.HasPrefix(e.Name, registry.FieldPrefix) {
		r.indexing.Lock()
		r.names.Store(newNameIndex(r.reg))
		r.indexing.Unlock()
	}
	if t, ok := r.reg.Lookup(e.Name); ok && e.Added {
		r.linkTools(t)
	}
}

// knownTools are the tools of groups, as far as these know them.
func (r *Router) knownTools() (names []string) {
	for _, g := range r.reg.Groups() {
		if g.Known != nil {
			names = append(names, g.Known()...)
		}
	}
	return names
}

// linkTools makes tools runnable in bash. Without a link command_not_found_handle finds them.
func (r *Router) linkTools(tools ...*registry.Tool) {
	if r.host != nil {
		r.host.links.addNames(tools...)
	}
}

// Registry returns the registry the router runs tools from.
func (r *Router) Registry() *registry.ToolRegistry { return r.reg }

// Dir is the directory the next command runs in.
func (r *Router) Dir() string {
	if remote := r.remote.Load(); remote != nil {
		return (*remote).Dir()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sess == nil {
		return r.opts.Dir
	}
	return r.sess.Dir()
}

// Start starts bash now and not with the first command that needs it.
func (r *Router) Start() error {
	err := r.Refresh(context.Background())
	if err == nil {
		_, err = r.startSession()
	}
	if r.host != nil {
		r.host.links.makeLater()
	}
	return err
}

// ErrClosed is returned for commands after Close.
var ErrClosed error = &statusError{"router: closed", exitTransport}

// startSession returns the shell, starting it at first use.
func (r *Router) startSession() (*session.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if r.sess != nil {
		return r.sess, nil
	}
	o := session.Options{Dir: r.opts.Dir, Env: r.held.Env, Launcher: r.held.Launcher, Unset: r.opts.Unset, StateDir: r.dir,
		Timeout: r.opts.Timeout, Exit: r.opts.Exit, PromptCommand: r.opts.PromptCommand, Head: 8 << 10, Tail: 1 << 10} // where a command has cleared a screen, the head shows it
	o.Env = r.shellEnv(o.Env)
	if r.host != nil {
		o.Init = r.host.init()
	}
	s, err := session.New(&o)
	if err != nil {
		return nil, err
	}
	r.sess = s
	return s, nil
}

func (r *Router) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// setStatus makes an in-process command's exit status bash's next $?. It does
// not wait for the command that bash may be running.
func (r *Router) setStatus(code int) { r.status.Store(int32(code) + 1) }

// Close ends the shell with everything it started, and the calls it serves.
func (r *Router) Close() error {
	r.mu.Lock()
	sess, closed := r.sess, r.closed
	r.closed = true
	r.mu.Unlock()
	if closed {
		return nil
	}
	r.stop()
	var err error
	if sess != nil {
		err = sess.Close()
	}
	if r.host != nil {
		r.host.close()
	}
	r.removeOwnDir()
	return err
}

func (r *Router) removeOwnDir() {
	if r.ownDir != nil {
		r.ownDir.Remove()
	}
}
