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

// runField is agentbash field.
func runField(ctx context.Context, a *app, words []string) int {
	f := newFlags("field")
	url, from, file := f.String("url", "", ""), f.String("from", "", ""), f.String("config", "", "")
	var env, headers []string
	f.StringArrayVar(&env, "env", nil, "")
	f.StringArrayVar(&headers, "header", nil, "")
	lang := f.String("lang", "", "")
	asJSON, all, stdio := f.Bool("json", false, ""), f.Bool("all", false, ""), f.String("stdio", "", "")
	words, call := cutCall(words)
	err := f.Parse(words)
	s := fieldbash.Server{URL: *url}
	if err == nil {
		s.Env, err = splitPairs("--env", env)
	}
	if err == nil {
		s.Headers, err = splitPairs("--header", headers)
	}
	switch {
	case err != nil:
	case len(headers) > 0 && s.URL == "":
		err = errors.New("--header is sent to a --url: a server that is started gets none")
	case len(env) > 0 && s.URL != "":
		err = errors.New("--env is for what is started: a server at --url gets none")
	}
	if err != nil {
		return a.usageError("field", err)
	}
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	rest := append(f.Args(), call...)
	if adHoc := *stdio != "" || *url != "" && (len(rest) == 0 || rest[0] != "add"); adHoc {
		return a.fieldAdHoc(ctx, *stdio, s, rest)
	}
	switch {
	case len(rest) == 0 || rest[0] == "list":
		return a.fieldList(*file, *asJSON)
	case rest[0] == "test":
		return a.fieldTest(ctx, *file, rest[1:], *asJSON)
	case rest[0] == "generate" && len(rest) == 2:
		return a.fieldGenerate(ctx, *file, *lang, rest[1])
	case rest[0] == "generate":
		return a.usageError("field", errors.New("write generate --lang go|ts|python NAME"))
	case rest[0] == "keep" || rest[0] == "status" || rest[0] == "stop":
		return a.fieldKept(ctx, *file, rest[0], rest[1:], *asJSON)
	case rest[0] == "import" && *all && len(rest) > 1:
		return a.usageError("field", errors.New("import takes names or --all, not both"))
	case rest[0] == "import":
		return (&importing{a: a, dirs: dirs, from: *from, names: rest[1:], all: *all, json: *asJSON}).run()
	case rest[0] == "add" && *from != "":
		if !strings.ContainsAny(*from, "./") {
			*from = "./" + *from
		}
		return (&importing{a: a, dirs: dirs, from: *from, names: rest[1:], all: len(rest) == 1, replace: true}).run()
	case rest[0] == "add":
		return a.fieldAdd(dirs, rest[1:], s)
	case rest[0] == "remove" && len(rest) == 2:
		return a.fieldRemove(dirs, rest[1])
	case rest[0] == "remove":
		return a.usageError("field", errors.New("remove takes one name"))
	}
	return a.usageError("field", fmt.Errorf("%q: it is add, generate, import, keep, list, remove, status, stop or test", rest[0]))
}

func (a *app) fieldList(file string, asJSON bool) int {
	b, err := a.openBash(bashOptions{flags: config.Flags{File: file}})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	rows := map[string]string{}
	for name, s := range b.cfg.Fields.MCPServers {
		rows[name] = s.Launch()
	}
	for name, fs := range b.cfg.Fields.Functions {
		rows[name] = term.CountNoun(len(fs), "function")
	}
	if asJSON {
		writeLine(a.out, rows)
		return exitOK
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(a.out, "field:%s: %s\n", name, rows[name])
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.out, "no servers or functions are configured: agentbash field add NAME -- COMMAND ARGS...")
	}
	return exitOK
}

// fieldTest starts groups, all or the named ones, and reports what it took.
func (a *app) fieldTest(ctx context.Context, file string, names []string, asJSON bool) int {
	ctx, stop := interruptContext(ctx)
	defer stop()
	b, err := a.openBash(bashOptions{flags: config.Flags{File: file}, asker: a.newAsker()})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	if len(names) == 0 {
		for _, g := range b.Registry().Groups() {
			names = append(names, g.Name)
		}
	}
	status := exitOK
	for _, name := range names {
		r, err := b.Fields().Test(ctx, name)
		if err != nil {
			fmt.Fprintln(a.err, "agentbash:", err)
			status = registry.ExitStatus(err)
			continue
		}
		if asJSON {
			writeLine(a.out, r)
			continue
		}
		fmt.Fprintf(a.out, "field:%s: %s, %d bytes of definitions, started in %s, listed in %s", name, term.CountNoun(len(r.Tools), "tool"), r.Bytes, inMS(r.Start), inMS(r.List))
		if r.Server != "" {
			fmt.Fprintf(a.out, "; %s, protocol %s, ping %s", r.Server, r.Protocol, inMS(r.Ping))
		}
		fmt.Fprintln(a.out)
	}
	return status
}

// fieldGenerate writes a client for the tools of a group.
func (a *app) fieldGenerate(ctx context.Context, file, lang, name string) int {
	ctx, stop := interruptContext(ctx)
	defer stop()
	if !slices.Contains(generate.Languages, lang) {
		return a.usageError("field", fmt.Errorf("--lang %q: it is %s", lang, strings.Join(generate.Languages, ", ")))
	}
	b, err := a.openBash(bashOptions{flags: config.Flags{File: file}, asker: a.newAsker()})
	if err != nil {
		return a.reportError(err)
	}
	defer b.Close()
	name = strings.TrimPrefix(name, registry.FieldPrefix)
	tools, err := b.Registry().LoadGroup(ctx, name)
	if err == nil && len(tools) == 0 {
		err = fmt.Errorf("field:%s has no tools to write a client for: agentbash field test %[1]s shows why", name)
	}
	if err == nil {
		err = generate.Write(a.out, lang, name, tools)
	}
	if err != nil {
		return a.reportError(err)
	}
	return exitOK
}

func inMS(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func (a *app) fieldAdd(dirs config.Dirs, words []string, s fieldbash.Server) int {
	switch {
	case len(words) == 0:
		return a.usageError("field", errors.New("add needs a name, as in agentbash field add NAME -- COMMAND"))
	case s.URL == "" && len(words) < 2:
		return a.usageError("field", errors.New("add needs what to start or where to connect: -- COMMAND, or --url URL"))
	case s.URL != "" && len(words) > 1:
		return a.usageError("field", errors.New("a server has a command or --url, not both"))
	case s.URL == "":
		s.Command, s.Args = words[1], words[2:]
	}
	unset, err := config.SetServer(dirs, words[0], s, a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	a.sayAdded(dirs, words[0], unset)
	return exitOK
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

func (a *app) fieldRemove(dirs config.Dirs, name string) int {
	found, err := config.RemoveServer(dirs, name)
	if err != nil {
		return a.reportError(err)
	}
	if !found {
		fmt.Fprintf(a.err, "agentbash field: %s has no server %q: agentbash field list shows what there is\n", dirs.UserFile(), name)
		return exitFailed
	}
	fmt.Fprintf(a.out, "field:%s is removed from %s\n", name, dirs.UserFile())
	return exitOK
}
