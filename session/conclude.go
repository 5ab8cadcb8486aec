package session

import (
	"bytes"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// conclude turns what happened into a Result and puts the engine in order for
// the next command.
func (c *command) conclude() (_ Result, ran bool, _ error) {
	e, res := c.e, &c.res
	status := c.report.status
	switch {
	case c.died && c.neverRead():
		e.snap.fresh = e.snap.fresh || e.snap.seq == c.id-1
		e.shell.Store(nil)
		c.sh.reap()
		return Result{}, false, nil
	case c.died:
		status = c.reapShell()
	case c.lost:
		status = exitLost
		e.recoverShell(c.sh)
	}
	c.collectRest()
	e.snap.readPipe(e.buf)
	if c.died {
		c.addTrapOutput()
	} else if c.stop.stage == 0 && e.snap.aborted { // it sent SIGINT to its own shell
		status = exitCanceled
	}
	if !c.died && c.out.kept.total+c.err.kept.total == 0 && c.stop.stage == 0 && c.cannotRedirect() {
		e.discardShell(c.sh)
		return Result{}, false, nil
	}
	c.makeResult(status)
	res.Background = c.handOver()
	if !c.died {
		c.prepareNext(status)
	}
	at := e.dir.Load()
	res.Dir, res.DirDeleted = at.name, at.deleted
	return *res, true, nil
}

// prepareNext puts a shell that has not ended in order for the next command.
func (c *command) prepareNext(status int) {
	e := c.e
	if c.stop.stage > 0 || e.snap.aborted {
		c.interruptTarget().killReached(foreground) // what outlived its parent
		e.resync(c.sh)
	}
	if e.shell.Load() == nil {
		return // it could not be stopped otherwise
	}
	e.updateDir(c.sh, c.reportedDir(e.dir.Load()))
	if status == exitSyntax && bytes.HasSuffix(c.res.Stderr, openEnd) && strings.Contains(c.text, "$(") {
		c.leaveShell()
	}
}

// openEnd is the end of what bash says of a text that ends within $( ).
var openEnd = []byte("looking for matching `)'\n")

// leaveShell ends a shell whose text ended within $( ): bash 5.2 then writes outside
// of its memory when it reads its next line, and crashes some commands later.
func (c *command) leaveShell() {
	e := c.e
	if !c.opens || c.stop.stage > 0 {
		e.takeSnapshot()
	}
	for end := time.Now().Add(bootTimeout); !e.snap.fresh && time.Now().Before(end); e.snap.readPipe(e.buf) {
		p := []unix.PollFd{{Fd: int32(e.snap.in), Events: unix.POLLIN}, {Fd: int32(c.sh.pidfd), Events: unix.POLLIN}}
		pollFor(p, bootTimeout)
		if p[0].Revents == 0 {
			break
		}
	}
	e.discardShell(c.sh)
	c.res.ShellExited = true
}

// reportedDir is what the shell reported, if it did.
func (c *command) reportedDir(at *shellDir) string {
	if c.lost {
		return at.shell
	}
	return c.report.pwd
}

// neverRead reports whether the shell was on its way out before the command
// (set -t, a kill by a background job) and left its line unread, if only its end; or
// ended because it could not read the text that the line names.
func (c *command) neverRead() bool {
	c.sh.readDiag(c.e.buf)
	if bytes.Contains(c.sh.diagnostics, noSubstitution) && c.out.kept.total+c.err.kept.total == 0 && !mayClose().MatchString(c.text) {
		return true
	}
	left, err := c.sh.unreadBytes()
	return c.stop.stage == 0 && (c.unsent || err == nil && left+len(c.sh.pending) > c.sh.queued-c.lineEnd)
}

// noSubstitution is what a bash up to 5.1 says, and ends, that has no descriptors left for
// $(<file), for which it forks. A trap of a command that took them may say it too.
var noSubstitution = []byte(": cannot make pipe for command substitution: ")

// reapShell takes the exit status of a shell that ended. What it was running in the
// foreground when a signal ended it goes the same way.
func (c *command) reapShell() (status int) {
	e := c.e
	if e.snap.readPipe(e.buf); e.snap.fresh { // its EXIT trap ran
		e.setDir(e.snap.dir)
	}
	c.readReport()
	c.sh.readDiag(e.buf)
	e.shell.Store(nil)
	status = c.sh.reap()
	if status >= 128 {
		who := c.interruptTarget()
		who.dead = true
		who.killReached(foreground)
	}
	c.res.ShellExited, c.res.StateLost = true, c.res.StateLost || !e.snap.fresh
	return status
}

// addTrapOutput adds what the EXIT trap of a shell that has ended has written: by then
// bash has taken the command's redirections back.
func (c *command) addTrapOutput() {
	c.out.passOn(c.sh.frames.skipped)
	for line := range bytes.Lines(c.sh.diagnostics) {
		if !bytes.Contains(line, []byte("__session_")) { // a trace (set -x) of the session's own commands
			c.err.passOn(line)
		}
	}
}

// lateGrace is how long a pipe that is still held is waited for: what holds it
// may be about to end (a process substitution), or be a background job.
const (
	lateGrace  = 10 * time.Millisecond
	substGrace = 250 * time.Millisecond
)

// collectRest reads what the processes that have ended left in the pipes.
func (c *command) collectRest() {
	c.out.readRest(c.e.buf)
	c.err.readRest(c.e.buf)
	grace := lateGrace
	if bytes.Contains([]byte(c.text), []byte(">(")) {
		grace = substGrace
	}
	for end := time.Now().Add(grace); !c.out.ended || !c.err.ended; {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		p := c.e.poll[:2]
		for i, s := range []*stream{&c.out, &c.err} {
			p[i] = unix.PollFd{Fd: int32(s.pipe.fd), Events: unix.POLLIN}
			if s.ended {
				p[i].Fd = -1
			}
		}
		unix.Poll(p, int(left/time.Millisecond)+1)
		c.out.readRest(c.e.buf)
		c.err.readRest(c.e.buf)
	}
}

// cannotRedirect reports whether the command was not run because the shell can
// no longer redirect (ulimit -n, set -r): bash's complaint of one of the
// command's own redirections went to the diagnostics pipe, and another try
// fails too; or that it could not read the line that evaluates the command. Such a shell is of no use.
func (c *command) cannotRedirect() bool {
	e := c.e
	c.sh.readDiag(e.buf)
	said := c.sh.diagnostics
	c.sh.diagnostics = nil
	if bytes.Contains(said, []byte(": "+e.line.path+": ")) {
		return true
	}
	ours := false
	for _, object := range []string{"/dev/null: ", e.out.path + ": ", e.err.path + ": ", "redirection error: "} {
		ours = ours || bytes.Contains(said, []byte(": "+object))
	}
	if !ours {
		return false
	}
	f, ok := e.runLines(c.sh, `\builtin : </dev/null >|`+e.out.path+` 2>|`+e.err.path+"; ", redirectWait)
	return !ok || f.status != 0
}

const redirectWait = 250 * time.Millisecond

// makeResult makes the Result of what was collected.
func (c *command) makeResult(status int) {
	res := &c.res
	var cutOut, cutErr bool
	res.Stdout, res.StdoutHead, cutOut = c.out.kept.Bytes()
	res.Stderr, res.StderrHead, cutErr = c.err.kept.Bytes()
	res.StdoutTotal, res.StderrTotal = c.out.kept.total, c.err.kept.total
	res.Truncated = cutOut || cutErr
	res.ExitCode, res.StatusLost = status, c.lost
	switch {
	case res.TimedOut:
		res.ExitCode = exitTimedOut
	case res.Canceled, res.OutputLimited, res.WantsTerminal:
		res.ExitCode = exitCanceled
	}
	res.Duration = time.Since(c.start)
	if c.e.status = res.ExitCode; c.lost {
		c.e.status = 0
	}
}

// handOver gives the pipes that are still held to a drainer and returns the
// file that takes what comes.
func (c *command) handOver() string {
	if c.out.ended && c.err.ended {
		return ""
	}
	var held []int
	for _, s := range []*stream{&c.out, &c.err} {
		if !s.ended {
			held = append(held, s.pipe.takeFD(&c.e.pipes))
		}
	}
	return c.e.late.adoptPipes(held)
}
