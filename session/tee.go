package session

import "io"

// A tee hands the output of one command to the writers of RunOptions, from one
// goroutine of its own, so that a writer that blocks keeps the command waiting
// but not the time limit.
type tee struct {
	out, err io.Writer
	queue    chan teeChunk
	freed    func() // called after each chunk
	done     chan struct{}
}

type teeChunk struct {
	toErr bool
	data  []byte
}

// teeQueue is how many chunks, of one read each, may wait for a writer.
const teeQueue = 8

func newTee(out, err io.Writer, freed func()) *tee {
	t := &tee{out: out, err: err, queue: make(chan teeChunk, teeQueue), freed: freed, done: make(chan struct{})}
	go t.pump()
	return t
}

// full reports whether add would block.
func (t *tee) full() bool { return t != nil && len(t.queue) == cap(t.queue) }

// add queues a copy of p.
func (t *tee) add(toErr bool, p []byte) {
	if t != nil && len(p) > 0 {
		t.queue <- teeChunk{toErr, append([]byte(nil), p...)}
	}
}

// close waits until everything was written.
func (t *tee) close() {
	if t != nil {
		close(t.queue)
		<-t.done
	}
}

func (t *tee) pump() {
	defer close(t.done)
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
		t.freed()
	}
}
