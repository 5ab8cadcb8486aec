package term

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestSafe(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text", "a\tb\nc", "a\tb\nc"},
		{"Chinese, accents, emoji", "\u4f60\u597d \u00e9 \U0001f44d\U0001f3fd", "\u4f60\u597d \u00e9 \U0001f44d\U0001f3fd"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"cursor and erasing", "a\x1b[2J\x1b[H\x1b[1Ab", "ab"},
		{"a title, ended by BEL", "\x1b]0;owned\x07x", "x"},
		{"a title, ended by ST", "\x1b]0;owned\x1b\\x", "x"},
		{"a hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"a clipboard write", "\x1b]52;c;ZXZpbA==\x07x", "x"},
		{"a device control string", "\x1bPq#0;2;0\x1b\\x", "x"},
		{"a character set", "\x1b(0lqk\x1b(B", "lqk"},
		{"a reset", "\x1bcx", "x"},
		{"8-bit CSI", "\u009b31mx", "x"},
		{"8-bit OSC", "\u009d0;t\u009cx", "x"},
		{"a progress bar", "10%\r50%\r\n", "10%\n50%\n"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"a carriage return at the end", "a\r", "a\n"},
		{"bell, backspace, NUL, DEL", "a\a\b\x00\x7fb", "ab"},
		{"direction overrides", "a\u202eb\u2066c\u202c\u2069", "abc"},
		{"a sequence broken by a newline", "\x1b[3\nx", "\nx"},
		{"a sequence cut off", "a\x1b[31", "a"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, safe(tt.in)) })
	}
	require.Equal(t, "a b c", safeLine(" a\r\n b\x1b[1m\tc "))
}

// FuzzSanitizer checks that nothing dangerous passes and that it does not
// matter where a stream is cut.
func FuzzSanitizer(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\x1b\\x", "\r\n\r", "\u009b1A\u202e", "\x1bP\x1b\x1b\\", "\x1b(\x1b[A"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		s = strings.ToValidUTF8(s, "?")
		var whole, parts sanitizer
		want := whole.clean(s)
		for _, r := range want {
			if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || bidi(r)) {
				t.Fatalf("%q left %q of %q", r, want, s)
			}
		}
		at := 0
		if len(s) > 0 {
			at = (cut%len(s) + len(s)) % len(s)
		}
		for !utf8.RuneStart(append([]byte(s), 0)[at]) {
			at++
		}
		require.Equal(t, want, parts.clean(s[:at])+parts.clean(s[at:]))
	})
}
