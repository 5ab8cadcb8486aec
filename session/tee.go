package session

import "io"

// A tee hands the output of one command to the writers of RunOptions. While the
// command runs it does so from a goroutine of its own, so that a writer that
// blocks keeps the command waiting but not the time limit. The output of a short
// command is handed over at its end, without one: to wake a goroutine twice took
// longer than the rest of the host's work.
type tee struct {
	out, err io.Writer
	queue    chan teeChunk
	freed    func()        // called after each chunk of the goroutine
	done     chan struct{} // nil: there is no goroutine yet
}

type teeChunk struct {
	toErr bool
	data  []byte
}

// teeQueue is how many chunks, of one read each, may wait for a writer.
const teeQueue = 8

func newTee(out, err io.Writer, freed func()) *tee {
	return &tee{out: out, err: err, queue: make(chan teeChunk, teeQueue), freed: freed}
}

// start starts the goroutine, if it does not run yet.
func (t *tee) start() {
	if t == nil || t.done != nil {
		return
	}
	t.done = make(chan struct{})
	go func() {
		defer close(t.done)
		t.writeQueued(t.freed)
	}()
}

// full reports whether add would block.
func (t *tee) full() bool { return t != nil && len(t.queue) == cap(t.queue) }

// queueChunk queues a copy of p.
func (t *tee) queueChunk(toErr bool, p []byte) {
	if t == nil || len(p) == 0 {
		return
	}
	if t.full() {
		t.start()
	}
	t.queue <- teeChunk{toErr, append([]byte(nil), p...)}
}

// close returns when everything was written.
func (t *tee) close() {
	if t == nil {
		return
	}
	close(t.queue)
	if t.done == nil {
		t.writeQueued(func() {})
		return
	}
	<-t.done
}

func (t *tee) writeQueued(freed func()) {
	out, err := t.out, t.err
	for c := range t.queue {
		w := &out
		if c.toErr {
			w = &err
		}
		if *w != nil {
			if _, failed := (*w).Write(c.data); failed != nil {
				*w = nil
			}
		}
		freed()
	}
}
