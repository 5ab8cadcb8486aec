package kept

import (
	"io"
	"sync"
)

// queue holds lines for a reader that may be slow, so that nobody else waits for it.
type queue struct {
	mu     sync.Mutex
	more   sync.Cond
	lines  [][]byte
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.more.L = &q.mu
	return q
}

// add takes a line whole; it keeps the bytes.
func (q *queue) add(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lines = append(q.lines, line)
	q.more.Signal()
}

// close ends copyTo once all is written.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Signal()
}

// copyTo writes the lines as they come, until the queue is closed or w fails.
func (q *queue) copyTo(w io.Writer) {
	for {
		q.mu.Lock()
		for len(q.lines) == 0 && !q.closed {
			q.more.Wait()
		}
		lines := q.lines
		q.lines = nil
		q.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}
}
