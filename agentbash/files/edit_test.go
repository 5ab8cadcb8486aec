//go:build linux

package files

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEditReplacesOnce(t *testing.T) {
	for _, test := range []struct{ name, file, old, new, want string }{
		{"a part of a line", "one two three\n", "two", "2", "one 2 three\n"},
		{"nothing", "one two\n", " two", "", "one\n"},
		{"lines", "a\nb\nc\n", "b\nc\n", "x\n", "a\nx\n"},
		{"the end without a newline", "a\nb", "b", "c", "a\nc"},
		{"a newline added at the end", "a\nb", "b", "b\n", "a\nb\n"},
		{"CRLF, one line", "a\r\nb\r\n", "b", "c", "a\r\nc\r\n"},
		{"CRLF, new lines", "a\r\nb\r\nc\r\n", "b", "b\nb2", "a\r\nb\r\nb2\r\nc\r\n"},
		{"CRLF, old lines", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\nc\r\n"},
		{"CRLF given and there", "a\r\nb\r\n", "a\r\nb", "c\r\nd", "c\r\nd\r\n"},
		{"CRLF given for LF", "a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"},
		{"CRLF, last line open", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"},
		{"mixed ends stay where lines stay", "a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nB\nc\n", "a\r\nB\nc\r\nd\n"},
		{"mixed ends, the LF part", "a\r\nb\nc\n", "b\nc", "b\nx\nc", "a\r\nb\nx\nc\n"},
		{"mixed ends, a line added after an LF line", "a\r\nb\nc\r\n", "b", "b\nx", "a\r\nb\nx\nc\r\n"},
		{"BOM", "\ufeffpackage a\n", "package a", "package b", "\ufeffpackage b\n"},
		{"BOM, another indentation", "\ufeff\tif x\n\ty\n", "    if x\n    y\n", "    z\n", "\ufeff\tz\n"},
		{"Latin-1, ASCII edit", "caf\xe9 one\n", "one", "two", "caf\xe9 two\n"},
		{"Latin-1, edit with letters", "caf\xe9 one\n", "café", "thé", "th\xe9 one\n"},
		{"Windows-1252", "\x93quoted\x94\n", "“quoted”", "„q”", "\x84q\x94\n"},
		{"UTF-8 with a stray byte", "é\xff one\n", "one", "ü", "é\xff ü\n"},
		{"bytes that are no text", "\x00\x01abc\x02", "abc", "d", "\x00\x01d\x02"},
		{"overlapping occurrences count once", "aaa\n", "aa", "b", "ba\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t, nil)
			s.put("f", test.file)
			s.ok("edit", "f", "--old_string="+test.old, "--new_string="+test.new)
			require.Equal(t, test.want, s.get("f"))
			s.requireNoTemp()
		})
	}
}

func TestEditUTF16(t *testing.T) {
	for _, little := range []bool{true, false} {
		s := newShell(t, nil)
		s.put("f", utf16Bytes("grün\r\neins 😀\r\n", little, true))
		s.ok("edit", "f", "grün\neins", "blau\nzwei\ndrei")
		require.Equal(t, utf16Bytes("blau\r\nzwei\r\ndrei 😀\r\n", little, true), s.get("f"))
	}
	s := newShell(t, nil)
	odd := utf16Bytes("a", true, true) + "\x00\xd8b\x00" // half of a pair
	s.put("f", odd)
	require.Contains(t, s.fails("edit", "f", "a", "b"), "not all utf-16le")
	require.Equal(t, odd, s.get("f"))
	s.put("g", "caf\xe9\n")
	require.Contains(t, s.fails("edit", "g", "café", "日本"), "windows-1252, the file's encoding, does not have")
}

func TestEditFitsTheIndentation(t *testing.T) {
	for _, test := range []struct{ name, file, old, new, want, note string }{
		{"tabs in the file, spaces given", "func f() {\n\tif x {\n\t\ty()\n\t}\n}\n", "    if x {\n        y()\n    }\n", "    if x {\n        z()\n        if w {\n            v()\n        }\n    }\n",
			"func f() {\n\tif x {\n\t\tz()\n\t\tif w {\n\t\t\tv()\n\t\t}\n\t}\n}\n", "lines 2-4 match but for the indentation (4 spaces in old_string, a tab in the file)"},
		{"two spaces given", "\ta\n\t\tb\n", "  a\n    b", "  a\n    c\n      d", "\ta\n\t\tc\n\t\t\td\n", "2 spaces"},
		{"spaces in the file, tabs given", "  a\n    b\n", "\ta\n\t\tb\n", "\ta\n\t\tc\n", "  a\n    c\n", "a tab in old_string, 2 spaces"},
		{"deeper in the file", "\t\tx\n\t\t\ty\n", "x\n\ty\n", "x\n\tz\n", "\t\tx\n\t\t\tz\n", `the file has "\t\t" more`},
		{"deeper in the old text", "x\n  y\n", "    x\n      y\n", "    x\n      z\n", "x\n  z\n", `"    " less`},
		{"one line, deeper lines added", "\t\tif a {\n", "        if a {\n", "        if a {\n            b()\n", "\t\tif a {\n\t\t\tb()\n", "4 spaces"},
		{"blank lines between", "\ta\n\n\tb\n", "  a\n\n  b", "  a\n\n  c", "\ta\n\n\tc\n", "2 spaces"},
		{"an alignment is kept", "\tf(a,\n\t\tb)\n", "    f(a,\n        b)", "    f(a,\n      b)", "\tf(a,\n\t  b)\n", "4 spaces"},
		{"CRLF", "\ta\r\n\t\tb\r\n", "  a\n    b\n", "  c\n    d\n", "\tc\r\n\t\td\r\n", "2 spaces"},
		{"deleted", "\ta\n\tb\n\tc\n", "  b\n", "", "\ta\n\tc\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t, nil)
			s.put("f", test.file)
			r := s.run("edit", "f", "--old_string="+test.old, "--new_string="+test.new)
			require.Zero(t, r.status, r.err)
			require.Equal(t, test.want, s.get("f"))
			require.Contains(t, r.err, test.note)
			s.put("g", test.file)
			require.Contains(t, s.fails("edit", "g", "--old_string="+test.old, "--new_string="+test.new, "--strict"), "is not in g")
			require.Equal(t, test.file, s.get("g"))
		})
	}
}

