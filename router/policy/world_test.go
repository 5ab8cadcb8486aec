package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A line that has not finished may have left anything that it had come to.
func TestAfterAnUnfinishedLine(t *testing.T) {
	w := ws()
	w.After(judgeLine(New(), "x=a; y=a; f() { echo 1; }; alias g=ls", w), true)
	require.Equal(t, []string{"a"}, w.Vars["x"])
	require.Equal(t, map[string][]string{"g": {"ls"}}, w.Aliases)
	w.After(judgeLine(New(), "x=b; unset y; z=c; f() { echo 2; }; unalias g; alias h=cat", w), false)
	require.Equal(t, map[string][]string{"x": {"a", "b"}}, w.Vars, "others may have any value")
	require.Equal(t, map[string][]string{"g": {"ls"}, "h": {"cat"}}, w.Aliases)
	require.Len(t, w.Functions["f"], 2)
	w.After(judgeLine(New(), "x=c; f() { echo 3; }", w), true)
	require.Equal(t, []string{"c"}, w.Vars["x"])
	require.Len(t, w.Functions["f"], 1)
}

func TestForesees(t *testing.T) {
	for _, row := range []struct {
		line, call string
		want       bool
	}{
		{"read a", "read a", true}, {"read a", "read b", false}, {"read a", "read a b", false}, {"read a b", "read a", false}, {"read a", "write a", false},
		{"read $x", "read", true}, {"read $x", "read a b c", true}, {"read \"$x\" --limit 5", "read a --limit 5", true}, {"read \"$x\" --limit 5", "read a --limit 6", false},
		{"read $x a $y b", "read a b a c b", true}, {"read $x a $y b", "read a c", false}, {"read '*'", "read a", false}, {`read '\*'`, `read '\*'`, true}, {`read '\*'`, "read '*'", false},
	} {
		v := judgeLine(New(), "agent:"+row.line, ws())
		words := judgeLine(New(), row.call, ws()).Parts[0].words
		require.Equal(t, row.want, v.Parts[0].Foresees(texts(words)), "%s becomes %s", row.line, row.call)
	}
}
