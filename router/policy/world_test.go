package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A line that has not finished may have left anything that it had come to.
func TestAfterAnUnfinishedLine(t *testing.T) {
	w := ws()
	effects := func(line string) []Effect { return judgeLine(line, w).Effects }
	places := func(line string) (out []string) {
		for _, p := range judgeLine(line, w).Parts {
			out = append(out, p.Paths[0].Path)
		}
		return out
	}
	w.After(judgeLine("x=a; f() { cat a; }; alias g='cat a'", w), true)
	require.Equal(t, []Effect{Read}, effects("f"))
	require.Equal(t, []string{"/ws/a"}, places("cat $x"))
	w.After(judgeLine("x=b; z=c; f() { touch a; }; alias g='touch a'", w), false)
	require.Equal(t, []Effect{Read, Write}, effects("f"))
	require.Subset(t, effects("g"), []Effect{Read, Write})
	require.ElementsMatch(t, []string{"/ws/a", "/ws/b"}, places("cat \"$x\""))
	require.Contains(t, places("cat \"$z\""), "…", "it may have had any value")
	w.After(judgeLine("x=c; f() { touch a; }", w), true)
	require.Equal(t, []Effect{Write}, effects("f"))
	require.Equal(t, []string{"/ws/c"}, places("cat \"$x\""))
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
		v := judgeLine("agent:"+row.line, ws())
		call := judgeLine("agent:"+row.call, ws())
		require.Equal(t, row.want, v.Parts[0].Foresees(&call.Parts[0]), "%s becomes %s", row.line, row.call)
	}
	v := judgeLine("agent:read a", ws())
	require.False(t, v.Parts[0].Foresees(&Part{Kind: TextPart}))
}
