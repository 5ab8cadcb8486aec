package glob

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// matchPath runs a path through the states, as a walk does.
func matchPath(t *testing.T, pattern, path string, hidden bool) bool {
	p, err := Compile(pattern)
	require.NoError(t, err)
	s := p.Start()
	parts := strings.Split(path, "/")
	for _, dir := range parts[:len(parts)-1] {
		if s = s.Enter(dir, hidden); s == nil {
			return false
		}
	}
	return s.Match(parts[len(parts)-1], hidden)
}

func TestPaths(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		hidden, want  bool
	}{
		{"*.go", "a.go", false, true},
		{"*.go", "x/a.go", false, false},
		{"**/*.go", "a.go", false, true},
		{"**/*.go", "x/y/a.go", false, true},
		{"x/**", "x/y/z", false, true},
		{"x/**", "x", false, false},
		{"x/**/z", "x/z", false, true},
		{"x/**/z", "x/a/b/z", false, true},
		{"x/**/z", "x/a/b/c", false, false},
		{"**/x/**/z", "a/x/b/x/z", false, true},
		{"**/**/z", "z", false, true},
		{"a**b", "axxb", false, true},
		{"a**b", "ax/b", false, false},
		{"{a,b}/*.{go,c}", "b/x.c", false, true},
		{"{a,b}/*.{go,c}", "c/x.c", false, false},
		{"{a,b{c,d}}", "bd", false, true},
		{"{a}", "{a}", false, true},
		{"{a,}b", "b", false, true},
		{"*", ".env", false, false},
		{"*", ".env", true, true},
		{".*", ".env", false, true},
		{"**", ".git/x", false, false},
		{"**/.env", "a/.env", false, true},
		{"**/*.yml", ".github/a.yml", false, false},
		{".github/**", ".github/a.yml", false, true},
		{".github/**", ".github/.a.yml", false, false},
		{"./a/./b", "a/b", false, true},
		{"a//b", "a/b", false, true},
		{"[!.]*", ".env", false, false},
		{"a[/]b", "a/b", false, false},
	} {
		require.Equal(t, test.want, matchPath(t, test.pattern, test.path, test.hidden), "%q against %q", test.pattern, test.path)
	}
}

func TestTooManyAlternatives(t *testing.T) {
	_, err := Compile(strings.Repeat("{a,b}", 30))
	require.ErrorContains(t, err, "alternatives")
	for _, p := range []string{"", "/", "."} {
		_, err = Compile(p)
		require.ErrorContains(t, err, "names nothing", "%q", p)
	}
}

func TestPrefix(t *testing.T) {
	for _, test := range [][3]string{
		{"src/x/*.go", "src/x/", "*.go"}, {"*.go", "", "*.go"}, {"a.go", "", "a.go"}, {"/usr/include/*.h", "/usr/include/", "*.h"},
		{"../x/**", "../x/", "**"}, {"{a,b}/c", "", "{a,b}/c"}, {"a/b/", "a/", "b/"}, {`a\*/b`, "", `a\*/b`},
	} {
		dir, rest := Prefix(test[0])
		require.Equal(t, test[1:], []string{dir, rest}, test[0])
	}
}
