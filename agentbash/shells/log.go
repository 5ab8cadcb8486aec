package shells

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// log keeps the latest output of one shell in two files: the one that is
// written, and the one before it. When the first is full it takes the place of
// the second. Positions count all bytes that were ever written.
type log struct {
	path string
	size int64 // of one file

	mu      sync.Mutex
	now     *os.File
	old     *os.File // nil: there is none yet
	oldAt   int64    // position of the first byte of old
	nowAt   int64    // and of now
	total   int64
	changed chan struct{} // closed by the next change
}

func newLog(path string, size int64) (*log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file for the output: %w", err)
	}
	return &log{path: path, size: size, now: f, changed: make(chan struct{})}, nil
}

// write appends; what cannot be kept is counted and lost.
func (l *log) write(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.signalWaiters()
	if l.total-l.nowAt >= l.size {
		if err := l.rotateFile(); err != nil {
			l.total += int64(len(b))
			return err
		}
	}
	_, err := l.now.WriteAt(b, l.total-l.nowAt)
	l.total += int64(len(b))
	return err
}

// rotateFile starts a new file.
func (l *log) rotateFile() error {
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if l.old != nil {
		l.old.Close()
	}
	l.old, l.oldAt = l.now, l.nowAt
	l.now, l.nowAt = f, l.total
	return nil
}

// signalWaiters tells those who wait; the caller holds mu.
func (l *log) signalWaiters() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// wakeWaiters makes those who wait look again.
func (l *log) wakeWaiters() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signalWaiters()
}

// end is the position after the last byte, and news a channel that is closed
// when there is more.
func (l *log) end() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

func (l *log) news() (end int64, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total, l.changed
}

// readAt fills b from a position on, and tells the position it really read
// from: what was dropped cannot be had.
func (l *log) readAt(b []byte, at int64) (n int, from int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.nowAt
	if l.old != nil {
		first = l.oldAt
	}
	at = max(at, first)
	f, start, end := l.now, l.nowAt, l.total
	if at < l.nowAt {
		f, start, end = l.old, l.oldAt, l.nowAt
	}
	if at >= end {
		return 0, at, io.EOF
	}
	n, err = f.ReadAt(b[:min(int64(len(b)), end-at)], at-start)
	if n > 0 {
		err = nil
	}
	return n, at, err
}

func (l *log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.Close()
	if l.old != nil {
		l.old.Close()
	}
}

func (l *log) remove() {
	l.close()
	os.Remove(l.path)
}
