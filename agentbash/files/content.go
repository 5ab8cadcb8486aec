package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/agentbash/agentbash/agentbash/internal/panicgroup"
)

// content is something with lines that can be read from any place.
type content struct {
	at    io.ReaderAt
	size  int64 // in bytes, as far as it is known
	index lineIndex
	close func()
}

// lineIndex says where the lines of a content are.
type lineIndex struct {
	newlines []int // per chunk
	scanned  int64 // bytes looked at
	open     bool  // the last line has no newline
	whole    bool  // everything was looked at: total and print are right
	print    uint64
}

// total is the number of lines, the last one counted with or without its newline.
func (x *lineIndex) total() int {
	n := 0
	for _, c := range x.newlines {
		n += c
	}
	if x.open {
		n++
	}
	return n
}

// scanChunk is what one chunk came to.
type scanChunk struct {
	newlines int
	print    uint64
	n        int
	last     byte
}

// buildIndex builds the index, with one goroutine per processor and a chunk of memory
// for each. When stopAt is above 0 it stops once that many lines were passed.
func (c *content) buildIndex(ctx context.Context, stopAt int) error {
	count := int((c.size + chunkSize - 1) / chunkSize)
	s := scanner{content: c, chunks: make([]scanChunk, count), stopAt: stopAt, done: make([]bool, count)}
	workers := min(runtime.GOMAXPROCS(0), max((count+scanAtOnce-1)/scanAtOnce, 1))
	errs := make([]error, workers)
	var goroutines panicgroup.Group
	for w := range workers {
		goroutines.Go(func() { errs[w] = s.scanChunks(ctx) }, nil)
	}
	goroutines.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.finishIndex()
	return nil
}

type scanner struct {
	*content
	chunks []scanChunk
	stopAt int
	next   atomic.Int64
	enough atomic.Bool

	mu     sync.Mutex // guards done, prefix and passed
	done   []bool
	prefix int // chunks before it are done
	passed int // newlines in them
}

func (s *scanner) scanChunks(ctx context.Context) error {
	look := s.chunkReader()
	for !s.enough.Load() {
		first := int(s.next.Add(scanAtOnce) - scanAtOnce)
		if first >= len(s.chunks) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		last := min(first+scanAtOnce, len(s.chunks))
		err := look(int64(first)*chunkSize, func(data []byte) {
			for i := first; i < last; i++ {
				one := data[:min(chunkSize, len(data))]
				data = data[len(one):]
				if s.chunks[i] = (scanChunk{}); len(one) > 0 {
					newlines := bytes.Count(one, newline)
					s.chunks[i] = scanChunk{newlines: newlines, n: len(one), last: one[len(one)-1]}
					if s.size <= printLimit {
						s.chunks[i].print = chunkPrint(one)
					}
				}
			}
		})
		if err != nil && err != io.EOF {
			return err
		}
		s.chunksDone(first, last)
	}
	return nil
}

// printLimit is the size in bytes up to which a content's fingerprint is taken
// in passing; of a bigger file its stat has to tell whether it changed.
const printLimit = 256 << 20

// scanAtOnce is how many chunks a worker takes.
const scanAtOnce = 16

// chunkReader returns a way to look at some chunks from an offset on: read in pieces where the content is a big file.
func (s *scanner) chunkReader() func(int64, func([]byte)) error {
	const size = scanAtOnce * chunkSize
	if src, ok := s.at.(*source); ok && s.size >= bigFile {
		m := &pieces{fd: src.fd}
		return func(off int64, f func([]byte)) error { return m.view(off, int(min(size, s.size-off)), f) }
	}
	buf := make([]byte, max(min(s.size, size), 1))
	return func(off int64, f func([]byte)) error {
		n, err := s.at.ReadAt(buf, off)
		if err == io.EOF {
			err = nil
		}
		if err == nil {
			f(buf[:n])
		}
		return err
	}
}

var newline = []byte{'\n'}

// chunksDone notes that chunks are done, and when enough lines were seen in one piece from the start.
func (s *scanner) chunksDone(first, last int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := first; i < last; i++ {
		s.done[i] = true
	}
	for s.prefix < len(s.done) && s.done[s.prefix] {
		s.passed += s.chunks[s.prefix].newlines
		s.prefix++
	}
	if s.stopAt > 0 && s.passed >= s.stopAt {
		s.enough.Store(true)
	}
}

// finishIndex makes the index of the chunks that are done without a gap.
func (s *scanner) finishIndex() {
	x := lineIndex{whole: s.prefix == len(s.chunks)}
	print := newFingerprint()
	for _, c := range s.chunks[:s.prefix] {
		if c.n == 0 {
			break // the file is shorter than its size said
		}
		x.newlines = append(x.newlines, c.newlines)
		x.scanned += int64(c.n)
		x.open = c.last != '\n'
		print.add(c.print)
	}
	x.print = print.h.Sum64()
	s.content.index = x
}

// lineStart returns the offset of a line (the first is 1), or -1 past the end.
func (c *content) lineStart(line int) (int64, error) {
	if line <= 1 {
		return 0, nil
	}
	skip := line - 1 // newlines to pass
	for i, n := range c.index.newlines {
		if skip > n {
			skip -= n
			continue
		}
		buf := make([]byte, chunkSize)
		got, err := c.at.ReadAt(buf, int64(i)*chunkSize)
		if err != nil && err != io.EOF {
			return 0, err
		}
		at := 0
		for range skip {
			next := bytes.IndexByte(buf[at:got], '\n')
			if next < 0 {
				return -1, nil // the file shrank
			}
			at += next + 1
		}
		return int64(i)*chunkSize + int64(at), nil
	}
	return -1, nil
}

// memorySpool is how much of a stream is kept in memory, in bytes, before it
// goes to a temporary file.
const memorySpool = 8 << 20

// spoolStream makes a content of a stream. When stopAt is above 0 it reads no further
// than it takes to know that more than that many lines came; more says that the stream went on.
func spoolStream(ctx context.Context, r io.Reader, stopAt int) (c *content, more bool, err error) {
	var mem bytes.Buffer
	var file *os.File
	out := io.Writer(&mem)
	buf := make([]byte, 64<<10)
	lines, size := 0, int64(0)
	for err == nil && !more {
		if err = ctx.Err(); err != nil {
			break
		}
		var n int
		n, err = r.Read(buf)
		if file == nil && size+int64(n) > memorySpool {
			var fileErr error
			if file, fileErr = unnamedFile(mem.Bytes()); fileErr != nil {
				return nil, false, fileErr
			}
			mem, out = bytes.Buffer{}, file
		}
		if _, writeErr := out.Write(buf[:n]); writeErr != nil {
			err = writeErr
		}
		size += int64(n)
		lines += bytes.Count(buf[:n], newline)
		more = stopAt > 0 && lines > stopAt
	}
	c = &content{at: bytes.NewReader(mem.Bytes()), size: size, close: func() {}}
	if file != nil {
		c.at, c.close = file, func() { file.Close() }
	}
	if err == io.EOF {
		err = nil
	}
	if err != nil {
		c.close()
	}
	return c, more, err
}

// unnamedFile is a temporary file that is gone when it is closed.
func unnamedFile(head []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "agentbash-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	_, err = f.Write(head)
	return f, err
}
