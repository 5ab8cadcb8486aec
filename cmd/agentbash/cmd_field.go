package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/term"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/fieldbash/generate"
	"github.com/agentbash/agentbash/registry"
)

// fieldCommand is agentbash field with its flags.
type fieldCommand struct {
	a      *app
	dirs   config.Dirs
	server fieldbash.Server // of --url, --env and --header

	stdio, from, file, lang string
	all, asJSON             bool
}

// runField is agentbash field.
func runField(ctx context.Context, a *app, words []string) int {
	c := &fieldCommand{a: a}
	words, err := c.parse(words)
	if err != nil {
		return a.usageError("field", err)
	}
	if c.dirs, err = config.UserDirs(a.lookup); err != nil {
		return a.reportError(err)
	}
	verb, names := "list", words
	if len(words) > 0 {
		verb, names = words[0], words[1:]
	}
	if c.stdio != "" || c.server.URL != "" && verb != "add" {
		return a.fieldAdHoc(ctx, c.stdio, c.server, words)
	}
	offline := map[string]func([]string) int{"add": c.add, "import": c.importServers, "remove": c.remove}
	if run := offline[verb]; run != nil {
		return run(names)
	}
	run := map[string]func(context.Context, *configuredBash, []string) int{"list": c.list, "test": c.test, "generate": c.generate,
		"keep": c.keep, "status": c.showKept, "stop": c.stopKept}[verb]
	if run == nil {
		return a.usageError("field", fmt.Errorf("%q: it is add, generate, import, keep, list, remove, status, stop or test", verb))
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	b, err := a.openBash(bashOptions{flags: config.Flags{File: c.file}, asker: a.newAsker()})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	return run(ctx, b, names)
}

// parse takes the flags out of the words. Those behind call are the tool's.
func (c *fieldCommand) parse(words []string) (rest []string, err error) {
	var env, headers []string
	f := newFlags("field")
	f.StringVar(&c.server.URL, "url", "", "")
	f.StringVar(&c.from, "from", "", "")
	f.StringVar(&c.file, "config", "", "")
	f.StringVar(&c.lang, "lang", "", "")
	f.StringVar(&c.stdio, "stdio", "", "")
	f.BoolVar(&c.asJSON, "json", false, "")
	f.BoolVar(&c.all, "all", false, "")
	f.StringArrayVar(&env, "env", nil, "")
	f.StringArrayVar(&headers, "header", nil, "")
	words, call := cutCall(words)
	if err = f.Parse(words); err == nil {
		c.server.Env, err = splitPairs("--env", env)
	}
	if err == nil {
		c.server.Headers, err = splitPairs("--header", headers)
	}
	switch {
	case err != nil:
	case len(headers) > 0 && c.server.URL == "":
		err = errors.New("--header is sent to a --url: a server that is started gets none")
	case len(env) > 0 && c.server.URL != "":
		err = errors.New("--env is for what is started: a server at --url gets none")
	}
	return append(f.Args(), call...), err
}

// list is agentbash field list.
func (c *fieldCommand) list(_ context.Context, b *configuredBash, _ []string) int {
	rows := map[string]string{}
	for name, s := range b.cfg.Fields.MCPServers {
		rows[name] = s.Launch()
	}
	for name, fs := range b.cfg.Fields.Functions {
		rows[name] = term.CountNoun(len(fs), "function")
	}
	if c.asJSON {
		writeLine(c.a.out, rows)
		return exitOK
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(c.a.out, "field:%s: %s\n", name, rows[name])
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.a.out, "no servers or functions are configured: agentbash field add NAME -- COMMAND ARGS...")
	}
	return exitOK
}

