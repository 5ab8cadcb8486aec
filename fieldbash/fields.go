package fieldbash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// Options configures New; nil means the defaults.
type Options struct {
	Dir     string   // where servers and functions run; absolute; "": the current directory
	Env     []string // our environment ("K=V"), of which they get a minimal part
	Version string   // our version, told to servers
	Roots   []string // directories told to servers as their roots; nil: Dir

	Files string // where images and other bytes are saved; "": a directory of ours below the temporary one
	State string // keeps logins and the last listing of each server, 0700; "": nothing is kept

	Offer func(name string) bool // which tools Register offers, by their whole names (field:GROUP:tool); nil: all
	Warn  func(error)            // told by New of an entry that is left out, or that has another name, and why; nil: New returns it as an error

	Log     func(format string, args ...any) // warnings and what servers say outside a call; called from any goroutine; nil: dropped
	Changed func(group string)               // a server's tools changed: load the group again; called from a goroutine

	// Permit is asked before a server is started or connected to, Check before a
	// program is: its argv, with the path that is run, and its directory. An error
	// keeps it from that. nil permits all.
	Permit func(server string, s Server) error
	Check  func(argv []string, dir string) error

	// Keeper starts a program that calls ServeKept for a server, with the listener. nil
	// keeps none: each program starts its own.
	Keeper func(server string, listener *os.File) error

	// Launch puts a program that is to be started into its sandbox. nil: what has
	// one does not start.
	Launch func(cmd *exec.Cmd, s Sandbox) error

	Elicit  func(server string, q mcp.Question) mcp.Answer                                    // asks the person for a server; nil: declined
	Sample  func(ctx context.Context, server string, p mcp.Prompting) (mcp.Completion, error) // our model, for servers that the configuration lets; nil: for none
	Login   func(ctx context.Context, server, url string) error                               // shows the person where to log in, and returns; nil: no one can
	Confirm func(server string, changes []string) bool                                        // asks whether changed definitions may be used; nil: no
}

// Fields is the field layer of one program. It is safe for concurrent use.
type Fields struct {
	opts     Options
	watchdog mcp.Watchdog
	groups   []*group

	life    context.Context // of work that outlasts a call
	end     context.CancelFunc
	mu      sync.Mutex // guards closed, and working against a start after the end
	closed  bool
	working sync.WaitGroup
}

// group is one MCP server or one group of functions.
type group struct {
	name    string
	summary string
	server  Server
	client  *mcp.Client      // nil for functions
	command *mcp.Command     // nil for functions and addresses
	tools   []*registry.Tool // of functions

	kept     sync.Once
	keptOnes map[string]*registry.Tool // of the kept listing, by name

	live     atomic.Bool // the server itself listed its tools last
	verified sync.Once   // a listing from the state directory was compared with the server's
}

// New checks the configuration and returns the layer; nothing is started. An
// entry that cannot be used is left out if Options.Warn can be told of it, and
// else an error: all of them, joined.
func New(cfg Config, opts *Options) (*Fields, error) {
	f := &Fields{}
	if opts != nil {
		f.opts = *opts
	}
	f.life, f.end = context.WithCancel(context.Background())
	if f.opts.Dir == "" {
		f.opts.Dir, _ = filepath.Abs(".")
	}
	if f.opts.Roots == nil && f.opts.Dir != "" {
		f.opts.Roots = []string{f.opts.Dir}
	}
	warnings := f.addGroups(cfg)
	if f.opts.Warn == nil {
		if err := errors.Join(warnings...); err != nil {
			f.Close() // nothing was started
			return nil, err
		}
	}
	for _, err := range warnings {
		f.opts.Warn(err)
	}
	return f, nil
}

