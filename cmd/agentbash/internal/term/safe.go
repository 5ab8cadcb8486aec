package term

import (
	"strings"
	"unicode/utf8"
)

// sanitizer makes a stream of text safe for a terminal: escape sequences and
// control characters go (ECMA-48, and the string sequences that xterm knows),
// and so do the characters that reverse the direction of writing. Newlines and tabs
// stay, a lone carriage return becomes a newline. A sequence may be split over
// calls.
type sanitizer struct {
	state escape
	cr    bool // the last character was a carriage return
}

type escape int

const (
	plain     escape = iota
	afterEsc         // ESC came
	inCSI            // ESC [ came: up to a byte in @..~
	inString         // OSC, DCS, SOS, PM or APC: up to BEL or ST
	stringEsc        // ESC inside of a string
	charset          // ESC ( and the like: one more byte
)

// clean returns what is left of a piece of text.
func (z *sanitizer) clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		z.take(&b, r)
	}
	return b.String()
}

func (z *sanitizer) take(b *strings.Builder, r rune) {
	switch z.state {
	case afterEsc:
		z.state = afterEscape(r)
		return
	case inCSI:
		// A control character cannot be part of a sequence; it ends a broken one,
		// so that a stray ESC [ does not swallow the text after it.
		if r >= '@' && r <= '~' || r < ' ' || r >= 0x7f {
			z.state = plain
		}
		if r >= ' ' {
			return
		}
	case inString:
		switch r {
		case 0x07, 0x9c:
			z.state = plain
		case 0x1b:
			z.state = stringEsc
		}
		return
	case stringEsc:
		z.state = inString
		if r == '\\' {
			z.state = plain
		}
		return
	case charset:
		z.state = plain
		return
	}
	z.plain(b, r)
}

func afterEscape(r rune) escape {
	switch {
	case r == '[':
		return inCSI
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		return inString
	case r >= ' ' && r <= '/':
		return charset
	case r == 0x1b:
		return afterEsc
	}
	return plain
}

func (z *sanitizer) plain(b *strings.Builder, r rune) {
	if z.cr && r != '\n' {
		b.WriteByte('\n')
	}
	z.cr = false
	switch {
	case r == '\n' || r == '\t':
		b.WriteRune(r)
	case r == '\r':
		z.cr = true
	case r == 0x1b:
		z.state = afterEsc
	case r == 0x9b:
		z.state = inCSI
	case r == 0x90 || r == 0x98 || r == 0x9d || r == 0x9e || r == 0x9f:
		z.state = inString
	case r < ' ' || r >= 0x7f && r < 0xa0 || bidi(r):
	case r == utf8.RuneError:
		b.WriteRune('\ufffd')
	default:
		b.WriteRune(r)
	}
}

// bidi are the characters that embed, override or isolate a direction.
func bidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// safe cleans a whole text.
func safe(s string) string {
	var z sanitizer
	out := z.clean(s)
	if z.cr {
		out += "\n"
	}
	return out
}

// safeLine cleans a text and folds it to one line.
func safeLine(s string) string { return strings.Join(strings.Fields(safe(s)), " ") }
