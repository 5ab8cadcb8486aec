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

	"github.com/agentbash/agentbash/internal/watchdog"
)

// engine is the Session of Linux. Whoever has put a value into running talks to the shell and
// owns every field that is not said to be shared.
type engine struct {
	cfg     config
	running chan struct{}

	closing atomic.Bool              // shared
	shell   atomic.Pointer[shell]    // shared; nil when none is alive
	dir     atomic.Pointer[shellDir] // shared; after the last command
	wake    wakeup                   // shared
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
	wentOn    bool  // the shell before went on with its command, and the next was not started yet
	closes    bool  // mayClose has matched

	// Scratch space that each command uses again.
	buf     []byte
	scratch []byte
	poll    [8]unix.PollFd
}

func newEngine(cfg config) (*engine, error) {
	e := &engine{
		cfg: cfg, running: make(chan struct{}, 1), wake: wakeup{fd: -1}, mark: newProcessMark(),
		conduits: noConduits, buf: make([]byte, smallBuffer),
	}
	e.watch.Env, e.watch.Limit, e.watch.Kill = e.mark.envEntry(), e.mark.limitLine(), true
	e.dir.Store(&shellDir{kernel: cfg.Dir, shell: cfg.Dir, name: cfg.Dir})
	e.state.dir = cfg.StateDir
	e.pipes = pathPipes{host: os.Getpid(), dir: &e.state, mark: e.mark.id[:8]}
	e.pipes.useLauncher(cfg.Launcher, cfg.named)
	e.late = lateSet{dir: &e.state, open: make(map[*os.File]struct{})}
	e.idle.prepare(e.onIdle)
	err := e.wake.open()
	if err == nil {
		err = e.startShellWith(nil)
	}
	if err != nil {
		e.releaseAll()
		return nil, fmt.Errorf("open session: %w", err)
	}
	return e, nil
}

// releaseAll gives back everything but the shell.
func (e *engine) releaseAll() {
	e.watch.Close()
	e.late.close()
	e.conduits.close(&e.pipes)
	e.wake.close()
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
		stop := context.AfterFunc(ctx, func() { e.wake.signal(); close(rung) })
		defer func() {
			if !stop() {
				<-rung
			}
		}()
	}
	var t *tee
	if opts.Stdout != nil || opts.Stderr != nil {
		t = newTee(opts.Stdout, opts.Stderr, e.wake.signal)
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
	e.wake.signal()
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
	e.out.growPipe()
	e.err.growPipe()
	sh.queueText(append(l, " >|"+e.out.path+" 2>|"+e.err.path+"\n"...))
	sh.awaitExit(closeGrace)
	stdout, stderr := make([]byte, bigBuffer), make([]byte, bigBuffer)
	n, _ := readFD(e.out.fd, stdout)
	m, _ := readFD(e.err.fd, stderr)
	e.cfg.Exit(stdout[:n], stderr[:m])
}

// A wakeup wakes the command loop: its context has ended, Close was called, or a
// writer of RunOptions has room.
type wakeup struct {
	mu sync.Mutex
	fd int // eventfd; -1 when closed
}

func (w *wakeup) open() (err error) {
	if w.fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("make an eventfd: %w", err)
	}
	return nil
}

func (w *wakeup) signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd >= 0 {
		unix.Write(w.fd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

// drain makes the descriptor wait for the next signal.
func (w *wakeup) drain() {
	var n [8]byte
	unix.Read(w.fd, n[:])
}

func (w *wakeup) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}
