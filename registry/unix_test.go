package registry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnixOptions is a tool that takes the words of a Unix program.
func TestUnixOptions(t *testing.T) {
	words := []Param{{Type: String}, {Type: Array, Items: &Param{Type: String, Role: ReadsTree}}}
	tool := &Tool{Name: "find", Kind: ReadOnly, Params: NewParams(
		Param{Name: "what", Type: String, Required: true, Unless: "more"},
		Param{Name: "more", Type: String, Join: ","},
		Param{Name: "in", AnyOf: words, Positional: true, Default: "."},
		Param{Name: "deep", Type: Integer, Short: "d"},
		Param{Name: "hid", Type: Boolean},
	), Unix: map[string]string{"e": "--more=*", "f": "--more@=*", "quiet": "", "a": "--hid=true --deep=9", "x": "is not here: write --hid", "h": "--hid=false"}}
	for _, row := range []struct {
		words []string
		want  Kwargs
		says  string
	}{
		{[]string{"w", "a"}, Kwargs{"what": "w", "in": "a"}, ""},
		{[]string{"w", "a", "[b]", "c"}, Kwargs{"what": "w", "in": []any{"a", "[b]", "c"}}, ""},
		{[]string{"w", "[id]/x"}, Kwargs{"what": "w", "in": "[id]/x"}, ""},
		{[]string{"w", "--in", "a", "--in", "b"}, Kwargs{"what": "w", "in": []any{"a", "b"}}, ""},
		{[]string{"-e", "1", "-e2", "a", "b"}, Kwargs{"more": "1,2", "in": []any{"a", "b"}}, ""},
		{[]string{"--more", "1", "a"}, Kwargs{"more": "1", "in": "a"}, ""},
		{[]string{"w", "-d", "1", "-d2", "--deep=3"}, Kwargs{"what": "w", "deep": int64(3)}, ""},
		{[]string{"w", "-ad1"}, Kwargs{"what": "w", "hid": true, "deep": int64(1)}, ""},
		{[]string{"-h", "w", "--quiet"}, Kwargs{"what": "w", "hid": false}, ""},
		{[]string{"w", "-x"}, nil, "-x: is not here: write --hid"},
		{[]string{"w", "-e"}, nil, "-e needs a value"},
		{[]string{"--hid"}, nil, "missing --what"},
	} {
		p, err := tool.Parse(row.words, false)
		if row.says != "" {
			require.ErrorContains(t, err, row.says, "%q", row.words)
			continue
		}
		require.NoError(t, err, "%q", row.words)
		for name, want := range row.want {
			if n, ok := want.(int64); ok {
				require.EqualValues(t, n, (&Call{Kwargs: p.Kwargs}).Int(name), "%q", row.words)
				continue
			}
			require.Equal(t, want, p.Kwargs[name], "%q", row.words)
		}
		require.Len(t, p.Kwargs, len(row.want), "%q", row.words)
	}
	p, err := tool.Parse([]string{"-h"}, false)
	require.NoError(t, err)
	require.Equal(t, BriefHelp, p.Help)
	p, err = tool.Parse([]string{"-f", "names", "a"}, false)
	require.NoError(t, err)
	uses, _ := tool.UsesOf(p.Kwargs)
	require.Equal(t, []Use{{ReadsFile, "names"}}, uses)
}
