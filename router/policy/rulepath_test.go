package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathPatterns(t *testing.T) {
	name := aName
	for _, c := range []struct {
		pattern, path string
		tree          bool
		deny, allow   fit
	}{
		{"./a", "/ws/a", false, fits, fits},
		{"./a", "/ws/a/b", false, fits, misses},
		{"a/b", "/ws/a/b", false, fits, fits},
		{"a/b", "/ws/x/a/b", false, misses, misses},
		{".", "/ws", false, fits, fits},
		{".", "/ws/a", false, fits, misses},
		{"/", "/", false, fits, fits},
		{"/", "/a", false, fits, misses},
		{"/**", "/a/b", false, fits, fits},
		{"~", "/home/u", false, fits, fits},
		{"~/**", "/home/u/a", false, fits, fits},
		{"~/**", "/home/u2/a", false, misses, misses},
		{"~/.ssh/**", "/home/u/.ssh", false, fits, fits},
		{"~/.ssh/", "/home/u/.ssh/a", false, fits, misses},
		{".env", "/x/.env", false, fits, fits},
		{".env", "/.env", false, fits, fits},
		{".env", "/x/a.env", false, misses, misses},
		{".env", "/x/.env/y", false, fits, misses},
		{"*.key", "/a.key", false, fits, fits},
		{"./*/x", "/ws/a/x", false, fits, fits},
		{"./*/x", "/ws/a/b/x", false, misses, misses},
		{"./**/x", "/ws/x", false, fits, fits},
		{"./**/x", "/ws/a/b/x", false, fits, fits},
		{"./**/x", "/ws/a/bx", false, misses, misses},
		{"./**/a/**/x", "/ws/a/x", false, fits, fits},
		{"./a**x", "/ws/ab/cx", false, fits, fits},
		{"./a?", "/ws/ab", false, fits, fits},
		{"./a?", "/ws/a/", false, misses, misses},
		{`./a\*`, "/ws/a*", false, fits, fits},
		{`./a\*`, "/ws/ab", false, misses, misses},
		{"./(a|b)/(c|d)", "/ws/b/c", false, fits, fits},
		{"(~|/x)/a", "/x/a", false, fits, fits},

		// What is not known of a path.
		{"./a/**", "/ws/a/" + name, false, fits, fits},
		{"./a/*", "/ws/a/" + name, false, fits, fits},
		{"./a/x*", "/ws/a/" + name, false, mayFit, mayFit},
		{"./a/x", "/ws/a/" + name + "x", false, mayFit, mayFit},
		{"*.pem", "/ws/" + name + ".go", false, misses, misses},
		{"*.pem", "/ws/" + name, false, mayFit, mayFit},
		{"./a/b", "/ws/" + name, false, misses, misses},
		{"./a?c", "/ws/a" + name, false, mayFit, mayFit},
		{"~/.ssh/*", "/home/" + name + "/.ssh/id", false, mayFit, mayFit},
		{"./a/**/x", "/ws/a/" + name + "/x", false, fits, fits},
		{"./a/**/x", "/ws/a/" + name, false, mayFit, mayFit},
		{"./a", anyText, false, mayFit, mayFit},
		{"./a", "/ws/" + anyText, false, mayFit, mayFit},

		// A path with all that lies below it.
		{"./a/**", "/ws/a", true, fits, fits},
		{"./a", "/ws/a", true, fits, mayFit},
		{"./a/**", "/ws", true, mayFit, mayFit},
		{"./a/**", "/", true, mayFit, mayFit},
		{"./a/**", "/ws/b", true, misses, misses},
		{"./**", "/ws/b", true, fits, fits},
		{"/**", "/", true, fits, fits},
		{"./a/*", "/ws/a", true, mayFit, mayFit},
		{"*.pem", "/ws", true, mayFit, mayFit},
		{"./a/b/**", "/ws/" + name, true, mayFit, mayFit},
	} {
		path := Path{raw: c.path, Tree: c.tree}
		for all, want := range map[bool]fit{true: c.deny, false: c.allow} {
			words, bad := ruleWords(c.pattern)
			require.Nil(t, bad)
			patterns, wrong := pathPatterns(words[0].texts, all)
			require.Empty(t, wrong)
			best := misses
			for i := range patterns {
				best = max(best, patterns[i].fit(&path, ws()))
			}
			require.Equal(t, want, best, "%s %q tree=%v all=%v", c.pattern, c.path, c.tree, all)
		}
	}
}
