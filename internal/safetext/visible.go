package safetext

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
	if isPlain(s) && !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		text, n := Next(s, i)
		b.WriteString(text)
		i += n
	}
	return b.String()
}

// Line is [Visible] for what has one line: newlines and tabs are escapes too.
func Line(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Visible(s))
}

// Next is the character of s at byte i as [Visible] shows it, and its size in s.
func Next(s string, i int) (text string, size int) {
	r, size := utf8.DecodeRuneInString(s[i:])
	ordinary := !isShapeless(r) && r != '\r'
	if r == 0xfe0f { // makes an emoji of a sign, which is seen
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		ordinary = before >= 0x80 && before != utf8.RuneError && unicode.Is(unicode.S, before)
	}
	return showRune(s[i:i+size], r, ordinary), size
}

// showRune writes out a character unless it is ordinary.
func showRune(s string, r rune, ordinary bool) string {
	switch {
	case r == utf8.RuneError && len(s) == 1:
		return fmt.Sprintf(`\x%02x`, s[0])
	case ordinary && !isControl(r):
		return s
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
