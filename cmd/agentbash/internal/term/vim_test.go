package term

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVim types, goes to the commands and presses them; | is the cursor.
func TestVim(t *testing.T) {
	for _, row := range []struct{ text, keys, want string }{
		{"one two", "", "one tw|o"},
		{"one two", "0x", "|ne two"},
		{"one two", "0dw", "|two"},
		{"one two three", "02dw", "|three"},
		{"one two three", "bD", "one two |"},
		{"one two three", "0wcwX", "one X| three"},
		{"one two", "0ceX", "X| two"},
		{"one, two", "0w", "one|, two"},
		{"one, two", "0W", "one, |two"},
		{"one two", "0e", "on|e two"},
		{"one two", "hhb", "|one two"},
		{"one two", "hb", "one |two"},
		{"  one", "^iX", "  X|one"},
		{"one two", "0fw", "one t|wo"},
		{"one two", "0dtw", "|wo"},
		{"one two", "Fodfw", "|o"},
		{"one two", "0f", "|one two"},
		{"one two", "0rX", "|Xne two"},
		{"one two", "0~~", "ON|e two"},
		{"one two", "0yw$p", "one twoone |"},
		{"one", "ddp", "one|"},
		{"one", "ccX", "X|"},
		{"one", "oX", "one\nX|"},
		{"one", "OX", "X|\none"},
		{"one", "3ix", "onx|e"},
		{"one two", "0dwdwu", "|two"},
		{"one two", "AX", "one twoX|"},
		{"\u4f60\u597d", "x", "\u4f60|"},
		{"one two", "0d5l", "|wo"},
		{"one two", "qqq", "one tw|o"},
	} {
		e := &editor{vim: vim{on: true}}
		e.text.press(key{text: row.text})
		require.True(t, e.typed(namedKey(keyEscape)))
		for _, r := range row.keys {
			if !e.typed(key{text: string(r)}) {
				e.text.press(key{text: string(r)})
			}
		}
		b := &e.text
		require.Equal(t, row.want, b.text[:b.cursor]+"|"+b.text[b.cursor:], "%q in %q", row.keys, row.text)
	}
}

func TestParseKeys(t *testing.T) {
	keys, err := ParseKeys(map[string]string{"ctrl-s": "submit", "alt-\u00e9": "undo", "f12": "mode", "ctrl-c": "none", "ctrl-alt-left": "line-start"})
	require.NoError(t, err)
	require.Equal(t, keyEnter, keys["ctrl-s"])
	require.Equal(t, keyNone, keys["ctrl-c"])
	require.Equal(t, keyHome, keys["ctrl-a"], "the others stay")
	for name, action := range map[string]string{"ctrl-s": "sumbit", "ctrl-1x": "submit", "x": "submit", "hyper-a": "submit", "": "submit"} {
		_, err := ParseKeys(map[string]string{name: action})
		require.Error(t, err, name)
	}
	_, err = ParseKeys(map[string]string{"enter": "newline"})
	require.ErrorContains(t, err, "nothing is left that sends a text: give a key the action submit")
	_, err = ParseKeys(map[string]string{"ctrl-c": "none", "escape": "none"})
	require.ErrorContains(t, err, "nothing is left that stops what runs")
}

func TestWrapText(t *testing.T) {
	for _, row := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 8, []string{"one two", "three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"", 5, []string{""}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"a bcdefghij", 6, []string{"a bcde", "fghij"}},
		{"\u4f60\u597d\u4e16\u754c", 5, []string{"\u4f60\u597d", "\u4e16\u754c"}},
		{"  two words", 9, []string{"  two", "words"}},
		{"one two three four five", 9, []string{"one two", "three", "four five"}},
	} {
		require.Equal(t, row.want, wrapText(row.text, row.width), "%q in %d", row.text, row.width)
	}
}

func TestThemes(t *testing.T) {
	for _, name := range themeNames() {
		require.NoError(t, CheckTheme(name))
		p := newPalette(true, false, name)
		require.Equal(t, "\x1b[0;1mx\x1b[0m", p.paint("x", bold|keyword), "NO_COLOR leaves bold in %s", name)
	}
	require.Equal(t, "\x1b[0m", newPalette(true, true, "mono").seq(red))
	require.Equal(t, "\x1b[0;38;5;176m", newPalette(true, true, "dark").seq(keyword))
	require.ErrorContains(t, CheckTheme("neon"), "it is terminal, dark, light, mono")
}
