package files

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/agentbash/agentbash/agentbash/internal/search"
)

// findings is what the search of some files came to, ready to be printed.
type findings struct {
	tally
	text    []byte    // the records, one after another
	hits    []hit     // where they end; not kept when all of them are printed
	bulk    int       // then their number
	more    bool      // they go on where printed ones of the same content ended
	spilled *os.File  // the start of the text, when there is much of it
	matched []hitFile // files mode, when a later pass wants them
	dirs    []dirHits // matches by directory, while something may be left out
}

// dirHits are the matches in the files of a directory.
type dirHits struct {
	dir     string // as it is shown
	matches int
}

// spillSize is how many bytes of text wait in memory for their turn to be printed.
const spillSize = 4 << 20

// spillText moves the text to a temporary file.
func (f *findings) spillText() error {
	var err error
	if f.spilled == nil {
		f.spilled, err = unnamedFile(f.text)
	} else {
		_, err = f.spilled.Write(f.text)
	}
	f.text = f.text[:0]
	return err
}

// printAll writes the whole text.
func (f *findings) printAll(w io.Writer) error {
	if f.spilled != nil {
		defer f.spilled.Close()
		if _, err := f.spilled.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(w, f.spilled); err != nil {
			return err
		}
	}
	_, err := w.Write(f.text)
	return err
}

// tally counts what was searched and found.
type tally struct {
	searched int // files
	files    int // with a match
	matches  int // lines, or what stands for them in the output mode
	binary   int // files left out
	hidden   int // matches in binary files, which are not shown
	failed   int // files and directories that could not be read
}

func (t *tally) add(o *tally) {
	t.searched += o.searched
	t.files += o.files
	t.matches += o.matches
	t.binary += o.binary
	t.failed += o.failed
	t.hidden += o.hidden
}

// hit is one thing that counts against the limit: a matching line with its
// context, a path, a count.
type hit struct {
	end int
	gap bool // lines are missing between it and the one before
}

// hitFile is a file with a match.
type hitFile struct {
	path string
	time int64 // of its last change, in nanoseconds
}

// lineForm writes lines of one file.
type lineForm struct {
	matcher     *search.Matcher
	path        string
	pathEnd     string // where a path is all
	noPath      bool
	numbers     bool
	column      bool
	columns     int  // 0: whole lines
	only        bool // matches alone
	each        bool // a line for each match
	trim        bool
	replaces    bool
	replacement string
}

// append adds a line to out: path:N:text, or with dashes for context.
func (f *lineForm) append(out []byte, number int, line []byte, match bool) []byte {
	if !match {
		return f.appendText(out, '-', number, 0, line, 0)
	}
	at := 0
	if f.column || f.replaces || f.columns > 0 && len(line) > f.columns {
		if first := f.matcher.Matches(line, 1); first != nil {
			at = first[0][0]
		}
	}
	text := line
	if f.replaces {
		text = f.replaced(line, f.matcher.Matches(line, -1))
	}
	return f.appendText(out, ':', number, at, text, min(at, len(text)))
}

// replaced is a text with the replacement for each match.
func (f *lineForm) replaced(text []byte, matches [][]int) (out []byte) {
	from := 0
	for _, m := range matches {
		out = append(out, text[from:m[0]]...)
		out = f.matcher.Expand(out, f.replacement, text, m)
		from = m[1]
	}
	return append(out, text[from:]...)
}

// piece is what is printed for one match alone.
func (f *lineForm) piece(text []byte, match []int) []byte {
	if f.replaces {
		return f.matcher.Expand(nil, f.replacement, text, match)
	}
	return text[match[0]:match[1]]
}

// appendText adds a text that stands at an offset of its line; a cut leaves what is around at.
func (f *lineForm) appendText(out []byte, sep byte, number, offset int, text []byte, at int) []byte {
	if f.trim {
		whole := len(text)
		text = bytes.TrimLeft(text, " \t")
		at = max(at-(whole-len(text)), 0)
	}
	if !f.noPath && f.pathEnd == "\x00" {
		out = append(append(out, f.path...), 0)
	} else if !f.noPath {
		out = append(append(out, f.path...), sep)
	}
	if f.numbers {
		out = append(strconv.AppendInt(out, int64(number), 10), sep)
	}
	if f.column && sep == ':' {
		out = append(strconv.AppendInt(out, int64(offset)+1, 10), sep)
	}
	if f.columns > 0 && len(text) > f.columns && utf8.RuneCount(text) > f.columns {
		return append(f.cut(out, text, at), '\n')
	}
	out = append(out, text...)
	return append(out, '\n')
}

// cut appends the part of a long line around a place.
func (f *lineForm) cut(out, line []byte, at int) []byte {
	start := 0
	if runeStarts(line[:at]) >= f.columns*3/4 {
		start = charsBefore(line, at, f.columns/4)
	}
	text := firstRunes(line[start:], f.columns)
	if before := runeStarts(line[:start]); before > 0 {
		out = append(out, "["+countNoun(before, "character")+" more] ..."...)
	}
	out = append(out, bytes.TrimSuffix(text, []byte{'\r'})...)
	if after := runeStarts(line[start+len(text):]); after > 0 {
		out = append(out, "... ["+countNoun(after, "more character")+"]"...)
	}
	return out
}

// charsBefore is the offset n characters before at.
func charsBefore(b []byte, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:at])
		at -= size
	}
	return at
}
