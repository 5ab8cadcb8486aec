package session

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// engine is the Session of Linux. Whoever holds turn talks to the shell and
// owns every field that is not said to be shared.
type engine struct {
	cfg  config
	host int    // own pid
	mark string // value of envMark

	turn chan struct{}

	closing atomic.Bool           // shared
	shell   atomic.Pointer[shell] // shared; nil when none is alive
	where   atomic.Pointer[place] // shared; after the last command

	wake      int // eventfd: the context of Run has ended, Close was called, a writer has room
	wakeMu    sync.Mutex
	tty       *terminal
	text      textFile // a command too long for a line; Init and state at the start
	snapIn    int      // read end of the snapshot pipe
	snapOut   int      // its write end, held so that the pipe never ends
	snap      snapshot
	out, err  outPipe
	buf       []byte
	line      []byte
	poll      [8]unix.PollFd
	seq       int64 // number of the latest report asked for
	status    int   // $? of the last command
	restarted bool  // the present shell is not the first and has run nothing yet

	idle  idler
	late  lateSet
	watch watchdog
}

// place is where the shell was after a command.
type place struct {
	kernel  string // as the kernel names it
	shell   string // $PWD
	name    string // one of them
	deleted bool
}

func newEngine(cfg config) (*engine, error) {
	id := make([]byte, 16)
	rand.Read(id)
	e := &engine{
		cfg: cfg, host: os.Getpid(), mark: hex.EncodeToString(id), turn: make(chan struct{}, 1),
		wake: -1, text: textFile{fd: -1}, snapIn: -1, snapOut: -1, out: outPipe{fd: -1}, err: outPipe{fd: -1},
		buf: make([]byte, smallBuffer),
	}
	e.where.Store(&place{kernel: cfg.Dir, shell: cfg.Dir, name: cfg.Dir})
	e.late.init(cfg.StateDir)
	err := e.open()
	if err == nil {
		err = e.start(nil)
	}
	if err != nil {
		e.release()
		return nil, fmt.Errorf("open session: %w", err)
	}
	return e, nil
}

// open makes what lives as long as the session.
func (e *engine) open() (err error) {
	if e.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	if e.text, err = newTextFile(); err != nil {
		return fmt.Errorf("memfd: %w", err)
	}
	if e.snapIn, e.snapOut, err = pipe(); err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	unix.SetNonblock(e.snapIn, true)
	e.tty = openTerminal()
	return e.watch.start(e.cfg.Shell, e.mark)
}