// addGroups makes the groups of a configuration, and tells what is wrong with it.
func (f *Fields) addGroups(cfg Config) (warnings []error) {
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Errorf(format, args...)) }
	taken := map[string]string{}
	claim := func(kind, name string) (safe string, ok bool) {
		safe = safeName(name)
		here := kind + "." + name
		other, dup := taken[safe]
		switch {
		case safe == "":
			warn("%s: its name is empty: it is left out", here)
			return "", false
		case dup:
			warn("%s: the name field:%s belongs to %s: it is left out; rename one of them", here, safe, other)
			return "", false
		case safe != name:
			warn("%s: the name is not fit for a command: it is field:%s", here, safe)
		}
		taken[safe] = here
		return safe, true
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.MCPServers)) {
		s := cfg.MCPServers[name]
		if s.Disabled {
			continue
		}
		if err := s.check(); err != nil {
			warn("mcpServers.%s: %w", name, err)
		} else if safe, ok := claim("mcpServers", name); ok {
			f.groups = append(f.groups, f.serverGroup(safe, s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Functions)) {
		if safe, ok := claim("functions", name); ok {
			g, errs := f.functionGroup(safe, cfg.Functions[name])
			for _, err := range errs {
				warn("functions.%s: %w", name, err)
			}
			f.groups = append(f.groups, g)
		}
	}
	return warnings
}

// Register adds everything to a registry: the functions, which are known at
// once, and every group, of which a server is started when it is first needed.
func (f *Fields) Register(reg *registry.ToolRegistry) error {
	offers := func(name string) bool { return f.opts.Offer == nil || f.opts.Offer(name) }
	offered := func(tools []*registry.Tool) []*registry.Tool {
		return slices.DeleteFunc(slices.Clone(tools), func(t *registry.Tool) bool { return !offers(t.Name) })
	}
	if err := reg.Register(offered(f.Static())...); err != nil {
		return err
	}
	for _, g := range f.Groups() {
		load, known, kept := g.Load, g.Known, g.Kept
		g.Load = func(ctx context.Context) ([]*registry.Tool, error) {
			tools, err := load(ctx)
			return offered(tools), err
		}
		g.Known = func() []string {
			return slices.DeleteFunc(known(), func(name string) bool { return !offers(name) })
		}
		g.Kept = func(name string) *registry.Tool {
			if !offers(name) {
				return nil
			}
			return kept(name)
		}
		if err := reg.RegisterGroup(g); err != nil {
			return err
		}
	}
	return nil
}

// Groups returns the groups for a registry; loading a server's starts it, and
// loading a group of functions costs nothing.
func (f *Fields) Groups() []registry.Group {
	var out []registry.Group
	for _, g := range f.groups {
		out = append(out, registry.Group{Name: g.name, Summary: f.about(g), Load: func(ctx context.Context) ([]*registry.Tool, error) {
			if g.client == nil {
				return g.tools, nil
			}
			return f.loadTools(ctx, g)
		}, Known: func() []string { return f.keptNames(g) }, Kept: func(name string) *registry.Tool { return f.keptTool(g, name) }, Miss: func(ctx context.Context, fresh bool) bool { return f.startMissing(ctx, g, fresh) }, Command: func(ctx context.Context, words []string, call *registry.Call) (registry.ToolResult, bool) {
			if !f.IsCommand(g.name, words) {
				return registry.ToolResult{}, false
			}
			return f.Command(ctx, g.name, words, call), true
		}})
	}
	return out
}

// Static returns the tools that are known without starting anything: those of
// the function groups.
func (f *Fields) Static() []*registry.Tool {
	var out []*registry.Tool
	for _, g := range f.groups {
		out = append(out, g.tools...)
	}
	return out
}

// Close ends all servers, at once, and returns when they are gone.
func (f *Fields) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
	var wg sync.WaitGroup
	errs := make([]error, len(f.groups))
	for i, g := range f.groups {
		if g.client != nil {
			wg.Go(func() { errs[i] = g.client.Close() })
		}
	}
	wg.Wait()
	f.working.Wait()
	return errors.Join(append(errs, f.watchdog.Close())...)
}

// runInBackground runs work that Close joins; after Close it does nothing.
func (f *Fields) runInBackground(work func(ctx context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.working.Go(func() { work(f.life) })
	}
}

func (f *Fields) logf(format string, args ...any) {
	if f.opts.Log != nil {
		f.opts.Log(format, args...)
	}
}

// inDir is a configured directory, relative to ours.
func (f *Fields) inDir(dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(f.opts.Dir, dir)
}

// offered reports whether allow and deny let a tool be used; patterns are
// those of path.Match.
func (s Server) offered(tool string) bool {
	in := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := path.Match(p, strings.ReplaceAll(tool, "/", "_"))
			return ok && err == nil || p == tool
		})
	}
	return (len(s.Allow) == 0 || in(s.Allow)) && !in(s.Deny)
}
