package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/chat/transcript"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/batch"
	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/registry"
	"github.com/spf13/pflag"
)

// batchFlags are the flags of a run that an engine starts.
type batchFlags struct {
	taskFile, taskID        string
	task                    int
	runKey                  string
	resultFile, resultPatch string
	logFormat               string
}

func (c *batchFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.taskFile, "task-file", "", "")
	f.IntVar(&c.task, "task", -1, "")
	f.StringVar(&c.runKey, "run-key", "", "")
	f.StringVar(&c.resultFile, "result-file", "", "")
	f.StringVar(&c.resultPatch, "result-patch", "", "")
	f.StringVar(&c.logFormat, "log-format", "text", "")
}

// takeTask makes a line of the task file the prompt, and flags that were not given.
func (c *chatFlags) takeTask(f *pflag.FlagSet, lookup func(string) (string, bool)) error {
	switch {
	case c.taskFile == "" && f.Changed("task"):
		return errors.New("--task is the number of a line of --task-file: give that, too")
	case c.taskFile == "":
		return nil
	case !c.bare || c.inputFormat != "text":
		return errors.New("--task-file has the prompt: give -p without one")
	case f.Changed("task") && c.task < 0:
		return errors.New("--task: tasks are counted from 0")
	}
	tasks, err := batch.ReadTasks(c.taskFile)
	if err != nil {
		return err
	}
	t, err := batch.ChooseTask(tasks, c.task, lookup)
	if err != nil {
		return err
	}
	for name, value := range t.Flags {
		if f.Changed(name) {
			continue
		}
		if err := f.Set(name, value); err != nil {
			return fmt.Errorf("task %s: %w", t.ID, err)
		}
	}
	c.prompt, c.bare, c.taskID = t.Prompt, false, t.ID
	for _, text := range []*string{&c.runKey, &c.resultFile, &c.resultPatch, &c.output, &c.dir} {
		*text = strings.ReplaceAll(*text, "{id}", t.ID)
	}
	return nil
}

// checkBatch is the error of flags that do not go with a run of its own.
func (c *chatFlags) checkBatch() error {
	one := c.runKey + c.resultFile + c.resultPatch
	switch {
	case c.logFormat != "text" && c.logFormat != "json":
		return fmt.Errorf("--log-format %q: it is text or json", c.logFormat)
	case (one != "" || c.logFormat != "text") && !c.hasPrompt:
		return errors.New("--run-key, --result-file, --result-patch and --log-format are for runs without a terminal: give -p")
	case one != "" && (c.inputFormat != "text" || c.replay != ""):
		return errors.New("--run-key, --result-file and --result-patch are for one prompt: leave --input-format and --replay out")
	case c.runKey != "" && (c.noSession || c.goOn || c.resume != ""):
		return errors.New("--run-key finds its own session: leave --no-session, --continue and --resume out")
	}
	return nil
}

// batchRun is what a run does for the engine that started it.
type batchRun struct {
	*batchFlags
	a     *app
	run   *batch.Run // nil: it has no key
	repo  *batch.Repository
	past  past
	wrote bool // the result is told, or is another process's to tell
}

// openBatchRun opens the run with the key, and has the chat go on with its session.
func (a *app) openBatchRun(c *chatFlags) (*batchRun, error) {
	r := &batchRun{batchFlags: &c.batchFlags, a: a}
	for _, path := range []string{c.resultFile, c.resultPatch} {
		if err := checkWritable(path); err != nil {
			r.resultFile = ""
			return r, &registry.UsageError{Problems: []string{fmt.Sprintf("the result could not be told: %v: make its directory, or name another file", err)}}
		}
	}
	if c.runKey == "" {
		return r, nil
	}
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return r, err
	}
	if r.run, err = batch.OpenRun(filepath.Join(dirs.State, "runs"), c.runKey, c.prompt); err != nil {
		r.wrote = errors.Is(err, batch.ErrBusy)
		return r, err
	}
	if r.run.Session == "" || r.run.Result != nil {
		return r, nil
	}
	c.resume = r.run.Session
	_, records, err := sessionsIn(dirs).Read(c.resume)
	if err != nil {
		return r, fmt.Errorf("run %s: %w; or give another --run-key", c.runKey, err)
	}
	r.past = readPast(records)
	return r, nil
}

