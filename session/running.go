package session

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// letGo leaves the shell to its command, which has come to its time limit, with all that the
// shell opens by path; asked says that a second report was asked for.
func (c *command) letGo(asked bool) Result {
	e, sh := c.e, c.sh
	if !asked {
		c.sendReport()
	}
	paths := e.pipes // as they are for this shell
	sh.paths = &paths
	l := &leftShell{shell: sh, conduits: e.conduits, id: c.id, writers: [2]int{-1, -1}}
	who := c.interruptTarget()
	r := &Running{Pid: sh.pid, Since: who.since, ended: make(chan struct{}), kill: func() { sh.kill(who) }}
	l.Running = r
	for i, s := range []*stream{&c.out, &c.err} {
		// As long as the shell has not ended, it may open the pipe yet: the reader sees no end.
		l.writers[i], _ = unix.Open(s.pipe.path, unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	}
	r.Stdout = os.NewFile(uintptr(e.out.fd), "stdout of a command that goes on")
	r.Stderr = os.NewFile(uintptr(e.err.fd), "stderr of a command that goes on")
	l.out.fd, l.err.fd = -1, -1

	e.conduits = noConduits
	e.snap.whole, e.snap.dir, e.snap.took = l.snap.whole, l.snap.dir, l.snap.took
	c.res.StateLost = l.snap.seq != c.id-1
	e.snap.seq = c.id // all there is of the state
	e.wentOn = true
	e.shell.Store(nil)
	c.makeResult(exitTimedOut)
	c.res.Running = r
	at := e.dir.Load()
	c.res.Dir, c.res.DirDeleted = at.name, at.deleted
	e.ongoing.Add(1)
	go func() {
		defer e.ongoing.Done()
		l.follow()
	}()
	return c.res
}

// A leftShell is a shell that runs one command to its end, and ends then.
type leftShell struct {
	*Running
	*shell
	conduits
	id      int64 // of the command
	writers [2]int
}

// follow waits for the end of the command, and gives back what the shell needed.
func (l *leftShell) follow() {
	sh := l.shell
	unix.Close(sh.in) // behind the command is the end of what it reads
	sh.in = -1
	buf := make([]byte, 4<<10)
	reported := false
	for p := []unix.PollFd{{Fd: int32(sh.pidfd)}, {Fd: int32(sh.ctl)}, {Fd: int32(sh.diag)}, {Fd: int32(l.snap.in)}}; ; {
		for i := range p {
			p[i].Events = unix.POLLIN
		}
		if _, err := unix.Poll(p, -1); err != nil && err != unix.EINTR {
			break
		}
		for sh.readControl(buf) {
		}
		for f, ok := sh.frames.next(); ok; f, ok = sh.frames.next() {
			if f.id == l.id && !reported {
				l.ws, reported = syscall.WaitStatus(f.status<<8), true
			}
		}
		sh.readDiag(buf)
		for n := 1; n > 0; { // the state that it leaves is nobody's
			n, _ = readFD(l.snap.in, buf)
		}
		if p[0].Revents != 0 {
			break
		}
		for i := range p {
			if p[i].Revents&unix.POLLHUP != 0 { // it is closed in the shell, and would be ready all the time
				p[i].Fd = -1
			}
		}
	}
	if ws := sh.reapProcess(); !reported {
		l.ws = ws
	}
	for i, path := range []string{l.out.path, l.err.path} {
		unix.Close(l.writers[i])
		sh.paths.removeName(path)
	}
	l.conduits.close(sh.paths)
	close(l.ended)
}
