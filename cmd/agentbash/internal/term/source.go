package term

import (
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// errPaused ends a read that was taken back.
var errPaused = errors.New("paused")

// source reads from a terminal; a read that waits can be taken back.
type source struct {
	fd   int
	wake *syscalls.Wakeup // takes the read back
}

func newSource(fd int) (*source, error) {
	wake, err := syscalls.NewWakeup()
	return &source{fd: fd, wake: wake}, err
}

func (s *source) close() { s.wake.Close() }

// takeBack ends the read that waits, and those to come until rearm.
func (s *source) takeBack() { s.wake.Signal() }

func (s *source) rearmCancel() { s.wake.Drain() }

// cancelOn takes reads back when ctx ends. The function that is returned ends that.
func (s *source) cancelOn(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		s.takeBack()
	})
	return func() {
		if !cancel() {
			<-done
		}
	}
}

// Read waits for bytes from the terminal.
func (s *source) Read(p []byte) (int, error) {
	for {
		if !s.waitReady(-1) {
			return 0, errPaused
		}
		n, err := unix.Read(s.fd, p)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// waitReady waits until there is something to read, for a number of milliseconds or,
// with -1, until the read is taken back.
func (s *source) waitReady(milliseconds int) bool {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.wake.FD()), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, milliseconds)
		if err == unix.EINTR {
			continue
		}
		return err == nil && n > 0 && fds[1].Revents == 0
	}
}

// line waits for a line, of a terminal that is in its line mode.
func (s *source) line() (string, error) {
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := s.Read(buf)
		b.Write(buf[:n])
		if text, whole := strings.CutSuffix(b.String(), "\n"); whole {
			return strings.TrimSuffix(text, "\r"), nil
		}
		if err != nil && (err != io.EOF || b.Len() == 0) {
			return "", err
		}
		if err == io.EOF {
			return b.String(), nil
		}
	}
}

// hideTyped has the terminal not show what is typed, until the function that is returned
// is called.
func (s *source) hideTyped() (show func()) {
	show, _ = s.setTerminal(func(t *unix.Termios) { t.Lflag = t.Lflag&^unix.ECHO | unix.ECHONL })
	return show
}

// setTerminal changes how the terminal reads, until restore is called, and reports whether it could.
func (s *source) setTerminal(change func(*unix.Termios)) (restore func(), ok bool) {
	old, err := unix.IoctlGetTermios(s.fd, syscalls.GetTermios)
	if err != nil {
		return func() {}, false
	}
	now := *old
	change(&now)
	err = unix.IoctlSetTermios(s.fd, syscalls.SetTermios, &now)
	return func() { unix.IoctlSetTermios(s.fd, syscalls.SetTermios, old) }, err == nil
}

// readTyped takes what was typed already, and what is typed until the person has
// paused for a number of milliseconds. Lines that are not ended are part of it.
func (s *source) readTyped(milliseconds int) string {
	restore, ok := s.setTerminal(func(t *unix.Termios) {
		t.Lflag &^= unix.ICANON
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 0, 0
	})
	if !ok {
		return ""
	}
	defer restore()
	var b strings.Builder
	buf := make([]byte, 4096)
	for s.waitReady(milliseconds) {
		n, err := unix.Read(s.fd, buf)
		if n <= 0 || err != nil {
			break
		}
		b.Write(buf[:n])
	}
	return b.String()
}
