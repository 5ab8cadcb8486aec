package router

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	captureHead = 16 << 20  // bytes of a stream kept in memory
	shownHead   = 1 << 20   // and of both in their order (at least)
	captureTail = 128 << 10 // and of its end, when there is more (at least)
	captureFile = 1 << 30   // bytes of a stream kept in its file
)

// capture takes one output stream of a command, or both: its head and its tail in
// memory, which grows with what comes, and all of it (up to captureFile) in a
// file as soon as memory does not hold it. Where text of one stream is only shown
// among that of both, it has no file of its own. It is safe for concurrent use.
type capture struct {
	name  string
	both  *merge // gets everything too; nil: this is its text
	limit int    // bytes of the head

	mu    sync.Mutex
	tee   io.Writer // the caller's; may be nil
	dir   string    // where the file goes, if there has to be one
	head  []byte
	tail  ring
	chars charCounter
	total int64 // bytes
	file  *os.File
	path  string // of the file; "" while there is none
	kept  int64  // bytes of the stream in the file
	err   error  // of the file
	done  bool   // later writes are dropped: the command was given up
	held  bool   // the caller's gets nothing until it is replayed
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return 0, os.ErrClosed
	}
	c.total += int64(len(p))
	c.chars.add(p)
	if c.tee != nil && !c.held {
		if _, err := c.tee.Write(p); err != nil {
			c.tee = nil
		}
	}
	if c.both != nil {
		c.both.add(c, p)
	}
	n := min(c.limit-len(c.head), len(p))
	c.head = append(c.head, p[:n]...)
	if n < len(p) {
		c.overflow(p[n:])
	}
	return len(p), nil
}

// overflow takes what memory does not hold.
func (c *capture) overflow(p []byte) {
	c.tail.write(p)
	if c.both == nil || c.held || isBinary(c.head[:sample]) {
		c.openFile()
		c.saveBytes(p)
	}
}

// openFile begins the file with what memory holds.
func (c *capture) openFile() {
	if c.file != nil || c.err != nil {
		return
	}
	if c.file, c.err = os.CreateTemp(c.dir, "output-*"); c.err == nil { // 0600
		c.path = c.file.Name()
		c.saveBytes(c.head)
	}
}

// saveBytes appends to the file, up to its limit.
func (c *capture) saveBytes(p []byte) {
	if p = p[:min(int64(len(p)), captureFile-c.kept)]; c.err != nil || len(p) == 0 {
		return
	}
	n, err := c.file.Write(p)
	c.kept, c.err = c.kept+int64(n), err
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

// keepFile makes sure that a closed capture has its file, and returns its path.
func (c *capture) keepFile() (path string, err error) {
	if c.path == "" && c.err == nil {
		if !c.whole() {
			return "", errNoFile
		}
		c.openFile()
		if c.file != nil {
			c.file.Close()
		}
	}
	if c.err != nil && c.path != "" { // a part of it is of no use, and the disk may be full
		os.Remove(c.path)
		c.path = ""
	}
	return c.path, c.err
}

var errNoFile = errors.New("it began as text, and has no file of its own")

// removeFile takes away a file that is of no more use.
func (c *capture) removeFile() {
	if c.file != nil {
		c.file.Close()
	}
	if c.path != "" {
		os.Remove(c.path)
		c.path = ""
	}
}

// whole reports whether the head is all there was.
func (c *capture) whole() bool { return c.total == int64(len(c.head)) }

// holds reports whether a text stands in the beginning of the stream.
func (c *capture) holds(text string) bool { return strings.Contains(c.start(), text) }

// start is the beginning of the stream.
func (c *capture) start() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.head[:min(len(c.head), 64<<10)])
}

// end returns the last bytes of the stream, at least n if there are so many in memory.
func (c *capture) end(n int) []byte {
	tail := c.tail.bytes()
	if missing := min(n-len(tail), len(c.head)); missing > 0 && c.total == int64(len(c.head)+len(tail)) {
		return append(c.head[len(c.head)-missing:len(c.head):len(c.head)], tail...)
	}
	return tail
}

// charCounter counts characters of text that comes in pieces. A byte that is not UTF-8 is shown as one.
type charCounter struct {
	n    int64
	part []byte // of a character that the last piece ended within
}

func (c *charCounter) add(p []byte) {
	for len(c.part) > 0 && len(p) > 0 {
		c.part, p = append(c.part, p[0]), p[1:]
		if utf8.FullRune(c.part) {
			c.n += int64(utf8.RuneCount(c.part))
			c.part = c.part[:0]
		}
	}
	if len(c.part) > 0 {
		return
	}
	cut := len(p) - unfinishedBytes(p)
	c.n += int64(utf8.RuneCount(p[:cut]))
	c.part = append(c.part, p[cut:]...)
}

func (c *charCounter) count() int64 { return c.n + int64(len(c.part)) }

// unfinishedBytes is how many bytes at the end of p begin a character that does not end in it.
func unfinishedBytes(p []byte) int {
	for i := 1; i <= min(len(p), utf8.UTFMax-1); i++ {
		if b := p[len(p)-i]; utf8.RuneStart(b) {
			if utf8.FullRune(p[len(p)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

// ring keeps the last bytes written to it, size of them.
type ring struct {
	size int
	buf  []byte
	at   int // where the next byte goes, once buf is full
}

func (r *ring) write(p []byte) {
	if len(p) >= r.size {
		r.buf, r.at = append(r.buf[:0], p[len(p)-r.size:]...), 0
		return
	}
	n := min(r.size-len(r.buf), len(p))
	r.buf = append(r.buf, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(r.buf[r.at:], p)
		r.at = (r.at + n) % r.size
	}
}

func (r *ring) bytes() []byte {
	return append(append(make([]byte, 0, len(r.buf)), r.buf[r.at:]...), r.buf[:r.at]...)
}
