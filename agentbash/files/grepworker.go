package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/agentbash/agentbash/agentbash/internal/search"
	"github.com/agentbash/agentbash/agentbash/internal/walk"
	"golang.org/x/sys/unix"
)

const (
	grepBuffer = 256 << 10 // bytes that are searched at once
	longLine   = 32 << 20  // bytes after which a line is searched in pieces
)

// workers are the workers of one search, made when they are first needed.
type workers struct {
	ctx context.Context
	q   *query
	out *report

	mu   sync.Mutex
	list map[int]*worker
}

func newWorkers(ctx context.Context, q *query, out *report) *workers {
	return &workers{ctx: ctx, q: q, out: out, list: map[int]*worker{}}
}

func (w *workers) at(i int) *worker {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list[i] == nil {
		w.list[i] = &worker{workers: w, explicit: w.q.binary, scanner: w.q.matcher.NewScanner(), buf: make([]byte, grepBuffer)}
	}
	return w.list[i]
}

// worker searches one file after another with the same memory.
type worker struct {
	*workers
	scanner  *search.Scanner
	buf      []byte
	found    *findings
	explicit bool // the file was named: it is searched even if it is binary
	alone    bool // nothing else is searched
	live     bool // it comes through a pipe: what was found is printed before more is read
	stopped  bool // nobody reads what is printed
	full     bool // as many lines matched as are wanted of a file

	form  lineForm
	guess string // the encoding that this file is taken for; "": nothing has to be said
	raw   bool   // it is searched as it is all the same
	quiet bool   // matching lines of this file are counted, not printed
	lines int    // matching lines of this file, or matches where those are counted
	taken int    // matching lines
	kept  int    // its records

	n       int // end of what is in buf
	done    int // up to where buf was searched
	counted int // a place at the start of a line
	number  int // of that line
	printed int // end of the last line that was printed; below 0: no longer in buf
	todo    int // lines of context still to print
}

// searchBatch searches some files of a directory.
func (w *worker) searchBatch(b *walk.Batch) *findings {
	w.found = w.out.newFindings()
	prefix := shownDir(w.q.call, b.Dir.Path)
	for _, e := range b.Entries {
		if w.ctx.Err() != nil {
			break
		}
		fd, err := b.Dir.Open(e.Name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NOCTTY)
		if err == nil {
			if err = w.q.gate.mayRead(fd); err == nil {
				err = w.searchEntry(fd, b.Dir.Path+"/"+e.Name, prefix+e.Name)
			}
			unix.Close(fd)
		}
		if denied := (*Denied)(nil); errors.As(err, &denied) {
			w.out.leftOut()
		} else if err != nil {
			w.out.noteFailure(b.Dir.Path+"/"+e.Name, err)
		}
	}
	return w.found
}

// searchEntry searches an open file of a directory.
func (w *worker) searchEntry(fd int, path, shown string) error {
	var st unix.Stat_t
	if w.q.largest >= 0 && unix.Fstat(fd, &st) == nil && st.Size > w.q.largest {
		return nil
	}
	before := w.found.matches
	err := w.searchFile(fd, shown)
	if err == nil && w.out.collect && w.found.matches > before {
		unix.Fstat(fd, &st)
		w.found.matched = append(w.found.matched, hitFile{path, st.Mtim.Nano()})
	}
	return err
}

// searchFile searches one open file.
func (w *worker) searchFile(fd int, shown string) error {
	w.form = w.q.form
	w.form.path = shown
	n, whole, err := readAtLeast(fdReader{fd}, w.buf, len(w.buf))
	if err != nil {
		return err
	}
	w.found.searched++
	return w.searchContent(w.buf[:n], whole, fdReader{fd})
}

// searchContent searches what starts with head, which is in the worker's buffer, and
// goes on in rest, unless head is all.
func (w *worker) searchContent(head []byte, whole bool, rest io.Reader) error {
	w.lines, w.taken, w.kept, w.quiet, w.full = 0, 0, 0, false, w.q.most == 0
	head, whole, rest, err := w.unpack(head, whole, rest)
	if err == nil {
		head, whole, rest, err = w.asUTF8(head, whole, rest)
	}
	if err != nil {
		return err
	}
	binary := !w.q.text && bytes.IndexByte(head[:min(len(head), binaryHead)], 0) >= 0
	if binary && !w.explicit {
		w.found.binary++
		w.found.searched--
		return nil
	}
	w.quiet = binary
	w.n, w.done, w.counted, w.number, w.printed, w.todo = len(head), 0, 0, 1, 0, 0
	if bytes.HasPrefix(head, utf8BOM) {
		w.done, w.counted, w.printed = len(utf8BOM), len(utf8BOM), len(utf8BOM)
	}
	if !w.full {
		err = w.searchRest(whole, rest)
	}
	w.countFile()
	w.noteEncoding()
	return err
}

// searchRest searches a content whose start is in the buffer, in the way that suits it.
func (w *worker) searchRest(whole bool, rest io.Reader) error {
	if w.q.multi {
		return w.multiline(whole, rest)
	}
	if f, ok := rest.(fdReader); ok && !whole && !w.q.hasContext() && w.q.most < 0 {
		var st unix.Stat_t
		if unix.Fstat(f.fd, &st) == nil && st.Size >= bigFile {
			return w.inBlocks(f.fd, st.Size)
		}
	}
	return w.searchStream(whole, rest)
}

// binaryHead is how far a NUL byte makes a file binary, in bytes; one that comes later ends the search.
const binaryHead = 64 << 10

func (w *worker) shownName() string { return cmp.Or(w.form.path, "(standard input)") }

