package router

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/agentbash/agentbash/internal/syscalls"
	"golang.org/x/sys/unix"
)

// waker makes blocking I/O on a caller's descriptors end with a context. The
// descriptors stay in blocking mode: the open file is shared with the caller
// and with others, who would see O_NONBLOCK too.
type waker struct {
	*syscalls.Wakeup // when the context ends
	ctx              context.Context
	stop             func() bool
	done             chan struct{}
}

func newWaker(ctx context.Context) (*waker, error) {
	wake, err := syscalls.NewWakeup()
	if err != nil {
		return nil, err
	}
	w := &waker{Wakeup: wake, ctx: ctx, done: make(chan struct{})}
	w.stop = context.AfterFunc(ctx, func() {
		w.Signal()
		close(w.done)
	})
	return w, nil
}

func (w *waker) close() {
	if !w.stop() {
		<-w.done
	}
	w.Close()
}

// wait returns when fd is ready for events, or with the context's error.
func (w *waker) wait(fd int, events int16) error {
	p := []unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(w.FD()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(p, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case p[1].Revents != 0:
			return context.Cause(w.ctx)
		}
		return nil
	}
}

// fdReader reads a caller's stdin.
type fdReader struct {
	fd   int
	wake *waker
}

func (r *fdReader) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if err := r.wake.wait(r.fd, unix.POLLIN); err != nil {
			return 0, err
		}
		n, err := unix.Read(r.fd, p)
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
	return 0, nil
}

// fdWriter writes a caller's stdout or stderr.
type fdWriter struct {
	fd     int
	wake   *waker
	after  *fdWriter   // once its reader has gone, nothing is written here, as by a program that SIGPIPE ends
	broken atomic.Bool // the reader has gone
}

func (w *fdWriter) Write(p []byte) (done int, err error) {
	if w.after != nil && w.after.broken.Load() {
		return len(p), nil
	}
	for done < len(p) {
		if err := w.wake.wait(w.fd, unix.POLLOUT); err != nil {
			return done, err
		}
		n, err := unix.Write(w.fd, p[done:min(done+syscalls.PipeBuf, len(p))])
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			w.broken.Store(errors.Is(err, unix.EPIPE))
			return done, err
		}
		done += n
	}
	return done, nil
}
