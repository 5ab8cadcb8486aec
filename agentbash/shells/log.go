package shells

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// log is the file with all that one shell wrote. It is open for writing only, so
// that a shell that has ended costs no descriptor.
type log struct {
	path string

	mu      sync.Mutex
	file    *os.File
	total   int64         // bytes in it
	room    int64         // bytes until the disk is looked at again
	changed chan struct{} // closed by the next change
}

// A disk is not filled: the last minFree bytes, or a twentieth of a small one, are left,
// which is looked at every lookEvery bytes.
const (
	minFree   = 256 << 20
	lookEvery = 16 << 20
)

func newLog(path string, flags int) (*log, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file for the output: %w", err)
	}
	return &log{path: path, file: f, room: lookEvery, changed: make(chan struct{})}, nil
}

// write appends; what an error says cannot be kept is lost.
func (l *log) write(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.signalWaiters()
	if l.room -= int64(len(b)); l.room < 0 {
		var st unix.Statfs_t
		if err := unix.Fstatfs(int(l.file.Fd()), &st); err == nil && uint64(st.Bavail) < min(minFree/uint64(st.Bsize), st.Blocks/20) {
			return fmt.Errorf("the disk of %s is nearly full", filepath.Dir(l.path))
		}
		l.room = lookEvery
	}
	n, err := l.file.WriteAt(b, l.total)
	l.total += int64(n)
	return err
}

// measure takes note of what somebody else has written.
func (l *log) measure() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if st, err := l.file.Stat(); err == nil && st.Size() != l.total {
		l.total = st.Size()
		l.signalWaiters()
	}
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

// readAt fills b from a position on.
func (l *log) readAt(b []byte, at int64) (int, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(b, at)
	if n > 0 {
		err = nil
	}
	return n, err
}

// remove takes away the log of a shell that did not start.
func (l *log) remove() {
	l.close()
	os.Remove(l.path)
}

func (l *log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file.Close()
}
