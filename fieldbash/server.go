package fieldbash

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// serverGroup makes the group of one MCP server; it does not start it.
func (f *Fields) serverGroup(name string, s Server) *group {
	spec := mcp.Spec{
		URL: s.URL, SSE: s.Type == "sse", Headers: s.Headers,
		StartTimeout: seconds(s.StartTimeout), CallTimeout: seconds(s.Timeout),
	}
	summary := "MCP server at " + s.URL
	if s.Command != "" {
		spec.Command = &mcp.Command{Name: s.Command, Args: s.Args, Env: minimalEnv(f.opts.Env, s.Env), Dir: f.inDir(s.Cwd)}
		summary = "MCP server: " + strings.Join(append([]string{s.Command}, s.Args...), " ")
	}
	opts := &mcp.Options{
		Guard: &f.guard, Version: f.opts.Version, Roots: f.opts.Roots,
		Log: func(format string, args ...any) { f.logf("field:"+name+": "+format, args...) },
	}
	if f.opts.Changed != nil {
		opts.ToolsChanged = func() { f.opts.Changed(name) }
	}
	if f.opts.Elicit != nil {
		opts.Elicit = func(_ context.Context, q mcp.Question) (mcp.Answer, error) { return f.opts.Elicit(name, q), nil }
	}
	return &group{name: name, summary: cleanText(summary, maxSummary), server: s, client: mcp.NewClient(spec, opts)}
}

// load lists a server's tools as commands, starting it if it does not run.
func (f *Fields) load(ctx context.Context, g *group) ([]*registry.Tool, error) {
	listed, err := g.client.Tools(ctx)
	if err != nil {
		return nil, err
	}
	taken := names{}
	var tools []*registry.Tool
	for _, def := range listed {
		if !g.server.offered(def.Name) {
			continue
		}
		safe, warning := taken.take(def.Name)
		if warning != "" {
			f.logf("field:%s: %s", g.name, warning)
		}
		tools = append(tools, f.serverTool(g, safe, def))
	}
	return tools, nil
}

// serverTool makes the command for one tool of a server.
func (f *Fields) serverTool(g *group, safe string, def mcp.Tool) *registry.Tool {
	def.Description = cleanText(def.Description, maxDetail)
	summary := summaryOf(def.Description)
	for _, title := range []string{def.Title, def.Hints.Title, def.Name} {
		if summary == "" {
			summary = summaryOf(title)
		}
	}
	t := f.tool(g.name, safe, summary, def.Description, def.InputSchema)
	t.Kind = kindOf(def.Hints, g.server.Trust)
	t.Run = func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
		kwargs, format, err := arguments(call)
		if err != nil {
			return registry.ToolResult{}, err
		}
		args, err := encodeArgs(kwargs)
		if err != nil {
			return registry.ToolResult{}, err
		}
		res, err := g.client.Call(ctx, mcp.Call{
			Tool: def.Name, Arguments: args, Repeatable: def.Hints.Repeatable(), Notes: call.Stderr,
		})
		if err != nil {
			return registry.ToolResult{}, err
		}
		return f.present(call, res, format)
	}
	return t
}

// kindOf reads a server's hints: a claim to be harmless counts only where the
// configuration trusts the server, a claim to be dangerous always.
func kindOf(h mcp.Hints, trusted bool) registry.Kind {
	said := func(b *bool) bool { return b != nil && *b }
	switch {
	case said(h.ReadOnly) && trusted:
		return registry.ReadOnly
	case said(h.Destructive):
		return registry.Write
	}
	return "" // unknown: whoever asks for permission asks
}

// tool makes what all field tools have in common.
func (f *Fields) tool(group, name, summary, detail string, schema json.RawMessage) *registry.Tool {
	full := registry.FieldPrefix + group + ":" + name
	params, err := registry.ParseSchema(full, schema)
	if err != nil {
		f.logf("%s: its schema is not one (%v): every argument is accepted", full, err)
		params, schema = registry.AnyParams(), nil
	}
	if detail == summary {
		detail = ""
	}
	t := &registry.Tool{
		Name: full, Summary: summary, Detail: detail, Params: params,
		Category: "field", Tags: []string{"field", group},
	}
	t.Check = newValidator(full, schema, f.logf).check
	t.Examples = exampleOf(t)
	return t
}

// encodeArgs makes the JSON object of the arguments; numbers as they were written.
func encodeArgs(kwargs registry.Kwargs) (json.RawMessage, error) {
	if len(kwargs) == 0 {
		return json.RawMessage("{}"), nil
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any(kwargs)); err != nil {
		return nil, err
	}
	return json.RawMessage(b.String()), nil
}
