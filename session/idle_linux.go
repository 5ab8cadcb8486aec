package session

import (
	"sync"
	"time"
)

// An idler does what the shell needs between commands, once there is time for
// it: a model thinks for seconds, and a burst of commands never pays.
type idler struct {
	timer *time.Timer
	armed sync.WaitGroup
}

const (
	fixAfter      = 3 * time.Millisecond
	snapshotAfter = 50 * time.Millisecond
)

// after calls f in d unless stop is called before.
func (i *idler) after(d time.Duration, f func()) {
	i.armed.Add(1)
	i.timer = time.AfterFunc(d, func() {
		defer i.armed.Done()
		f()
	})
}

// stop cancels what after has planned, or has been planned by it; it waits for
// nothing.
func (i *idler) stop() {
	if i.timer != nil && i.timer.Stop() {
		i.armed.Done()
	}
	i.timer = nil
}

// join waits for what stop could not cancel.
func (i *idler) join() { i.armed.Wait() }

// rest plans the work after a command.
func (e *engine) rest() {
	if e.shell.Load() == nil || e.closing.Load() {
		return
	}
	seq := e.seq
	e.idle.after(fixAfter, func() {
		e.whenIdle(seq, func() {
			e.fixState()
			e.idle.after(snapshotAfter, func() { e.whenIdle(seq, e.takeSnapshot) })
		})
	})
}

// whenIdle calls f if nothing has run since seq and nothing is running.
func (e *engine) whenIdle(seq int64, f func()) {
	select {
	case e.turn <- struct{}{}:
	default:
		return
	}
	defer func() { <-e.turn }()
	if e.seq == seq && !e.closing.Load() {
		f()
	}
}
