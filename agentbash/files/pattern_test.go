//go:build linux

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
		{[]string{"-v", "o", "b"}, "b/b.py:2:    return 1\n", ""},
		{[]string{"-v", "o", "b", "a.go", "-B1"}, "b/b.py-1-def foo():\nb/b.py:2:    return 1\n--\na.go:1:package a\na.go:2:\n", ""},
		{[]string{"fo+", "--only-matching", "b"}, "b/b.py:1:foo\nb/c.txt:2:foo\nb/c.txt:3:foo\n", ""},
		{[]string{"-o", "o", "b/b.py", "--column"}, "b/b.py:1:6:o\nb/b.py:1:7:o\n", ""},
		{[]string{"-wo", "foo|bar", "a.go"}, "a.go:4:foo\na.go:4:bar\n", ""},
		{[]string{"-co", "o", "b"}, "b/b.py:2\nb/c.txt:6\n", ""},
		{[]string{"--count-matches", "o", "b/b.py"}, "b/b.py:2\n", ""},
		{[]string{"-L", "foo"}, "p.txt\nz.md\n", ""},
		{[]string{"-L", "foo", "b"}, "", ""},
		{[]string{"-L", "-m", "0", "foo", "b"}, "b/b.py\nb/c.txt\n", ""},
		{[]string{"-q", "foo"}, "", ""},
		{[]string{"-h", "foo", "b"}, "1:def foo():\n2:foo\n3:food\n", ""},
		{[]string{"-hN", "foo", "b"}, "def foo():\nfoo\nfood\n", ""},
		{[]string{"-e", "bar", "-e", "return", "a.go", "b"}, "a.go:4:// foo bar\nb/b.py:2:    return 1\n", ""},
		{[]string{"-F", "-e", "Foo()", "-e", "foo()", "."}, "a.go:3:func Foo() {}\nb/b.py:1:def foo():\n", ""},
		{[]string{"--replace", "<$0>", "fo(o)", "b"}, "b/b.py:1:def <foo>():\nb/c.txt:2:<foo>\nb/c.txt:3:<foo>d\n", ""},
		{[]string{"-wo", "--replace", "$1$x", "(?P<x>f)o(o)", "a.go"}, "a.go:4:ff\n", ""},
		{[]string{"-S", "foo", "b/c.txt"}, "b/c.txt:1:Foo\nb/c.txt:2:foo\nb/c.txt:3:food\n", ""},
		{[]string{"-S", "Foo", "b/c.txt"}, "b/c.txt:1:Foo\n", ""},
		{[]string{"-S", `\Woo|foo`, "b/c.txt"}, "b/c.txt:1:Foo\nb/c.txt:2:foo\nb/c.txt:3:food\n", ""},
		{[]string{"-i", "-i", "FOOD", "-C", "1", "-C", "0"}, "b/c.txt:3:food\n", ""},
		{[]string{"-m", "1", "foo", "b/c.txt", "-A1"}, "b/c.txt:2:foo\nb/c.txt-3-food\n", ""},
		{[]string{"-m1", "foo", "--output_mode", "count"}, "a.go:1\nb/b.py:1\nb/c.txt:1\n", ""},
		{[]string{"-x", "foo"}, "b/c.txt:2:foo\n", ""},
		{[]string{"-xo", "Foo|.*", "b/c.txt"}, "b/c.txt:1:Foo\nb/c.txt:2:foo\nb/c.txt:3:food\n", ""},
		{[]string{"-xco", "Foo|.*", "b/c.txt"}, "b/c.txt:3\n", ""},
		{[]string{"-m1", "-A0", "-C1", "foo", "b/c.txt"}, "b/c.txt-1-Foo\nb/c.txt:2:foo\n", ""},
		{[]string{"-lZ", "foo", "b"}, "b/b.py\x00b/c.txt\x00", ""},
		{[]string{"foo", "--exclude", "*.txt", "--exclude-dir", "q"}, "a.go:4:// foo bar\nb/b.py:1:def foo():\n", ""},
		{[]string{"foo", "-T", "txt", "-tall"}, "a.go:4:// foo bar\nb/b.py:1:def foo():\n", ""},
		{[]string{"foo", "--max_filesize", "18"}, "b/c.txt:2:foo\nb/c.txt:3:food\n", ""},
		{[]string{"foo", "--max_filesize", "1T"}, "", "is no size: write one such as 500K"},
		{[]string{"-r", "foo", "b", "a.go"}, "b/b.py:1:def foo():\nb/c.txt:2:foo\nb/c.txt:3:food\na.go:4:// foo bar\n", ""},
		{[]string{"-r", "<$1>", "foo"}, "", "a replacement is --replace '<$1>'"},
		{[]string{"foo", "nosuch", "b/b.py"}, "b/b.py:1:def foo():\n", "nosuch does not exist"},
		{[]string{"-P", "foo"}, "", "command grep -rnP"},
		{[]string{"foo", "--path", "b", "--path", "a.go"}, "b/b.py:1:def foo():\nb/c.txt:2:foo\nb/c.txt:3:food\na.go:4:// foo bar\n", ""},
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
