package term

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typist is an editor on a fixed screen, fed with the bytes of a terminal.
type typist struct {
	editor
	keys *decoder
}

func typing(keys string, history ...string) *typist {
	in := &typist{keys: newDecoder(strings.NewReader(keys), nil)}
	in.whole = func(s string) bool { return isWholeText(s, nil) }
	in.text.history = history
	in.paint = painter{out: io.Discard, size: func() (int, int) { return 40, 10 }}
	return in
}

// edit reads one text.
func (in *typist) edit(prompt string) (string, error) {
	if err := in.begin(prompt); err != nil {
		return "", err
	}
	for {
		k, err := in.keys.next()
		if err != nil {
			return "", in.leave("", err)
		}
		if text, done, err := in.press(k); done || err != nil {
			return text, err
		}
	}
}

func TestEditing(t *testing.T) {
	const (
		up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
		hao                   = "\u597d"
		family                = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
	)
	tests := []struct {
		name, keys, want string
		history          []string
	}{
		{"typed", "ls -l\r", "ls -l", nil},
		{"ended by LF, as type-ahead is", "ls\n", "ls", nil},
		{"backspace", "lss\x7f -x\b\r", "ls -", nil},
		{"left, insert", "ac" + left + "b\r", "abc", nil},
		{"application cursor keys", "ac\x1bODb\x1bOCd\r", "abcd", nil},
		{"home and end", "bc\x01a\x05d\r", "abcd", nil},
		{"home and end keys", "bc\x1b[Ha\x1b[Fd\x1b[1~_\x1b[4~_\r", "_abcd_", nil},
		{"delete", "abc\x01\x1b[3~\x04\r", "c", nil},
		{"Chinese is erased by character", "\u4f60" + hao + "\x7f\r", "\u4f60", nil},
		{"a family is one character", "a" + family + "\x7fb\r", "ab", nil},
		{"left of a family", "a" + family + left + "b\r", "ab" + family, nil},
		{"an accent belongs to its letter", "e\u0301\x7fx\r", "x", nil},
		{"kill to the start, yank", "abc" + left + "\x15\x05\x19\r", "cab", nil},
		{"kill to the end", "abc" + left + left + "\x0b\r", "a", nil},
		{"kill a word", "git  commit  \x17x\r", "git  x", nil},
		{"kill a word with Alt-Backspace", "a b\x1b\x7fc\r", "a c", nil},
		{"kill the next word", "a b\x01\x1bdc\r", "c b", nil},
		{"word left and right", "a b c\x1bb\x1bb_\x1bf_\r", "a _b_ c", nil},
		{"Ctrl-left and Ctrl-right", "a b\x1b[1;5D_\x1b[1;5C_\r", "a _b_", nil},
		{"swap", "ab\x14c\r", "bac", nil},
		{"swap needs two", "a\x14\r", "a", nil},
		{"history", up + up + "!\r", "one!", []string{"one", "two"}},
		{"history and back to the draft", "dra" + up + down + "ft\r", "draft", []string{"one"}},
		{"no history below or above", up + up + up + down + down + down + "x\r", "x", []string{"one"}},
		{"a newline by Alt-Enter", "a\x1b\rb\r", "a\nb", nil},
		{"a newline after a backslash", "a\\\rb\r", "a\\\nb", nil},
		{"an escaped backslash ends the line", "a\\\\\r", "a\\\\", nil},
		{"up and down inside of a text", "ab\x1b\rc" + up + "_" + down + "_\r", "a_b\nc_", []string{"old"}},
		{"a paste is taken as it is", "x\x1b[200~a\r\nb\tc\rd\x03\x1b[201~y\r", "xa\nb\tc\nd\x03y", nil},
		{"unknown keys are nothing", "a\x1b[15~\x1b[99;7u\x1bz\x00\x1d\x1b[Ib\r", "ab", nil},
		{"Ctrl-L keeps the text", "a\x0cb\r", "ab", nil},
		{"Ctrl-D deletes where there is text", "ab\x01\x04\r", "b", nil},
		{"search", "\x12o\r", "two", []string{"one", "two", "three"}},
		{"search further", "\x12o\x12\r", "one", []string{"one", "two", "three"}},
		{"search and go on editing", "\x12tw\x05!\r", "two!", []string{"one", "two", "three"}},
		{"search with a query that is corrected", "\x12tx\x7fw\r", "two", []string{"one", "two", "three"}},
		{"search that finds nothing leaves the text", "ab\x12tz\r", "ab", []string{"one", "two", "three"}},
		{"search given up", "ab\x12o\x07c\r", "abc", []string{"one", "two"}},
		{"search in an empty history", "\x12o\x07a\r", "a", nil},
		{"right at the end stays", "a" + right + right + "b\r", "ab", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := typing(tt.keys, tt.history...).edit("> ")
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestEndsOfEditing(t *testing.T) {
	tests := []struct {
		name, keys string
		want       error
	}{
		{"Ctrl-C", "abc\x03", errInterrupted},
		{"Ctrl-D on an empty line", "a\x7f\x04", io.EOF},
		{"the terminal is gone", "abc", io.EOF},
		{"the terminal is gone within a key", "\x1b[", io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := typing(tt.keys).edit("> ")
			require.Equal(t, tt.want, err)
		})
	}
}

func TestLinesAreRemembered(t *testing.T) {
	in := typing("one\rone\r \r secret\rtwo\rx\x03\x10\x10\r")
	for _, want := range []string{"one", "one", " ", " secret", "two"} {
		got, err := in.edit("> ")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := in.edit("> ")
	require.Equal(t, errInterrupted, err)
	got, err := in.edit("> ")
	require.NoError(t, err)
	require.Equal(t, "one", got)
}

func TestIncompleteTextsGoOn(t *testing.T) {
	in := typing("cat <<E\ra\rE\r")
	in.whole = func(s string) bool { return !strings.Contains(s, "<<E") || strings.HasSuffix(s, "\nE") }
	got, err := in.edit("$ ")
	require.NoError(t, err)
	require.Equal(t, "cat <<E\na\nE", got)
}

func TestLayout(t *testing.T) {
	tests := []struct {
		name, text string
		cursor     int
		rows       []string
		row, col   int
	}{
		{"empty", "", 0, []string{"> "}, 0, 2},
		{"cursor at the end", "abc", 3, []string{"> abc"}, 0, 5},
		{"cursor inside", "abc", 1, []string{"> abc"}, 0, 3},
		{"a full row", "abcdefgh", 8, []string{"> abcdefgh", ""}, 1, 0},
		{"a broken row", "abcdefghij", 9, []string{"> abcdefgh", "ij"}, 1, 1},
		{"cursor at the break", "abcdefghij", 8, []string{"> abcdefgh", "ij"}, 1, 0},
		{"wide characters", "\u4f60\u597d", 3, []string{"> \u4f60\u597d"}, 0, 4},
		{"a wide character does not fit", "abcdefg\u4f60", 7, []string{"> abcdefg", "\u4f60"}, 1, 0},
		{"lines", "a\nb", 2, []string{"> a", "  b"}, 1, 2},
		{"control characters", "a\x03\x7f", 2, []string{"> a^C^?"}, 0, 5},
		{"a tab", "a\tb", 2, []string{"> a  b"}, 0, 5},
		{"without a shape", "a\u200bb", 0, []string{"> a", "<U+200B>b"}, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, row, col := layoutRows("> ", tt.text, tt.cursor, 10)
			require.Equal(t, tt.rows, rows)
			require.Equal(t, [2]int{tt.row, tt.col}, [2]int{row, col})
		})
	}
}
