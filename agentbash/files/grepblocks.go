package files

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/agentbash/agentbash/agentbash/internal/panicgroup"
	"github.com/agentbash/agentbash/agentbash/internal/search"
)

const (
	blockSize  = 512 << 10 // a piece of a big file that one goroutine searches: its copy stays in the cache
	blockMost  = 2 << 30   // and at most
	blockSlack = 64 << 10  // what is looked at behind it for the end of its last line
	bigFile    = 8 << 20   // the size from which a file is searched in blocks
)

// block is what one piece of a big file came to: the lines that start in it.
type block struct {
	index    int64
	counted  bool // newlines and nul are known
	newlines int  // in the piece itself
	nul      bool // a NUL byte stands in it
	cut      bool // its last line goes on behind what was looked at
	lines    int  // matching
	hits     []blockHit
	text     []byte // the matching lines, one after another
	err      error
}

// blockHit is a matching line.
type blockHit struct {
	before int // newlines between the start of the piece and the line
	end    int // of its text
}

// blocks searches one big file with several goroutines. Lines are counted from
// the first block on that holds a match; what is before it only if there is one.
type blocks struct {
	w        *worker
	fd       int
	size     int64
	stop     atomic.Bool // the rest does not matter
	counting atomic.Bool
	next     atomic.Int64
	ahead    chan struct{} // a token for each block that is not merged yet
	done     chan *block

	spare     sync.Pool // blocks that were merged
	number    int       // of the first line of the block that is merged next
	uncounted []*block  // merged, and not part of number
}

// inBlocks searches an open file of a size and merges the blocks in order.
func (w *worker) inBlocks(fd int, size int64) error {
	n := runtime.GOMAXPROCS(0)
	b := &blocks{w: w, fd: fd, size: size, number: 1, ahead: make(chan struct{}, 2*n), done: make(chan *block, 2*n)}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	var c panicgroup.Group
	running := atomic.Int64{}
	running.Store(int64(n))
	for range n {
		c.Go(func() {
			defer func() {
				if running.Add(-1) == 0 {
					close(b.done)
				}
			}()
			b.run(ctx)
		}, cancel)
	}
	err := b.mergeAll(ctx)
	cancel()
	for range b.done { // what was still under way
	}
	c.Wait()
	if err == nil {
		err = w.ctx.Err()
	}
	return err
}

// run searches blocks until there are no more.
func (b *blocks) run(ctx context.Context) {
	s := b.w.q.matcher.NewScanner()
	m := &pieces{fd: b.fd}
	for !b.stop.Load() {
		select {
		case b.ahead <- struct{}{}:
		case <-ctx.Done():
			return
		}
		i := b.next.Add(1) - 1
		if i*blockSize >= b.size {
			return
		}
		b.done <- b.searchBlock(s, m, i)
	}
}

// mergeAll takes the blocks in order.
func (b *blocks) mergeAll(ctx context.Context) error {
	waiting := map[int64]*block{}
	next := int64(0)
	for d := range b.done {
		waiting[d.index] = d
		for waiting[next] != nil {
			one := waiting[next]
			delete(waiting, next)
			next++
			<-b.ahead
			if b.stop.Load() {
				continue
			}
			if err := b.mergeBlock(ctx, one); err != nil {
				b.stop.Store(true)
				return err
			}
		}
	}
	return nil
}

// mergeBlock prints a block's lines.
func (b *blocks) mergeBlock(ctx context.Context, one *block) error {
	if one.err == io.EOF { // the file became shorter
		b.stop.Store(true)
		return nil
	}
	if one.err != nil {
		return one.err
	}
	if one.lines > 0 {
		if err := b.countBefore(ctx); err != nil || b.stop.Load() {
			return err
		}
	}
	if !one.counted {
		b.uncounted = append(b.uncounted, one)
		return nil
	}
	b.w.takeBlock(one, b.number)
	b.addCounted(one)
	b.spare.Put(one)
	if b.w.q.wantsOne() && b.w.lines > 0 {
		b.stop.Store(true)
	}
	return nil
}

// addCounted adds a counted block to number, and stops the search where it turns
// binary. In a file that was named what follows is counted only.
func (b *blocks) addCounted(one *block) {
	b.number += one.newlines
	if !one.nul {
		return
	}
	b.w.quiet = true
	if !b.w.explicit {
		b.w.out.turnsBinary(b.w.form.path, b.number)
		b.stop.Store(true)
	}
}

// countBefore counts the lines of the blocks that were merged without.
func (b *blocks) countBefore(ctx context.Context) error {
	list := b.uncounted
	b.uncounted = nil
	var next atomic.Int64
	var c panicgroup.Group
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		c.Go(func() {
			m := &pieces{fd: b.fd}
			for i := next.Add(1) - 1; int(i) < len(list) && ctx.Err() == nil; i = next.Add(1) - 1 {
				b.countLines(m, list[i])
			}
		}, nil)
	}
	c.Wait()
	for _, one := range list {
		if one.err == io.EOF {
			b.stop.Store(true)
		} else if one.err != nil {
			return one.err
		}
		if !b.stop.Load() {
			b.addCounted(one)
		}
	}
	return ctx.Err()
}

