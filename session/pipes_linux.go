package session

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// An outPipe is the read end of a pipe for one of a command's output streams.
// The host never holds a write end: the shell opens one by path for each
// command, so nothing but the command and what it starts ever holds one, and
// end-of-file after the report means that nobody is left. A pipe that has
// reached it serves the next command; another is given to the late drainer.
type outPipe struct {
	fd  int // -1: none
	big bool
}

// ready makes sure that there is a pipe.
func (p *outPipe) ready() error {
	if p.fd >= 0 {
		return nil
	}
	r, w, err := pipe()
	if err != nil {
		return err
	}
	unix.Close(w)
	unix.SetNonblock(r, true)
	*p = outPipe{fd: r}
	return nil
}

// grow makes the pipe as big as a user may have it, for a stream that is long.
func (p *outPipe) grow() {
	if !p.big {
		unix.FcntlInt(uintptr(p.fd), unix.F_SETPIPE_SZ, bigBuffer)
		p.big = true
	}
}

func (p *outPipe) close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
		p.fd = -1
	}
}

// Sizes of the buffer that pipes are read into: the capacity of an ordinary
// pipe, and that of a grown one. A stream is long after longStream bytes.
const (
	smallBuffer = 64 << 10
	bigBuffer   = 1 << 20
	longStream  = 256 << 10
)

func pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	return p[0], p[1], nil
}

// readFD reads once: n bytes; or end when there are no writers; or neither when
// there is nothing to read now.
func readFD(fd int, b []byte) (n int, end bool) {
	for {
		n, err := unix.Read(fd, b)
		switch {
		case n > 0:
			return n, false
		case err == nil:
			return 0, true
		case err != unix.EINTR:
			return 0, false
		}
	}
}

// unread returns how many bytes wait in a pipe.
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }

// fdPath is the path by which a child of the host opens a descriptor of it.
func fdPath(hostPid, fd int) string {
	return "/proc/" + strconv.Itoa(hostPid) + "/fd/" + strconv.Itoa(fd)
}

// A textFile is a file in memory that the shell reads by path.
type textFile struct {
	fd, size int
}

func newTextFile() (textFile, error) {
	fd, err := unix.MemfdCreate("session", unix.MFD_CLOEXEC)
	return textFile{fd: fd}, err
}

// set replaces the content.
func (t *textFile) set(b []byte) error {
	if t.size > len(b) {
		if err := unix.Ftruncate(t.fd, int64(len(b))); err != nil {
			return err
		}
	}
	t.size = len(b)
	for at := 0; at < len(b); {
		n, err := unix.Pwrite(t.fd, b[at:], int64(at))
		if err != nil && err != unix.EINTR {
			return err
		}
		at += max(n, 0)
	}
	return nil
}

// A stream is one output stream of a running command.
type stream struct {
	pipe   *outPipe
	kept   collector
	filter *noteFilter // of stderr
	tee    *tee
	toErr  bool
	closed bool // nobody held a write end at the last look
	ended  bool // nobody held one after the report
}

// deliver passes on what was read.
func (s *stream) deliver(p []byte) {
	if s.filter != nil {
		p = s.filter.add(p)
	}
	s.pass(p)
}

func (s *stream) pass(p []byte) {
	if len(p) > 0 {
		s.kept.Write(p)
		s.tee.add(s.toErr, p)
	}
}

// maxReads is how often drain reads before it lets the caller look at the
// clock.
const maxReads = 16

// drain reads what is there while the writers of RunOptions can take it.
func (s *stream) drain(buf *[]byte) {
	for range maxReads {
		if s.tee.full() {
			return
		}
		n, end := readFD(s.pipe.fd, *buf)
		s.closed = end
		if n == 0 {
			return
		}
		s.deliver((*buf)[:n])
		if s.kept.total > longStream {
			s.pipe.grow()
			if len(*buf) < bigBuffer {
				*buf = make([]byte, bigBuffer)
			}
		}
		if n < len(*buf) && !s.pipe.big {
			return
		}
	}
}

// finish reads what is in the pipe after the report, which is no more than the
// pipe holds, and notes whether the last writer is gone.
func (s *stream) finish(buf []byte) {
	for got := 0; !s.ended && got <= bigBuffer; {
		n, end := readFD(s.pipe.fd, buf)
		if n == 0 {
			s.ended = end
			return
		}
		s.deliver(buf[:n])
		got += n
	}
}

// lastLine returns the last line of b that begins with "bash: ".
func lastComplaint(b []byte) []byte {
	i := bytes.LastIndex(b, []byte("bash: "))
	if i < 0 {
		return nil
	}
	return b[i:]
}
