package safetext

import (
	"strings"
	"unicode/utf8"
)

// Clean removes from a whole text what is not text: terminal control sequences,
// control characters other than tab, newline and carriage return, and hidden
// characters. Each byte that is no UTF-8 becomes U+FFFD. A sequence that does not
// end loses its beginning only, so that it hides nothing of what follows.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var z Stream
	return z.Clean(s) + z.Rest()
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

// Stream is [Clean] for text that comes in pieces, wherever they are cut. The
// zero value is ready.
type Stream struct {
	// Lines is for text that goes to a terminal: what would be written over after
	// a carriage return gets a line of its own.
	Lines bool

	held string // a sequence or a character that is not complete
	prev rune   // the last that was kept
	cr   bool   // it was a carriage return, and is not written yet
}

// Clean returns what is left of a piece of text, and of those before it.
func (z *Stream) Clean(s string) string { return z.clean(s, false) }

// Rest returns what is left of an end that was not complete. The stream is as
// new then.
func (z *Stream) Rest() string {
	rest := z.clean("", true)
	if z.cr {
		rest += "\n"
	}
	*z = Stream{Lines: z.Lines}
	return rest
}

func (z *Stream) clean(s string, last bool) string {
	s, z.held = z.held+s, ""
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !last && !utf8.FullRuneInString(s[i:]) {
			z.held = s[i:]
			break
		}
		if r == esc {
			size, whole := sequenceLength(s[i:])
			if !whole && !last {
				z.held = s[i:]
				break
			}
			n = max(n, size)
		}
		i += n
		if !isControl(r) && !isHidden(z.prev, r) {
			z.keep(&b, r)
		}
	}
	return b.String()
}

// keep writes a character.
func (z *Stream) keep(b *strings.Builder, r rune) {
	if z.cr && r != '\n' {
		b.WriteByte('\n')
	}
	if z.cr = z.Lines && r == '\r'; !z.cr {
		b.WriteRune(r)
	}
	z.prev = r
}