// countLines counts a block's lines, up to a NUL byte.
func (b *blocks) countLines(m *pieces, one *block) {
	off := one.index * blockSize
	one.err = m.view(off, int(min(blockSize, b.size-off)), func(data []byte) {
		one.newlines, one.nul = bytes.Count(data, newline), bytes.IndexByte(data, 0) >= 0
		if one.nul = one.nul && !b.w.q.text; one.nul && !b.w.explicit {
			one.newlines = bytes.Count(data[:bytes.IndexByte(data, 0)], newline)
		}
	})
}

// takeBlock adds a block's lines to the worker's findings; number is that of the block's first line.
func (w *worker) takeBlock(one *block, number int) {
	w.lines += one.lines
	start := 0
	for _, h := range one.hits {
		if w.quiet || w.keepsNoMore() || w.out.full.Load() {
			return
		}
		w.printMatch(w.startRecord(true), number+h.before, one.text[start:h.end], true)
		start = h.end
	}
}

// searchBlock searches the lines that start in a block.
func (b *blocks) searchBlock(s *search.Scanner, m *pieces, index int64) *block {
	off := index * blockSize
	count := b.counting.Load()
	var out *block
	for slack := int64(blockSlack); ; {
		from := max(off-1, 0)
		to := min(off+blockSize+slack, b.size)
		whole := true
		err := m.view(from, int(to-from), func(data []byte) {
			out = b.newBlock(out)
			out.index, out.counted = index, count
			last := to == b.size || slack >= blockMost
			if whole = b.searchLines(s, out, data, int(off-from), last); whole && out.cut && to < b.size {
				b.w.out.noteCut(b.w.form.path, "a line is longer than 2 GiB: it was searched up to there")
			}
		})
		switch {
		case err != nil:
			return &block{index: index, err: err}
		case !whole:
			slack *= 8
		case out.lines > 0 && !count:
			b.counting.Store(true)
			count = true // once more, then
		default:
			return out
		}
	}
}

// newBlock returns an empty block with the memory of an old one, if there is one.
func (b *blocks) newBlock(old *block) *block {
	if old == nil {
		old, _ = b.spare.Get().(*block)
	}
	if old == nil {
		return &block{}
	}
	return &block{hits: old.hits[:0], text: old.text[:0]}
}

// searchLines searches the lines that start in data[start:start+blockSize]; it
// returns false when the last of them goes beyond data, and more would follow.
func (b *blocks) searchLines(s *search.Scanner, out *block, data []byte, start int, last bool) bool {
	limit := min(start+blockSize, len(data))
	first := start
	if start > 0 {
		first = start + bytes.IndexByte(data[start-1:limit], '\n')
		if first < start { // no line starts here
			return true
		}
	}
	end := len(data)
	if first < limit {
		i := bytes.IndexByte(data[limit-1:], '\n')
		if out.cut = i < 0; out.cut && !last {
			return false
		}
		if i >= 0 {
			end = limit + i
		}
	} else {
		end = first
	}
	if out.counted {
		out.newlines = bytes.Count(data[start:first], newline)
	}
	if off := len(utf8BOM); start == 0 && bytes.HasPrefix(data, utf8BOM) {
		first = off
	}
	if first < end && !b.searchPart(s, out, data[first:end]) {
		return true
	}
	if end > limit && out.counted {
		out.newlines -= bytes.Count(data[limit:end], newline)
	}
	return true
}

// searchPart searches whole lines; it reports whether the search goes on.
func (b *blocks) searchPart(s *search.Scanner, out *block, data []byte) bool {
	newlines, nul, hidden := 0, -1, len(data)
	if out.counted {
		newlines = bytes.Count(data, newline)
		if !b.w.q.text {
			nul = bytes.IndexByte(data, 0)
		}
	}
	if out.nul {
		hidden = 0
	} else if nul >= 0 {
		hidden, out.nul = bytes.LastIndexByte(data[:nul], '\n')+1, true
		if !b.w.explicit {
			data = data[:hidden]
			newlines = bytes.Count(data, newline)
		}
	}
	counted, number := 0, out.newlines
	s.Reset(data)
	for from := 0; ; {
		start, end, ok := s.Next(from)
		if !ok {
			break
		}
		out.lines += b.w.q.matchesIn(data[start:end])
		if b.w.q.wantsOne() || !out.counted {
			return false
		}
		if keep := b.w.out.recordLimit(); b.w.q.mode == modeContent && start < hidden && !b.w.out.full.Load() && (keep == 0 || len(out.hits) < keep) {
			number += bytes.Count(data[counted:start], newline)
			counted = start
			out.text = append(out.text, data[start:end]...)
			out.hits = append(out.hits, blockHit{number, len(out.text)})
		}
		from = end + 1
	}
	out.newlines += newlines
	return !out.nul || b.w.explicit
}
