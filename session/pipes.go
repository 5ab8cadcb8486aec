package session

import (
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// An outPipe is the read end of a pipe for one of a command's output streams.
// The host never holds a write end: the shell opens one by path for each
// command, so nothing but the command and what it starts ever holds one, and
// end-of-file after the report means that nobody is left. A pipe that has
// reached it serves the next command; another is given to the late drainer.
type outPipe struct {
	fd   int // -1: none
	path string
	big  bool
}

// ensurePipe makes sure that there is a pipe.
func (p *outPipe) ensurePipe(c *pathPipes) (err error) {
	if p.fd < 0 {
		*p = outPipe{}
		p.fd, p.path, err = c.makePipe()
	}
	return err
}

// growPipe makes the pipe as big as a user may have it, for a stream that is long.
func (p *outPipe) growPipe() {
	if !p.big {
		syscalls.GrowPipe(p.fd, bigBuffer)
		p.big = true
	}
}

// takeFD returns the read end, which the pipe then has no more.
func (p *outPipe) takeFD(c *pathPipes) (fd int) {
	fd = p.fd
	p.fd = -1
	c.removeName(p.path)
	return fd
}

func (p *outPipe) close(c *pathPipes) {
	if p.fd >= 0 {
		unix.Close(p.takeFD(c))
	}
}

// conduits are what one shell opens by path. As long as it lives they stay open: the path of a
// descriptor that is closed may be another file's soon, which the shell would write to.
type conduits struct {
	line     textFile // what the shell is to evaluate for a command
	text     textFile // a command that is too long for that; Init and state at the start
	snap     snapshot
	out, err outPipe
}

var noConduits = conduits{line: textFile{fd: -1}, text: textFile{fd: -1}, snap: snapshot{in: -1, out: -1}, out: outPipe{fd: -1}, err: outPipe{fd: -1}}

// open makes them all, but for the output pipes.
func (c *conduits) open(p *pathPipes) (err error) {
	if c.text.fd >= 0 {
		return nil
	}
	for _, f := range []*textFile{&c.text, &c.line} {
		if f.fd, f.path, err = p.makeFile(); err != nil {
			return err
		}
	}
	return c.snap.open(p)
}

func (c *conduits) close(p *pathPipes) {
	c.out.close(p)
	c.err.close(p)
	c.snap.close(p)
	for _, f := range []*textFile{&c.text, &c.line} {
		if f.fd >= 0 {
			unix.Close(f.fd)
			p.removeName(f.path)
		}
		*f = textFile{fd: -1}
	}
}

// Sizes of the buffer that pipes are read into: the capacity of an ordinary
// pipe, and that of a grown one. A stream is long after longStream bytes.
const (
	smallBuffer = 64 << 10
	bigBuffer   = 1 << 20
	longStream  = 256 << 10
)

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

// A textFile is a file that the shell reads by path: a text that is too long
// for a line.
type textFile struct {
	fd   int // -1: none
	path string
	size int
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
