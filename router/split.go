package router

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/google/shlex"
)

// The lexer takes some 30 ns a character, so it is given few: a run of literal
// bytes, and a quoted text that is what it says, passes it as a mark of two
// characters, a NUL, which no plain command can hold, and the run's number.
const (
	leastCut  = 4      // bytes that are worth a mark
	firstMark = 0x100  // the rune of the first run: none that means anything to the lexer
	mostMarks = 0x8000 // what follows so many runs is left to the lexer
)

// split returns the words of a plain command, as google/shlex tells them.
func (n *nameIndex) split(command string) (words []string, ok bool) {
	short, cut := cutRuns(command)
	in, _ := n.readers.Get().(*bufio.Reader)
	if in == nil {
		in = bufio.NewReader(nil)
	}
	defer n.readers.Put(in)
	in.Reset(strings.NewReader(short))
	lexer := shlex.NewLexer(in)
	words = make([]string, 0, 16)
	for {
		word, err := lexer.Next()
		if err == io.EOF {
			return words, true
		}
		if err != nil {
			return nil, false
		}
		words = append(words, putRuns(word, cut))
	}
}

// cutRuns puts marks in the place of runs that the lexer would only copy:
// literal bytes, and the text in single quotes, or in double quotes without a
// backslash.
func cutRuns(s string) (short string, cut []string) {
	var b strings.Builder
	b.Grow(128)
	cut = make([]string, 0, 16)
	done := 0 // s[:done] is in b
	mark := func(from, to int) {
		if to-from < leastCut || len(cut) == mostMarks {
			return
		}
		b.WriteString(s[done:from])
		b.WriteByte(0)
		b.WriteRune(rune(firstMark + len(cut)))
		cut = append(cut, s[from:to])
		done = to
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; class[c] {
		case literal:
			end := i + 1
			for end < len(s) && class[s[end]] == literal {
				end++
			}
			mark(i, end)
			i = end - 1
		case backslash:
			_, size := utf8.DecodeRuneInString(s[min(i+1, len(s)):])
			i += size
		case singleQuote, doubleQuote:
			text, rest := cutQuoted(s[i+1:], c)
			if c == '\'' || strings.IndexByte(text, '\\') < 0 {
				mark(i+1, i+1+len(text))
			}
			i = len(s) - len(rest) - 1
		}
	}
	b.WriteString(s[done:])
	return b.String(), cut
}

// cutQuoted returns the text up to a closing quote and what follows the quote.
func cutQuoted(s string, quote byte) (text, rest string) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return s[:i], s[i+1:]
		case s[i] == '\\' && quote == '"':
			i++
		}
	}
	return s, ""
}

// putRuns puts the runs of a word in the places of their marks.
func putRuns(word string, cut []string) string {
	at := strings.IndexByte(word, 0)
	if at < 0 {
		return word
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(word, 0) {
		r, size := utf8.DecodeRuneInString(word[at+1:])
		run := cut[r-firstMark]
		if at == 0 && b.Len() == 0 && len(word) == 1+size {
			return run
		}
		b.WriteString(word[:at])
		b.WriteString(run)
		word = word[at+1+size:]
	}
	b.WriteString(word)
	return b.String()
}
