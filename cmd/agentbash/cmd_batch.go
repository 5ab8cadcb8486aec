package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/batch"
	"github.com/agentbash/agentbash/internal/safetext"
)

// runBatch is agentbash batch: what engines start runs with, and the table of the results.
func runBatch(_ context.Context, a *app, words []string) int {
	f := newFlags("batch")
	j := batch.Job{}
	f.StringVar(&j.Name, "name", "", "")
	f.StringVar(&j.Results, "results", "results", "")
	f.StringVar(&j.Image, "image", "", "")
	f.StringVar(&j.Secret, "secret", "", "")
	f.IntVar(&j.Parallel, "jobs", 8, "")
	f.IntVar(&j.Retries, "retries", 3, "")
	f.IntVar(&j.CPUs, "cpus", 1, "")
	f.StringVar(&j.Memory, "memory", "2Gi", "")
	f.IntVar(&j.Seconds, "max-time", 3600, "")
	f.IntVar(&j.Grace, "grace", 60, "")
	format, tasks := f.String("format", "text", ""), f.String("tasks", "", "")
	if err := f.Parse(words); err != nil {
		return a.usageError("batch", err)
	}
	args := f.Args()
	if at := f.ArgsLenAtDash(); at >= 0 {
		args, j.Words = args[:at], args[at:]
	}
	switch {
	case len(args) != 2:
		return a.usageError("batch", errors.New("name the engine and the task file, or collect and a directory"))
	case min(j.Parallel, j.CPUs, j.Seconds, j.Grace) < 1 || j.Retries < 0:
		return a.usageError("batch", errors.New("--jobs, --cpus, --max-time and --grace are above 0"))
	case args[0] == "collect":
		return a.collectBatch(args[1], *tasks, *format)
	}
	j.File = args[1]
	if err := j.Print(a.out, args[0]); err != nil {
		return a.usageError("batch", err)
	}
	return exitOK
}

func (a *app) collectBatch(dir, file, format string) int {
	var tasks []batch.Task
	var err error
	if file != "" {
		if tasks, err = batch.ReadTasks(file); err != nil {
			return a.usageError("batch", err)
		}
	}
	rows, err := batch.Collect(dir, tasks)
	switch {
	case err != nil:
		return a.usageError("batch", err)
	case format != "text" && format != "csv" && format != "html" && format != "json":
		return a.usageError("batch", fmt.Errorf("--format %q: it is text, csv, html or json", format))
	}
	clean := func(s string) string { return oneLineOf(safetext.Clean(s), 100) }
	if err := batch.Write(a.out, rows, filepath.Base(dir), format, clean); err != nil {
		return a.reportError(err)
	}
	for _, r := range rows {
		if r.State != "done" {
			return exitFailed
		}
	}
	return exitOK
}