// test starts groups, all or the named ones, and reports what it took.
func (c *fieldCommand) test(ctx context.Context, b *configuredBash, names []string) int {
	if len(names) == 0 {
		for _, g := range b.Registry().Groups() {
			names = append(names, g.Name)
		}
	}
	status := exitOK
	for _, name := range names {
		r, err := b.Fields().Test(ctx, name)
		if err != nil {
			fmt.Fprintln(c.a.err, "agentbash:", err)
			status = registry.ExitStatus(err)
			continue
		}
		if c.asJSON {
			writeLine(c.a.out, r)
			continue
		}
		fmt.Fprintf(c.a.out, "field:%s: %s, %d bytes of definitions, started in %s, listed in %s", name, term.CountNoun(len(r.Tools), "tool"), r.Bytes, inMS(r.Start), inMS(r.List))
		if r.Server != "" {
			fmt.Fprintf(c.a.out, "; %s, protocol %s, ping %s", r.Server, r.Protocol, inMS(r.Ping))
		}
		fmt.Fprintln(c.a.out)
	}
	return status
}

// generate writes a client for the tools of a group.
func (c *fieldCommand) generate(ctx context.Context, b *configuredBash, names []string) int {
	if len(names) != 1 {
		return c.a.usageError("field", errors.New("write generate --lang go|ts|python NAME"))
	}
	if !slices.Contains(generate.Languages, c.lang) {
		return c.a.usageError("field", fmt.Errorf("--lang %q: it is %s", c.lang, strings.Join(generate.Languages, ", ")))
	}
	name := strings.TrimPrefix(names[0], registry.FieldPrefix)
	tools, err := b.Registry().LoadGroup(ctx, name)
	if err == nil && len(tools) == 0 {
		err = fmt.Errorf("field:%s has no tools to write a client for: agentbash field test %[1]s shows why", name)
	}
	if err == nil {
		err = generate.Write(c.a.out, c.lang, name, tools)
	}
	if err != nil {
		return c.a.reportError(err)
	}
	return exitOK
}

func inMS(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// add is agentbash field add: a server that is described, or those of a file or client.
func (c *fieldCommand) add(words []string) int {
	if c.from != "" {
		if !strings.ContainsAny(c.from, "./") {
			c.from = "./" + c.from
		}
		c.all = len(words) == 0
		return (&importing{c, words, true}).run()
	}
	switch s := &c.server; {
	case len(words) == 0:
		return c.a.usageError("field", errors.New("add needs a name, as in agentbash field add NAME -- COMMAND"))
	case s.URL == "" && len(words) < 2:
		return c.a.usageError("field", errors.New("add needs what to start or where to connect: -- COMMAND, or --url URL"))
	case s.URL != "" && len(words) > 1:
		return c.a.usageError("field", errors.New("a server has a command or --url, not both"))
	case s.URL == "":
		s.Command, s.Args = words[1], words[2:]
	}
	unset, err := config.SetServer(c.dirs, words[0], c.server, c.a.lookup)
	if err != nil {
		return c.a.reportError(err)
	}
	c.sayAdded(words[0], unset)
	return exitOK
}

// importServers is agentbash field import.
func (c *fieldCommand) importServers(names []string) int {
	if c.all && len(names) > 0 {
		return c.a.usageError("field", errors.New("import takes names or --all, not both"))
	}
	return (&importing{c, names, false}).run()
}

// splitPairs splits K=V words.
func splitPairs(flag string, words []string) (map[string]string, error) {
	m := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("%s %s: write %s NAME=VALUE", flag, w, flag)
		}
		m[k] = v
	}
	return m, nil
}

// remove is agentbash field remove.
func (c *fieldCommand) remove(names []string) int {
	if len(names) != 1 {
		return c.a.usageError("field", errors.New("remove takes one name"))
	}
	found, err := config.RemoveServer(c.dirs, names[0])
	if err != nil {
		return c.a.reportError(err)
	}
	if !found {
		fmt.Fprintf(c.a.err, "agentbash field: %s has no server %q: agentbash field list shows what there is\n", c.dirs.UserFile(), names[0])
		return exitFailed
	}
	fmt.Fprintf(c.a.out, "field:%s is removed from %s\n", names[0], c.dirs.UserFile())
	return exitOK
}