// release gives back what open made.
func (e *engine) release() {
	e.watch.stop()
	e.late.close()
	e.tty.close()
	e.out.close()
	e.err.close()
	e.wakeMu.Lock()
	defer e.wakeMu.Unlock()
	for _, fd := range []*int{&e.wake, &e.text.fd, &e.snapIn, &e.snapOut} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

// ring makes the command loop look at its context, at Close and at its writers.
func (e *engine) ring() {
	e.wakeMu.Lock()
	defer e.wakeMu.Unlock()
	if e.wake >= 0 {
		unix.Write(e.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

func (e *engine) path(fd int) string { return fdPath(e.host, fd) }

// Run is Session.Run.
func (e *engine) Run(ctx context.Context, text string, opts RunOptions) (Result, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return Result{}, ErrNUL
	}
	if e.closing.Load() {
		return Result{}, ErrClosed
	}
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return e.notRun(), nil
	}
	defer func() { <-e.turn }()
	if e.closing.Load() {
		return Result{}, ErrClosed
	}
	if ctx.Err() != nil {
		return e.notRun(), nil
	}
	e.idle.stop()
	defer e.rest()
	if ctx.Done() != nil {
		rung := make(chan struct{})
		stop := context.AfterFunc(ctx, func() { e.ring(); close(rung) })
		defer func() {
			if !stop() {
				<-rung
			}
		}()
	}
	t := opts.tee(e.ring)
	defer t.close()
	res, err := e.run(ctx, text, limit(opts.Timeout, e.cfg.Timeout), t)
	if err == nil && e.closing.Load() {
		err = ErrClosed
	}
	return res, err
}

// tee starts the goroutine that feeds the writers, if there are any.
func (o RunOptions) tee(freed func()) *tee {
	if o.Stdout == nil && o.Stderr == nil {
		return nil
	}
	return newTee(o.Stdout, o.Stderr, freed)
}

// notRun is the Result of a command whose context ended before it began.
func (e *engine) notRun() Result {
	at := e.where.Load()
	return Result{ExitCode: exitCanceled, Canceled: true, Dir: at.name, DirDeleted: at.deleted}
}

// run runs a command, again if bash could not read it as one unit, and in a
// new shell if the old one ended before it read the command.
func (e *engine) run(ctx context.Context, text string, timeout time.Duration, t *tee) (Result, error) {
	if err := e.revive(); err != nil {
		return Result{}, err
	}
	e.foresee(text)
	whole := fitsUnit(text)
	for {
		if err := errors.Join(e.out.ready(), e.err.ready()); err != nil {
			return Result{}, fmt.Errorf("make output pipes: %w", err)
		}
		c := e.command(text, whole, timeout, t)
		res, again, err := c.run(ctx)
		if err != nil || again == runOnce {
			return res, err
		}
		if again == runApart {
			whole = false
		}
		if err := e.revive(); err != nil {
			return Result{}, err
		}
	}
}

// revive starts a shell if none is alive.
func (e *engine) revive() error {
	sh := e.shell.Load()
	if sh != nil && sh.exited() {
		sh.reap()
		e.shell.Store(nil)
		sh = nil
	}
	if sh != nil {
		return nil
	}
	if err := e.restart(); err != nil {
		return fmt.Errorf("restart the shell: %w", err)
	}
	e.restarted = true
	return nil
}

// start starts a shell and makes it what bootLines say; state restores what an
// older shell left.
func (e *engine) start(state []byte) error {
	if err := e.watch.start(e.cfg.Shell, e.mark); err != nil {
		return err
	}
	dir := nearestDir(e.where.Load().name)
	env := append(e.cfg.env[:len(e.cfg.env):len(e.cfg.env)], envMark+"="+e.mark, "PWD="+dir, "HISTFILE=/dev/null")
	slave := e.tty.slave()
	sh, inherited, err := startShell(e.cfg.Shell, dir, env, slave)
	if slave != nil {
		slave.Close()
	}
	if err != nil {
		return err
	}
	if err := e.boot(sh, inherited, state); err != nil {
		sh.readDiag(e.buf)
		said := bytes.TrimSpace(sh.diagnostics)
		sh.signal(syscall.SIGKILL)
		sh.reap()
		return fmt.Errorf("%w; it said: %q", err, said)
	}
	sh.diagnostics = sh.diagnostics[:0]
	e.shell.Store(sh)
	return nil
}

// boot feeds a new shell its first lines, Init and the state of the old one.
func (e *engine) boot(sh *shell, inherited bool, state []byte) error {
	diag := e.path(sh.diag)
	if inherited {
		diag = ""
	}
	if !e.tell(sh, bootLines(diag, e.path(e.snapIn)), bootTimeout) {
		return fmt.Errorf("%s did not get ready: Options.Shell must be a bash", e.cfg.Shell)
	}
	file := e.path(e.text.fd)
	if e.cfg.Init != "" {
		if err := e.text.set([]byte(e.cfg.Init)); err != nil {
			return err
		}
		if !e.tell(sh, initLine(file), bootTimeout) {
			return errors.New("the shell ended or hung in Options.Init")
		}
	}
	if state != nil {
		if err := e.text.set(state); err != nil {
			return err
		}
		if !e.tell(sh, restoreLine(file), bootTimeout) {
			return errors.New("the shell did not take the state of the one before")
		}
	}
	return nil
}

// tell sends lines to the shell and waits until it has run them.
func (e *engine) tell(sh *shell, lines string, d time.Duration) bool {
	e.seq++
	l := append(e.line[:0], lines...)
	e.line = append(appendReport(l, e.seq), '\n')
	return sh.queue(e.line) == nil && e.await(sh, d)
}

// await waits for report e.seq and takes in snapshots meanwhile.
func (e *engine) await(sh *shell, d time.Duration) bool {
	return sh.await(e.seq, d, e.buf, e.snapIn, e.readSnap)
}

// nearestDir returns dir or the nearest directory above it that exists.
func nearestDir(dir string) string {
	for dir != "" {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
	}
	return "/"
}

// settle looks where the shell is after a command that reported pwd.
func (e *engine) settle(sh *shell, pwd string) *place {
	at := e.where.Load()
	kernel, deleted := sh.dir(e.buf[:unix.PathMax])
	if kernel == nil || string(kernel) == at.kernel && pwd == at.shell && deleted == at.deleted {
		return at
	}
	now := &place{kernel: string(kernel), shell: pwd, deleted: deleted}
	now.name = now.kernel
	if !deleted && samePlace(pwd, now.kernel) {
		now.name = pwd
	}
	e.where.Store(now)
	return now
}

// moved notes that a shell that has ended was in the directory pwd.
func (e *engine) moved(pwd string) {
	if st, err := os.Stat(pwd); err == nil && st.IsDir() && strings.HasPrefix(pwd, "/") {
		e.where.Store(&place{shell: pwd, name: pwd})
	}
}

// samePlace reports whether the absolute path pwd leads to the directory dir.
func samePlace(pwd, dir string) bool {
	if pwd == dir || !strings.HasPrefix(pwd, "/") {
		return pwd == dir
	}
	a, err := os.Stat(pwd)
	b, err2 := os.Stat(dir)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// Dir is Session.Dir.
func (e *engine) Dir() string {
	at := e.where.Load()
	if sh := e.shell.Load(); sh != nil {
		if now, _ := sh.dir(make([]byte, unix.PathMax)); now != nil && string(now) != at.kernel {
			return string(now)
		}
	}
	return at.name
}

// SetStatus is Session.SetStatus.
func (e *engine) SetStatus(code int) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
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
	e.ring()
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if !first {
		return nil
	}
	e.idle.stop()
	e.idle.join()
	shellPid := 0
	if sh := e.shell.Swap(nil); sh != nil {
		shellPid = sh.pid
		sh.queue([]byte("\\builtin exit 0\n"))
		p := []unix.PollFd{{Fd: int32(sh.pidfd), Events: unix.POLLIN}}
		unix.Poll(p, int(closeGrace/time.Millisecond))
		family := target{shell: sh.pid}
		family.signal(syscall.SIGKILL, true)
		sh.signal(syscall.SIGKILL)
		sh.reap()
	}
	killMarked(e.mark, shellPid)
	e.release()
	return nil
}
