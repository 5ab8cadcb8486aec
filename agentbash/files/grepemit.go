package files

import (
	"bytes"
	"errors"
	"io"
)

// searchLines searches the whole lines of the buffer up to a place.
func (w *worker) searchLines(end int) {
	base := w.done
	w.scanner.Reset(w.buf[base:end])
	for from := 0; !w.full; {
		start, stop, ok := w.scanner.Next(from)
		if !ok {
			break
		}
		w.takeMatch(base+start, base+stop)
		if w.q.wantsOne() {
			break
		}
		from = stop + 1
	}
	w.printTrailing(end)
	w.done = end
}

// takeMatch takes a matching line; its place does not include the newline.
func (w *worker) takeMatch(start, end int) {
	w.lines += w.q.matchesIn(w.buf[start:end])
	w.taken++
	w.full = w.taken == w.q.most
	if w.q.mode != modeContent || w.quiet || w.out.full.Load() {
		return
	}
	w.printTrailing(start)
	if w.keepsNoMore() {
		return
	}
	from := w.linesBefore(start, w.q.before, max(w.printed, 0))
	gap := from != w.printed || w.kept == 0
	text := w.startRecord(gap)
	number := w.numberAt(from)
	for at := from; at < start; number++ {
		next := lineEnd(w.buf[:start], at)
		text = w.form.append(text, number, w.buf[at:next], false)
		at = next + 1
	}
	w.printMatch(text, number, w.buf[start:end], gap)
	w.printed, w.todo = end+1, w.q.after
}

// matchesIn is what a matching line counts for.
func (q *query) matchesIn(line []byte) int {
	if !q.form.only && !q.form.each || q.wantsOne() || q.mode == modeCount && q.form.each {
		return 1
	}
	return len(q.matcher.Matches(line, -1))
}

// keepsNoMore reports whether the file has as many records as can be printed.
func (w *worker) keepsNoMore() bool {
	keep := w.out.recordLimit()
	return keep > 0 && w.kept >= keep
}

// printMatch appends a matching line, or each match in it, to a text that starts a record.
func (w *worker) printMatch(text []byte, number int, line []byte, gap bool) {
	if !w.form.only && !w.form.each {
		w.kept++
		w.endRecord(w.form.append(text, number, line, true), gap)
		return
	}
	matches := w.q.matcher.Matches(line, -1)
	if w.form.only {
		w.printPieces(number, line, matches)
		return
	}
	w.printEach(number, line, matches)
}

// printEach prints a line once for each match in it.
func (w *worker) printEach(number int, line []byte, matches [][]int) {
	for _, m := range matches {
		if w.keepsNoMore() {
			return
		}
		w.kept++
		w.endRecord(w.form.appendText(w.startRecord(false), ':', number, m[0], line, m[0]), false)
	}
}

// printPieces prints matches in a text that starts with a line of that number. Those
// that span lines are so many lines.
func (w *worker) printPieces(number int, text []byte, matches [][]int) {
	counted := 0
	for _, m := range matches {
		number += bytes.Count(text[counted:m[0]], newline)
		counted = m[0]
		offset := m[0] - (bytes.LastIndexByte(text[:m[0]], '\n') + 1)
		out := w.startRecord(true)
		for i, line := range bytes.Split(w.form.piece(text, m), newline) {
			out = w.form.appendText(out, ':', number+i, offset, w.q.matcher.WithoutCR(line), 0)
			offset = 0
		}
		if w.keepsNoMore() {
			return
		}
		w.kept++
		w.endRecord(out, true)
	}
}

// printTrailing prints the lines after the last match, up to a place, while some are still to be printed.
func (w *worker) printTrailing(limit int) {
	if w.todo == 0 || w.printed < 0 {
		return
	}
	text := w.found.text
	for w.todo > 0 && w.printed < limit {
		end := lineEnd(w.buf[:limit], w.printed)
		text = w.form.append(text, w.numberAt(w.printed), w.buf[w.printed:end], false)
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
	if nul := bytes.IndexByte(w.buf[w.done:w.n], 0); nul >= 0 && !w.q.text {
		if w.quiet = w.explicit; !w.explicit {
			w.n = bytes.LastIndexByte(w.buf[w.done:w.done+nul], '\n') + 1 + w.done
			w.out.turnsBinary(w.form.path, countLines(w.buf[:w.n])+1)
		}
	}
	matches := w.q.matcher.Matches(w.buf[w.done:w.n], -1)
	shiftMatches(matches, w.done)
	w.takeSpans(matches)
	w.printTrailing(w.n)
	return nil
}

// shiftMatches moves the places of matches; those of groups that are not there are below 0.
func shiftMatches(matches [][]int, by int) {
	for _, m := range matches {
		for i := range m {
			if m[i] >= 0 {
				m[i] += by
			}
		}
	}
}

// takeSpans takes the lines that matches touch, or those that none does.
func (w *worker) takeSpans(matches [][]int) {
	buf, next := w.buf[:w.n], w.done
	for i := 0; i < len(matches) && !w.full; {
		first, last, n := w.linesOf(matches, i)
		if first == len(buf) && first > w.done { // behind the last line
			break
		}
		if w.q.call.Bool("invert") {
			w.takeLines(next, first)
		} else if w.form.only || w.form.each || w.form.replaces {
			w.takeWhole(first, last, matches[i:i+n])
		} else {
			w.takeLines(first, last)
		}
		next = last
		i += n
	}
	if w.q.call.Bool("invert") {
		w.takeLines(next, len(buf))
	}
}

// linesOf are the whole lines that a match touches, and how many matches touch them or
// lines that these touch.
func (w *worker) linesOf(matches [][]int, i int) (first, last, n int) {
	buf := w.buf[:w.n]
	first = bytes.LastIndexByte(buf[:matches[i][0]], '\n') + 1
	for last = -1; i+n < len(matches) && matches[i+n][0] < max(last, matches[i][0]+1); n++ {
		end := matches[i+n][1]
		if end > matches[i+n][0] && buf[end-1] == '\n' {
			end-- // the end of its last line, not the start of the next
		}
		last = min(lineEnd(buf, end)+1, len(buf))
	}
	return max(first, w.done), last, n
}

// takeLines takes matching lines.
func (w *worker) takeLines(from, to int) {
	for from < to && !w.full && !(w.q.wantsOne() && w.lines > 0) {
		end := lineEnd(w.buf[:to], from)
		w.takeMatch(from, end)
		from = end + 1
	}
}

// takeWhole takes the lines that matches touch, for what they are replaced with or for the matches alone.
func (w *worker) takeWhole(from, to int, matches [][]int) {
	text, number := w.buf[from:to], w.numberAt(from)
	shiftMatches(matches, -from)
	w.lines++
	if w.form.only || w.form.each {
		w.lines += len(matches) - 1
	}
	w.taken++
	w.full = w.taken == w.q.most
	switch {
	case w.q.mode != modeContent || w.quiet || w.out.full.Load() || w.keepsNoMore():
	case w.form.only:
		w.printPieces(number, text, matches)
	case w.form.each:
		for _, m := range matches {
			start := bytes.LastIndexByte(text[:m[0]], '\n') + 1
			w.printEach(number+bytes.Count(text[:start], newline), text[start:lineEnd(text, m[0])], [][]int{{m[0] - start}})
		}
	default:
		out := w.startRecord(true)
		for i, line := range bytes.Split(bytes.TrimSuffix(w.form.replaced(text, matches), newline), newline) {
			out = w.form.appendText(out, ':', number+i, matches[0][0], line, 0)
		}
		w.kept++
		w.endRecord(out, true)
	}
}
