package session

import (
	"sync"
	"time"
)

// An idleWork does what the shell needs between commands, once there is time for
// it: a model thinks for seconds, and a burst of commands never pays. One timer
// serves many commands; to set it for each would wake a thread each time.
type idleWork struct {
	armed bool // a timer is set or fires
	timer *time.Timer
	fires sync.WaitGroup
	since time.Time     // end of the last command
	busy  time.Duration // pause while a command runs; the timer's own
}

const (
	snapshotAfter = 50 * time.Millisecond
	maxBusyWait   = time.Second
)

// prepare makes the timer, which does not run yet.
func (i *idleWork) prepare(onIdle func()) {
	i.timer = time.AfterFunc(time.Hour, onIdle)
	i.timer.Stop()
}

// planIdleWork plans the work after a command.
func (e *engine) planIdleWork() {
	e.idle.since = time.Now()
	if e.wentOn { // the next command finds a shell that is ready
		e.setTimer(0)
	}
	e.setTimer(snapshotAfter)
}

// setTimer sets the timer if it is not set.
func (e *engine) setTimer(d time.Duration) {
	i := &e.idle
	if i.armed || e.closing.Load() || e.shell.Load() == nil && !e.wentOn {
		return
	}
	i.armed = true
	i.fires.Add(1)
	i.timer.Reset(d)
}

// onIdle is the timer's. While a command runs, it looks again later, and then
// less and less often.
func (e *engine) onIdle() {
	i := &e.idle
	defer i.fires.Done()
	select {
	case e.running <- struct{}{}:
		defer func() { <-e.running }()
	default:
		if !e.closing.Load() {
			i.fires.Add(1)
			i.busy = min(max(2*i.busy, snapshotAfter), maxBusyWait)
			i.timer.Reset(i.busy)
		}
		return
	}
	i.armed, i.busy = false, 0
	idle := time.Since(i.since)
	switch {
	case e.closing.Load():
	case e.wentOn:
		e.ensureShell() // what it says is said to the next command, which tries again
	case e.shell.Load() == nil:
	case idle < snapshotAfter:
		e.setTimer(snapshotAfter - idle)
	default:
		e.takeSnapshot()
	}
}

// join cancels the timer and waits for one that has fired.
func (i *idleWork) join() {
	if i.armed && i.timer.Stop() {
		i.fires.Done()
	}
	i.fires.Wait()
}
