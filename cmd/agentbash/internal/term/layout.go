package term

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// layouter breaks styled text into rows between words, as it comes. A word is
// held until it is known to be whole, so that it moves to the next row as one.
type layouter struct {
	palette palette
	width   func() int // of the terminal, asked for each word, since it changes

	b      strings.Builder // what is ready
	indent string          // what continuation rows start with
	col    int             // where the next character goes
	gap    int             // spaces before the word
	word   []byte          // with its styles
	wordW  int             // its columns
	long   bool            // it is longer than a row: the terminal breaks it, so that a URL can be copied
	now    style           // set last in b and word
	before style           // set last in b
}

// text adds words. It holds no newline.
func (l *layouter) text(s string, st style) {
	for s != "" {
		if s[0] == ' ' || s[0] == '\t' {
			l.endWord()
			l.style(st) // an underlined word is followed by a plain space
			l.flushStyle()
			l.gap++
			l.long = false
			s = s[1:]
			continue
		}
		cluster, w, wide := s[:1], 1, false
		if s[0] >= utf8.RuneSelf || len(s) > 1 && s[1] >= utf8.RuneSelf {
			cluster, _, w, _ = uniseg.FirstGraphemeClusterInString(s, -1)
			wide = w > 1
		} else if i := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }); i != 0 {
			if i < 0 {
				i = len(s)
			} else if s[i] >= utf8.RuneSelf {
				i-- // it may belong to the character before
			}
			cluster, w = s[:max(i, 1)], max(i, 1)
		}
		l.style(st)
		if wide {
			l.endWord() // Chinese and Japanese break anywhere
		}
		l.word = append(l.word, cluster...)
		l.wordW += w
		s = s[len(cluster):]
		if wide || l.wordW >= l.room() {
			l.endWord()
			l.long = !wide
		}
	}
}

// literal adds text that keeps its spaces and is broken by the terminal alone.
func (l *layouter) literal(s string, st style) {
	l.endWord()
	l.b.WriteString(strings.Repeat(" ", l.gap))
	l.col += l.gap
	l.gap = 0
	l.style(st)
	l.flushStyle()
	l.b.WriteString(s)
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			l.col += 8 - l.col%8
		}
		l.col += textColumns(part)
	}
	l.overflow()
}

// room is how many columns are filled: in the last one terminals differ.
func (l *layouter) room() int { return max(1, l.width()-1) }

// style switches where it differs.
func (l *layouter) style(st style) {
	if st != l.now {
		l.word = append(l.word, l.palette.seq(st)...)
		l.now = st
	}
}

func (l *layouter) flushStyle() {
	l.b.Write(l.word)
	l.word, l.wordW, l.before = l.word[:0], 0, l.now
}

// endWord places what is held of a word.
func (l *layouter) endWord() {
	if l.wordW == 0 {
		return
	}
	if l.col+l.gap+l.wordW > l.room() && l.col > textColumns(l.indent) && !l.long {
		l.gap = 0
		l.breakRow()
	}
	if l.gap > 0 {
		l.b.WriteString(strings.Repeat(" ", l.gap))
	}
	l.col += l.gap + l.wordW
	l.gap = 0
	l.flushStyle()
	l.overflow()
}

// overflow follows the terminal, which broke what was longer than a row.
func (l *layouter) overflow() {
	if w := max(l.width(), 1); l.col > w {
		l.col = (l.col-1)%w + 1
	}
}

// breakRow goes on in the next row, in the style that holds before the word.
func (l *layouter) breakRow() {
	if l.before != 0 {
		l.b.WriteString(l.palette.seq(0))
	}
	l.b.WriteString("\n" + l.indent)
	if l.before != 0 {
		l.b.WriteString(l.palette.seq(l.before))
	}
	l.col = textColumns(l.indent)
}

// newline ends a line of the text. Spaces before it go.
func (l *layouter) newline() {
	l.endWord()
	l.style(0)
	l.flushStyle()
	l.gap, l.col, l.indent, l.long = 0, 0, "", false
	l.b.WriteByte('\n')
}

// take hands over what is ready.
func (l *layouter) take() string {
	s := l.b.String()
	l.b.Reset()
	return s
}

// textColumns is how wide a text without styles is.
func textColumns(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}
