package term

import (
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/sys/unix"
)

// errPaused ends a read that was taken back.
var errPaused = errors.New("paused")

// source reads from a terminal; a read that waits can be taken back.
type source struct {
	fd   int
	wake [2]int // a pipe; what is written to it takes the read back
}

func newSource(fd int) (*source, error) {
	s := &source{fd: fd}
	return s, unix.Pipe2(s.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK)
}

func (s *source) close() {
	unix.Close(s.wake[0])
	unix.Close(s.wake[1])
}

// takeBack ends the read that waits, and those to come until rearm.
func (s *source) takeBack() { unix.Write(s.wake[1], []byte{0}) }

func (s *source) rearmCancel() { unix.Read(s.wake[0], make([]byte, 8)) }

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
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.wake[0]), Events: unix.POLLIN}}
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

// readTyped takes what was typed already, and what is typed until the person has
// paused for a number of milliseconds. Lines that are not ended are part of it.
func (s *source) readTyped(milliseconds int) string {
	old, err := unix.IoctlGetTermios(s.fd, unix.TCGETS)
	if err != nil {
		return ""
	}
	now := *old
	now.Lflag &^= unix.ICANON
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 0, 0
	if unix.IoctlSetTermios(s.fd, unix.TCSETS, &now) != nil {
		return ""
	}
	defer unix.IoctlSetTermios(s.fd, unix.TCSETS, old)
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