func TestEditNeverGuesses(t *testing.T) {
	for _, test := range []struct{ name, file, old, new string }{
		{"twice with another indentation", "\ta\n\t\ta\n", "  a\n", "  b\n"},
		{"not the same shape", "\ta\n\tb\n", "  a\n    b\n", "  c\n"},
		{"one word differs", "\tif x == 1 {\n", "\tif x == 2 {\n", "\tif y {\n"},
		{"twice with other blanks at the end", "a \nb\na  \nb\n", "a\nb\n", "c\n"},
		{"a mix of tabs and spaces", "\t  a\n", "   \ta\n", "   \tb\n"},
		{"a new line left of everything", "x\ny\n", "    x\n    y\n", "  z\n"},
		{"another case", "Return\n", "return\n", "x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t, nil)
			s.put("f", test.file)
			s.fails("edit", "f", "--old_string="+test.old, "--new_string="+test.new)
			require.Equal(t, test.file, s.get("f"))
		})
	}
}

func TestEditStrictWritesTheBytesGiven(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "a\r\nb\r\n")
	s.ok("edit", "f", "b", "c\nd", "--strict")
	require.Equal(t, "a\r\nc\nd\r\n", s.get("f"))
	require.Contains(t, s.fails("edit", "f", "a\nc", "x", "--strict"), "the line ends differ")
}

