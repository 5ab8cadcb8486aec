package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

// runFlags are what a chat or -p is told for one run, beside its configuration.
type runFlags struct {
	addDirs     []string
	allow, deny []string
	appended    string // to the system prompt
	worktree    bool
}

func (r *runFlags) define(f *pflag.FlagSet) {
	f.StringArrayVar(&r.addDirs, "add-dir", nil, "")
	f.StringArrayVar(&r.allow, "allow", nil, "")
	f.StringArrayVar(&r.deny, "deny", nil, "")
	f.StringVar(&r.appended, "append-system-prompt", "", "")
	f.BoolVar(&r.worktree, "worktree", false, "")
}

// applyTo adds them to what the configuration is read with.
func (r *runFlags) applyTo(c *chatFlags) error {
	for _, dir := range r.addDirs {
		full, err := workDir(dir)
		if err != nil {
			return fmt.Errorf("--add-dir %s: %w", dir, err)
		}
		c.config.AddDirs = append(c.config.AddDirs, full)
	}
	for _, given := range []struct {
		word  string
		rules []string
	}{{"deny", r.deny}, {"allow", r.allow}} {
		for _, rule := range given.rules {
			rule = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rule), given.word+" "))
			if rule == "" {
				return fmt.Errorf("--%s: give a rule, such as 'git push ...' or agent:write", given.word)
			}
			c.config.Rules = append(c.config.Rules, given.word+" "+rule)
		}
	}
	return nil
}

// enterWorktree makes a work tree for the run, if one is wanted, and has the run work there. done
// ends it.
func (a *app) enterWorktree(ctx context.Context, c *chatFlags) (done func(), err error) {
	if !c.run.worktree {
		return func() {}, nil
	}
	w, err := a.addWorktree(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	if c.config.File != "" { // it is looked up where the person stands
		if c.config.File, err = filepath.Abs(c.config.File); err != nil {
			return nil, err
		}
	}
	c.dir = w.dir
	return func() { w.end(a) }, nil
}
