package session

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/internal/watchdog"
)

// engine is the bash of a Session. Whoever has put a value into running talks to the shell and
// owns every field that is not said to be shared.
type engine struct {
	cfg     config
	running chan struct{}

	closing atomic.Bool              // shared
	shell   atomic.Pointer[shell]    // shared; nil when none is alive
	dir     atomic.Pointer[shellDir] // shared; after the last command
	wake    *syscalls.Wakeup         // shared; wakes the command loop: its context has ended, Close was called, or a writer of RunOptions has room
	given   atomic.Pointer[[]byte]   // shared; what State gives while a command runs; nobody changes it

	state     stateDir
	pipes     pathPipes
	mark      processMark
	watch     watchdog.Watchdog
	conduits         // of the present shell
	kept      []byte // the state of the last confined shell, when a free one followed
	late      lateSet
	ongoing   sync.WaitGroup // shells that were left to their commands
	idle      idleWork
	seq       int64 // number of the latest report asked for
	status    int   // $? of the last command
	restarted bool  // the present shell is not the first and has run nothing yet
	stateLost bool  // and has not all that the one before had
	closes    bool  // mayClose has matched
	wentOn    bool  // the shell before went on with its command, and the next was not started yet

	// Scratch space that each command uses again.
	buf     []byte
	scratch []byte
	poll    [8]unix.PollFd
}

func newEngine(cfg config) (*engine, error) {
	e := &engine{
		cfg: cfg, running: make(chan struct{}, 1), mark: newProcessMark(),
		conduits: noConduits, buf: make([]byte, smallBuffer),
	}
	e.watch.Env, e.watch.Limit, e.watch.Kill = e.mark.envEntry(), e.mark.limitLine(), true
	e.dir.Store(&shellDir{kernel: cfg.Dir, shell: cfg.Dir, name: cfg.Dir})
	e.state.dir = cfg.StateDir
	e.pipes = pathPipes{host: os.Getpid(), dir: &e.state, mark: e.mark.id[:8]}
	e.pipes.useLauncher(cfg.Launcher, cfg.named)
	e.late = lateSet{dir: &e.state, open: make(map[*os.File]struct{})}
	e.idle.prepare(e.onIdle)
	var err error
	if e.wake, err = syscalls.NewWakeup(); err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if err = e.startShellWith(nil); err != nil {
		e.releaseAll()
		return nil, fmt.Errorf("open session: %w", lackError(err))
	}
	return e, nil
}

// releaseAll gives back everything but the shell.
func (e *engine) releaseAll() {
	e.watch.Close()
	e.late.close()
	e.conduits.close(&e.pipes)
	e.wake.Close()
	e.state.remove()
}

// Run is Session.Run.
func (e *engine) Run(ctx context.Context, text string, opts RunOptions) (Result, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return Result{}, ErrNUL
	}
	if e.closing.Load() {
		return Result{}, ErrClosed
	}
	select {
	case e.running <- struct{}{}:
	case <-ctx.Done():
		return e.notRun(), nil
	}
	defer func() { <-e.running }()
	if e.closing.Load() {
		return Result{}, ErrClosed
	}
	if ctx.Err() != nil {
		return e.notRun(), nil
	}
	defer e.planIdleWork()
	if ctx.Done() != nil {
		rung := make(chan struct{})
		stop := context.AfterFunc(ctx, func() { e.wake.Signal(); close(rung) })
		defer func() {
			if !stop() {
				<-rung
			}
		}()
	}
	var t *tee
	if opts.Stdout != nil || opts.Stderr != nil {
		t = newTee(opts.Stdout, opts.Stderr, e.wake.Signal)
		defer t.close()
	}
	opts.Timeout = limitDuration(opts.Timeout, e.cfg.Timeout)
	res, err := e.runText(ctx, text, &opts, t)
	if err == nil && e.closing.Load() {
		err = ErrClosed
	}
	return res, err
}

