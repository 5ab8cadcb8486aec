//go:build linux

package files

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGlob(t *testing.T) {
	s := sources(t)
	s.put(".hid/x.go", "")
	s.put("b/.env", "")
	s.put("b/d/e/f.go", "")
	s.put("b-b/x.txt", "")
	require.NoError(t, os.Symlink("a.go", s.path("link.go")))
	require.NoError(t, os.Symlink("b", s.path("dirlink")))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"*"}, "a.go link.go z.md"},
		{[]string{"**"}, "a.go b/b.py b/c.txt b/d/e/f.go b-b/x.txt link.go z.md"},
		{[]string{"**/*.go"}, "a.go b/d/e/f.go link.go"},
		{[]string{"b/**/*.go"}, "b/d/e/f.go"},
		{[]string{"b/*"}, "b/b.py b/c.txt"},
		{[]string{"*.{go,md}"}, "a.go link.go z.md"},
		{[]string{"[!a]*.go"}, "link.go"},
		{[]string{"*", "b"}, "b/b.py b/c.txt"},
		{[]string{"**/.env"}, "b/.env"},
		{[]string{"**/*.go", "--hidden"}, ".hid/x.go a.go b/d/e/f.go link.go"},
		{[]string{".hid/*"}, ".hid/x.go"},
		{[]string{"*/"}, "b/ b-b/ dirlink/"},
		{[]string{"**/d/"}, "b/d/"},
		{[]string{s.dir + "/*.md"}, "z.md"},
		{[]string{"./b/../*.md"}, "z.md"},
		{[]string{"**", "--limit", "2", "--offset", "1"}, "b/b.py b/c.txt"},
		{[]string{"a.go"}, "a.go"},
	} {
		r := s.run(append([]string{"glob"}, test.args...)...)
		require.Zero(t, r.status, r.err)
		require.Equal(t, test.want, strings.Join(strings.Fields(r.out), " "), "%q: %s", test.args, r.err)
	}
	require.Equal(t, "a.go\x00link.go\x00", s.ok("glob", "*.go", "--null"))
	s.dir = s.path("b")
	require.Equal(t, "d/e/f.go\n", s.ok("glob", "**/*.go"))
	require.Contains(t, s.ok("glob", "../*.md"), "/z.md\n")
}

func TestGlobSaysWhatWouldMatch(t *testing.T) {
	s := sources(t)
	s.put(".gitignore", "*.log\n")
	s.put(".git/HEAD", "")
	s.put("x.log", "")
	s.put("b/.cfg", "")
	for args, want := range map[string]string{
		"*.py":       "0 files match *.py in .; '**/*.py' would match 1",
		"*.log":      "0 files match *.log in .; 1 ignored or hidden: pass --ignore=false --hidden",
		"b":          "0 files match b in .; 1 directory by that name: end the pattern with / to list directories",
		"nothing/**": "",
		"[ab]c":      "0 files match [ab]c in .",
	} {
		r := s.run("glob", args)
		require.Empty(t, r.out, args)
		require.Contains(t, r.err, want, args)
	}
	r := s.run("glob", "**/*", "--limit", "2")
	require.Equal(t, "paths 1-2 of 4: go on with --offset 2\n", r.err)
	require.Equal(t, "x.log\n", s.ok("glob", "*.log", "--no-ignore"))
	require.Equal(t, 2, s.run("glob", "").status)
	require.Equal(t, 2, s.run("glob", "x", "--sort", "size").status)
	require.Contains(t, s.fails("glob", "*", "nodir"), "does not exist")
	require.Contains(t, s.fails("glob", "*", "a.go"), "not a directory")
}

func TestGlobByTime(t *testing.T) {
	s := sources(t)
	now := time.Now()
	for i, name := range []string{"b/c.txt", "z.md", "a.go", "b/b.py"} {
		require.NoError(t, os.Chtimes(s.path(name), now, now.Add(-time.Duration(i)*time.Hour)))
	}
	require.Equal(t, "b/c.txt\nz.md\na.go\nb/b.py\n", s.ok("glob", "**", "--sort", "mtime"))
	require.Equal(t, "z.md\na.go\n", s.ok("glob", "**", "--sort", "mtime", "--limit", "2", "--offset", "1"))
}
