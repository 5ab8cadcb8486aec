package fieldbash

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/fieldbash/kept"
	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// serverGroup makes the group of one MCP server; it does not start it.
func (f *Fields) serverGroup(name string, s Server) *group {
	spec := mcp.Spec{
		URL: s.URL, SSE: s.Type == "sse", LogLevel: s.Log, Headers: s.Headers, Secrets: s.secrets(),
		StartTimeout: secondsDuration(s.StartTimeout), CallTimeout: secondsDuration(s.Timeout),
	}
	if s.Command != "" {
		spec.Command = &mcp.Command{Name: s.Command, Args: s.Args, Env: append(minimalEnv(f.opts.Env, s.Env), InServer+"=1"), Dir: f.inDir(s.Cwd),
			Prepare: func(cmd *exec.Cmd) error { return f.prepare(cmd, s.Sandbox) }}
	}
	opts := &mcp.Options{
		Watchdog: &f.watchdog, Version: f.opts.Version, Roots: f.opts.Roots,
		Log: func(format string, args ...any) { f.logf("field:"+name+": "+format, args...) },
	}
	if f.opts.Permit != nil {
		opts.Permit = func() error { return f.opts.Permit(name, s) }
	}
	if f.opts.Changed != nil {
		opts.ToolsChanged = func() { f.opts.Changed(name) }
	}
	spec.OAuth = f.loginOptions(name, s)
	if f.opts.Elicit != nil {
		opts.Elicit = func(_ context.Context, q mcp.Question) (mcp.Answer, error) { return f.opts.Elicit(name, q), nil }
	}
	if f.opts.Sample != nil && s.Sampling {
		opts.Sample = func(ctx context.Context, p mcp.Prompting) (mcp.Completion, error) { return f.opts.Sample(ctx, name, p) }
	}
	g := &group{name: name, summary: s.summary(), server: s, command: spec.Command}
	if s.Command != "" && f.opts.Keeper != nil && f.opts.State != "" {
		opts.Kept = func(ctx context.Context) *kept.Conn {
			if f.mayRun(g) != nil {
				return nil // the start that follows says why
			}
			conn, err := f.connectKept(ctx, g, f.place(g))
			if err != nil && ctx.Err() == nil {
				f.logf("field:%s: it is not kept: %v", name, hideError(err, s.secrets()))
			}
			return conn
		}
	}
	g.client = mcp.NewClient(spec, opts)
	return g
}

// loginOptions says how to log in at a server: not where the configuration has a token.
func (f *Fields) loginOptions(name string, s Server) *mcp.OAuth {
	for k := range s.Headers {
		if strings.EqualFold(k, "Authorization") {
			return nil
		}
	}
	conf := s.OAuth
	if conf == nil {
		conf = &OAuth{}
	}
	if s.URL == "" || conf.Disabled {
		return nil
	}
	o := &mcp.OAuth{ClientID: conf.ClientID, ClientSecret: conf.ClientSecret, AsClient: conf.ClientCredentials}
	if f.opts.State != "" {
		o.File = filepath.Join(f.opts.State, "tokens", fileName(name, s)+".json")
	}
	if f.opts.Login != nil {
		o.Open = func(ctx context.Context, url string) error { return f.opts.Login(ctx, name, url) }
	}
	return o
}

// loadTools lists a server's tools as commands: as they were listed last if the
// server does not run, else as it lists them now.
func (f *Fields) loadTools(ctx context.Context, g *group) ([]*registry.Tool, error) {
	last := f.lastListing(g)
	kept := len(last) > 0 && !g.client.Running()
	if g.live.Store(!kept); kept {
		return f.serverTools(g, last), nil
	}
	listed, err := g.client.Tools(ctx)
	if err != nil {
		return nil, err
	}
	use := f.acceptListing(g, last, listed)
	f.keepAbout(ctx, g)
	return f.serverTools(g, use), nil
}

// startMissing starts the server, if it does not run, for a tool that is not in its
// listing: that may be an old one, and servers add tools without a word. It is not, where
// the server was asked for it just now (fresh).
func (f *Fields) startMissing(ctx context.Context, g *group, fresh bool) bool {
	if g.client == nil || fresh && g.live.Load() {
		return false
	}
	_, err := g.client.Start(ctx)
	if err != nil {
		f.logf("field:%s: %v", g.name, err)
	}
	return err == nil
}

