package policy

import (
	"strings"
	"unicode/utf8"
)

// ansiC decodes the text of $'...' (bash manual, 3.1.2.4), which is also what
// printf understands.
func ansiC(s string) string { return unbackslash(s, 3) }

// echoed decodes what echo -e and printf %b take: \0 and three more digits.
func echoed(s string) string { return unbackslash(s, 4) }

func unbackslash(s string, octal int) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			i++
			continue
		}
		var n int
		b, n = ansiEscape(b, s[i+1:], octal)
		i += 1 + n
		if n < 0 {
			return string(b) // \0 ends the text
		}
	}
	return string(b)
}

var ansiLetters = strings.NewReplacer("a", "\a", "b", "\b", "e", "\x1b", "E", "\x1b", "f", "\f", "n", "\n", "r", "\r", "t", "\t", "v", "\v")

// ansiEscape decodes what follows a backslash and returns how long it was, -1
// for a NUL, which ends the text.
func ansiEscape(b []byte, s string, octal int) ([]byte, int) {
	c := s[0]
	switch {
	case strings.IndexByte("abeEfnrtv", c) >= 0:
		return append(b, ansiLetters.Replace(s[:1])...), 1
	case c >= '0' && c <= '7':
		if c != '0' {
			octal = 3
		}
		v, n := radix(s, 8, octal)
		return nonNUL(b, v&0xff, n, false)
	case c == 'x':
		v, n := radix(s[1:], 16, 2)
		if n == 0 {
			return append(b, '\\', 'x'), 1
		}
		return nonNUL(b, v, n+1, false)
	case c == 'u' || c == 'U':
		most := 4
		if c == 'U' {
			most = 8
		}
		v, n := radix(s[1:], 16, most)
		if n == 0 {
			return append(b, '\\', c), 1
		}
		return nonNUL(b, v, n+1, true)
	case c == 'c' && len(s) > 1:
		return nonNUL(b, int(s[1])&0x1f, 2, false)
	case strings.IndexByte("\\'\"?", c) >= 0:
		return append(b, c), 1
	}
	return append(b, '\\', c), 1
}

func nonNUL(b []byte, v, n int, isRune bool) ([]byte, int) {
	switch {
	case v == 0:
		return b, -1
	case isRune:
		return utf8.AppendRune(b, rune(v)), n
	}
	return append(b, byte(v)), n
}

// radix reads at most that many digits.
func radix(s string, base, most int) (v, n int) {
	for n < len(s) && n < most {
		d := 99
		switch c := s[n]; {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			d = int(c|0x20-'a') + 10
		}
		if d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}