func TestEditOfSeveralOccurrences(t *testing.T) {
	s := newShell(t, nil)
	text := "x\n1 x\n2\nx x\n"
	s.put("f", text)
	require.Equal(t, "edit: old_string occurs 4 times in f (lines 1, 2, 4, 4): add surrounding lines, or pass --replace_all\n", s.fails("edit", "f", "x", "y"))
	require.Contains(t, s.fails("edit", "f", "x", "y", "--count", "3"), "occurs 4 times in f (lines 1, 2, 4, 4), not 3: nothing was changed")
	require.Contains(t, s.fails("edit", "f", "1 x", "y", "--count", "2"), "occurs once in f (line 2), not 2")
	require.Equal(t, text, s.get("f"))
	s.ok("edit", "f", "x", "y", "--count", "4")
	require.Equal(t, "y\n1 y\n2\ny y\n", s.get("f"))
	s.ok("edit", "f", "y", "$&", "--replace_all")
	require.Equal(t, "$&\n1 $&\n2\n$& $&\n", s.get("f"))
	s.put("many", strings.Repeat("z\n", 30))
	require.Contains(t, s.fails("edit", "many", "z", "y"), "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...")
	s.put("crlf", "a\r\nb\r\na\r\nb\r\n")
	s.ok("edit", "crlf", "a\nb", "c\nd", "--replace_all")
	require.Equal(t, "c\r\nd\r\nc\r\nd\r\n", s.get("crlf"))
}

func TestEditsAreAllOrNothing(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "one two three\n")
	s.ok("edit", "f", "--edits", `[{"old_string": "one", "new_string": "1"}, {"old_string": "1 two", "new_string": "2 2"}, {"old_str": "2", "new_str": "x", "replace_all": true}]`)
	require.Equal(t, "x x three\n", s.get("f"))
	msg := s.fails("edit", "f", "--edits", `[{"old_string": "three", "new_string": "3"}, {"old_string": "four", "new_string": "4"}]`)
	require.Contains(t, msg, "edits[1]: old_string is not in f")
	require.Contains(t, msg, "no edit was made")
	require.Equal(t, "x x three\n", s.get("f"))
	for _, bad := range []string{`[]`, `[{"old_string": "x"}]`, `["x"]`, `[{"old_string": "", "new_string": "y"}]`, `{"a": 1}`} {
		require.NotZero(t, s.run("edit", "f", "--edits", bad).status, bad)
	}
	require.Equal(t, 2, s.run("edit", "f", "x", "y", "--edits", "[]").status)
}

func TestEditRefuses(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "one\n")
	require.Contains(t, s.fails("edit", "f", "", "x"), "old_string is empty")
	require.Contains(t, s.fails("edit", "f", "one", "one"), "are the same")
	require.Contains(t, s.fails("edit", "none", "a", "b"), "does not exist")
	s.put("empty", "")
	require.Contains(t, s.fails("edit", "empty", "a", "b"), "empty")
	for _, args := range [][]string{{"edit", "f"}, {"edit", "f", "one"}, {"edit", "f", "one", "two", "three", "4", "5", "6", "7", "8", "9", "10"}, {"edit", "f", "a", "b", "--count", "0"}, {"edit", "", "a", "b"}} {
		require.Equal(t, 2, s.run(args...).status, args)
	}
	require.Equal(t, "one\n", s.get("f"))
}

