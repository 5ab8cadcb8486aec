package router

import (
	"strings"
	"unicode/utf8"
)

// The classes of a byte outside quotes.
const (
	needsBash   = iota // only bash knows
	literal            // itself, wherever it stands in a word
	blank              // ends a word
	singleQuote        //
	doubleQuote        //
	backslash          //
	hash               // itself within a word, a comment at its start
	globbing           // itself only if the tool takes patterns unexpanded
)

var class = byteClasses()

func byteClasses() (c [256]uint8) {
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = literal, literal
	}
	for _, b := range "0123456789_./:=@%+,^-]!}" {
		c[b] = literal
	}
	for b := 0x80; b < 256; b++ {
		c[b] = literal
	}
	c[' '], c['\t'] = blank, blank
	c['\''], c['"'], c['\\'], c['#'] = singleQuote, doubleQuote, backslash, hash
	c['*'], c['?'], c['['] = globbing, globbing, globbing
	return c
}

// isPlain reports whether s is one simple command of literal words for which
// google/shlex gives exactly bash's argv. With noglob, * ? and [ are taken
// literally. Blank lines around the command do not count. FuzzPlain asks bash.
func isPlain(s string, noglob bool) bool {
	s = trimBlank(s)
	if s == "" {
		return false
	}
	inWord := false
	for i := 0; i < len(s); i++ {
		switch class[s[i]] {
		case literal:
			inWord = true
		case blank:
			inWord = false
		case hash:
			if !inWord {
				return false
			}
		case globbing:
			if !noglob {
				return false
			}
			inWord = true
		case backslash:
			i++
			if i == len(s) || s[i] == '\n' || s[i] == 0 {
				return false
			}
			inWord = true
		case singleQuote:
			n := strings.IndexByte(s[i+1:], '\'')
			if n < 0 || strings.IndexByte(s[i+1:i+1+n], 0) >= 0 {
				return false
			}
			i += n + 1
			inWord = true
		case doubleQuote:
			n := plainDouble(s[i+1:])
			if n < 0 {
				return false
			}
			i += n
			inWord = true
		default:
			return false
		}
	}
	return utf8.ValidString(s)
}

// plainDouble returns the length of a double-quoted text with its closing quote, or -1 when bash would expand in it.
func plainDouble(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '$', '`', 0:
			return -1
		case '\\':
			i++
			if i == len(s) || strings.IndexByte("\"\\$`", s[i]) < 0 {
				return -1
			}
		}
	}
	return -1
}

// trimBlank cuts blanks and newlines around a command, but never a blank behind a backslash.
func trimBlank(s string) string {
	s = strings.TrimLeft(s, " \t\n")
	end := len(s)
	for end > 0 && (s[end-1] == ' ' || s[end-1] == '\t' || s[end-1] == '\n') {
		end--
	}
	slashes := 0
	for slashes < end && s[end-1-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 1 && end < len(s) {
		end++
	}
	return s[:end]
}
