package policy

import (
	"math/rand"
	"regexp"
	"strings"
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

// Where all is known, a pattern is a regular expression.
func TestGlobFit(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	pick := func(letters string) (s string) {
		for range random.Intn(8) {
			s += letters[random.Intn(len(letters)):][:1]
		}
		return s
	}
	words := strings.NewReplacer("*", ".*", "?", `\?`)
	paths := strings.NewReplacer("/**/", "/(.*/)?", "***", ".*", "**", ".*", "*", "[^/]*", "?", "[^/]")
	for range 5000 {
		pattern, text := pick("ab*?/"), pick("aab/")
		require.Equal(t, regexp.MustCompile("^"+words.Replace(pattern)+"$").MatchString(text), globFit(pattern, text, false) == fits, "%q %q", pattern, text)
		if !strings.Contains(pattern, "**/**") && !strings.Contains(pattern, "****") && !strings.HasSuffix(pattern, "/**") {
			require.Equal(t, regexp.MustCompile("^"+paths.Replace(pattern)+"$").MatchString(text), globFit(pattern, text, true) == fits, "%q %q", pattern, text)
		}
	}
	long := strings.Repeat("a", 1<<17)
	require.Equal(t, mayFit, globFit("*b*b", long, false), "what is not done by then may fit")
	for _, row := range []struct {
		pattern, text string
		want          fit
	}{
		{"push", anyText, mayFit}, {"*", anyText, fits}, {"a*", "a" + anyText, fits}, {"a*", anyText + "a", mayFit}, {"push", "log" + anyText, misses},
		{"push", anyText + "ed", misses}, {`\*x`, aName + "x", mayFit}, {"a/b", "a" + anyText, mayFit}, {"", anyText, mayFit},
	} {
		require.Equal(t, row.want, globFit(row.pattern, row.text, false), "%q %q", row.pattern, row.text)
	}
	require.Equal(t, fits, globFit("/fd/*", "/fd/"+aName, true))
	require.Equal(t, mayFit, globFit("/fd/*", "/fd/"+anyText, true), "a slash may be in it")
	require.Equal(t, fits, globFit("/fd/**", "/fd/"+anyText, true))
}