func TestEditSaysWhyNothingMatches(t *testing.T) {
	file := "package a\n\nfunc f() {\n\tif x {\n\t\treturn \u201cone\u201d\n\t}\n\ty := 1\u00a0+ 2\n\tlog(\"a\\nb\")\n\tdone()   \n}\n"
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"curly quotes, strictly", `return "one"`, "x", []string{"curly quotes", "at line 5", "column 10", `\u201cone\u201d`}},
		{"NBSP, strictly", "y := 1 + 2", "x", []string{"no-break (NBSP)", "line 7, column 8", `1\u00a0+ 2`}},
		{"tabs", "    if x {\n    return", "x", []string{"indentation differs", "line 4, column 1", `\tif x {`}},
		{"a line number prefix, strictly", "3| func f() {\n4| \tif x {", "x", []string{"has line numbers before its lines", "line 3"}},
		{"escaped in two ways", `func f() {\n\tif x {`, `func f() {\n\tif y == \"\" {`, []string{`escaped once too often, and new_string in yet another way`, "line 3"}},
		{"a real newline for an escape", "log(\"a\nb\")", "x", []string{`end of a line where the file has a literal \n`, "line 8"}},
		{"already applied", "func g() {", "func f() {", []string{"already applied at line 3"}},
		{"trailing spaces, strictly", "done()\n}", "x", []string{"spaces at the ends of lines", "line 9, column 8"}},
		{"in several places", "RETURN", "x", []string{"upper and lower case differ (it is at line 5)"}},
		{"case", "FUNC f()", "x", []string{"upper and lower case", "line 3, column 1"}},
		{"close", "func f(a int) {\n\tif x {\n", "x", []string{"the closest is at line 3", "line 3, column 8", "read f --offset 1"}},
		{"a line missing", "func f() {\n\t\treturn 1\n", "x", []string{"the closest is at line 3", "line 4, column 2"}},
		{"past the end", "\tdone()   \n}\nmore\nand more\n", "x", []string{"closest is at line 9", "line 11"}},
		{"nothing like it", "qqqqqqqqqqqqqqq", "x", []string{"nor is anything like it"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShell(t, nil)
			s.put("f", file)
			words := []string{"edit", "f", "--old_string=" + test.old, "--new_string=" + test.new}
			if strings.HasSuffix(test.name, "strictly") {
				words = append(words, "--strict")
			}
			msg := s.fails(words...)
			for _, want := range append(test.want, "old_string is not in f") {
				require.Contains(t, msg, want)
			}
			require.Equal(t, file, s.get("f"))
		})
	}
}

func TestEditPrintsADiffOfSixtyLinesAtMost(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", numbered(300))
	require.Equal(t, "--- f\n+++ f\n@@ -97,7 +97,7 @@\n line 97\n line 98\n line 99\n-line 100\n+LINE\n line 101\n line 102\n line 103\n", s.ok("edit", "f", "line 100\n", "LINE\n"))
	s.put("all", numbered(300))
	r := s.run("edit", "all", "line", "Line", "--replace_all")
	require.Empty(t, r.err)
	require.Contains(t, r.out, "\n+++ all\t300 replacements\n")
	require.Contains(t, r.out, "-line 3\n-line 4\n... 295 more - lines ...\n-line 300\n+Line 1\n")
	require.Equal(t, 15, strings.Count(r.out, "\n"), "what was sent is not sent back")
	out := s.ok("edit", "all", "Line", "line", "--replace_all", "--dry_run")
	require.Equal(t, 60, strings.Count(out, "\n"))
	require.Contains(t, out, "of the diff are not shown\n")
	s.put("open", "a\nb")
	require.Equal(t, "--- open\n+++ open\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", s.ok("edit", "open", "b", "c"))
	s.put("two", "1\n"+numbered(40)+"2\n")
	require.Equal(t, 2, strings.Count(s.ok("edit", "two", "--edits", `[{"old_string":"1\nline 1\n","new_string":"one\n"},{"old_string":"40\n2","new_string":"two"}]`), "@@ -"))
}

func TestEditDryRun(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "one\n")
	require.Contains(t, s.ok("edit", "f", "one", "two", "--dry_run"), "-one\n+two\n")
	require.Equal(t, "one\n", s.get("f"))
}

// Bytes outside the match never change, whatever they are.
func TestEditChangesNothingElse(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		piece := func(n int) string {
			b := make([]byte, r.IntN(n))
			for i := range b {
				b[i] = byte(r.IntN(256))
			}
			return string(b)
		}
		s := newShell(t, nil)
		before, after := piece(300), piece(300)
		old, new := fmt.Sprintf("<%d>", seed), "["+strings.ReplaceAll(piece(20), "\n", "")+"]"
		if strings.HasPrefix(before, "\xff\xfe") || strings.HasPrefix(before, "\xfe\xff") {
			continue
		}
		s.put("f", before+old+after)
		s.ok("edit", "f", "--old_string="+old, "--new_string="+new)
		require.Equal(t, before+new+after, s.get("f"), "seed %d", seed)
	}
}
