package fieldbash

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/fieldbash/mcp"
	"github.com/agentbash/agentbash/registry"
)

// plainWord is what a shell takes as it is; nothing else is put on a person's command line.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$`) })

// Complete returns the words that the last of these may become: words is a command from its
// field:... on, as far as it is typed. Names and enums are those of kept listings, for which
// nothing is started; a server is asked only if the configuration trusts it. ctx bounds that.
func (f *Fields) Complete(ctx context.Context, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	typed := words[len(words)-1]
	full, isField := strings.CutPrefix(words[0], registry.FieldPrefix)
	group, tool, isTool := strings.Cut(full, ":")
	g := f.findGroup(group)
	var out []string
	switch {
	case !isField, len(words) > 1 && g == nil:
	case len(words) == 1 && !isTool:
		for _, g := range f.groups {
			out = append(out, registry.FieldPrefix+g.name, registry.FieldPrefix+g.name+":")
		}
	case g == nil:
	case len(words) == 1:
		if out = f.keptNames(g); g.client == nil {
			for _, t := range g.tools {
				out = append(out, t.Name)
			}
		}
	case isTool:
		t := f.keptTool(g, words[0])
		if i := slices.IndexFunc(g.tools, func(t *registry.Tool) bool { return t.Name == words[0] }); i >= 0 {
			t = g.tools[i]
		}
		if t != nil && tool != "" {
			out = completeParam(t.Params, words[len(words)-2], typed)
		}
	case len(words) == 2 && g.client != nil:
		out = serverCommands
	case g.client != nil && g.server.Trust:
		out = f.completeCommand(ctx, g, words[1:])
	}
	out = slices.DeleteFunc(slices.Clone(out), func(word string) bool { return !strings.HasPrefix(word, typed) || !plainWord().MatchString(word) })
	slices.Sort(out)
	return slices.Compact(out)
}

// completeParam are the names of parameters, or the values of the one that stands before.
func completeParam(params *registry.Params, before, typed string) (out []string) {
	if name, ok := strings.CutPrefix(before, "--"); ok && !strings.HasPrefix(typed, "-") {
		if q := params.Find(name); q != nil && q.Type == registry.Boolean {
			return []string{"true", "false"}
		} else if q != nil {
			return q.Enum
		}
	}
	for _, q := range params.List() {
		out = append(out, "--"+q.Name)
	}
	return out
}

// completeCommand asks the server how a command of its own goes on.
func (f *Fields) completeCommand(ctx context.Context, g *group, words []string) (out []string) {
	typed, before := words[len(words)-1], words[len(words)-2]
	switch {
	case words[0] == "read" || words[0] == "subscribe":
		list, _ := g.client.Resources(ctx) // without an answer there is nothing to offer
		for _, r := range list {
			if out = append(out, r.URI); r.Template != "" {
				out = append(out, completeTemplate(ctx, g.client, r.Template, typed)...)
			}
		}
	case words[0] != "prompt":
	case len(words) == 2:
		list, _ := g.client.Prompts(ctx)
		for _, p := range list {
			out = append(out, p.Name)
		}
	case strings.HasPrefix(before, "--"):
		given := map[string]string{}
		for i := 2; i+1 < len(words)-2; i += 2 {
			given[strings.TrimPrefix(words[i], "--")] = words[i+1]
		}
		out, _ = g.client.Complete(ctx, words[1], "", strings.TrimPrefix(before, "--"), typed, given)
	default:
		list, _ := g.client.Prompts(ctx)
		for _, p := range list {
			for _, a := range p.Arguments {
				if p.Name == words[1] {
					out = append(out, "--"+a.Name)
				}
			}
		}
	}
	return out
}

// completeTemplate are the URIs of a template whose first variable is being typed; where
// there are more, as far as that variable.
func completeTemplate(ctx context.Context, client *mcp.Client, template, typed string) (out []string) {
	head, rest, ok := strings.Cut(template, "{")
	name, after, closed := strings.Cut(rest, "}")
	if !ok || !closed || !strings.HasPrefix(typed, head) {
		return []string{head}
	}
	after, _, _ = strings.Cut(after, "{")
	values, _ := client.Complete(ctx, "", template, name, typed[len(head):], nil)
	for _, v := range values {
		out = append(out, head+v+after)
	}
	return out
}
