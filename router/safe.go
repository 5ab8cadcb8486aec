package router

import (
	"strings"
	"unicode/utf8"
)

// Safe makes text from anywhere fit for a model or a screen: terminal control
// sequences (ECMA-48: CSI, OSC, DCS and the two-byte escapes) and control
// characters other than tab, newline and carriage return are removed, and each
// invalid UTF-8 sequence becomes U+FFFD. A sequence that never ends loses only
// its ESC, so that nothing can hide the text after it.
func Safe(s string) string {
	if isSafe(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == 0x1b:
			n = escapeLen(s[i:])
		case c == utf8.RuneError && n <= 1:
			b.WriteRune(utf8.RuneError)
		case c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c != 0x7f && (c < 0x80 || c > 0x9f):
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isSafe(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

// maxEscape is how far the end of an operating system command is looked for.
const maxEscape = 4096

// escapeLen is the length of the control sequence that s starts with, 1 (its
// ESC alone) when it is none or does not end.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch c := s[1]; {
	case c == '[':
		return csiLen(s)
	case strings.IndexByte("]PX^_", c) >= 0:
		for i := 2; i < len(s) && i < maxEscape; i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return 1
	case c >= 0x20 && c <= 0x2f: // one intermediate byte, one final: ESC ( B
		if len(s) > 2 && s[2] >= 0x30 && s[2] <= 0x7e {
			return 3
		}
		return 1
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

func csiLen(s string) int {
	i := 2
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 1
}

// sample is how many bytes of a stream's beginning and of its end are looked at
// to tell text from binary.
const sample = 8000

// isBinary reports whether bytes are no text: there is a NUL, or more than a
// tenth is not UTF-8.
func isBinary(b []byte) bool {
	bad := 0
	for i := 0; i < len(b); {
		if b[i] == 0 {
			return true
		}
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 && utf8.FullRune(b[i:]) {
			bad++
		}
		i += n
	}
	return bad > len(b)/10
}
