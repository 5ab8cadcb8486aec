package session

import (
	"syscall"
	"time"

	"github.com/agentbash/agentbash/internal/proctable"
)

// A stopper is how far the interruption of a command has got.
type stopper struct {
	stage int       // 0: not interrupted
	began time.Time // when it was
	at    time.Time // of the next step
	who   *target
}

// Times after the interrupt. The shell is told first: it must know of the
// interrupt when its child dies of it, or it goes on with the next command of
// the list.
const (
	killAfter      = 250 * time.Millisecond  // SIGKILL to the foreground
	breakAfter     = 500 * time.Millisecond  // abortSignal once more
	killJobsAfter  = 1250 * time.Millisecond // and to all that this command started, SIGTERM to the shell
	killShellAfter = 2250 * time.Millisecond // and to the shell
	firstPress     = 5 * time.Millisecond
	maxPressGap    = 40 * time.Millisecond
)

// skipToLast makes the next step the last.
func (s *stopper) skipToLast() {
	s.began = s.began.Add(-killShellAfter)
	s.at = s.began
}

// interruptTarget returns what an interrupt of the command goes to.
func (c *command) interruptTarget() *target {
	if c.stop.who == nil {
		c.stop.who = c.newTarget()
	}
	return c.stop.who
}

// newTarget is what the command has started so far.
func (c *command) newTarget() *target {
	now := proctable.Now()
	age := int64(time.Since(c.start) / (10 * time.Millisecond))
	return &target{shell: c.sh.pid, init: c.sh.init, since: now - age - 1, until: now + 1}
}

// interrupt begins to stop the command. The shell itself gets no SIGINT, which would
// end it.
func (c *command) interrupt(now time.Time) {
	c.sh.signal(abortSignal)
	c.interruptTarget().interrupt()
	c.stop.stage, c.stop.began, c.stop.at = 1, now, now.Add(firstPress)
}

// pressOn asks for a report and takes the next, harder step.
func (c *command) pressOn(now time.Time) {
	s := &c.stop
	since := now.Sub(s.began)
	c.sendReport()
	if since < killAfter {
		s.who.interrupt()
	} else if since < killJobsAfter {
		s.who.killReached(foreground)
	} else {
		s.who.killReached(everything)
		c.sh.signal(syscall.SIGTERM) // it reads or opens what never comes; its EXIT trap runs
	}
	if since >= breakAfter {
		c.sh.signal(abortSignal)
	}
	if since >= killShellAfter {
		c.sh.signal(syscall.SIGKILL)
	}
	s.stage++
	s.at = now.Add(min(maxPressGap, firstPress+since/2))
}

// How often resync and recoverShell try, and how long each time.
const (
	resyncTries  = 40
	recoverTries = 6
	resyncWait   = 50 * time.Millisecond
)

// resync takes abortTrap's effect back after an interrupt, and waits until a
// line got through. abortSignal is sent once more first, because bash can forget to
// run a trap for a while, and then it would run now or later: also after the line, which
// a second one shows. A shell that lets no line through is ended.
func (e *engine) resync(sh *shell) {
	for range resyncTries {
		e.snap.aborted = false
		sh.signal(abortSignal)
		if _, ok := e.runLines(sh, endAbort, resyncWait); !ok || !e.snap.aborted {
			continue
		}
		e.snap.aborted = false
		_, ok := e.runLines(sh, endAbort, resyncWait)
		if e.snap.readPipe(e.buf); ok && !e.snap.aborted {
			return
		}
	}
	e.discardShell(sh)
}

// recoverShell makes a shell report again that a command kept from it.
func (e *engine) recoverShell(sh *shell) {
	sh.queueText([]byte(recoverLines))
	for range recoverTries {
		if _, ok := e.runLines(sh, "", resyncWait); ok {
			return
		}
	}
	e.discardShell(sh)
}

// discardShell ends a shell that is of no more use, and what it runs in the
// foreground.
func (e *engine) discardShell(sh *shell) {
	e.shell.Store(nil)
	sh.signal(syscall.SIGKILL)
	sh.reap()
	left := target{shell: sh.pid, init: sh.init, dead: true, until: proctable.Now()}
	left.killReached(foreground)
}
