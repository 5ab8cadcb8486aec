package router

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/google/shlex"
)

// longQuote is the length from which a quoted text is kept from the lexer. It
// takes some 30 ns a character, which a file's content in a command would make
// felt.
const longQuote = 32

// split returns the words of a plain command. It is google/shlex's work; a long
// quoted text passes it as a number between two NULs, which no plain command
// can hold.
func (n *nameIndex) split(command string) (words []string, ok bool) {
	short, long := cutLong(command)
	in, _ := n.readers.Get().(*bufio.Reader)
	if in == nil {
		in = bufio.NewReader(nil)
	}
	defer n.readers.Put(in)
	in.Reset(strings.NewReader(short))
	lexer := shlex.NewLexer(in)
	words = make([]string, 0, 8)
	for {
		word, err := lexer.Next()
		if err == io.EOF {
			return words, true
		}
		if err != nil {
			return nil, false
		}
		if long != nil {
			word = putLong(word, long)
		}
		words = append(words, word)
	}
}

// cutLong takes out long quoted texts that are what they say: in single quotes,
// or in double quotes without a backslash.
func cutLong(s string) (short string, long []string) {
	if len(s) < longQuote {
		return s, nil
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
		case '\'', '"':
			text, rest := quoted(s[i+1:], c)
			if len(text) >= longQuote && (c == '\'' || strings.IndexByte(text, '\\') < 0) {
				b.WriteString(s[done : i+1])
				b.WriteString("\x00" + strconv.Itoa(len(long)) + "\x00")
				long = append(long, text)
				done = i + 1 + len(text)
			}
			i = len(s) - len(rest) - 1
		}
	}
	if long == nil {
		return s, nil
	}
	b.WriteString(s[done:])
	return b.String(), long
}

// quoted returns the text up to a closing quote and what follows the quote.
func quoted(s string, quote byte) (text, rest string) {
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

// putLong puts the long texts of a word in their places.
func putLong(word string, long []string) string {
	parts := strings.Split(word, "\x00")
	for i := 1; i < len(parts); i += 2 {
		n, _ := strconv.Atoi(parts[i])
		parts[i] = long[n]
	}
	if len(parts) == 3 && parts[0] == "" && parts[2] == "" {
		return parts[1]
	}
	return strings.Join(parts, "")
}
