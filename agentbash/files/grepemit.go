package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// searchLines searches the whole lines of the buffer up to a place.
func (w *worker) searchLines(end int) {
	base := w.done
	w.scanner.Reset(w.buf[base:end])
	for from := 0; ; {
		start, stop, ok := w.scanner.Next(from)
		if !ok {
			break
		}
		w.takeMatch(base+start, base+stop)
		if w.q.mode == "files" {
			break
		}
		from = stop + 1
	}
	w.printTrailing(end)
	w.done = end
}

// takeMatch takes a matching line; its place does not include the newline.
func (w *worker) takeMatch(start, end int) {
	w.lines++
	if w.q.mode != "content" || w.quiet || w.out.full.Load() {
		return
	}
	w.printTrailing(start)
	if keep := w.out.recordLimit(); keep > 0 && w.kept == keep {
		return
	}
	w.kept++
	from := w.linesBefore(start, w.q.before, max(w.printed, 0))
	gap := from != w.printed || w.kept == 1
	text := w.startRecord(gap)
	number := w.numberAt(from)
	for at := from; at < start; number++ {
		next := lineEnd(w.buf[:start], at)
		text = w.form.append(text, number, w.buf[at:next], false, nil)
		at = next + 1
	}
	text = w.form.append(text, number, w.buf[start:end], true, w.q.matcher.Find)
	w.endRecord(text, gap)
	w.printed, w.todo = end+1, w.q.after
}

// printTrailing prints the lines after the last match, up to a place, while some are still to be printed.
func (w *worker) printTrailing(limit int) {
	if w.todo == 0 || w.printed < 0 {
		return
	}
	text := w.found.text
	for w.todo > 0 && w.printed < limit {
		end := lineEnd(w.buf[:limit], w.printed)
		text = w.form.append(text, w.numberAt(w.printed), w.buf[w.printed:end], false, nil)
		w.printed = end + 1
		w.todo--
	}
	w.found.text = text
	if n := len(w.found.hits); n > 0 {
		w.found.hits[n-1].end = len(text)
	}
}

func lineEnd(buf []byte, at int) int {
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(buf)
}

// multilineLimit is the size in bytes of the biggest file that is searched across lines.
const multilineLimit = 512 << 20

// multiline searches a whole content for matches that may span lines; every
// line that a match touches counts as matching.
func (w *worker) multiline(whole bool, rest io.Reader) error {
	for !whole {
		var err error
		if whole, err = w.fillBuffer(rest); err != nil {
			return err
		}
		if w.n > multilineLimit {
			return errors.New("too big to be searched with --multiline")
		}
	}
	if nul := bytes.IndexByte(w.buf[w.done:w.n], 0); nul >= 0 && !w.explicit {
		w.n = bytes.LastIndexByte(w.buf[w.done:w.done+nul], '\n') + 1 + w.done
		w.out.turnsBinary(w.form.path, countLines(w.buf[:w.n])+1)
	}
	buf := w.buf[:w.n]
	next := w.done
	for _, span := range w.q.matcher.Spans(buf[w.done:]) {
		from, to := span[0]+w.done, span[1]+w.done
		if from == len(buf) && from > 0 && buf[from-1] == '\n' {
			break // behind the last line
		}
		if to > from && buf[to-1] == '\n' {
			to-- // the end of its last line, not the start of the next
		}
		for at := max(bytes.LastIndexByte(buf[:from], '\n')+1, next); at <= to && at < len(buf); at = next {
			end := lineEnd(buf, at)
			w.takeMatch(at, end)
			next = end + 1
		}
	}
	w.printTrailing(w.n)
	return nil
}

// searchStream searches what comes through a pipe, and prints it as grep(1) prints
// its stdin: nothing but the lines, all of them and whole, as soon as they have come.
// What the call says of that counts.
func (q *query) searchStream(ctx context.Context, in io.Reader, out *report) error {
	q.piped = true
	q.numbers = q.numbers && q.call.Has("show_line_numbers")
	if !q.call.Has("head_limit") {
		q.limit = 0
	}
	if !q.call.Has("max_columns") {
		q.columns = 0
	}
	w := newWorkers(ctx, q, out).at(0)
	w.found, w.explicit, w.alone, w.live = &findings{}, true, true, true
	w.form = lineForm{numbers: q.numbers, columns: q.columns}
	n, err := io.ReadAtLeast(in, w.buf, len(utf8BOM))
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("stdin: %w", err)
	}
	if n == 0 {
		fmt.Fprintln(q.call.Stderr, "stdin is empty: --path . searches the files below this directory")
	}
	w.found.searched++
	if err := w.searchContent(w.buf[:n], err != nil, in); err != nil {
		return err
	}
	out.printFindings(w.found)
	return nil
}
