package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each text is written, and then what is new is taken.
func TestWhatIsTaken(t *testing.T) {
	wide := strings.Repeat("0123456789", 5)
	for name, row := range map[string]struct{ writes, want []string }{
		"lines":                        {[]string{"a\r\nb\r\n", "c\r\n"}, []string{"a\nb\n", "c\n"}},
		"a prompt and what is typed":   {[]string{">>> ", "1+1\r\n2\r\n>>> "}, []string{">>> ", "1+1\n2\n>>> "}},
		"a prompt that is drawn again": {[]string{"\x1b[?2004h>>> ", "\r\x1b[K\x1b[1m>>> \x1b[0m1+1"}, []string{">>> ", "1+1"}},
		"the end of an open line":      {[]string{"a", "\r\n", "b"}, []string{"a", "\n", "b"}},
		"colours":                      {[]string{"\x1b[31mred\x1b[0m\r\n"}, []string{"red\n"}},
		"a title":                      {[]string{"\x1b]0;title\x07x\r\n"}, []string{"x\n"}},
		"progress":                     {[]string{"10%\r20%\r30%", "\r40%\r50%\r\nend\r\n"}, []string{"30%", "\n50%\nend\n"}},
		"backspaces":                   {[]string{"abd\bc\r\n"}, []string{"abc\n"}},
		"lines above are drawn again":  {[]string{"a 1%\r\nb 1%\r\n", "\x1b[2Aa 9%\r\n\x1b[1B"}, []string{"a 1%\nb 1%\n", "a 9%\n"}},
		"a long line":                  {[]string{wide + "\r\nend\r\n"}, []string{wide + "\nend\n"}},
		"a long line in two parts":     {[]string{wide, "abc\r\n"}, []string{wide, "abc\n"}},
		"more than a screen":           {[]string{"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n", "8\r\n"}, []string{"1\n2\n3\n4\n5\n6\n7\n", "8\n"}},
		"a prompt scrolls away":        {[]string{"1\r\n2\r\n3\r\n4\r\n> ", "x\r\n6\r\n7\r\n8\r\n9\r\n"}, []string{"1\n2\n3\n4\n> ", "x\n6\n7\n8\n9\n"}},
		"a clear screen":               {[]string{"a\r\nb\r\n", "\x1b[H\x1b[2Jc\r\n"}, []string{"a\nb\n", "c\n"}},
		"a program with the screen":    {[]string{"a\r\n", "\x1b[?1049h\x1b[Hfull", "\x1b[?1049lb\r\n"}, []string{"a\n", "", "b\n"}},
		"blank lines":                  {[]string{"a\r\n\r\nb\r\n"}, []string{"a\n\nb\n"}},
		"a character in two parts":     {[]string{"\xe2\x82", "\xac\r\n"}, []string{"", "€\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			term := New(20, 5, io.Discard)
			defer term.Close()
			var got []string
			for _, w := range row.writes {
				gone := term.Write([]byte(w))
				news := term.News()
				text := term.Take()
				require.Equal(t, news, text)
				got = append(got, gone+text)
				require.Empty(t, term.News())
			}
			require.Equal(t, row.want, got)
		})
	}
}

func TestKeys(t *testing.T) {
	for name, want := range map[string]string{
		"ctrl-c": "\x03", "C-c": "\x03", "^C": "\x03", "Ctrl+D": "\x04", "up": "\x1b[A", "enter": "\r", "return": "\r", "Esc": "\x1b", "alt-x": "\x1bx",
		"x": "x", "-": "-", "é": "é", "f5": "\x1b[15~", "page-up": "\x1b[5~", "PgDn": "\x1b[6~", "shift-tab": "\x1b[Z", "tab": "\t", "space": " ", "backspace": "\x7f", "ctrl-\\": "\x1c",
	} {
		k, err := ParseKey(name)
		require.NoError(t, err, name)
		require.Equal(t, want, typed(t, func(term *Terminal) { term.Press(k) }), name)
	}
	for _, name := range []string{"", "hyper-x", "ctrl-up", "f13", "nokey", "ctrl-é", "shift-up"} {
		_, err := ParseKey(name)
		require.ErrorContains(t, err, "there is no key", name)
	}
	up, err := ParseKey("up")
	require.NoError(t, err)
	require.Equal(t, "\x1bOA", typed(t, func(term *Terminal) { term.Write([]byte("\x1b[?1h")); term.Press(up) }), "a program may ask for other codes")
	require.Equal(t, "a\rb", typed(t, func(term *Terminal) { term.Type("a\nb") }))
	require.Equal(t, "\x1b[1;1R", typed(t, func(term *Terminal) { term.Write([]byte("\x1b[6n")) }), "programs ask where the cursor is")
}

// typed is what a program gets of what is done; ! ends it.
func typed(t *testing.T, do func(*Terminal)) string {
	r, w := io.Pipe()
	term := New(20, 5, w)
	defer term.Close()
	go func() {
		do(term)
		term.Type("!")
	}()
	var all bytes.Buffer
	for buf := make([]byte, 64); ; {
		n, err := r.Read(buf)
		require.NoError(t, err)
		all.Write(buf[:n])
		if text, ok := strings.CutSuffix(all.String(), "!"); ok {
			return text
		}
	}
}
