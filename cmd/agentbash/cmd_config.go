package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/safetext"
	"github.com/agentbash/agentbash/internal/secrettext"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// runConfig is agentbash config.
func runConfig(_ context.Context, a *app, words []string) int {
	f := newFlags("config")
	asJSON, file, yes := f.Bool("json", false, ""), f.String("config", "", ""), f.String("yes", "", "")
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
		return a.showConfig(cfg, nil, *asJSON)
	case "trust":
		return a.trustFiles(cfg, f.Args()[1:], *yes)
	case "untrust":
		return a.untrustFiles(cfg, f.Args()[1:])
	}
	return a.usageError("config", fmt.Errorf("%q: it is trust or untrust", f.Arg(0)))
}

// showConfig shows what is in force: in a chat the rules and the mode that it has come to, otherwise what
// the files say.
func (a *app) showConfig(cfg *config.Result, chat *guard.Guard, asJSON bool) int {
	servers, functions := slices.Sorted(maps.Keys(cfg.Fields.MCPServers)), slices.Sorted(maps.Keys(cfg.Fields.Functions))
	mode := [2]string{cmp.Or(cfg.Mode, config.ModeAsk), cmp.Or(cfg.From["mode"], "the default")}
	var rules []policy.Listed
	if chat != nil {
		rules = listRules(chat.Rules())
		if now := string(chat.Mode()); now != mode[0] {
			mode = [2]string{now, "this session"}
		}
	} else {
		for _, r := range cfg.Rules {
			list, err := policy.ParseRules(r.File, r.Raw, r.Project)
			if err != nil {
				return a.reportError(err)
			}
			rules = append(rules, list.List()...)
		}
	}
	if asJSON {
		writeLine(a.out, map[string]any{"model": cfg.Model, "baseURL": cfg.BaseURL, "mode": cfg.Mode, "key": cfg.APIKey != "",
			"files": cfg.Files, "from": cfg.From, "mcpServers": orEmpty(servers), "functions": orEmpty(functions), "pending": len(cfg.Pending),
			"rules": orEmpty(rules), "limits": cfg.Limits, "hooks": len(cfg.Hooks.Before) + len(cfg.Hooks.After)})
		return exitOK
	}
	key := "(not set)"
	if cfg.APIKey != "" {
		key = "set, from " + cfg.From["apiKey"]
	}
	rows := [][2]string{{"model", cfg.Model}, {"baseURL", secrettext.Shown(cfg.BaseURL)}, {"mode", mode[0] + "   from " + mode[1]}, {"key", key}}
	for i, row := range rows[:2] {
		if row[1] == "" {
			rows[i][1] = "(not set)"
		} else if from := cfg.From[row[0]]; from != "" {
			rows[i][1] += "   from " + from
		}
	}
	files := cfg.Files
	if own := cfg.Dirs.UserFile(); !slices.Contains(files, own) {
		if _, err := os.Stat(own); err == nil { // an answer has written it
			files = append(slices.Clone(files), own)
		}
	}
	for _, list := range []struct {
		name  string
		names []string
	}{{"files", files}, {"servers", servers}, {"functions", functions}} {
		rows = append(rows, [2]string{list.name, cmp.Or(strings.Join(list.names, " "), "(none)")})
	}
	for _, row := range append(rows, inForce(cfg, rules)...) {
		fmt.Fprintf(a.out, "%-10s %s\n", row[0], safetext.Line(row[1]))
	}
	a.warn(cfg.Warnings...)
	return exitOK
}

// orEmpty is a list as JSON has it: never null.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// trustFiles shows what waits to be trusted, asks, and records it. Without a terminal
// only the hash of what was shown says yes.
func (a *app) trustFiles(cfg *config.Result, paths []string, yes string) int {
	if len(cfg.Pending) == 0 {
		fmt.Fprintln(a.err, "agentbash config: nothing waits to be trusted here")
		return exitFailed
	}
	pending := slices.DeleteFunc(slices.Clone(cfg.Pending), func(p config.PendingProject) bool {
		return len(paths) > 0 && !namesFile(paths, p.Path)
	})
	if len(pending) == 0 {
		return a.usageError("config", errors.New("none of these files waits to be trusted"))
	}
	for _, p := range pending {
		a.showPending(p)
	}
	if err := a.confirmTrust(config.Hash(pending), yes); err != nil {
		return a.reportError(fmt.Errorf("nothing is trusted: %w", err))
	}
	for _, p := range pending {
		if err := config.Approve(cfg.Dirs, p); err != nil {
			return a.reportError(err)
		}
	}
	return exitOK
}

func (a *app) showPending(p config.PendingProject) {
	if p.Changed {
		fmt.Fprintf(a.out, "%s runs what is not as it was:\n", p.Path)
	} else {
		fmt.Fprintf(a.out, "%s would add:\n", p.Path)
	}
	for _, line := range p.Adds {
		fmt.Fprintln(a.out, "  "+line)
	}
	for _, f := range p.Files {
		fmt.Fprintf(a.out, "  file: %s, SHA-256 %s\n", safetext.Line(f.Path), f.Hash)
	}
}

// shownHash is how much of a hash is typed at least.
const shownHash = 12

// confirmTrust asks the person, unless yes is the beginning of the hash. An error
// is a no.
func (a *app) confirmTrust(hash, yes string) error {
	again := "if that is what you want, type agentbash config trust --yes " + hash[:shownHash]
	switch {
	case yes == "":
	case len(yes) < shownHash || !strings.HasPrefix(hash, yes):
		return fmt.Errorf("--yes %s is not the hash of what was shown: %s", yes, again)
	default:
		return nil
	}
	p := &person{a.newAsker()}
	if !p.ask.Present() {
		return fmt.Errorf("there is no terminal to ask at: %s", again)
	}
	if !p.confirmYes("Trust it?", "What it runs has your rights, not those of a mode.") {
		return errors.New("you did not say yes")
	}
	return nil
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
