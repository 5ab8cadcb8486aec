package safetext

import (
	"strings"
	"unicode/utf8"
)

// maxSequence bounds how far the end of a sequence is looked for.
const maxSequence = 4096

// The characters of ISO 6429 that have two forms: of one character, and ESC
// with another.
const (
	esc = 0x1b
	csi = 0x9b
	st  = 0x9c // ends a string
)

// introduces reports whether a control sequence may begin with a character.
func introduces(r rune) bool { return r == esc || r == csi || introducesString(r) }

// introducesString: DCS, SOS, OSC, PM, APC.
func introducesString(r rune) bool {
	return r == 0x90 || r == 0x98 || r == 0x9d || r == 0x9e || r == 0x9f
}

// sequence is the length of the control sequence that s begins with, 0 when it
// is none. It is not whole when more text could make another one of it.
func sequence(s string) (size int, whole bool) {
	r, n := utf8.DecodeRuneInString(s)
	if r == esc {
		if len(s) == 1 {
			return 0, false
		}
		r, n = 0x40+rune(s[1]), 2
		if s[1] < '@' || s[1] > '_' {
			return escapeLen(s)
		}
	}
	switch {
	case r == csi:
		return csiLen(s, n)
	case introducesString(r):
		return stringLen(s, n)
	case r == utf8.RuneError:
		return 0, false // a character that was cut
	}
	return n, true // ESC and one byte
}

// escapeLen is that of ESC, bytes that say which kind, and one more: ESC ( B.
func escapeLen(s string) (int, bool) {
	i := 1
	for i < len(s) && i < maxSequence && s[i] >= ' ' && s[i] <= '/' {
		i++
	}
	switch {
	case i == len(s):
		return 0, false
	case s[i] >= '0' && s[i] <= '~':
		return i + 1, true
	}
	return 0, true
}

// csiLen ends a sequence also before a character that cannot be part of it.
func csiLen(s string, i int) (int, bool) {
	for i < len(s) && i < maxSequence && s[i] >= ' ' && s[i] <= '?' {
		i++
	}
	switch {
	case i == len(s):
		return i, false
	case i == maxSequence:
		return 0, true
	case s[i] >= '@' && s[i] <= '~':
		i++
	}
	return i, true
}

// stringLen is up to BEL or ST.
func stringLen(s string, from int) (int, bool) {
	text := s[from:min(len(s), maxSequence)]
	end, size := -1, 0
	for _, e := range []string{"\a", "\x1b\\", string(rune(st))} {
		if i := strings.Index(text, e); i >= 0 && (end < 0 || i < end) {
			end, size = i, len(e)
		}
	}
	if end < 0 {
		return 0, len(s) >= maxSequence
	}
	return from + end + size, true
}
