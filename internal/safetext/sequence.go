package safetext

import "strings"

// maxSequence bounds how far the end of a sequence is looked for.
const maxSequence = 4096

const esc = 0x1b

// sequenceLength is the length of the control sequence that s, which begins with ESC,
// begins with, 0 when it is none. It is not whole when more text could make
// another one of it. The forms of one character (C1: U+009B for ESC [) are
// controls that begin nothing: they are common in text that was decoded wrongly,
// and would hide the rest of it.
func sequenceLength(s string) (size int, whole bool) {
	switch {
	case len(s) == 1:
		return 0, false
	case s[1] == '[':
		return csiLen(s)
	case strings.IndexByte("P]X^_", s[1]) >= 0: // DCS, OSC, SOS, PM, APC
		return stringLen(s)
	}
	return escapeLen(s)
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
func csiLen(s string) (int, bool) {
	i := 2
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

// stringLen is up to BEL or ST, which has two forms.
func stringLen(s string) (int, bool) {
	const from = 2
	text := s[from:min(len(s), maxSequence)]
	end, size := -1, 0
	for _, e := range []string{"\a", "\x1b\\", "\u009c"} {
		if i := strings.Index(text, e); i >= 0 && (end < 0 || i < end) {
			end, size = i, len(e)
		}
	}
	if end < 0 {
		return 0, len(s) >= maxSequence
	}
	return from + end + size, true
}
