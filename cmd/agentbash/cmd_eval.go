package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/eval"
)

// runEval is agentbash eval: the same tasks for one configuration or two.
func runEval(ctx context.Context, a *app, words []string) int {
	f := newFlags("eval")
	dir, mode := f.String("tasks", filepath.Join("testdata", "eval"), ""), f.String("mode", "auto", "")
	repeat, jobs, limit := f.Int("repeat", 1, ""), f.Int("jobs", 1, ""), f.Float64("max-time", 600, "")
	asJSON := f.Bool("json", false, "")
	err := f.Parse(words)
	switch {
	case err != nil:
	case f.NArg() == 0 || f.NArg() > 2:
		err = errors.New("name a config file, or two to compare")
	case *repeat < 1 || *jobs < 1 || !(*limit > 0):
		err = errors.New("--repeat, --jobs and --max-time are above 0")
	default:
		err = checkMode(*mode)
	}
	if err != nil {
		return a.usageError("eval", err)
	}
	ctx, stop := interruptContext(ctx)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return a.reportError(err)
	}
	tasks, err := eval.Load(*dir)
	if err != nil {
		return a.reportError(err)
	}
	var all []eval.Summary
	for _, name := range f.Args() {
		file, err := filepath.Abs(name)
		if err != nil {
			return a.reportError(err)
		}
		environ, err := a.environFor(file)
		if err != nil {
			return a.reportError(err)
		}
		o := &eval.Options{Env: environ, Repeat: *repeat, Jobs: *jobs, Limit: time.Duration(*limit * float64(time.Second)),
			Agent: []string{self, "-p", "-", "--output-format", "json", "--mode", *mode, "--config", file}}
		if !*asJSON {
			o.Each = func(t eval.Attempt) { fmt.Fprintf(a.err, "%s: %s: %s\n", name, t.Task, outcome(t)) }
		}
		got, err := eval.Run(ctx, tasks, o)
		if ctx.Err() != nil {
			return exitInterrupted
		}
		if err != nil {
			return a.reportError(err)
		}
		all = append(all, eval.Summarize(name, got))
	}
	if *asJSON {
		writeLine(a.out, map[string]any{"v": 1, "tasks": len(tasks), "repeat": *repeat, "configurations": all})
	} else {
		a.showEval(all)
	}
	return exitOK
}

// environFor is the environment of a configuration's attempts: what its file says is not
// overruled by variables, or two files would be compared that come to the same.
func (a *app) environFor(file string) ([]string, error) {
	said := map[string]string{config.EnvModel: "model", config.EnvProvider: "provider", config.EnvBaseURL: "baseURL"}
	cfg, err := config.Load(&config.Options{Flags: config.Flags{File: file}, Dir: os.TempDir(), Lookup: func(name string) (string, bool) {
		if said[name] != "" {
			return "", false
		}
		return a.lookup(name)
	}})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(a.environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return said[name] != "" && (cfg.From[said[name]] == file || name == config.EnvBaseURL && cfg.From["provider"] == file)
	}), nil
}

func outcome(t eval.Attempt) string {
	if t.Done {
		return "done"
	}
	return "not done: " + oneLineOf(t.Why, 200)
}

// showEval prints a row for each measure: a column for each configuration, and by how much
// the second is above the first. Each has its 95 % interval.
func (a *app) showEval(all []eval.Summary) {
	w := tabwriter.NewWriter(a.out, 0, 0, 3, ' ', 0)
	fmt.Fprint(w, "mean (95 %)")
	for _, s := range all {
		fmt.Fprintf(w, "\t%s", s.Name)
	}
	if len(all) == 2 {
		fmt.Fprint(w, "\tdifference")
	}
	fmt.Fprintln(w)
	for _, row := range []struct {
		name   string
		scale  float64
		digits int
		get    func(*eval.Summary) eval.Interval
	}{
		{"success, %", 100, 1, func(s *eval.Summary) eval.Interval { return s.Success }},
		{"calls", 1, 1, func(s *eval.Summary) eval.Interval { return s.Calls }},
		{"tokens", 1, 0, func(s *eval.Summary) eval.Interval { return s.Tokens }},
		{"cost, $", 1, 4, func(s *eval.Summary) eval.Interval { return s.Cost }},
		{"time, s", 1, 1, func(s *eval.Summary) eval.Interval { return s.Time }},
	} {
		show := func(i eval.Interval) {
			n := func(v float64) string { return strconv.FormatFloat(v*row.scale, 'f', row.digits, 64) }
			fmt.Fprintf(w, "\t%s (%s to %s)", n(i.Value), n(i.Low), n(i.High))
		}
		fmt.Fprint(w, row.name)
		for i := range all {
			show(row.get(&all[i]))
		}
		if len(all) == 2 {
			show(row.get(&all[0]).To(row.get(&all[1])))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
