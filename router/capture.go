package router

import (
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

const (
	captureHead = 16 << 20  // bytes of a stream kept in memory
	captureTail = 128 << 10 // and of its end, when there is more
	captureFile = 256 << 20 // bytes of a stream kept in its file
)

// capture takes one output stream of a command: its head and its tail in
// memory, which grows with what comes, and all of it (up to captureFile) in a
// file as soon as memory does not hold it. It is safe for concurrent use.
type capture struct {
	mu    sync.Mutex
	tee   io.Writer // the caller's; may be nil
	path  string    // where the file goes, if there has to be one
	head  []byte
	tail  ring
	file  *os.File
	total int64 // bytes
	chars int64 // characters: bytes that do not continue one
	done  bool  // later writes are dropped: the command was given up
	err   error // of the tee or the file
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return 0, os.ErrClosed
	}
	c.total += int64(len(p))
	c.chars += runes(p)
	if c.tee != nil {
		if _, err := c.tee.Write(p); err != nil {
			c.err, c.tee = err, nil
		}
	}
	n := min(captureHead-len(c.head), len(p))
	c.head = append(c.head, p[:n]...)
	if n < len(p) {
		c.overflow(p[n:])
	}
	return len(p), nil
}

// overflow takes what memory does not hold.
func (c *capture) overflow(p []byte) {
	if c.file == nil && c.err == nil {
		c.file, c.err = os.OpenFile(c.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if c.err == nil {
			_, c.err = c.file.Write(c.head)
		}
	}
	if c.file != nil && c.total <= captureFile {
		c.file.Write(p)
	}
	c.tail.write(p)
}

// close ends the capture; what is written later is dropped.
func (c *capture) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	if c.file != nil {
		c.file.Close()
	}
}

// kept returns the whole stream, or its head when some of it is not in memory.
func (c *capture) kept() (text []byte, whole bool) {
	return c.head, c.total == int64(len(c.head))
}

// end returns the last bytes of the stream, at least the last n if there are so many.
func (c *capture) end(n int) []byte {
	tail := c.tail.bytes()
	if missing := min(n-len(tail), len(c.head)); missing > 0 {
		return append(c.head[len(c.head)-missing:len(c.head):len(c.head)], tail...)
	}
	return tail
}

// runes counts the characters of a piece of UTF-8, wherever it was cut.
func runes(p []byte) (n int64) {
	for _, b := range p {
		if utf8.RuneStart(b) {
			n++
		}
	}
	return n
}

// ring keeps the last captureTail bytes written to it.
type ring struct {
	buf []byte
	at  int // where the next byte goes, once buf is full
}

func (r *ring) write(p []byte) {
	if len(p) >= captureTail {
		r.buf, r.at = append(r.buf[:0], p[len(p)-captureTail:]...), 0
		return
	}
	n := min(captureTail-len(r.buf), len(p))
	r.buf = append(r.buf, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(r.buf[r.at:], p)
		r.at = (r.at + n) % captureTail
	}
}

func (r *ring) bytes() []byte {
	return append(append(make([]byte, 0, len(r.buf)), r.buf[r.at:]...), r.buf[:r.at]...)
}
