package syscalls

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// A Wakeup ends a wait in poll(2). It is safe for concurrent use.
type Wakeup struct {
	mu     sync.Mutex
	closed bool
	r, w   int
}

// NewWakeup makes one; the caller closes it.
func NewWakeup() (*Wakeup, error) {
	r, w, err := Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	unix.SetNonblock(r, true)
	unix.SetNonblock(w, true)
	return &Wakeup{r: r, w: w}, nil
}

// FD is readable from Signal until Drain.
func (w *Wakeup) FD() int { return w.r }

// Signal makes FD readable.
func (w *Wakeup) Signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		unix.Write(w.w, []byte{0})
	}
}

// Drain makes FD wait for the next Signal.
func (w *Wakeup) Drain() {
	var buf [64]byte
	for {
		if n, err := unix.Read(w.r, buf[:]); n < len(buf) && err != unix.EINTR {
			return
		}
	}
}

// Close closes the descriptor. It may be called more than once.
func (w *Wakeup) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		unix.Close(w.r)
		unix.Close(w.w)
	}
}
