// Package eval gives tasks to an agent, checks what it did, and compares configurations.
//
// A task is a directory: task.md is the prompt, env/ what its working directory starts with,
// setup a bash script that completes it, check a bash script that fails if the task was not
// done. Both scripts are read at the start, so that no agent changes them, and the agent is not
// told where they are. Each attempt has a fresh directory.
package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Task is one task.
type Task struct {
	Name, dir, prompt string
	setup, check      script
}

// script is a task's own script, as it was at the start.
type script struct{ path, text string }

// Load returns the tasks of a directory, by name.
func Load(dir string) ([]Task, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "task.md"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s has no tasks: a task is a directory with task.md and check in it", dir)
	}
	var out []Task
	for _, p := range paths {
		t := Task{Name: filepath.Base(filepath.Dir(p))}
		if t.dir, err = filepath.Abs(filepath.Dir(p)); err != nil {
			return nil, err
		}
		t.setup.path, t.check.path = filepath.Join(t.dir, "setup"), filepath.Join(t.dir, "check")
		for path, text := range map[string]*string{p: &t.prompt, t.setup.path: &t.setup.text, t.check.path: &t.check.text} {
			data, err := os.ReadFile(path)
			switch {
			case err != nil && path == t.check.path:
				return nil, fmt.Errorf("task %s: %w: write the script that tells whether it was done", t.Name, err)
			case err != nil && (path == p || !errors.Is(err, os.ErrNotExist)):
				return nil, err
			}
			*text = string(data)
		}
		out = append(out, t)
	}
	return out, err
}

// Attempt is what came of one attempt at a task.
type Attempt struct {
	Task   string  `json:"task"`
	Done   bool    `json:"done"`
	Why    string  `json:"why,omitempty"` // it was not
	Calls  float64 `json:"calls"`
	Tokens float64 `json:"tokens"`
	Cost   float64 `json:"cost"` // dollars
	Time   float64 `json:"time"` // seconds
}

// Options say how attempts are made.
type Options struct {
	Agent  []string      // of one attempt; the prompt goes to its stdin, it prints a result as agentbash -p does in JSON
	Env    []string      // of the agent; nil is the program's
	Limit  time.Duration // of the agent
	Check  time.Duration // the limit of each of a task's scripts; 0 is five minutes
	Repeat int
	Jobs   int           // at once
	Each   func(Attempt) // is told of each; may be nil
}

// Run attempts each task Repeat times.
func Run(ctx context.Context, tasks []Task, o *Options) ([]Attempt, error) {
	out := make([]Attempt, len(tasks)*o.Repeat)
	errs := make([]error, len(out))
	free := make(chan struct{}, max(o.Jobs, 1))
	var wait sync.WaitGroup
	var mu sync.Mutex
	for i := range out {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-free }()
			out[i], errs[i] = tasks[i%len(tasks)].attempt(ctx, o)
			mu.Lock()
			defer mu.Unlock()
			if o.Each != nil && errs[i] == nil {
				o.Each(out[i])
			}
		})
	}
	wait.Wait()
	return out, errors.Join(append(errs, ctx.Err())...)
}

// attempt is one attempt. An error is one of the task, or of the machine.
func (t Task) attempt(ctx context.Context, o *Options) (a Attempt, err error) {
	dir, err := os.MkdirTemp("", "agentbash-eval-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, remove(dir)) }()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(t.dir, "env"))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return a, err
	}
	if out, err := t.setup.run(ctx, dir, o.Check); err != nil {
		return a, fmt.Errorf("task %s: setup: %w: %s", t.Name, err, out)
	}
	limited, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	start := time.Now()
	cmd := exec.CommandContext(limited, o.Agent[0], o.Agent[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = dir, o.Env, strings.NewReader(t.prompt), 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var notes tail
	cmd.Stderr = &notes
	stdout, failed := cmd.Output()
	a = Attempt{Task: t.Name, Time: time.Since(start).Seconds()}
	var result struct {
		Calls float64 `json:"tool_calls"`
		Usage struct{ Prompt, Completion float64 }
		Cost  *float64
	}
	if err := json.Unmarshal(bytes.TrimSpace(stdout), &result); err == nil {
		a.Calls, a.Tokens = result.Calls, result.Usage.Prompt+result.Usage.Completion
		if result.Cost != nil {
			a.Cost = *result.Cost
		}
	}
	out, wrong := t.check.run(ctx, dir, o.Check)
	var said *exec.ExitError
	switch {
	case wrong == nil:
		a.Done = true
	case ctx.Err() != nil:
		return a, ctx.Err()
	case !errors.As(wrong, &said):
		return a, fmt.Errorf("task %s: check: %w", t.Name, wrong)
	default:
		a.Why = strings.TrimSpace(strings.TrimSpace(out) + "\n" + strings.TrimSpace(string(notes)))
		if failed != nil {
			a.Why = failed.Error() + ": " + a.Why
		}
	}
	return a, nil
}

// remove removes a directory, also one in which the agent took away its own permissions.
func remove(dir string) error {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// run runs a script in a process group of its own, which ends with it.
func (s script) run(ctx context.Context, dir string, limit time.Duration) (string, error) {
	if s.text == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(limit, 5*time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-ec", s.text, s.path)
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out tail
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.SysProcAttr, cmd.Cancel, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, end, time.Second
	err := cmd.Start()
	if err == nil {
		err = cmd.Wait()
		end() // what it left behind
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well: something that it started held its output
		err = nil
	}
	return string(out), err
}

// tail keeps the end of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	const most = 64 << 10
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(p), nil
}

// Summary is what the attempts with one configuration come to.
type Summary struct {
	Name     string    `json:"name"`
	Attempts []Attempt `json:"attempts"`
	Success  Interval  `json:"success"` // as a share
	Calls    Interval  `json:"calls"`
	Tokens   Interval  `json:"tokens"`
	Cost     Interval  `json:"cost"`
	Time     Interval  `json:"time"`
}

// Summarize sums up.
func Summarize(name string, all []Attempt) Summary {
	done := 0
	columns := make([][]float64, 4)
	for _, a := range all {
		if a.Done {
			done++
		}
		for i, v := range []float64{a.Calls, a.Tokens, a.Cost, a.Time} {
			columns[i] = append(columns[i], v)
		}
	}
	return Summary{name, all, Share(done, len(all)), Mean(columns[0]), Mean(columns[1]), Mean(columns[2]), Mean(columns[3])}
}
