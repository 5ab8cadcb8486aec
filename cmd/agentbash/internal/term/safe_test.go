package term

import (
	"testing"

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
		{"8-bit CSI", "\u009b31mx", "31mx"},
		{"8-bit OSC", "\u009d0;t\u009cx", "0;tx"},
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
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, cleanText(tt.in)) })
	}
	require.Equal(t, "a b c", safeLine(" a\r\n b\x1b[1m\tc "))
}
