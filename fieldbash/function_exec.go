package fieldbash

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/registry"
)

// graceExec is how long a function that is to stop has between SIGTERM and
// SIGKILL, and how long its output is awaited after it ended.
const graceExec = 500 * time.Millisecond

// runExec runs a function as a program in a process group of its own. No shell
// is involved. AGENTBASH_CWD tells it the caller's directory.
func (f *Fields) runExec(ctx context.Context, fn *Function, call *registry.Call) error {
	def := fn.Exec
	args, err := call.JSON()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, def.Argv[0], def.Argv[1:]...)
	cmd.Env = append(minimalEnv(f.opts.Env, def.Env), "AGENTBASH_CWD="+call.Dir, "AGENTBASH_FUNCTION="+fn.Name)
	cmd.Dir = f.inDir(def.Cwd)
	cmd.Stdin = bytes.NewReader(args)
	cmd.Stdout, cmd.Stderr = call.Stdout, call.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = 2 * graceExec
	var kill *time.Timer
	cmd.Cancel = func() error {
		pid := cmd.Process.Pid
		kill = time.AfterFunc(graceExec, func() { syscall.Kill(-pid, syscall.SIGKILL) })
		return syscall.Kill(-pid, syscall.SIGTERM)
	}
	if cmd.Err == nil {
		if err := f.prepare(cmd, def.Sandbox); err != nil {
			return exitError(126, "%v", err)
		}
	}
	if err := cmd.Start(); err != nil {
		return notStarted(def.Argv[0], err)
	}
	f.watchdog.Add(cmd.Process.Pid)
	err = cmd.Wait()
	if kill != nil {
		kill.Stop()
	}
	if ctx.Err() != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	f.watchdog.Remove(cmd.Process.Pid)
	var status *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &status):
		return exitError(1, "%s: %s", def.Argv[0], status)
	case errors.Is(err, io.ErrClosedPipe), errors.Is(err, syscall.EPIPE):
		return exitError(1, "its output is not read: %v", err)
	}
	return exitError(1, "%s: %v", def.Argv[0], err)
}

// notStarted says why a program did not start, and what to do.
func notStarted(program string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exitError(3, `cannot start %s: not found: install it, or correct "argv" of this function`, program)
	}
	return exitError(3, `cannot start %s: %v: correct "argv" of this function`, program, err)
}
