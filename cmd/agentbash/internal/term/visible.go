package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is a text as it must be seen before somebody says yes to it: whatever
// has no shape of its own, moves others about or could be taken for something
// else is written out as an escape. That is control characters but newline and
// tab (\x1b), bytes that are no UTF-8 (\xff), and the characters that change the
// direction of writing, join or separate invisibly, are blank but no space, or
// are reserved for private use (\u202e). The result is safe to print.
func Visible(s string) string {
	text, _, _ := reveal(s, nil)
	return text
}

// oneLine is [Visible] for what has one line: newlines and tabs are escapes too.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Visible(s))
}

// asLine is [Visible] folded to one line, for what is to be recognized.
func asLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// reveal is [Visible] with the places of marks in the result, and those of the
// escapes.
func reveal(s string, marks []Span) (text string, moved, escapes []Span) {
	var b strings.Builder
	starts, ends := make([]int, len(s)), make([]int, len(s)) // of the character of each byte, in the result
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		start, from := b.Len(), b.Len()
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x80 && hidden(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000 && hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteString(s[i : i+size])
			from = b.Len()
		}
		if b.Len() > from {
			escapes = append(escapes, Span{from, b.Len()})
		}
		for end := i + size; i < end; i++ {
			starts[i], ends[i] = start, b.Len()
		}
	}
	for _, m := range marks {
		from, to := max(0, min(m.From, len(s))), max(0, min(m.To, len(s)))
		if from < to {
			moved = append(moved, Span{starts[from], ends[to-1]})
		}
	}
	return b.String(), moved, escapes
}

// hidden are the characters that [Visible] writes out.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == ' ':
		return false
	case r < 0x7f:
		return r < ' '
	case r == 0xfe0f: // makes an emoji of a sign; it is ordinary
		return false
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800: // blank letters
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Z, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