// checkWritable is why a file could not be written at the end, as far as that is known before
// anything is spent.
func checkWritable(path string) error {
	if path == "" {
		return nil
	}
	path, err := atomicfile.Resolve(path)
	if err != nil {
		return err
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return &os.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	}
	if err := syscall.Access(filepath.Dir(path), 2); err != nil { // W_OK
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// tellAgain tells the result of a run that is finished.
func (r *batchRun) tellAgain(format string) int {
	var result struct{ Answer string }
	if err := json.Unmarshal(r.run.Result, &result); err != nil {
		return r.a.reportError(fmt.Errorf("run %s: %w", r.runKey, err))
	}
	if err := r.writeFiles(r.run.Result, r.run.Patch); err != nil {
		return r.a.reportError(err)
	}
	if format != "text" {
		writeLine(r.a.out, r.run.Result)
	} else if result.Answer != "" {
		io.WriteString(r.a.out, strings.TrimSuffix(result.Answer, "\n")+"\n")
	}
	return exitOK
}

// begin notes what the work starts from, before any of it is done.
func (r *batchRun) begin(ctx context.Context, dir, session string) (err error) {
	commit := ""
	if r.run != nil && r.run.Session != "" {
		dir, commit = r.run.Dir, r.run.Commit
	}
	if r.resultPatch != "" {
		if r.repo, err = batch.OpenRepository(ctx, dir, commit, r.a.environ); err != nil {
			return err
		}
		commit = r.repo.Commit
	}
	if r.run == nil {
		return nil
	}
	return r.run.Begin(session, dir, commit)
}

// past is what the starts before this one came to.
type past struct {
	counts
	goesOn       bool // there were any
	asked, ended bool // the prompt is in the session; and its turn came to its end
	answer       string
	took         time.Duration
}

func readPast(records []transcript.Record) past {
	p := past{goesOn: true}
	var begun, last time.Time
	for _, t := range records {
		switch t.Type {
		case transcript.TypeSession, transcript.TypeResume:
			p.took += last.Sub(begun)
			begun = t.Time
		case transcript.TypeUser:
			p.asked, p.ended = true, false
		case transcript.TypeAssistant:
			p.answer = t.Text
		case transcript.TypeToolCall:
			p.calls++
		case transcript.TypeToolResult:
			if t.Denied {
				p.denials++
			}
		case transcript.TypeUsage:
			p.addUsage(chat.Usage(*t.Usage))
		case transcript.TypeEnd:
			p.ended = t.ExitCode == 0
		}
		last = t.Time
	}
	p.took += last.Sub(begun)
	return p
}

// answered reports whether a start was ended before it told the result that it had.
func (p *past) answered() bool { return p.ended && p.denials == 0 }

// finish makes the patch and tells the result to whoever waits for a file.
func (r *batchRun) finish(ctx context.Context, out map[string]any, succeeded bool) (err error) {
	r.wrote = true
	for name, value := range map[string]string{"task": r.taskID, "run_key": r.runKey} {
		if value != "" {
			out[name] = value
		}
	}
	var patch []byte
	if r.repo != nil {
		if patch, err = r.repo.Patch(context.WithoutCancel(ctx)); err != nil {
			err = fmt.Errorf("--result-patch: %w", err)
			out["success"], out["error"], out["exit_status"] = false, err.Error(), exitFailed
		}
	}
	result, jerr := json.Marshal(out)
	if err = errors.Join(err, jerr); err == nil && succeeded && r.run != nil {
		err = r.run.Finish(result, patch)
	}
	return errors.Join(err, r.writeFiles(result, patch))
}

func (r *batchRun) writeFiles(result, patch []byte) error {
	for _, f := range []struct {
		path string
		data []byte
	}{{r.resultPatch, patch}, {r.resultFile, append(result[:len(result):len(result)], '\n')}} {
		if f.path == "" {
			continue
		}
		if err := atomicfile.Write(f.path, f.data); err != nil {
			return fmt.Errorf("the result cannot be told: %w: make its directory, or name another file", err)
		}
	}
	return nil
}

// end tells the result of a run that ended before it began.
func (r *batchRun) end(status int) int {
	if r.run != nil {
		defer r.run.Close()
	}
	if r.wrote || r.resultFile == "" || status == exitOK {
		return status
	}
	why := ""
	if r.a.reported != nil {
		why = r.a.reported.Error()
	}
	r.repo = nil
	out := map[string]any{"type": "result", "v": eventsVersion, "session": "", "success": false, "answer": "", "error": why, "exit_status": status,
		"requests": 0, "tool_calls": 0, "denials": 0, "usage": map[string]any{}, "cost": 0, "duration_ms": 0}
	if err := r.finish(context.Background(), out, false); err != nil {
		return r.a.reportError(err)
	}
	return status
}
