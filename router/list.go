package router

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// listAgents prints what `agent:` asks for: the agent commands.
func (r *Router) listAgents(words []string, w io.Writer) error {
	verbose, rest := helpWords(words)
	if len(rest) > 0 {
		return &registry.UsageError{Tool: agentPrefix,
			Problems: []string{fmt.Sprintf("%q is not understood here: a command is called as agent:NAME, without a blank", rest[0])},
			Next:     "agent: lists the commands"}
	}
	var tools []*registry.Tool
	for _, t := range r.reg.All() {
		if !strings.HasPrefix(t.Name, registry.FieldPrefix) {
			tools = append(tools, t)
		}
	}
	return printTools(tools, verbose, w)
}

// helpWords takes -h and --help out of the words of a listing.
func helpWords(words []string) (verbose bool, rest []string) {
	for _, word := range words {
		switch word {
		case "-h":
		case "--help":
			verbose = true
		default:
			rest = append(rest, word)
		}
	}
	return verbose, rest
}

// printListing prints what `field:` and `field:server` ask for: the servers, or the
// tools of one, which starts it.
func (r *Router) printListing(ctx context.Context, group string, words []string, w io.Writer) error {
	verbose, rest := helpWords(words)
	switch {
	case group == "" && len(rest) > 1 && rest[0] == "search":
		return r.searchGroups(ctx, rest[1:], w)
	case len(rest) > 0:
		return &registry.UsageError{Tool: registry.FieldPrefix + group,
			Problems: []string{fmt.Sprintf("%q is not understood here: a tool is called as field:%s:TOOL --key value", rest[0], cmp.Or(group, "SERVER"))},
			Next:     "field: lists the servers, field:SERVER lists its tools, field: search WORDS looks for one"}
	case group == "":
		return r.listGroups(w)
	}
	tools, err := r.reg.LoadGroup(ctx, group)
	if err != nil {
		return err
	}
	if len(tools) == 0 {
		_, err := fmt.Fprintf(w, "field:%s has no tools\n", group)
		return err
	}
	return printTools(tools, verbose, w)
}

func (r *Router) listGroups(w io.Writer) error {
	groups := r.reg.Groups()
	if len(groups) == 0 {
		text := "no servers or function groups are configured"
		if how := r.opts.Settings.AddServers; how != "" {
			text += ": " + how
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "field:%s", g.Name)
		if g.Summary != "" {
			b.WriteString(": " + g.Summary)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "list a server's tools: field:%s -h\n", groups[0].Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// printTools prints each tool's help, brief ones followed by where to get more.
func printTools(tools []*registry.Tool, verbose bool, w io.Writer) error {
	var b strings.Builder
	for i, t := range tools {
		if verbose && i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.Help(verbose))
	}
	if !verbose && len(tools) > 0 {
		fmt.Fprintf(&b, "show a tool's parameters: %s --help\n", tools[0].Name)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// searchGroups looks in every group, and goes on past those that cannot be loaded.
func (r *Router) searchGroups(ctx context.Context, words []string, w io.Writer) error {
	var b strings.Builder
	for _, err := range r.reg.LoadGroups(ctx) {
		fmt.Fprintln(&b, "not searched:", err)
	}
	found := false
	for _, t := range r.reg.Search(strings.Join(words, " ")) {
		if strings.HasPrefix(t.Name, registry.FieldPrefix) {
			found = true
			b.WriteString(t.Help(false))
		}
	}
	if !found {
		fmt.Fprintf(&b, "no field tool matches %q: field: lists the servers\n", strings.Join(words, " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
