//go:build linux

package files

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEditsAsModelsSendThem: what can only be meant in one way is done and said, and the
// rest refused with the file as it was.
func TestEditsAsModelsSendThem(t *testing.T) {
	const goFile = "package a\n\nfunc f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
	all := "--replace_all"
	for _, row := range []struct {
		name, file, old, new string
		flags                []string
		want, says           string // want "": refused
	}{
		// blanks at the ends of lines
		{"blanks in the file", "a() {   \n    return 1   \n}\n", "a() {\n    return 1\n}", "a() {\n    return 2\n}", nil, "a() {   \n    return 2\n}\n", "but for blanks at the ends of lines"},
		{"blanks in the old text", "foo()\nbar()\n", "foo() \nbar()\t\n", "foo()\nbaz()\n", nil, "foo()\nbaz()\n", "blanks at the ends"},
		{"a blank at its very end", "foo();\nbar();\n", "foo(); ", "qux(); ", nil, "qux(); \nbar();\n", "blanks at the ends"},
		{"blanks in an empty line", "a\n  \nb\n", "a\n\nb\n", "a\n\nc\n", nil, "a\n  \nc\n", "lines 1-3 match but for blanks"},
		{"blanks with CRLF", "a  \r\nb\r\n", "a\nb\n", "a\nc\n", nil, "a  \r\nc\r\n", "blanks at the ends"},
		{"blanks, twice", "a \nb\na  \nb\n", "a\nb\n", "a\nc\n", nil, "", "occurs 2 times in f (lines 1, 3)"},
		{"blanks, all of them", "a \nb\na  \nb\n", "a\nb\n", "a\nc\n", []string{all}, "a \nc\na  \nc\n", "\n+++ f\t2 replacements\n"},
		{"blanks, from within a line", "if a {  \n\tb\n}\n", "{\n\tb", "{\n\tc", nil, "if a {  \n\tc\n}\n", "blanks at the ends"},
		// line numbers
		{"numbers of read", "a\nbeta\nc\n", "2| beta", "gamma", nil, "a\ngamma\nc\n", "line numbers before the lines of old_string were left out"},
		{"numbers of read in both", "a\nbeta\nc\n", "2| beta\n3| c\n", "2| gamma\n3| c\n", nil, "a\ngamma\nc\n", "line numbers"},
		{"numbers of cat -n", "a\n\tb\n", "     1\ta\n     2\t\tb\n", "a\n\tc\n", nil, "a\n\tc\n", "line numbers"},
		{"numbers with an arrow", "a\nb\n", "     1→a\n     2→b", "a\nc", nil, "a\nc\n", "line numbers"},
		{"numbers of grep -n", "a\nb\n", "1:a\n2:b", "1:a\n2:c", nil, "a\nc\n", "line numbers"},
		{"numbers before empty lines", "a\n\nb\n", "1| a\n2|\n3| b", "a\n\nc", nil, "a\n\nc\n", "line numbers"},
		{"numbers of cat -n before empty lines", "a\n\nb\n", "     1\ta\n     2\n     3\tb\n", "a\n\nc\n", nil, "a\n\nc\n", "line numbers"},
		{"bare numbers", "x\n", "1\n2\n", "y\n", nil, "", "is not"},
		{"numbers and another indentation", goFile, "4| if x {\n5|     return 1\n6| }", "if x {\n    return 2\n}", nil, strings.Replace(goFile, "1", "2", 1), "but for the indentation"},
		{"numbers in the old text alone", "a\nbeta\nc\n", "2: beta", "x:\n8080: y", nil, "", "has line numbers before its lines"},
		{"numbers that skip", "a\nb\n", "1| a\n3| b\n", "x\n", nil, "", "is not in f"},
		{"a number that is a part of the line", "beta\nbetamax\n", "2|max", "min", nil, "", "is not in f"},
		{"text that only looks numbered", "1: a\n2: b\n", "1: a", "1: c", nil, "1: c\n2: b\n", ""},
		// characters
		{"plain quotes for curly ones", "say(“hi”)\n", `say("hi")`, `say("bye")`, nil, "say(“bye”)\n", "typographic quotes"},
		{"curly quotes for plain ones", "say \"hi\"\n", "say “hi”", "say \"bye\"", nil, "say \"bye\"\n", "typographic"},
		{"an apostrophe", "it’s one\n", "it's one", "it's two", nil, "it’s two\n", "typographic"},
		{"a no-break space", "a\u00a0b c\n", "a b c", "a b d", nil, "a\u00a0b d\n", "blanks"},
		{"a dash", "1–2 of 3\n", "1-2 of 3", "1-2 of 4", nil, "1–2 of 4\n", "dashes"},
		{"dots", "wait… now\n", "wait... now", "wait... then", nil, "wait… then\n", "typographic"},
		{"a part of dots", "wait…x\n", "..x", "..y", nil, "", "is not in f"},
		{"a zero-width space", "a\u200bb\n", "ab", "ac", nil, "ac\n", "typographic"},
		{"typographic lines that do not change", "“a”\nb\n“c”\n", "\"a\"\nb\n\"c\"\n", "\"a\"\nB\n\"c\"\n", nil, "“a”\nB\n“c”\n", "typographic"},
		{"typographic, twice", "“a”\n”a”\n", `"a"`, `"b"`, nil, "", "occurs 2 times"},
		{"accents are other letters", "cafe\n", "café", "x", nil, "", "is not in f"},
		// escapes
		{"quotes escaped", `say("hi")` + "\n", `say(\"hi\")`, `say(\"bye\")`, nil, `say("bye")` + "\n", "escaped once too often"},
		{"quotes escaped in the old text", `say("hi")` + "\n", `say(\"hi\")`, `say("bye")`, nil, `say("bye")` + "\n", "escaped once too often"},
		{"ends of lines escaped", "a\nb\n", `a\nb`, `a\nc`, nil, "a\nc\n", "escaped once too often"},
		{"backslashes escaped", `re := \d+` + "\n", `re := \\d+`, `re := \\w+`, nil, `re := \w+` + "\n", "escaped"},
		{"tabs escaped", "\tx\n", `\tx`, `\ty`, nil, "\ty\n", "escaped"},
		{"a dollar and a backquote", "echo $a `b`\n", "echo \\$a \\`b\\`", "echo \\$c \\`b\\`", nil, "echo $c `b`\n", "escaped"},
		{"escaped in two ways", "say(\"hi\")\n", `say(\"hi\")`, `say(\"a\n\")`, nil, "", "escaped once too often, and new_string in yet another way"},
		{"an escape that is there", `a\nb` + "\n", `a\nb`, `a\nc`, nil, `a\nc` + "\n", ""},
		{"an end of line for an escape", `log("a\nb")` + "\n", "log(\"a\nb\")", "x", nil, "", `literal \n`},
		// indentation
		{"spaces for tabs", goFile, "    if x {\n        return 1\n    }", "    if x {\n        return 2\n    }", nil, strings.Replace(goFile, "1", "2", 1), "4 spaces in old_string, a tab in the file"},
		{"tabs for spaces", "if x {\n    y\n}\n", "if x {\n\ty\n}", "if x {\n\tz\n}", nil, "if x {\n    z\n}\n", "a tab in old_string"},
		{"2 for 4", "def a():\n    if b:\n        c\n", "  if b:\n    c\n", "  if b:\n    d\n    if e:\n      g\n", nil, "def a():\n    if b:\n        d\n        if e:\n            g\n", "2 spaces in old_string, 4 in the file"},
		{"4 for 2", "a:\n  b:\n    c: 1\n", "a:\n    b:\n        c: 1\n", "a:\n    b:\n        c: 2\n", nil, "a:\n  b:\n    c: 2\n", "4 spaces in old_string, 2 in the file"},
		{"2 for 4, one line", "def a():\n    b\n\ndef d():\n    e\n", "  b\n", "  if c:\n    b\n", nil, "def a():\n    if c:\n        b\n\ndef d():\n    e\n", "4 in the file"},
		{"no indentation", goFile, "if x {\n\treturn 1\n}", "if x {\n\treturn 2\n}", nil, strings.Replace(goFile, "1", "2", 1), `the file has "\t" more`},
		{"deeper", "a {\n  b\n}\n", "    a {\n      b\n    }", "    a {\n      c\n    }", nil, "a {\n  c\n}\n", "less"},
		{"some missing", "    line1\n    line2\n    line3\n", " line1\n line2\n", " new1\n     new2\n", nil, "    new1\n        new2\n    line3\n", "more"},
		{"all of several", "a {\n\tfoo()\n}\nb {\n\t\tfoo()\n}\n", "    foo()", "    bar()", []string{all}, "a {\n\tbar()\n}\nb {\n\t\tbar()\n}\n", "\n+++ f\t2 replacements\n"},
		{"all of several blocks", "  match1\n  match2\n  match1\n  match2\n", "match1\nmatch2", "r1\nr2\nr3", []string{all}, "  r1\n  r2\n  r3\n  r1\n  r2\n  r3\n", "2 replacements"},
		{"one of several", "a {\n\tfoo\n\tz\n}\nb {\n\t\tfoo\n\t\tz\n}\n", "  foo\n  z\n", "  bar\n", nil, "", "occurs 2 times in f (lines 2, 6)"},
		{"lines that stay keep theirs", "\ta\n\n \tb\n\tc\n", "a\n\n \tb\nc\n", "x\n", nil, "", ""},
		{"deeper in a blank-led block", "  // c\n\n  function old() {}", "\nfunction old() {}", "\nfunction new() {}", nil, "  // c\n\n  function new() {}", "indentation"},
		{"the first line from within", "\tf(a,\n\t\tb)\n", "f(a,\n\t\tb)", "f(a,\n\t\tc)", nil, "\tf(a,\n\t\tc)\n", ""},
		// the end of the file
		{"an end of line that is not there", "a\nb", "b\n", "c\n", nil, "a\nc", ""},
		{"an end of line that is not there, with CRLF", "a\r\nb", "b\n", "c\nd\n", nil, "a\r\nc\r\nd", ""},
		{"several lines to such an end", "a\nb\nc", "b\nc\n", "x\n", nil, "a\nx", ""},
		{"every end of line", "a\nb", "\n", ";", []string{all}, "a;b", ""},
		// what is not there
		{"one word differs", goFile, "if y {", "if z {", nil, "", "the closest is at line 4"},
		{"in two places as close", "a one\nb\na two\nb\n", "a three\nb\n", "c\n", nil, "", "lines 1, 3"},
		{"another case", goFile, "RETURN 1", "x", nil, "", "upper and lower case"},
		{"other blanks within a line", "f( a, b )\n", "f(a, b)", "g(a, b)", nil, "", "is not in f"},
		{"elided lines in the old text", goFile, "func f() {\n...\n}\n", "x\n", nil, "", "is not in f"},
		// placeholders
		{"the rest of the code", "a\nb\n", "b", "b2\n// ... rest of the code ...", nil, "", "stands for lines that are left out"},
		{"existing code", "a\nb\n", "b", "b2\n# existing code", nil, "", "left out"},
		{"existing code with dots", "a\nb\n", "b", "b2\n    /* ... existing code ... */", nil, "", "left out"},
		{"in HTML", "a\nb\n", "b", "b2\n<!-- rest of the file remains the same -->", nil, "", "left out"},
		{"in SQL", "a\nb\n", "b", "b2\n-- ... other columns ...", nil, "", "left out"},
		{"unchanged", "a\nb\n", "b", "(unchanged code ...)\nb2", nil, "", "left out"},
		{"the rest of the methods", "a\nb\n", "b", "(rest of methods ...)", nil, "", "left out"},
		{"in JSX", "a\nb\n", "b", "{/* ... remaining code ... */}", nil, "", "left out"},
		{"bare dots", "a\nb\n", "b", "... rest of the function unchanged ...", nil, "", "left out"},
		{"one more of them", "// ... existing code ...\nb\n", "// ... existing code ...\n", "// ... existing code ...\nx\n// ... existing code ...\n", nil, "", "left out"},
		{"one that is there", "// ... existing code ...\nb\n", "// ... existing code ...\nb", "// ... existing code ...\nc", nil, "// ... existing code ...\nc\n", ""},
		{"one that is forced", "a\nb\n", "b", "# existing code", []string{"--strict"}, "a\n# existing code\n", ""},
		{"one within a string", "a\nb\n", "b", `msg = "(rest of methods ...)"`, nil, "a\nmsg = \"(rest of methods ...)\"\n", ""},
		{"a sentence about the rest", "a\nb\n", "b", "// the rest of the tokens are kept for the parser", nil, "a\n// the rest of the tokens are kept for the parser\n", ""},
		{"an import comment", "a\nb\n", "b", "# other imports", nil, "a\n# other imports\n", ""},
		{"a spread at the end", "a\nb\n", "b", "...rest\n...other", nil, "a\n...rest\n...other\n", ""},
		{"a heading", "a\nb\n", "b", "# Rest of the world\n* other files\n- rest of the files\n// previous tests", nil, "a\n# Rest of the world\n* other files\n- rest of the files\n// previous tests\n", ""},
		{"a spread", "a\nb\n", "b", "...rest,", nil, "a\n...rest,\n", ""},
		// text is text
		{"dollars", "price value\n", "value", "$$100 $& $1", nil, "price $$100 $& $1\n", ""},
		{"deleted", "a\nb\nc\n", "b\n", "", nil, "a\nc\n", ""},
		{"the same", "a\n", "a", "a", nil, "", "are the same"},
		{"done already", "a\nnew line\n", "old line", "new line", nil, "", "already applied at line 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShell(t, nil)
			s.put("f", row.file)
			r := s.run(append([]string{"edit", "f", "--old_string=" + row.old, "--new_string=" + row.new}, row.flags...)...)
			require.Contains(t, r.err+r.out, row.says)
			if row.want == "" {
				require.Equal(t, 1, r.status, r.out)
				require.Equal(t, row.file, s.get("f"))
				return
			}
			require.Zero(t, r.status, r.err)
			require.Equal(t, row.want, s.get("f"), r.err)
			if row.says == "" {
				require.Empty(t, r.err, "what was exact needs no note")
			}
		})
	}
}
