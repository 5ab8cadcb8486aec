package files

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrepAsGrep is what models type for grep(1): it is done, or it is said what to type.
func TestGrepAsGrep(t *testing.T) {
	s := sources(t)
	s.put("p.txt", "left|right\n<div>\n")
	const files, counts = "a.go\nb/b.py\nb/c.txt\n", "a.go:1\nb/b.py:1\nb/c.txt:2\n"
	for _, test := range []struct {
		args      []string
		out, says string
	}{
		{[]string{"-l", "foo"}, files, ""},
		{[]string{"-rl", "foo", "--path", "."}, files, ""},
		{[]string{"--pattern", "foo", "--files-with-matches"}, files, ""},
		{[]string{"foo", "--output_mode", "files_with_matches"}, files, ""},
		{[]string{"-c", "foo"}, counts, ""},
		{[]string{"foo", "--count"}, counts, ""},
		{[]string{"-rnE", "foo|bar", "--path", "b"}, "b/b.py:1:def foo():\nb/c.txt:2:foo\nb/c.txt:3:food\n", ""},
		{[]string{"-v", "foo"}, "", "-v: lines that do not match are grep(1)'s: command grep -rnv PATTERN PATH"},
		{[]string{"foo", "--only-matching"}, "", "--only-matching: what matched alone is grep(1)'s: command grep -rno"},
		{[]string{"-L", "foo"}, "", "command grep -rL"},
		{[]string{"-P", "foo"}, "", "command grep -rnP"},
		{[]string{"-m", "3", "foo"}, "", "-m: write --head_limit N"},
		{[]string{"-x", "foo"}, "", "unknown option -x"},
		{[]string{"foo", "--path", "b", "--path", "a.go"}, "", `--path is given twice ("b", then "a.go"): one file or directory is searched: for several leave it out and pass --glob '{DIR/**,FILE}'`},
		{[]string{"foo", "b", "a.go"}, "", `a word too many: "a.go": one file or directory is searched`},

		{[]string{`Foo\|return`}, "a.go:3:func Foo() {}\nb/b.py:2:    return 1\nb/c.txt:1:Foo\n", "it was read as grep(1) does, --pattern 'Foo|return'"},
		{[]string{`\(Foo\|nosuch\)()`}, "a.go:3:func Foo() {}\nb/c.txt:1:Foo\n", "--pattern '(Foo|nosuch)()'"},
		{[]string{`\<foo\>`}, "a.go:4:// foo bar\nb/b.py:1:def foo():\nb/c.txt:2:foo\n", "--pattern '\\bfoo\\b'"},
		{[]string{`t\|r`}, "p.txt:1:left|right\n", ""},
		{[]string{`\<div\>`}, "p.txt:2:<div>\n", ""},
		{[]string{`nosuch\|neither`}, "", "0 in 5 files"},
		{[]string{`def\h+\Kfoo`}, "b/b.py:1:def foo():\n", ""},
		{[]string{`def[\h]foo`}, "b/b.py:1:def foo():\n", ""},
		{[]string{`[]a[:upper:]\h]oo`}, "a.go:3:func Foo() {}\nb/c.txt:1:Foo\n", ""},
		{[]string{`(?>foo)`}, "", "RE2 has nothing like it; leave it out, or use: command grep -rnP PATTERN PATH"},
		{[]string{`foo\R`}, "", "command grep -rnP"},
		{[]string{`foo(?=d)`}, "", "command grep -rnP"},
		{[]string{`i**`}, "", "pass --fixed for literal text"},
	} {
		r := s.run(append([]string{"grep"}, test.args...)...)
		require.Equal(t, test.out, r.out, "%q: %s", test.args, r.err)
		require.Contains(t, r.err, test.says, "%q", test.args)
		if test.says == "" {
			require.Empty(t, r.err, "%q", test.args)
		}
	}
}

func TestGrepSaysWhereTheRestIs(t *testing.T) {
	s := newShell(t, nil)
	for dir := range 10 {
		for file := range 10 + dir {
			s.put(fmt.Sprintf("many/d%d/f%d", dir, file), "hit\nhit\n")
		}
	}
	r := s.run("grep", "hit", "--path", "many")
	require.Equal(t, "lines 1-250 of 290 in 145 files: go on with --offset 250, or narrow the search (--path DIR, --glob, --type); "+
		"by directory: many/d9 38, many/d8 36, many/d7 34, many/d6 32, many/d5 30, many/d4 28, many/d3 26, many/d2 24, and 2 more\n", r.err)
	require.Contains(t, s.run("grep", "hit", "--path", "many/d1", "--head_limit", "2").err, "or narrow the search\n")
}
