package term

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/safetext"
)

// FuzzKeys presses whatever comes from a terminal.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"abc\x1b[D\x7f\r", "\x1b[200~a\x1b[2Jb\x1b[201~", "\x12x\x12\x07", "\x1b[\x03", "\x1bO\x03", "\xe4\xbd", "\x1b\xe4\xbd\xa0",
		"a\x14\x0b\x19\x15\x17", "\x1b]11;rgb:0/0/0\x07x", "\x1b[<0;1;1M", "e\u0301\U0001f468\u200d\U0001f469\x7f", "\x16\x18\x05\x18z", "\x1b\r\n\x1b[A\x1b[B\t"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, keys string, width int) {
		width = max(1, min(width, 300))
		e := &editor{whole: func(s string) bool { return isWholeText(s, nil) }, paint: painter{out: io.Discard, size: func() (int, int) { return width, 5 }}}
		e.text.history = []string{"one", "two\nthree"}
		e.complete = func(text string, cursor int) completion { return completion{cursor, []string{"x", "xy"}} }
		require.NoError(t, e.begin("> "))
		d := newDecoder(strings.NewReader(keys), nil)
		for {
			k, err := d.next()
			if err != nil {
				require.True(t, errors.Is(err, io.EOF), "%v", err)
				return
			}
			if _, done, _ := e.press(k); done {
				require.NoError(t, e.begin("> "))
			}
			b := &e.text
			require.True(t, utf8.ValidString(b.text), "%q", b.text)
			require.True(t, b.cursor >= 0 && b.cursor <= len(b.text) && utf8.ValidString(b.text[:b.cursor]), "%q at %d", b.text, b.cursor)
			require.LessOrEqual(t, e.paint.col, max(width, 4))
		}
	})
}

// FuzzReply shows whatever a model says, in whatever pieces.
func FuzzReply(f *testing.F) {
	for _, s := range []string{richText, "\x1b]52;c;AAAA\x07**a\x1b[31mb**", "| a | b |\n|--|--|\n| `x|y` | \u4f60\u597d |\n", "~~~\n```\n", "[a](b\n", "***a**b*", "- - - a\n  1. b", strings.Repeat("long", 90)} {
		f.Add(s, 7, 20)
	}
	f.Fuzz(func(t *testing.T, text string, chunk, width int) {
		width, chunk = max(1, min(width, 300)), max(1, min(chunk, 100))
		text = strings.ToValidUTF8(text, "?")
		z := onScreen()
		m := markdown{l: layouter{width: func() int { return width }}}
		var out strings.Builder
		for rest := text; rest != ""; {
			n := min(chunk, len(rest))
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			out.WriteString(m.feed(z.Clean(rest[:n])))
			rest = rest[n:]
		}
		out.WriteString(m.end())
		for _, r := range out.String() {
			require.False(t, r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r)), "%q in %q", r, out.String())
		}
	})
}

const richText = "# A\n\nSome **bold** `code` [x](http://y).\n\n- a\n  - b\n\n> q\n\n```go\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"

// FuzzReveal checks that marks stay on whole characters.
func FuzzReveal(f *testing.F) {
	f.Add("a\x1b[2J\u202e\xff\u00a0", 1, 3)
	f.Add("0\u2020", 1, 3) // a mark of half a character
	f.Fuzz(func(t *testing.T, s string, from, to int) {
		text, marks, escapes := revealMarked(s, []Span{{from, to}})
		require.Equal(t, text, safetext.Visible(text))
		require.True(t, utf8.ValidString(text))
		for _, m := range append(marks, escapes...) {
			require.True(t, m.From < m.To && m.To <= len(text))
			require.True(t, utf8.ValidString(text[m.From:m.To]))
		}
	})
}
