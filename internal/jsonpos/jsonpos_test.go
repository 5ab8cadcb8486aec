package jsonpos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	n, err := Parse([]byte("\n [ \"a\" ,{\"b\":\n[1]}, null]"))
	require.NoError(t, err)
	require.Equal(t, Node{2, []Node{{4, "a"}, {9, Object{{10, "b"}, {15, []Node{{16, 1.0}}}}}, {21, nil}}}, n)
	require.Equal(t, Node{0, "x"}, first(Parse([]byte(`"x"`))))
	require.Equal(t, Node{0, Object(nil)}, first(Parse([]byte(`{}`))))
}

func first(n Node, _ error) Node { return n }

func TestErrorOffset(t *testing.T) {
	for text, want := range map[string]int{"": 0, `["a"`: 4, `[] x`: 3, "[1,\n x]": 5, `{"a" 1}`: 5} {
		_, err := Parse([]byte(text))
		at, ok := ErrorOffset([]byte(text), err)
		require.True(t, ok, text)
		require.Equal(t, want, at, text)
	}
	_, ok := ErrorOffset(nil, nil)
	require.False(t, ok)
}

func TestLineColumn(t *testing.T) {
	for at, want := range map[int][2]int{0: {1, 1}, 2: {1, 2}, 3: {2, 1}, 4: {2, 2}, 99: {2, 2}, -1: {1, 1}} {
		line, column := LineColumn([]byte("é\nx"), at)
		require.Equal(t, want, [2]int{line, column}, at)
	}
}

func TestWithin(t *testing.T) {
	text := []byte(`["a\u00e9\"\ud83d\ude00\nz"]`) // aé"😀, a newline, z
	for n, want := range map[int]int{0: 2, 1: 3, 3: 9, 4: 11, 8: 23, 9: 25, 10: 26} {
		require.Equal(t, want, Within(text, 1, n), n)
	}
}