// notRun is the Result of a command whose context ended before it began.
func (e *engine) notRun() Result {
	at := e.dir.Load()
	return Result{ExitCode: exitCanceled, Canceled: true, Dir: at.name, DirDeleted: at.deleted}
}

// runText runs a command, and in a new shell if the old one ended before it read
// the command.
func (e *engine) runText(ctx context.Context, text string, opts *RunOptions, t *tee) (Result, error) {
	for first := true; ; first = false {
		if err := e.ensureShell(); err != nil {
			return Result{}, err
		}
		if first {
			e.snapshotBefore(text, opts.GoOn != nil)
		}
		if e.snap.aborted { // a late trap was met by a snapshot
			e.resync(e.shell.Load())
			if err := e.ensureShell(); err != nil {
				return Result{}, err
			}
		}
		if err := e.out.ensurePipe(&e.pipes); err != nil {
			return Result{}, err
		}
		if err := e.err.ensurePipe(&e.pipes); err != nil {
			return Result{}, err
		}
		res, ran, err := e.newCommand(text, opts, t).sendAndWait(ctx)
		if err != nil || ran {
			return res, err
		}
	}
}

// SetStatus is Session.SetStatus.
func (e *engine) SetStatus(code int) {
	e.running <- struct{}{}
	defer func() { <-e.running }()
	e.status = code & 0xff
}

// Pid is Session.Pid.
func (e *engine) Pid() int {
	if sh := e.shell.Load(); sh != nil {
		return sh.pid
	}
	return 0
}

// closeGrace is how long EXIT traps may take in Close.
const closeGrace = 300 * time.Millisecond

// Close is Session.Close.
func (e *engine) Close() error {
	first := e.closing.CompareAndSwap(false, true)
	e.wake.Signal()
	e.running <- struct{}{}
	defer func() { <-e.running }()
	if !first {
		return nil
	}
	e.idle.join()
	shellPid := 0
	if sh := e.shell.Swap(nil); sh != nil {
		shellPid = sh.pid
		e.exitShell(sh)
		family := target{shell: sh.pid, init: sh.init}
		family.killReached(everything)
		sh.signal(syscall.SIGKILL)
		sh.reap()
	}
	e.mark.killMarked(shellPid)
	e.ongoing.Wait()
	e.releaseAll()
	return nil
}

// exitShell tells a shell to exit, whose EXIT trap then runs, and waits for that.
func (e *engine) exitShell(sh *shell) {
	l := appendStatus(e.scratch[:0], e.status)
	l = append(l, `\builtin exit $? </dev/null`...)
	if e.cfg.Exit == nil || e.out.ensurePipe(&e.pipes) != nil || e.err.ensurePipe(&e.pipes) != nil {
		sh.queueText(append(l, '\n'))
		sh.awaitExit(closeGrace)
		return
	}
	sh.queueText(append(l, " >|"+e.out.path+" 2>|"+e.err.path+"\n"...))
	e.cfg.Exit(e.readUntilExit(sh, closeGrace))
}

// readUntilExit reads what a shell writes until it has ended, for at most d; of each
// stream a part that it was given room for.
func (e *engine) readUntilExit(sh *shell, d time.Duration) (stdout, stderr []byte) {
	for end := time.Now().Add(d); ; {
		p := []unix.PollFd{{Fd: int32(sh.pidfd), Events: unix.POLLIN}}
		pollFor(p, min(exitGap, time.Until(end))) // a pipe that nobody holds yet would be ready all the time
		for fd, said := range map[int]*[]byte{e.out.fd: &stdout, e.err.fd: &stderr} {
			for n := 1; n > 0 && len(*said) < bigBuffer; {
				n, _ = readFD(fd, e.buf)
				*said = append(*said, e.buf[:n]...)
			}
		}
		if p[0].Revents != 0 || !time.Now().Before(end) {
			return stdout, stderr
		}
	}
}

// exitGap is how often a shell that ends is looked after.
const exitGap = 5 * time.Millisecond
