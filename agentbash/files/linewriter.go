package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/agentbash/agentbash/agentbash/internal/charset"
)

// lineWriter writes a window of lines to out, each cut and numbered as asked.
// It takes the content in pieces of any size and keeps no more than one cut
// line in memory.
type lineWriter struct {
	out      *bufio.Writer
	number   int // of the line that comes next, or that is being written
	width    int // of a line number; 0 writes none
	left     int // lines still to write; negative: all
	columns  int // characters of a line that are kept; 0: all
	maxBytes int // bytes of output; 0: any number

	written   int    // bytes of output
	line      []byte // what was kept of the line being written, when columns is set
	runes     int    // characters seen of it
	inLine    bool
	cut       int // lines that were cut
	firstCut  int
	invalid   int    // the first line that is not UTF-8; 0: none
	looksLike string // the encoding that line may be in
	stopped   bool
	midLine   bool // stopped within the line
	lastWhole int  // the last line that was written to its end
}

func newLineWriter(out io.Writer) *lineWriter {
	return &lineWriter{out: bufio.NewWriterSize(out, 64<<10)}
}

// write takes the next piece and reports whether it wants more.
func (w *lineWriter) write(piece []byte) (bool, error) {
	for len(piece) > 0 && !w.stopped {
		if w.left == 0 {
			w.stopped = true
			break
		}
		end := bytes.IndexByte(piece, '\n')
		var err error
		if end < 0 {
			err = w.addPart(piece)
			piece = nil
		} else {
			if err = w.addPart(piece[:end]); err == nil {
				err = w.endLine("\n")
			}
			piece = piece[end+1:]
		}
		if err != nil {
			return false, err
		}
	}
	return !w.stopped, nil
}

// close ends the last line if it has no newline, and flushes.
func (w *lineWriter) close() error {
	if w.inLine && !w.stopped {
		if err := w.endLine(""); err != nil {
			return err
		}
	}
	return w.out.Flush()
}

// addPart takes a part of a line without its newline.
func (w *lineWriter) addPart(b []byte) error {
	if !w.inLine {
		w.inLine, w.line, w.runes = true, w.line[:0], 0
	}
	if w.columns == 0 && w.maxBytes == 0 {
		if err := w.writeNumber(); err != nil {
			return err
		}
		w.checkBytes(b)
		_, err := w.out.Write(b)
		return err
	}
	keep := w.usefulBytes()
	if room := keep - len(w.line); room > 0 {
		w.line = append(w.line, b[:min(room, len(b))]...)
	}
	w.runes += runeStarts(b)
	return nil
}

// usefulBytes is how many bytes of a line can be of use.
func (w *lineWriter) usefulBytes() int {
	keep := 1 << 30
	if w.columns > 0 {
		keep = w.columns*utf8.UTFMax + utf8.UTFMax
	}
	if w.maxBytes > 0 {
		keep = min(keep, w.maxBytes+utf8.UTFMax)
	}
	return keep
}

// writeNumber writes the line's number, once.
func (w *lineWriter) writeNumber() error {
	if w.runes < 0 {
		return nil
	}
	w.runes = -1
	_, err := w.out.WriteString(w.numberText())
	return err
}

// numberText is what stands before the line.
func (w *lineWriter) numberText() string {
	if w.width == 0 {
		return ""
	}
	return fmt.Sprintf("%*d| ", w.width, w.number)
}

// endLine writes what is left to write of a line.
func (w *lineWriter) endLine(ending string) error {
	if !w.inLine {
		if err := w.addPart(nil); err != nil {
			return err
		}
	}
	w.inLine = false
	if w.columns > 0 || w.maxBytes > 0 {
		if err := w.writeLine(ending); err != nil || w.stopped {
			return err
		}
	} else if _, err := w.out.WriteString(ending); err != nil {
		return err
	}
	w.lastWhole = w.number
	w.number++
	if w.left > 0 {
		w.left--
	}
	return nil
}

// writeLine writes the line that was gathered, within the limits.
func (w *lineWriter) writeLine(ending string) error {
	text := w.line
	// A \r that ends the line is no character of it.
	if w.columns > 0 && w.runes > w.columns && !(w.runes == w.columns+1 && bytes.HasSuffix(text, []byte{'\r'})) {
		text = firstRunes(text, w.columns)
		text = fmt.Appendf(text[:len(text):len(text)], "... [%s]", countNoun(w.runes-w.columns, "more character"))
		if w.cut++; w.cut == 1 {
			w.firstCut = w.number
		}
	}
	w.checkBytes(text)
	prefix := w.numberText()
	if w.maxBytes > 0 && w.written+len(prefix)+len(text)+len(ending) > w.maxBytes {
		w.stopped = true
		if w.written > 0 {
			return nil
		}
		w.midLine = true // not even one line fits: a part of it, then
		text = wholeRunes(text, max(w.maxBytes-len(prefix), 0))
		ending = ""
	}
	w.written += len(prefix) + len(text) + len(ending)
	w.out.WriteString(prefix)
	w.out.Write(text)
	_, err := w.out.WriteString(ending)
	return err
}

func (w *lineWriter) checkBytes(b []byte) {
	if w.invalid > 0 || charset.InvalidAt(b, true) < 0 {
		return
	}
	w.invalid, w.looksLike = w.number, "NAME"
	if e := charset.Detect(b, false).Best(); e != nil {
		w.looksLike = e.Name
	}
}

// runeStarts counts the characters that start in b; a byte that is no UTF-8 counts as one.
func runeStarts(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// firstRunes is the part of b that holds its first n characters.
func firstRunes(b []byte, n int) []byte {
	i := 0
	for ; n > 0 && i < len(b); n-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return b[:i]
}

// wholeRunes cuts b to n bytes at most, and not within a character.
func wholeRunes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}
