// Package temporal runs tasks of agentbash as activities of Temporal (temporal.io): durable,
// with heartbeats, retried by run key. Its command is cmd/worker. It is a module of its own,
// so that Temporal is none of the program's dependencies.
package temporal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Task is what one run is to do. Key is its run key: a task that is tried again, or given
// again, goes on where it was or has its result.
type Task struct {
	Key    string
	Prompt string
	Dir    string   // "": the worker's
	Words  []string // more flags of agentbash -p
}

// Result is what came of a run: the fields that workflows need of the result event.
type Result struct {
	Answer     string          `json:"answer"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Session    string          `json:"session"`
	Cost       *float64        `json:"cost"`
	Error      *string         `json:"error"`
	Requests   int             `json:"requests"`
}

// Never are the exit statuses after which another try would end like it.
var Never = []int{2, 3, 4, 126}

// Activities are those of a worker. Sessions and run keys are in its XDG_STATE_HOME: workers
// of one task queue share it, or there is one.
type Activities struct {
	Program string   // "": agentbash
	Env     []string // of the runs; nil: the worker's
}

// Run runs one task. Each event of the run is a heartbeat; a cancelled one is asked to save
// and end.
func (a *Activities) Run(ctx context.Context, t Task) (Result, error) {
	program := a.Program
	if program == "" {
		program = "agentbash"
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"-p", "-", "--run-key", t.Key, "--output-format", "stream-json"}, t.Words...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = t.Dir, a.Env, strings.NewReader(t.Prompt), &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return Result{}, sdk.NewNonRetryableApplicationError(err.Error(), "Start", err)
	}
	var result Result
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var event struct{ Type string }
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		if event.Type == "result" {
			if err := json.Unmarshal(line, &result); err != nil {
				return result, err
			}
		}
		activity.RecordHeartbeat(ctx, event.Type)
	}
	err = cmd.Wait()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, ctx.Err()
	case errors.As(err, &failed) && slices.Contains(Never, failed.ExitCode()):
		return result, sdk.NewNonRetryableApplicationError(lastLine(&stderr), fmt.Sprintf("Status%d", failed.ExitCode()), err, result)
	}
	return result, sdk.NewApplicationErrorWithCause(lastLine(&stderr), "Again", err, result)
}

func lastLine(b *bytes.Buffer) string {
	text := strings.TrimSpace(b.String())
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// Outcome is a result, or why there is none.
type Outcome struct {
	Key    string
	Result Result
	Error  string
}

// Batch is a workflow that runs tasks, each until it is done, cannot be done, or was tried
// ten times. How many run at once is the workers' to say.
func Batch(ctx workflow.Context, tasks []Task) ([]Outcome, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 24 * time.Hour, HeartbeatTimeout: 15 * time.Minute, WaitForCancellation: true,
		RetryPolicy: &sdk.RetryPolicy{InitialInterval: 5 * time.Second, MaximumInterval: 5 * time.Minute, MaximumAttempts: 10},
	})
	var a *Activities
	var futures []workflow.Future
	for _, t := range tasks {
		futures = append(futures, workflow.ExecuteActivity(ctx, a.Run, t))
	}
	out := make([]Outcome, len(tasks))
	for i, f := range futures {
		out[i].Key = tasks[i].Key
		if err := f.Get(ctx, &out[i].Result); err != nil {
			out[i].Error = err.Error()
		}
	}
	return out, ctx.Err()
}
