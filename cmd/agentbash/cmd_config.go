package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
)

// runConfig is agentbash config.
func runConfig(_ context.Context, a *app, words []string) int {
	f := newFlags("config")
	asJSON, file := f.Bool("json", false, ""), f.String("config", "", "")
	if err := f.Parse(words); err != nil {
		return a.usageError("config", err)
	}
	dir, err := workDir("")
	if err != nil {
		return a.reportError(err)
	}
	cfg, err := config.Load(&config.Options{Flags: config.Flags{File: *file}, Dir: dir, Lookup: a.lookup})
	if err != nil {
		return a.reportError(err)
	}
	switch f.Arg(0) {
	case "":
		return a.showConfig(cfg, *asJSON)
	case "trust":
		return a.trustFiles(cfg, f.Args()[1:])
	case "untrust":
		return a.untrustFiles(cfg, f.Args()[1:])
	}
	return a.usageError("config", fmt.Errorf("%q: it is trust or untrust", f.Arg(0)))
}

func (a *app) showConfig(cfg *config.Result, asJSON bool) int {
	var servers, functions []string
	for name := range cfg.Fields.MCPServers {
		servers = append(servers, name)
	}
	for name := range cfg.Fields.Functions {
		functions = append(functions, name)
	}
	sort.Strings(servers)
	sort.Strings(functions)
	if asJSON {
		writeLine(a.out, map[string]any{"model": cfg.Model, "baseURL": cfg.BaseURL, "mode": cfg.Mode, "key": cfg.APIKey != "",
			"files": cfg.Files, "from": cfg.From, "mcpServers": servers, "functions": functions, "pending": len(cfg.Pending)})
		return exitOK
	}
	for _, row := range [][2]string{{"model", cfg.Model}, {"baseURL", cfg.BaseURL}, {"mode", cfg.Mode}} {
		if row[1] == "" {
			row[1] = "(not set)"
		}
		fmt.Fprintf(a.out, "%-10s %s", row[0], row[1])
		if from := cfg.From[row[0]]; from != "" {
			fmt.Fprintf(a.out, "   from %s", from)
		}
		fmt.Fprintln(a.out)
	}
	key := "(not set)"
	if cfg.APIKey != "" {
		key = "set, from " + cfg.From["apiKey"]
	}
	fmt.Fprintf(a.out, "%-10s %s\n%-10s %q\n%-10s %q\n%-10s %q\n", "key", key, "files", cfg.Files, "servers", servers, "functions", functions)
	a.warn(cfg.Warnings...)
	return exitOK
}

// trustFiles records the content of project files that wait for it.
func (a *app) trustFiles(cfg *config.Result, paths []string) int {
	if len(cfg.Pending) == 0 {
		fmt.Fprintln(a.err, "agentbash config: no project file waits to be trusted here")
		return exitFailed
	}
	trusted := 0
	for _, p := range cfg.Pending {
		if len(paths) > 0 && !namesFile(paths, p.Path) {
			continue
		}
		fmt.Fprintf(a.out, "%s may now add:\n", p.Path)
		for _, line := range p.Adds {
			fmt.Fprintln(a.out, "  "+line)
		}
		if err := config.Approve(cfg.Dirs, p); err != nil {
			return a.reportError(err)
		}
		trusted++
	}
	if trusted == 0 {
		return a.usageError("config", errors.New("none of these files waits to be trusted"))
	}
	return exitOK
}

// namesFile reports whether one of the typed paths is the file.
func namesFile(paths []string, file string) bool {
	for _, p := range paths {
		if abs, err := filepath.Abs(p); err == nil {
			if real, err := filepath.EvalSymlinks(abs); err == nil && real == file {
				return true
			}
		}
	}
	return false
}

func (a *app) untrustFiles(cfg *config.Result, paths []string) int {
	if len(paths) != 1 {
		return a.usageError("config", errors.New("untrust takes the path of one file"))
	}
	path, err := filepath.Abs(paths[0])
	if err != nil {
		return a.reportError(err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if !errors.Is(err, os.ErrNotExist) {
		return a.reportError(err)
	}
	n, err := config.Revoke(cfg.Dirs, path)
	if err != nil {
		return a.reportError(err)
	}
	fmt.Fprintf(a.out, "%d approvals of %s taken back\n", n, path)
	return exitOK
}
