package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// runField is agentbash field.
func runField(ctx context.Context, a *app, words []string) int {
	f := newFlags("field")
	url, from, file := f.String("url", "", ""), f.String("from", "", ""), f.String("config", "", "")
	var env, headers []string
	f.StringArrayVar(&env, "env", nil, "")
	f.StringArrayVar(&headers, "header", nil, "")
	asJSON, all := f.Bool("json", false, ""), f.Bool("all", false, "")
	if err := f.Parse(words); err != nil {
		return a.usageError("field", err)
	}
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return a.reportError(err)
	}
	rest := f.Args()
	switch {
	case len(rest) == 0 || rest[0] == "list":
		return a.fieldList(*file, *asJSON)
	case rest[0] == "test":
		return a.fieldTest(ctx, *file, rest[1:], *asJSON)
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
		return a.fieldAdd(dirs, rest[1:], *url, env, headers)
	case rest[0] == "remove" && len(rest) == 2:
		return a.fieldRemove(dirs, rest[1])
	case rest[0] == "remove":
		return a.usageError("field", errors.New("remove takes one name"))
	}
	return a.usageError("field", fmt.Errorf("%q: it is add, import, list, test or remove", rest[0]))
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
		rows[name] = fmt.Sprintf("%d functions", len(fs))
	}
	if asJSON {
		writeLine(a.out, rows)
		return exitOK
	}
	var names []string
	for name := range rows {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(a.out, "field:%s: %s\n", name, rows[name])
	}
	if len(names) == 0 {
		fmt.Fprintln(a.out, "no servers or functions are configured: agentbash field add NAME -- COMMAND ARGS...")
	}
	return exitOK
}

// fieldTest starts groups, all or the named ones, and reports what it took.
func (a *app) fieldTest(ctx context.Context, file string, names []string, asJSON bool) int {
	ctx, stop := interruptContext(ctx)
	defer stop()
	b, err := a.openBash(bashOptions{flags: config.Flags{File: file}, ask: true})
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
		fmt.Fprintf(a.out, "field:%s: %d tools, started in %s, listed in %s", name, len(r.Tools), inMS(r.Start), inMS(r.List))
		if r.Server != "" {
			fmt.Fprintf(a.out, "; %s, protocol %s, ping %s", r.Server, r.Protocol, inMS(r.Ping))
		}
		fmt.Fprintln(a.out)
	}
	return status
}

func inMS(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func (a *app) fieldAdd(dirs config.Dirs, words []string, url string, env, headers []string) int {
	s := fieldbash.Server{URL: url}
	switch {
	case len(words) == 0:
		return a.usageError("field", errors.New("add needs a name, as in agentbash field add NAME -- COMMAND"))
	case url == "" && len(words) < 2:
		return a.usageError("field", errors.New("add needs what to start or where to connect: -- COMMAND, or --url URL"))
	case url != "" && len(words) > 1:
		return a.usageError("field", errors.New("a server has a command or --url, not both"))
	case url == "":
		s.Command, s.Args = words[1], words[2:]
	}
	var err error
	if s.Env, err = splitPairs("--env", env); err == nil {
		s.Headers, err = splitPairs("--header", headers)
	}
	if err != nil {
		return a.usageError("field", err)
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
	var m map[string]string
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("%s %s: write %s NAME=VALUE", flag, w, flag)
		}
		if m == nil {
			m = map[string]string{}
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
