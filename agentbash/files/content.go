package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
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

const (
	// printLimit is the size in bytes up to which a content's fingerprint is taken
	// in passing; of a bigger file its stat has to tell whether it changed.
	printLimit = 256 << 20

	scanAtOnce = 16   // chunks that a worker takes
	scanRound  = 1024 // chunks after which it is looked whether that was enough
)

var newline = []byte{'\n'}

// buildIndex builds the index. When stopAt is above 0 it stops once that many lines were passed.
func (c *content) buildIndex(ctx context.Context, stopAt int) error {
	chunks := make([]scanChunk, (c.size+chunkSize-1)/chunkSize)
	round := len(chunks)
	if stopAt > 0 {
		round = scanRound
	}
	x, print := lineIndex{whole: true}, newFingerprint()
	for first, lines := 0, 0; first < len(chunks) && x.whole; first += round {
		part := chunks[first:min(first+round, len(chunks))]
		if err := c.scanChunks(ctx, first, part); err != nil {
			return err
		}
		for _, one := range part {
			if one.n == 0 {
				break // the file is shorter than its size said
			}
			lines += one.newlines
			x.newlines = append(x.newlines, one.newlines)
			x.scanned += int64(one.n)
			x.open = one.last != '\n'
			print.add(one.print)
		}
		x.whole = stopAt == 0 || lines < stopAt || first+round >= len(chunks)
	}
	x.print = print.h.Sum64()
	c.index = x
	return nil
}

// scanChunks looks at chunks, with one goroutine per processor; first is the number of the first.
func (c *content) scanChunks(ctx context.Context, first int, chunks []scanChunk) error {
	workers := min(runtime.GOMAXPROCS(0), max((len(chunks)+scanAtOnce-1)/scanAtOnce, 1))
	errs := make([]error, workers)
	var next atomic.Int64
	var goroutines panicgroup.Group
	for w := range workers {
		goroutines.Go(func() {
			buf := make([]byte, max(min(c.size, scanAtOnce*chunkSize), 1))
			for errs[w] = ctx.Err(); errs[w] == nil; errs[w] = ctx.Err() {
				at := int(next.Add(scanAtOnce) - scanAtOnce)
				if at >= len(chunks) {
					return
				}
				off := int64(first+at) * chunkSize
				n, err := c.at.ReadAt(buf[:min(int64(len(buf)), c.size-off)], off)
				if err != nil && err != io.EOF {
					errs[w] = err
					return
				}
				for i := 0; i*chunkSize < n; i++ {
					chunks[at+i] = c.scanChunk(buf[i*chunkSize : min(n, (i+1)*chunkSize)])
				}
			}
		}, nil)
	}
	goroutines.Wait()
	return errors.Join(errs...)
}

func (c *content) scanChunk(b []byte) scanChunk {
	s := scanChunk{newlines: bytes.Count(b, newline), n: len(b), last: b[len(b)-1]}
	if c.size <= printLimit {
		s.print = chunkPrint(b)
	}
	return s
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