// countFile counts the file.
func (w *worker) countFile() {
	label := w.form.path + ":"
	if w.q.form.pathEnd == "\x00" {
		label = w.form.path + "\x00"
	}
	if w.form.noPath {
		label = ""
	}
	listed := (w.lines > 0) != (w.q.mode == modeWithout)
	if !listed {
		if w.q.mode == modeCount && (w.live || w.q.zero) {
			w.endRecord(fmt.Appendf(w.found.text, "%s0\n", label), false)
		}
		return
	}
	before := w.found.matches
	w.found.files++
	switch w.q.mode {
	case modeContent:
		w.found.matches += w.lines
	case modeCount:
		w.found.matches++
		w.endRecord(fmt.Appendf(w.found.text, "%s%d\n", label, w.lines), false)
	case modeQuiet:
		w.found.matches++
	default:
		w.found.matches++
		w.endRecord(append(w.found.text, w.shownName()+w.form.pathEnd...), false)
	}
	if !w.q.printsAll() {
		w.found.dirs = append(w.found.dirs, dirHits{filepath.Dir(w.form.path), w.found.matches - before})
	}
	if hidden := w.lines - w.kept; w.quiet && w.q.mode == modeContent && hidden > 0 {
		w.found.hidden += hidden
		fmt.Fprintf(w.q.call.Stderr, "%s is binary: %s not shown (--text shows them)\n", w.shownName(), countNoun(hidden, "matching line"))
	}
}

// endRecord ends a record with what was appended to the text.
func (w *worker) endRecord(text []byte, gap bool) {
	f := w.found
	f.text = text
	if !w.q.printsAll() {
		f.hits = append(f.hits, hit{len(text), gap})
		return
	}
	f.bulk++
	if len(text) < spillSize {
		return
	}
	if w.alone { // nothing else waits to be printed: it need not wait either
		w.printFound()
	} else if err := f.spillText(); err != nil {
		w.out.noteFailure(w.form.path, err)
	}
}

// printFound prints what was found so far.
func (w *worker) printFound() {
	w.stopped = !w.out.printFindings(w.found)
	w.found = w.out.newFindings()
	w.found.more = true
}

// startRecord appends to the text what stands before a record.
func (w *worker) startRecord(gap bool) []byte {
	if gap && (w.found.bulk > 0 || w.found.more) && w.q.hasContext() {
		return append(w.found.text, gapLine...)
	}
	return w.found.text
}

// searchStream searches buffer by buffer; a line that the end of a buffer cuts goes to the next.
func (w *worker) searchStream(whole bool, rest io.Reader) error {
	for {
		var err error
		if end := w.lineEnd(whole); end > w.done || whole {
			whole = w.searchUpTo(end) || whole
			if whole || w.stopped || w.full && w.todo == 0 || w.q.wantsOne() && w.lines > 0 || w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			if w.live && (w.q.printsAll() || !w.q.hasContext()) && len(w.found.text) > 0 {
				w.printFound()
				w.stopped = w.stopped || w.out.flush() != nil
			}
			w.rollBuffer()
		}
		if whole, err = w.fillBuffer(rest); err != nil {
			return err
		}
	}
}

// lineEnd is the end of the whole lines in the buffer, the start of what was not searched if there is none. What is
// too long is a line.
func (w *worker) lineEnd(whole bool) int {
	if whole {
		return w.n
	}
	end := bytes.LastIndexByte(w.buf[w.done:w.n], '\n') + 1 + w.done
	if end == w.done && w.n-w.done >= longLine {
		w.out.noteCut(w.form.path, fmt.Sprintf("line %d is longer than %d MiB: it was searched in pieces", w.numberAt(w.done), longLine>>20))
		end = w.n
	}
	return end
}

// searchUpTo searches the whole lines of the buffer up to a place; it reports whether
// that is all there is to search, since a NUL byte stands there. In a file that was
// named the lines from there on are counted only.
func (w *worker) searchUpTo(end int) (all bool) {
	nul := -1
	if !w.q.text && !w.quiet {
		nul = bytes.IndexByte(w.buf[w.done:end], 0)
	}
	if nul < 0 {
		w.searchLines(end)
		return false
	}
	before := bytes.LastIndexByte(w.buf[w.done:w.done+nul], '\n') + 1 + w.done
	w.searchLines(before)
	if !w.explicit {
		w.out.turnsBinary(w.form.path, w.numberAt(before))
		return true
	}
	w.quiet = true
	w.searchLines(end)
	return false
}

// fillBuffer reads until the buffer is full, a bigger one if it is full already, and
// reports whether the content ended.
func (w *worker) fillBuffer(rest io.Reader) (bool, error) {
	if w.n == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	n, whole, err := readAtLeast(rest, w.buf[w.n:], w.least(len(w.buf)-w.n))
	w.n += n
	return whole, err
}

// least is how many of so many bytes are waited for.
func (w *worker) least(most int) int {
	if w.live {
		return 1
	}
	return most
}

// rollBuffer drops from the buffer what was searched, except lines that can be
// context of the next match.
func (w *worker) rollBuffer() {
	keep := w.linesBefore(w.done, w.q.before, max(w.printed, 0))
	w.number = w.numberAt(keep)
	w.n = copy(w.buf, w.buf[keep:w.n])
	w.done -= keep
	w.printed -= keep
	w.counted = 0
}

// numberAt is the number of the line that starts at a place at or after the one counted last.
func (w *worker) numberAt(at int) int {
	w.number += bytes.Count(w.buf[w.counted:at], newline)
	w.counted = at
	return w.number
}

// linesBefore is the start of the nth line before the one at a place, but not before a limit.
func (w *worker) linesBefore(at, n, limit int) int {
	for ; n > 0 && at > limit; n-- {
		at = bytes.LastIndexByte(w.buf[limit:at-1], '\n') + 1 + limit
	}
	return at
}
