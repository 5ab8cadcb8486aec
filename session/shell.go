package session

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// A shell is one bash process and the pipes of the protocol.
type shell struct {
	pid   int
	pidfd int // readable when the process has ended; see syscalls.EndFD
	init  int // see Process
	wait  func() syscall.WaitStatus

	in, ctl, diag int // command pipe (write end), control and diagnostics pipes (read ends)
	unread        int // the read end of the command pipe, where that must be asked for what waits in it
	ctlPath       string
	paths         *pathPipes

	frames      frameReader
	diagnostics []byte // the latest of what the shell had to say to nobody
	pending     []byte // of the command pipe: not yet written
	queued      int    // bytes that were ever given to it
	hasJobs     bool   // it may have some

	mu     sync.Mutex
	reaped bool
}

const bootTimeout = 20 * time.Second

// startShell starts a bash in dir, in a session of its own without a
// controlling terminal, and does not wait for it. It is not interactive: its
// messages have lines, and errors end what they end for bash -c.
func startShell(cfg *config, dir string, env []string, cs *pathPipes) (*shell, error) {
	sh := &shell{in: -1, unread: -1, ctl: -1, diag: -1, pidfd: -1, paths: cs}
	c := exec.Command(cfg.Shell, "--noprofile", "--norc")
	c.Args[0] = "bash"
	c.Dir, c.Env = dir, env
	if err := sh.openPipes(c); err != nil {
		sh.closeFDs()
		return nil, err
	}
	defer c.Stdin.(*os.File).Close()
	defer c.Stdout.(*os.File).Close()
	defer c.Stderr.(*os.File).Close()
	start := startDirectly
	if cfg.Launcher != nil {
		start = cfg.Launcher.Start
	}
	p, err := start(c)
	if err != nil {
		sh.closeFDs()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	sh.pid, sh.pidfd, sh.init, sh.wait = p.Pid, p.PidFD, p.Init, p.Wait
	if sh.pidfd < 0 {
		if sh.pidfd, err = syscalls.EndFD(p.Pid); err != nil {
			unix.Kill(p.Pid, syscall.SIGKILL)
			sh.reap()
			return nil, err
		}
	}
	return sh, nil
}

// openPipes makes the protocol's pipes and gives their other ends to c.
func (sh *shell) openPipes(c *exec.Cmd) (err error) {
	if sh.ctl, sh.ctlPath, err = sh.paths.makePipe(); err != nil {
		return err
	}
	stdout, err := os.OpenFile(sh.ctlPath, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("open the control pipe: %w", err)
	}
	stdin, in, err := inheritedPipe(0)
	if err != nil {
		stdout.Close()
		return err
	}
	if sh.in = in; syscalls.AskReader {
		sh.unread, _ = unix.FcntlInt(stdin.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	}
	stderr, diag, err := inheritedPipe(1)
	if err != nil {
		stdout.Close()
		stdin.Close()
		return err
	}
	sh.diag = diag
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	return nil
}

// startDirectly is what is done without a Launcher.
func startDirectly(c *exec.Cmd) (Process, error) {
	var p Process
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return p, err
	}
	p.Pid, p.PidFD = c.Process.Pid, -1
	p.Wait = func() syscall.WaitStatus {
		c.Wait()
		return c.ProcessState.Sys().(syscall.WaitStatus)
	}
	return p, nil
}

// inheritedPipe makes a pipe of which a child is to get the given end, 0 or 1,
// and the host keeps the other, which does not block.
func inheritedPipe(end int) (child *os.File, host int, err error) {
	r, w, err := syscalls.Pipe()
	if err != nil {
		return nil, -1, fmt.Errorf("make a pipe: %w", err)
	}
	ends := [2]int{r, w}
	unix.SetNonblock(ends[1-end], true)
	return os.NewFile(uintptr(ends[end]), "pipe"), ends[1-end], nil
}

func (sh *shell) closeFDs() {
	sh.paths.removeName(sh.ctlPath)
	for _, fd := range []*int{&sh.in, &sh.unread, &sh.ctl, &sh.diag, &sh.pidfd} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

// signal sends sig to the shell alone. Where the kernel cannot do that by pidfd its
// number does: it is nobody else's before the shell is reaped.
func (sh *shell) signal(sig syscall.Signal) {
	if err := syscalls.SendSignal(sh.pidfd, sig); err == nil || err == unix.ESRCH {
		return
	}
	p := []unix.PollFd{{Fd: int32(sh.pidfd), Events: unix.POLLIN}}
	if n, _ := unix.Poll(p, 0); n == 0 { // init has reaped one of a sandbox when it has ended
		unix.Kill(sh.pid, sig)
	}
}

// kill kills the shell, and what it has started since, unless it was reaped.
func (sh *shell) kill(who *target) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if !sh.reaped {
		sh.signal(syscall.SIGSTOP) // it must not go on with what follows a command that was killed
		who.killReached(everything)
		sh.signal(syscall.SIGKILL)
	}
}

// awaitExit waits for the end of the process, for at most d.
func (sh *shell) awaitExit(d time.Duration) {
	pollFor([]unix.PollFd{{Fd: int32(sh.pidfd), Events: unix.POLLIN}}, d)
}

// pollFor waits until one of them is ready, for at most d, whatever signals come.
func pollFor(p []unix.PollFd, d time.Duration) {
	for end := time.Now().Add(d); ; d = time.Until(end) {
		if _, err := unix.Poll(p, max(0, int(d/time.Millisecond))); err != unix.EINTR {
			return
		}
	}
}

// reapProcess waits for the end of the process.
func (sh *shell) reapProcess() syscall.WaitStatus {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.reaped = true
	defer sh.closeFDs()
	return sh.wait()
}

// reap is reapProcess, and returns the status, 128+n for signal n.
func (sh *shell) reap() int {
	ws := sh.reapProcess()
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// queueText appends text to what the shell is to read and writes what fits.
func (sh *shell) queueText(text []byte) error {
	sh.queued += len(text)
	sh.pending = append(sh.pending, text...)
	return sh.writeQueued()
}

// unreadBytes is how many bytes of the command pipe the shell has not read.
func (sh *shell) unreadBytes() (int, error) {
	if syscalls.AskReader {
		return syscalls.Unread(sh.unread)
	}
	return syscalls.Unread(sh.in)
}

// writeQueued writes what the command pipe takes now.
func (sh *shell) writeQueued() error {
	for len(sh.pending) > 0 {
		n, err := unix.Write(sh.in, sh.pending)
		if n > 0 {
			sh.pending = append(sh.pending[:0], sh.pending[n:]...)
			continue
		}
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			return nil
		}
		sh.pending = sh.pending[:0]
		return err
	}
	return nil
}

// readControl takes in some of what the control pipe holds, and reports whether there was any.
func (sh *shell) readControl(buf []byte) bool {
	n, _ := readFD(sh.ctl, buf)
	sh.frames.add(buf[:n])
	return n > 0
}

// diagKept is how much of the diagnostics is kept.
const diagKept = 4 << 10

func (sh *shell) readDiag(buf []byte) {
	for {
		n, _ := readFD(sh.diag, buf)
		if n == 0 {
			return
		}
		sh.diagnostics = append(sh.diagnostics, buf[:n]...)
		if over := len(sh.diagnostics) - diagKept; over > diagKept {
			sh.diagnostics = append(sh.diagnostics[:0], sh.diagnostics[over:]...)
		}
	}
}

// awaitReport waits until the shell has reported as command id, for at most d. It
// takes in a snapshot that is too long for its pipe.
func (sh *shell) awaitReport(id int64, d time.Duration, buf []byte, snap *snapshot) (frame, bool) {
	end := time.Now().Add(d)
	for {
		for {
			f, ok := sh.frames.next()
			if !ok {
				break
			}
			if f.id == id {
				return f, true
			}
		}
		left := min(time.Until(end), awaitGap)
		if left <= 0 {
			return frame{}, false
		}
		p := []unix.PollFd{
			{Fd: int32(sh.ctl), Events: unix.POLLIN}, {Fd: int32(sh.pidfd), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLOUT},
		}
		if len(sh.pending) > 0 {
			p[2].Fd = int32(sh.in)
		}
		unix.Poll(p, int((left+time.Millisecond-1)/time.Millisecond))
		if p[2].Revents != 0 && sh.writeQueued() != nil {
			return frame{}, false
		}
		sh.readDiag(buf)
		snap.readPipe(buf)
		if p[0].Revents&unix.POLLIN != 0 {
			sh.readControl(buf)
		} else if p[1].Revents != 0 {
			return frame{}, false
		}
	}
}

// awaitGap is how often await empties pipes that nobody has filled in the usual
// case.
const awaitGap = 20 * time.Millisecond

// kernelDir returns the working directory as the kernel names it, and whether it was
// deleted; "" when the process has ended. said is what the shell reported, for want of better.
func (sh *shell) kernelDir(said string, buf []byte) (name []byte, deleted bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.reaped {
		return nil, false
	}
	return cwdOf(sh.pid, said, buf)
}
