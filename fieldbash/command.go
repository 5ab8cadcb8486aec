package fieldbash

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// The words after a server's own name that are commands: field:server resources.
var serverCommands = []string{"resources", "read", "subscribe", "prompts", "prompt"}

// formats are what -o takes.
var formats = []string{"text", "json", "raw"}

// IsCommand reports whether the words after field:GROUP are a command of the
// server itself rather than a request to list its tools.
func (f *Fields) IsCommand(group string, words []string) bool {
	g := f.findGroup(group)
	return g != nil && g.client != nil && len(words) > 0 && slices.Contains(serverCommands, words[0])
}

// Command runs one of a server's own commands:
//
//	field:server resources          its resources and templates, one a line
//	field:server read URI           the content of a resource
//	field:server subscribe URI      that content each time it changes: once, or --count times
//	field:server prompts            its prompts, one a line
//	field:server prompt NAME --k v  the text that a prompt expands to
//
// Each takes -o json and -o raw. Mistakes in the words have exit status 2; the
// message is on call.Stderr, as for a tool.
func (f *Fields) Command(ctx context.Context, group string, words []string, call *registry.Call) registry.ToolResult {
	tool := &registry.Tool{Name: registry.FieldPrefix + group, Params: registry.AnyParams()}
	tool.Run = func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
		if !f.IsCommand(group, words) {
			return registry.ToolResult{}, &registry.UsageError{
				Problems: []string{"not a command of an MCP server: " + strings.Join(words, " ")},
				Next:     fmt.Sprintf("write %s resources, read URI, subscribe URI, prompts or prompt NAME", tool.Name),
			}
		}
		c := serverCommand{f: f, g: f.findGroup(group), call: call, tool: tool}
		return c.run(ctx, words)
	}
	return tool.Invoke(ctx, call)
}

func (f *Fields) findGroup(name string) *group {
	for _, g := range f.groups {
		if g.name == name {
			return g
		}
	}
	return nil
}

// serverCommand is one run of Command.
type serverCommand struct {
	f    *Fields
	g    *group
	call *registry.Call
	tool *registry.Tool
}

func (c *serverCommand) run(ctx context.Context, words []string) (registry.ToolResult, error) {
	tool := &registry.Tool{Name: c.tool.Name + " " + words[0], Formats: formats, Params: map[string]*registry.Params{
		"resources": registry.NewParams(),
		"prompts":   registry.NewParams(),
		"read":      registry.NewParams(registry.Param{Name: "uri", Type: registry.String, Required: true}),
		"subscribe": registry.NewParams(registry.Param{Name: "uri", Type: registry.String, Required: true},
			registry.Param{Name: "count", Type: registry.Integer, Default: 1, Description: "how many changes to wait for"}),
		"prompt": registry.NewParams(registry.Param{Name: "name", Type: registry.String, Required: true}),
	}[words[0]]}
	var prompt *mcp.Prompt
	if words[0] == "prompt" && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		var err error
		if prompt, err = c.prompt(ctx, words[1]); err != nil {
			return registry.ToolResult{}, err
		}
		tool.Name += " " + prompt.Name
		tool.Params, words = promptParams(prompt), words[1:]
	}
	parsed, err := tool.Parse(words[1:], c.call.Stdin != nil)
	if err != nil {
		return registry.ToolResult{}, err
	}
	c.call.Tool, c.call.Kwargs, c.call.Order = tool, parsed.Kwargs, parsed.Order
	if err := c.call.ReadPending(ctx); err != nil {
		return registry.ToolResult{}, err
	}
	switch {
	case prompt != nil:
		return c.expand(ctx, prompt)
	case words[0] == "resources":
		list, err := c.g.client.Resources(ctx)
		if err != nil {
			return registry.ToolResult{}, err
		}
		return c.list(list, func(i int) (string, string) {
			r := list[i]
			return r.URI + r.Template, cmp.Or(r.Description, r.Title, r.Name)
		}, len(list))
	case words[0] == "prompts":
		list, err := c.g.client.Prompts(ctx)
		if err != nil {
			return registry.ToolResult{}, err
		}
		return c.list(list, func(i int) (string, string) {
			return promptUsage(list[i]), cmp.Or(list[i].Description, list[i].Title)
		}, len(list))
	case words[0] == "subscribe":
		return c.subscribe(ctx, c.call.String("uri"))
	}
	return c.read(ctx, c.call.String("uri"))
}

