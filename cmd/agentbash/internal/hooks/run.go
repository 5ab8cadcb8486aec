package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// grace is how long a program that is to stop has between SIGTERM and SIGKILL.
const grace = 500 * time.Millisecond

// mostOutput bounds what a program may answer, in bytes.
const mostOutput = 64 << 20

var errTooMuch = errors.New("its answer is too long")

// bounded keeps a program's output, up to mostOutput.
type bounded struct{ buf bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > mostOutput {
		return 0, errTooMuch
	}
	return b.buf.Write(p)
}

// run runs the program in a process group of its own, which ends with it.
func (p program) run(ctx context.Context, in []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout(), fmt.Errorf("it did not answer within %v", p.timeout()))
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	cmd.Env = slices.Clone(p.opts.Env)
	for k, v := range p.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if cmd.Dir = p.Cwd; cmd.Dir == "" {
		cmd.Dir = p.opts.Dir
	}
	var out, notes bounded
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &notes
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if p.opts.Check != nil && cmd.Err == nil {
		if err := p.opts.Check(append([]string{cmd.Path}, cmd.Args[1:]...), cmd.Dir); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf(`cannot start %s: not found: install it, or correct "argv" of this hook in the config file`, p.Argv[0])
		}
		return nil, fmt.Errorf(`cannot start %s: %w: correct this hook in the config file`, p.Argv[0], err)
	}
	err := cmd.Wait()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success():
		return out.buf.Bytes(), nil // something that it started held its output
	case err != nil:
		if text := textHead(notes.buf.String()); text != "" {
			return nil, fmt.Errorf("it failed (%v): %s", err, text)
		}
		return nil, fmt.Errorf("it failed (%v)", err)
	}
	return out.buf.Bytes(), nil
}