// serverTools makes the commands for a listing. Reading schemas is most of the
// work, so that it is shared among the processors.
func (f *Fields) serverTools(g *group, listed []mcp.Tool) []*registry.Tool {
	taken := safeNames{}
	var safe []string
	var defs []mcp.Tool
	for _, def := range listed {
		if !g.server.offered(def.Name) {
			continue
		}
		name, warning := taken.makeSafe(def.Name)
		if warning != "" {
			f.logf("field:%s: %s", g.name, warning)
		}
		safe, defs = append(safe, name), append(defs, def)
	}
	tools := make([]*registry.Tool, len(defs))
	workers := min(runtime.GOMAXPROCS(0), len(defs)/32+1)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(defs); i += workers {
				tools[i] = f.serverTool(g, safe[i], defs[i])
			}
		})
	}
	wg.Wait()
	return tools
}

// serverTool makes the command for one tool of a server.
func (f *Fields) serverTool(g *group, safe string, def mcp.Tool) *registry.Tool {
	def.Description = cleanText(def.Description, maxDetail)
	summary := cmp.Or(summaryOf(def.Description), summaryOf(def.Title), summaryOf(def.Hints.Title), summaryOf(def.Name), safe)
	t := f.newTool(g.name, safe, summary, def.Description, def.InputSchema)
	t.Uses = usesIn(f.inDir(g.server.Cwd))
	t.Kind = kindOf(def.Hints, g.server.Trust)
	t.Tags = append(t.Tags, tagsOf(def.Hints)...)
	if unknown := g.server.Roles[def.Name].applyTo(t); unknown != nil {
		f.logf("%s: \"roles\" names %s, which it has no parameter of", t.Name, strings.Join(unknown, ", "))
	}
	piped, asTask := takesStdin(def), isTask(def)
	t.Run = func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
		args, err := call.JSON()
		if err != nil {
			return registry.ToolResult{}, err
		}
		request := mcp.Call{Tool: def.Name, Arguments: args, Repeatable: def.Hints.Repeatable(), Notes: call.Stderr, Task: asTask, Exact: call.Format == "" || call.Format == "text"}
		if piped && call.Stdin != nil && !call.Has("stdin") {
			if request.Stdin, err = readStdin(call.Stdin); err != nil {
				return registry.ToolResult{}, err
			}
		}
		res, err := g.client.Call(ctx, request)
		if err != nil {
			return registry.ToolResult{}, err
		}
		f.verifyListing(g)
		return f.presentResult(call, res)
	}
	return t
}

// isTask reports whether a tool has to be called as a task.
func isTask(def mcp.Tool) bool {
	var d struct{ Execution struct{ TaskSupport string } }
	return json.Unmarshal(def.Raw, &d) == nil && d.Execution.TaskSupport == "required"
}

// kindOf reads a server's hints. A claim to be harmless counts only where the
// configuration trusts the server and no other claim speaks against it; "" is
// unknown, the strictest there is: whoever asks for permission asks. A claim to
// be dangerous makes no kind: "write" is less than unknown.
func kindOf(h mcp.Hints, trusted bool) registry.Kind {
	switch {
	case !trusted || !isTrue(h.ReadOnly) || isTrue(h.Destructive):
		return ""
	case isTrue(h.OpenWorld):
		return registry.Network
	}
	return registry.ReadOnly
}

// destructive is the tag of a tool of which its server says that it destroys.
const destructive = "destructive"

// tagsOf are a server's claims, as words to be found by and to be judged by:
// what is said to be harmful is said by somebody who should know.
func tagsOf(h mcp.Hints) (tags []string) {
	if isTrue(h.Destructive) {
		tags = append(tags, destructive)
	}
	if isTrue(h.OpenWorld) {
		tags = append(tags, "open-world")
	}
	return tags
}

func isTrue(b *bool) bool { return b != nil && *b }

// newTool makes what all field tools have in common.
func (f *Fields) newTool(group, name, summary, detail string, schema json.RawMessage) *registry.Tool {
	full := registry.FieldPrefix + group + ":" + name
	params, err := (*registry.Params)(nil), error(nil)
	if n := nestingDepth(schema); n > maxNesting {
		err = fmt.Errorf("it is nested %d deep", n)
	} else {
		params, err = registry.ParseSchema(full, schema)
	}
	if err != nil {
		f.logf("%s: its schema is not one (%v): every argument is accepted", full, err)
		params, schema = registry.AnyParams(), nil
	}
	return f.makeTool(group, full, summary, detail, params, func() json.RawMessage { return schema })
}

// makeTool makes a tool whose schema may be made later.
func (f *Fields) makeTool(group, full, summary, detail string, params *registry.Params, schema func() json.RawMessage) *registry.Tool {
	if detail == summary {
		detail = ""
	}
	t := &registry.Tool{
		Name: full, Summary: cmp.Or(summary, "(it has no description)"), Detail: detail, Params: params,
		Category: "field", Tags: []string{"field", group},
		Foreign: true, Formats: formats, MakeExamples: exampleOf,
	}
	t.Check = newValidator(full, schema, f.logf).check
	return t
}
