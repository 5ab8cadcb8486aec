package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// toolLine is one entry of agentbash tools --json.
type toolLine struct {
	Name     string          `json:"name"`
	Summary  string          `json:"summary"`
	Kind     registry.Kind   `json:"kind"`
	Category string          `json:"category"`
	Tags     []string        `json:"tags"`
	Schema   json.RawMessage `json:"input_schema"`
}

// runTools is agentbash tools.
func runTools(ctx context.Context, a *app, words []string) int {
	f := newFlags("tools")
	asJSON, file := f.Bool("json", false, ""), f.String("config", "", "")
	format, single, kind := f.String("format", "", ""), f.Bool("single", false, ""), f.String("kind", "", "")
	err := f.Parse(words)
	if err == nil {
		err = checkTools(*format, *single, *asJSON, *kind)
	}
	if err != nil {
		return a.usageError("tools", err)
	}
	b, err := a.openBash(bashOptions{flags: config.Flags{File: *file}})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	a.warn(b.Registry().LoadGroups(ctx)...)
	query := strings.Join(f.Args(), " ")
	if *format != "" && !*single {
		a.everyTool(ctx, b)
	}
	tools := b.Registry().All()
	if query != "" {
		tools = b.Registry().Search(query)
	}
	tools = ofKind(tools, *kind)
	switch {
	case *format != "":
		return a.printDefinitions(b, tools, *format, *single)
	case *asJSON:
		writeLine(a.out, toolLines(tools))
	default:
		a.listTools(b, tools, query, *kind)
	}
	if query != "" && len(tools) == 0 {
		fmt.Fprintf(a.err, "agentbash tools: nothing matches %q: agentbash tools lists everything\n", query)
		return exitFailed
	}
	return exitOK
}

// checkTools checks the flags of tools.
func checkTools(format string, single, asJSON bool, kind string) error {
	switch {
	case format != "" && !slices.Contains(registry.Formats(), format):
		return fmt.Errorf("--format %q: it is %s", format, strings.Join(registry.Formats(), ", "))
	case format != "" && asJSON:
		return errors.New("--format and --json exclude each other: both print JSON")
	case single && format == "":
		return errors.New("--single goes with --format")
	case kind != "" && !slices.Contains(registry.Kinds(), registry.Kind(kind)):
		return fmt.Errorf("--kind %q: it is read-only, write, execute or network", kind)
	}
	return nil
}

// ofKind keeps the tools of a kind; "" keeps all.
func ofKind(tools []*registry.Tool, kind string) []*registry.Tool {
	if kind == "" {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t *registry.Tool) bool { return t.Kind != registry.Kind(kind) })
}

// printDefinitions prints the tools for programs that know nothing of a shell.
func (a *app) printDefinitions(b *configuredBash, tools []*registry.Tool, format string, single bool) int {
	list := []registry.Definition{router.Definition(b.Registry())}
	if !single {
		list = nil
		for _, t := range tools {
			list = append(list, t.Definition())
		}
	}
	out := []json.RawMessage{}
	for _, d := range list {
		raw, err := d.In(format)
		if err != nil {
			return a.reportError(err)
		}
		out = append(out, raw)
	}
	if format == registry.Gemini { // which takes them in one tool
		writeLine(a.out, []any{map[string]any{"functionDeclarations": out}})
		return exitOK
	}
	writeLine(a.out, out)
	return exitOK
}

func toolLines(tools []*registry.Tool) []toolLine {
	out := []toolLine{}
	for _, t := range tools {
		tags := t.Tags
		if tags == nil {
			tags = []string{}
		}
		out = append(out, toolLine{t.Name, t.Summary, t.Kind, t.Category, tags, t.Params.Schema()})
	}
	return out
}

// listTools prints the tools, and the servers whose tools are not known.
func (a *app) listTools(b *configuredBash, tools []*registry.Tool, query, kind string) {
	known := map[string]bool{}
	for _, t := range b.Registry().All() {
		group, _, _ := registry.SplitField(t.Name)
		known[group] = true
	}
	for _, t := range tools {
		fmt.Fprint(a.out, t.Help(false))
	}
	for _, g := range b.Registry().Groups() {
		if !known[g.Name] && (query == "" || strings.Contains(strings.ToLower(g.Name+" "+g.Summary), strings.ToLower(query))) {
			fmt.Fprintf(a.out, "field:%s: %s (its tools: agentbash field:%s -h)\n", g.Name, g.Summary, g.Name)
		}
	}
}

// runVersion is agentbash version.
func runVersion(_ context.Context, a *app, words []string) int {
	if len(words) > 0 {
		return a.usageError("version", fmt.Errorf("%q: it takes no words", words[0]))
	}
	fmt.Fprintf(a.out, "agentbash %s (%s, %s/%s)\n", moduleVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// moduleVersion is the module's, as the go command recorded it.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.1.0-dev"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
