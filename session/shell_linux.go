package session

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A shell is one bash process and the pipes of the protocol.
type shell struct {
	cmd   *exec.Cmd
	pid   int
	pidfd int // readable when the process has ended

	in, ctl, diag int // command pipe (write end), control and diagnostics pipes (read ends)

	frames      frameReader
	diagnostics []byte // the latest of what the shell had to say to nobody
	pending     []byte // of the command pipe: not yet written

	mu     sync.Mutex
	reaped bool
}

const bootTimeout = 20 * time.Second

// startShell starts a bash in dir, in a session of its own without a
// controlling terminal, and does not wait for it. Boot lines are up to the
// caller; diagPath names the diagnostics pipe for them, "" when stderr is that
// pipe already.
//
// An interactive bash keeps a private copy of the stderr that it starts with as
// "its terminal", and complains on stderr after every child that a signal ended
// when that is none. So it starts with a pseudo-terminal there, and its first
// line moves stderr to the pipe.
func startShell(path, dir string, env []string, tty *os.File) (sh *shell, diagInherited bool, err error) {
	var fds [3][2]int
	for i := range fds {
		if fds[i][0], fds[i][1], err = pipe(); err != nil {
			for _, p := range fds[:i] {
				unix.Close(p[0])
				unix.Close(p[1])
			}
			return nil, false, err
		}
	}
	in, ctl, diag := fds[0], fds[1], fds[2]
	stdin, stdout, stderr := os.NewFile(uintptr(in[0]), "command pipe"), os.NewFile(uintptr(ctl[1]), "control pipe"), os.NewFile(uintptr(diag[1]), "diagnostics pipe")
	sh = &shell{in: in[1], ctl: ctl[0], diag: diag[0], pidfd: -1}
	for _, fd := range []int{sh.in, sh.ctl, sh.diag} {
		unix.SetNonblock(fd, true)
	}
	c := exec.Command(path, "--noprofile", "--norc", "--noediting", "-i")
	c.Args[0] = "bash"
	c.Dir, c.Env = dir, env
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	if tty != nil {
		c.Stderr = tty
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, PidFD: &sh.pidfd}
	err = c.Start()
	stdin.Close()
	stdout.Close()
	stderr.Close()
	if err != nil {
		sh.closeFDs()
		return nil, false, fmt.Errorf("start %s: %w", path, err)
	}
	sh.cmd, sh.pid = c, c.Process.Pid
	return sh, tty == nil, nil
}

func (sh *shell) closeFDs() {
	for _, fd := range []*int{&sh.in, &sh.ctl, &sh.diag, &sh.pidfd} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

// signal sends sig to the shell alone.
func (sh *shell) signal(sig syscall.Signal) {
	unix.PidfdSendSignal(sh.pidfd, sig, nil, 0)
}

// exited reports whether the process has ended.
func (sh *shell) exited() bool {
	p := []unix.PollFd{{Fd: int32(sh.pidfd), Events: unix.POLLIN}}
	n, _ := unix.Poll(p, 0)
	return n > 0
}

// reap waits for the end of the process and returns its status, 128+n for
// signal n.
func (sh *shell) reap() int {
	sh.mu.Lock()
	sh.cmd.Wait()
	sh.reaped = true
	sh.mu.Unlock()
	sh.closeFDs()
	ws := sh.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// queue appends text to what the shell is to read and writes what fits.
func (sh *shell) queue(text []byte) error {
	sh.pending = append(sh.pending, text...)
	return sh.push()
}

// push writes what the command pipe takes now.
func (sh *shell) push() error {
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

// readControl takes in what the control pipe holds.
func (sh *shell) readControl(buf []byte) {
	if n, _ := readFD(sh.ctl, buf); n > 0 {
		sh.frames.add(buf[:n])
	}
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

// await waits until the shell has reported as command id, for at most d, while
// onInput takes in what arrives on the descriptor extra.
func (sh *shell) await(id int64, d time.Duration, buf []byte, extra int, onInput func()) bool {
	end := time.Now().Add(d)
	for {
		for {
			f, ok := sh.frames.next()
			if !ok {
				break
			}
			if f.id == id {
				return true
			}
		}
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		p := []unix.PollFd{
			{Fd: int32(sh.ctl), Events: unix.POLLIN}, {Fd: int32(sh.diag), Events: unix.POLLIN}, {Fd: int32(sh.pidfd), Events: unix.POLLIN},
			{Fd: int32(extra), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLOUT},
		}
		if len(sh.pending) > 0 {
			p[4].Fd = int32(sh.in)
		}
		unix.Poll(p, int(left/time.Millisecond)+1)
		if p[3].Revents != 0 {
			onInput()
		}
		if p[4].Revents != 0 && sh.push() != nil {
			return false
		}
		sh.readDiag(buf)
		if p[0].Revents&unix.POLLIN != 0 {
			sh.readControl(buf)
		} else if p[2].Revents != 0 {
			return false
		}
	}
}

// dir returns the working directory as the kernel names it, and whether it was
// deleted; "" when the process has ended.
func (sh *shell) dir(buf []byte) (name []byte, deleted bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.reaped {
		return nil, false
	}
	return cwdOf(sh.pid, buf)
}