// errEnough ends a subscription.
var errEnough = errors.New("enough")

// subscribe writes a resource's content each time it changes.
func (c *serverCommand) subscribe(ctx context.Context, uri string) (res registry.ToolResult, err error) {
	more := max(c.call.Int("count"), 1)
	err = c.g.client.Subscribe(ctx, uri, func() (err error) {
		if res, err = c.read(ctx, uri); err == nil && more <= 1 {
			return errEnough
		}
		more--
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return res, err
}

// list writes one entry a line, or the entries as a JSON array.
func (c *serverCommand) list(all any, line func(i int) (name, about string), n int) (registry.ToolResult, error) {
	if c.call.Format != "" {
		b, err := json.Marshal(all)
		if err != nil {
			return registry.ToolResult{}, err
		}
		if n == 0 {
			b = []byte("[]")
		}
		_, err = fmt.Fprintf(c.call.Stdout, "%s\n", b)
		return registry.ToolResult{Success: true}, err
	}
	for i := range n {
		name, about := line(i)
		text := cleanText(name, maxDetail)
		if about = summaryOf(about); about != "" {
			text += ": " + about
		}
		if _, err := fmt.Fprintln(c.call.Stdout, text); err != nil {
			return registry.ToolResult{}, err
		}
	}
	if n == 0 {
		fmt.Fprintln(c.call.Stderr, "none")
	}
	return registry.ToolResult{Success: true}, nil
}

// read writes a resource's content.
func (c *serverCommand) read(ctx context.Context, uri string) (registry.ToolResult, error) {
	contents, raw, err := c.g.client.ReadResource(ctx, uri)
	if err != nil {
		return registry.ToolResult{}, err
	}
	res := &mcp.Result{Raw: raw}
	if c.call.Format == "json" {
		if res.Structured, err = json.Marshal(contents); err != nil {
			return registry.ToolResult{}, err
		}
	}
	for _, r := range contents {
		res.Content = append(res.Content, mcp.Content{Type: "resource", Resource: &r})
	}
	return c.f.presentResult(c.call, res)
}

// prompt finds a prompt by name.
func (c *serverCommand) prompt(ctx context.Context, name string) (*mcp.Prompt, error) {
	list, err := c.g.client.Prompts(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
		names = append(names, list[i].Name)
	}
	hint := ""
	if near := registry.Closest(name, names, 1); near != nil {
		hint = "; did you mean " + near[0] + "?"
	}
	return nil, registry.Usagef("no prompt %q%s: %s prompts lists them", cleanText(name, maxName), hint, c.tool.Name)
}

func promptParams(p *mcp.Prompt) *registry.Params {
	var list []registry.Param
	seen := map[string]bool{}
	for _, a := range p.Arguments {
		if !seen[registry.Fold(a.Name)] {
			seen[registry.Fold(a.Name)] = true
			list = append(list, registry.Param{Name: a.Name, Type: registry.String, Required: a.Required, Description: a.Description})
		}
	}
	return registry.NewParams(list...)
}

func promptUsage(p mcp.Prompt) string {
	words := []string{p.Name}
	for _, a := range p.Arguments {
		if a.Required {
			words = append(words, "--"+a.Name+" TEXT")
		} else {
			words = append(words, "[--"+a.Name+" TEXT]")
		}
	}
	return strings.Join(words, " ")
}

// expand writes the messages of a prompt; a role is named where there is more
// than one message.
func (c *serverCommand) expand(ctx context.Context, p *mcp.Prompt) (registry.ToolResult, error) {
	args := map[string]string{}
	for _, a := range p.Arguments {
		if s, ok := c.call.Kwargs[a.Name].(string); ok {
			args[a.Name] = s
		}
	}
	messages, raw, err := c.g.client.GetPrompt(ctx, p.Name, args)
	if err != nil {
		return registry.ToolResult{}, err
	}
	res := &mcp.Result{Raw: raw}
	if c.call.Format == "json" {
		var all struct {
			Messages json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal(raw, &all); err != nil {
			return registry.ToolResult{}, err
		}
		res.Structured = all.Messages
	}
	for _, m := range messages {
		if len(messages) > 1 {
			res.Content = append(res.Content, mcp.Content{Type: "text", Text: cleanText(m.Role, maxName) + ":"})
		}
		res.Content = append(res.Content, m.Content)
	}
	return c.f.presentResult(c.call, res)
}
