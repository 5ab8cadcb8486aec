//go:build linux

package files

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/agentbash/internal/checkpoint"
)

type tree map[string]string

func (s *shell) tree() tree {
	all := tree{}
	for path, text := range snapshotOf(s.t, s.dir) {
		all[strings.TrimPrefix(path, s.dir+"/")] = text
	}
	return all
}

func searchBlock(old, new string) string {
	return "<<<<<<< SEARCH\n" + old + "=======\n" + new + ">>>>>>> REPLACE\n"
}

func envelope(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// TestPatchesAsModelsSendThem tries every form on a tree: it becomes what is meant, as one
// step for undo, or stays as it is.
func TestPatchesAsModelsSendThem(t *testing.T) {
	py := "import os\n\ndef a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n"
	for _, row := range []struct {
		name  string
		files tree
		tool  string // "edit f" is edit with that file, "" apply_patch
		patch string
		want  tree // what differs afterwards, "-" is gone; nil: refused
		says  string
	}{
		// *** Begin Patch
		{"a line", tree{"f": "one\nTWO\n"}, "", envelope("*** Update File: f", "@@", " one", "-TWO", "+zwei"), tree{"f": "one\nzwei\n"}, ""},
		{"without @@", tree{"f": "one\nTWO\n"}, "", envelope("*** Update File: f", " one", "-TWO", "+zwei"), tree{"f": "one\nzwei\n"}, ""},
		{"by edit", tree{"f": "one\nTWO\n"}, "edit f", envelope("*** Update File: f", "@@", " one", "-TWO", "+zwei"), tree{"f": "one\nzwei\n"}, ""},
		{"add, delete, update", tree{"del": "x\n", "mod": "line1\nline2\n"}, "", envelope("*** Add File: nested/new.txt", "+created", "*** Delete File: del", "*** Update File: mod", "@@", "-line2", "+changed"),
			tree{"nested/new.txt": "created\n", "del": "-", "mod": "line1\nchanged\n"}, ""},
		{"several chunks", tree{"f": "1\n2\n3\n4\n"}, "", envelope("*** Update File: f", "@@", "-2", "+two", "@@", "-4", "+four"), tree{"f": "1\ntwo\n3\nfour\n"}, ""},
		{"move", tree{"old/name": "old content\n"}, "", envelope("*** Update File: old/name", "*** Move to: new/dir/name", "@@", "-old content", "+new content"), tree{"old/name": "-", "new/dir/name": "new content\n"}, ""},
		{"move alone", tree{"a": "x\n"}, "", envelope("*** Update File: a", "*** Move to: b"), tree{"a": "-", "b": "x\n"}, ""},
		{"move over a file", tree{"a": "x\n", "b": "y\n"}, "", envelope("*** Update File: a", "*** Move to: b", "@@", "-x", "+z"), nil, "b exists"},
		{"move over a file that goes", tree{"a": "x\n", "b": "y\n"}, "", envelope("*** Delete File: b", "*** Update File: a", "*** Move to: b", "@@", "-x", "+z"), tree{"a": "-", "b": "z\n"}, ""},
		{"add over a file", tree{"a": "x\n"}, "", envelope("*** Add File: a", "+y"), nil, "a exists"},
		{"add after delete", tree{"a": "x\n"}, "", envelope("*** Delete File: a", "*** Add File: a", "+y"), tree{"a": "y\n"}, ""},
		{"add without +", tree{"a": "x\n"}, "", envelope("*** Add File: b", "y"), nil, "starts with +"},
		{"add empty lines", nil, "", envelope("*** Add File: b", "+a", "+", "+b"), tree{"b": "a\n\nb\n"}, ""},
		{"add an empty file", nil, "", envelope("*** Add File: b"), tree{"b": ""}, ""},
		{"the same file twice", tree{"a": "1\n2\n"}, "", envelope("*** Update File: a", "@@", "-1", "+one", "*** Update File: a", "@@", "-2", "+two"), tree{"a": "one\ntwo\n"}, ""},
		{"insert only", tree{"a": "alpha\nomega\n"}, "", envelope("*** Update File: a", "@@", " alpha", "+beta", " omega"), tree{"a": "alpha\nbeta\nomega\n"}, ""},
		{"append only", tree{"a": "1\n2\n"}, "", envelope("*** Update File: a", "@@", "+3"), tree{"a": "1\n2\n3\n"}, ""},
		{"insert after an anchor", tree{"a": py}, "", envelope("*** Update File: a", "@@ def b():", "+    # b"), tree{"a": strings.Replace(py, "b():\n", "b():\n    # b\n", 1)}, ""},
		{"an anchor", tree{"a": py}, "", envelope("*** Update File: a", "@@ def b():", "-    x = 1", "+    x = 2"), tree{"a": strings.Replace(py, "b():\n    x = 1", "b():\n    x = 2", 1)}, ""},
		{"an anchor that comes again", tree{"a": py}, "", envelope("*** Update File: a", "@@ def b():", " def b():", "-    x = 1", "+    x = 2"), tree{"a": strings.Replace(py, "b():\n    x = 1", "b():\n    x = 2", 1)}, ""},
		{"a part of a line as anchor", tree{"a": py}, "", envelope("*** Update File: a", "@@ def b", "-    x = 1", "+    x = 2"), tree{"a": strings.Replace(py, "b():\n    x = 1", "b():\n    x = 2", 1)}, ""},
		{"anchors in anchors", tree{"a": "class A:\n  def f:\n    1\nclass B:\n  def f:\n    1\n"}, "", envelope("*** Update File: a", "@@ class B:", "@@   def f:", "-    1", "+    2"), tree{"a": "class A:\n  def f:\n    1\nclass B:\n  def f:\n    2\n"}, ""},
		{"an anchor that is not there", tree{"a": py}, "", envelope("*** Update File: a", "@@ def c():", "-    x = 1", "+    x = 2"), nil, `the line "def c():", after @@, is not`},
		{"an anchor within the lines", tree{"a": py}, "", envelope("*** Update File: a", "@@ def b():", "     return x", " ", " def b():", "-    x = 1", "+    x = 2"), tree{"a": strings.Replace(py, "b():\n    x = 1", "b():\n    x = 2", 1)}, ""},
		{"two places, none after the anchor", tree{"a": "x\nx\nend\n"}, "", envelope("*** Update File: a", "@@ end", "-x", "+y"), nil, "occurs 2 times in a (lines 1, 2)"},
		{"no anchor", tree{"a": py}, "", envelope("*** Update File: a", "@@", "-    x = 1", "+    x = 2"), nil, "occurs 2 times in a (lines 4, 8): add surrounding lines, or a line @@ LINE"},
		{"numbers instead of an anchor", tree{"a": py}, "", envelope("*** Update File: a", "@@ -8,1 +8,1 @@", "-    x = 1", "+    x = 2"), tree{"a": strings.Replace(py, "b():\n    x = 1", "b():\n    x = 2", 1)}, ""},
		{"in order", tree{"a": py}, "", envelope("*** Update File: a", "@@", " def a():", "-    x = 1", "+    x = 2", "@@", "-    x = 1", "+    x = 3"), tree{"a": "import os\n\ndef a():\n    x = 2\n    return x\n\ndef b():\n    x = 3\n    return x\n"}, ""},
		{"out of order", tree{"a": "1\n2\n3\n"}, "", envelope("*** Update File: a", "@@", "-3", "+three", "@@", "-1", "+one"), tree{"a": "one\n2\nthree\n"}, ""},
		{"the end of the file", tree{"a": "x\ny\nx\n"}, "", envelope("*** Update File: a", "@@", "-x", "+z", "*** End of File"), tree{"a": "x\ny\nz\n"}, ""},
		{"a file without a last end of line", tree{"a": "x\ny"}, "", envelope("*** Update File: a", "@@", "-y", "+z"), tree{"a": "x\nz"}, ""},
		{"lines at such an end", tree{"a": "x\ny"}, "", envelope("*** Update File: a", "@@", " y", "+z"), tree{"a": "x\ny\nz"}, ""},
		{"such an end with CRLF", tree{"a": "x\r\ny"}, "", envelope("*** Update File: a", "@@", "-y", "+z", "+w"), tree{"a": "x\r\nz\r\nw"}, ""},
		{"a byte order mark", tree{"a": "\ufeffusing A;\n\nclass B {}\n"}, "", envelope("*** Update File: a", "@@", "-using A;", "+using C;"), tree{"a": "\ufeffusing C;\n\nclass B {}\n"}, ""},
		{"CRLF in the file", tree{"a": "x\r\ny\r\n"}, "", envelope("*** Update File: a", "@@", " x", "-y", "+z", "+w"), tree{"a": "x\r\nz\r\nw\r\n"}, ""},
		{"CRLF in the patch", tree{"a": "x\ny\n"}, "", strings.ReplaceAll(envelope("*** Update File: a", "@@", " x", "-y", "+z"), "\n", "\r\n"), tree{"a": "x\nz\n"}, ""},
		{"blanks around markers", tree{"a": "x\n"}, "", "  *** Begin Patch\n  *** Update File: a  \n@@\n-x\n+y\n*** End Patch  \n", tree{"a": "y\n"}, ""},
		{"blanks at the end", tree{"a": "x  \ny\n"}, "", envelope("*** Update File: a", "@@", " x", "-y", "+z"), tree{"a": "x  \nz\n"}, "blanks at the ends"},
		{"typography", tree{"a": "it’s – “x”\ny\n"}, "", envelope("*** Update File: a", "@@", " it's - \"x\"", "-y", "+z"), tree{"a": "it’s – “x”\nz\n"}, "typographic"},
		{"another indentation", tree{"a": "if x {\n\ty\n}\n"}, "", envelope("*** Update File: a", "@@", "-    y", "+    z"), tree{"a": "if x {\n\tz\n}\n"}, "indentation"},
		{"an empty context line without its blank", tree{"a": "x\n\ny\n"}, "", envelope("*** Update File: a", "@@", " x", "", "-y", "+z"), tree{"a": "x\n\nz\n"}, ""},
		{"a part of a line is no line", tree{"a": "xy\n"}, "", envelope("*** Update File: a", "@@", "-y", "+z"), nil, "not in a"},
		{"deletion only", tree{"a": "1\n2\n3\n"}, "", envelope("*** Update File: a", "@@", " 1", "-2", " 3"), tree{"a": "1\n3\n"}, ""},
		{"in JSON", tree{"a": "x\n"}, "", `{"input": "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"}`, tree{"a": "y\n"}, ""},
		{"in a here-document of its own", tree{"a": "x\n"}, "", "apply_patch <<'EOF'\n" + envelope("*** Update File: a", "@@", "-x", "+y") + "EOF\n", tree{"a": "y\n"}, ""},
		{"in a fence", tree{"a": "x\n"}, "", "```\n" + envelope("*** Update File: a", "@@", "-x", "+y") + "```\n", tree{"a": "y\n"}, ""},
		{"two patches", tree{"a": "x\n", "b": "x\n"}, "", envelope("*** Update File: a", "@@", "-x", "+y") + envelope("*** Update File: b", "@@", "-x", "+y"), tree{"a": "y\n", "b": "y\n"}, ""},
		{"empty", tree{"a": "x\n"}, "", envelope(), nil, "the patch is empty"},
		{"cut off", tree{"a": "x\n"}, "", "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n", nil, "may have been cut off"},
		{"an unknown marker", tree{"a": "x\n"}, "", envelope("*** Frobnicate File: a"), nil, "is not known"},
		{"a line without its sign", tree{"a": "x\ny\n"}, "", envelope("*** Update File: a", "@@", "x", "-y", "+z"), nil, "line 4 of the patch"},
		{"an update without lines", tree{"a": "x\n"}, "", envelope("*** Update File: a"), nil, "nothing that is to change"},
		{"an empty hunk", tree{"a": "x\n"}, "", envelope("*** Update File: a", "@@"), nil, "nothing under this @@"},
		{"update what is not there", tree{"main.go": "x\n"}, "", envelope("*** Update File: mian.go", "@@", "-x", "+y"), nil, "did you mean main.go?"},
		{"delete what is not there", tree{"a": "x\n"}, "", envelope("*** Delete File: b"), nil, "does not exist"},
		{"delete a directory", tree{"d/a": "x\n"}, "", envelope("*** Delete File: d"), nil, "is a directory"},
		{"all or nothing", tree{"a": "x\n"}, "", envelope("*** Add File: b", "+b", "*** Update File: a", "@@", "-none", "+y"), nil, "nothing was changed in any file"},
		{"outside the directory", tree{"a": "x\n"}, "", envelope("*** Add File: ../b", "+b"), nil, "to which a patch on stdin keeps"},
		{"a placeholder", tree{"a": "x\n"}, "", envelope("*** Update File: a", "@@", "-x", "+y", "+# ... rest of the file ..."), nil, "left out"},
		{"no change", tree{"a": "x\n"}, "", envelope("*** Update File: a", "@@", " x"), nil, "leave the file as it is"},
		// unified diffs
		{"git's", tree{"d/a": "1\n2\n3\n"}, "", "diff --git a/d/a b/d/a\nindex 1..2 100644\n--- a/d/a\n+++ b/d/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n", tree{"d/a": "1\ntwo\n3\n"}, ""},
		{"by edit, other names", tree{"f": "1\n2\n"}, "edit f", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", tree{"f": "1\ntwo\n"}, ""},
		{"by edit, hunks alone", tree{"f": "1\n2\n"}, "edit f", "@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", tree{"f": "1\ntwo\n"}, ""},
		{"by edit, of another file", tree{"f": "1\n", "g.go": "1\n"}, "edit f", "--- a/g.go\n+++ b/g.go\n@@ -1 +1 @@\n-1\n+2\n", nil, "send it to apply_patch"},
		{"a directory that is called a", tree{"a/x": "1\n"}, "", "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-1\n+2\n", tree{"a/x": "2\n"}, ""},
		{"no prefixes, with times", tree{"x": "1\n"}, "", "--- x\t2024-01-01 00:00:00\n+++ x\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-1\n+2\n", tree{"x": "2\n"}, ""},
		{"wrong numbers and counts", tree{"x": numbered(50)}, "", "--- a/x\n+++ b/x\n@@ -3,99 +7,2 @@ func\n line 40\n-line 41\n+41\n", tree{"x": strings.Replace(numbered(50), "line 41\n", "41\n", 1)}, ""},
		{"the number tells which", tree{"x": "a\nb\na\nb\na\nb\n"}, "", "--- a/x\n+++ b/x\n@@ -1,1 +1,3 @@\n+new\n+er\n a\n@@ -3,2 +5,2 @@\n a\n-b\n+c\n", tree{"x": "new\ner\na\nb\na\nc\na\nb\n"}, ""},
		{"several places and no number", tree{"x": "a\nb\na\nb\n"}, "", "--- a/x\n+++ b/x\n@@ ... @@\n-b\n+c\n", nil, "occurs 2 times in x (lines 2, 4)"},
		{"without @@", tree{"x": "a\nb\n"}, "", "--- a/x\n+++ b/x\n a\n-b\n+c\n", tree{"x": "a\nc\n"}, ""},
		{"a function after @@", tree{"x": py}, "", "--- a/x\n+++ b/x\n@@ def b(): @@\n-    x = 1\n+    x = 2\n", tree{"x": strings.Replace(py, "b():\n    x = 1", "b():\n    x = 2", 1)}, ""},
		{"a new file", nil, "", "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+1\n+2\n", tree{"n": "1\n2\n"}, ""},
		{"a deleted file", tree{"n": "1\n2\n", "m": "3\n"}, "", "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-3\n+4\n", tree{"n": "-", "m": "4\n"}, ""},
		{"a file with more than is deleted", tree{"n": "1\n2\n3\n"}, "", "--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", nil, "holds more than the lines"},
		{"a rename", tree{"n": "1\n2\n"}, "", "diff --git a/n b/m\nsimilarity index 90%\nrename from n\nrename to m\n--- a/n\n+++ b/m\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n", tree{"n": "-", "m": "1\n3\n"}, ""},
		{"a rename alone", tree{"n": "1\n"}, "", "diff --git a/n b/m\nsimilarity index 100%\nrename from n\nrename to m\n", tree{"n": "-", "m": "1\n"}, ""},
		{"a name with blanks", tree{"a b": "1\n"}, "", "diff --git a/a b b/a b\n--- a/a b\n+++ b/a b\n@@ -1 +1 @@\n-1\n+2\n", tree{"a b": "2\n"}, ""},
		{"no last end of line", tree{"n": "1\n2"}, "", "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n\\ No newline at end of file\n", tree{"n": "1\n3"}, ""},
		{"an end of line comes", tree{"n": "1\n2"}, "", "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n", tree{"n": "1\n2\n"}, ""},
		{"an end of line goes", tree{"n": "1\n2\n"}, "", "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n 1\n-2\n+2\n\\ No newline at end of file\n", tree{"n": "1\n2"}, ""},
		{"a removed comment of SQL", tree{"n": "a\n-- x\nb\n"}, "", "--- a/n\n+++ b/n\n@@ -1,3 +1,2 @@\n a\n--- x\n b\n", tree{"n": "a\nb\n"}, ""},
		{"no context", tree{"n": numbered(9)}, "", "--- a/n\n+++ b/n\n@@ -5,0 +6,1 @@\n+new\n", tree{"n": strings.Replace(numbered(9), "line 6", "new\nline 6", 1)}, ""},
		{"a mail", tree{"n": "1\n"}, "", "From: x\nSubject: y\n\n--- a/n\n+++ b/n\n@@ -1 +1 @@\n-1\n+2\n-- \n2.39.0\n", tree{"n": "2\n"}, ""},
		{"in a fence, with prose", tree{"n": "1\n"}, "", "Here it is:\n\n```diff\n--- a/n\n+++ b/n\n@@ -1 +1 @@\n-1\n+2\n```\nDone.\n", tree{"n": "2\n"}, ""},
		{"an empty context line without its blank, in a diff", tree{"n": "1\n\n2\n"}, "", "--- a/n\n+++ b/n\n@@ -1,3 +1,3 @@\n 1\n\n-2\n+3\n", tree{"n": "1\n\n3\n"}, ""},
		{"several files", tree{"a": "1\n", "b": "1\n"}, "", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+3\n", tree{"a": "2\n", "b": "3\n"}, ""},
		{"a mode", tree{"a": "1\n"}, "", "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n", nil, "chmod"},
		{"binary", tree{"a": "1\n"}, "", "diff --git a/a b/a\nBinary files a/a and b/a differ\n", nil, "binary"},
		{"context that is not there", tree{"a": "1\n2\n"}, "", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 7\n-2\n+3\n", nil, "not in a"},
		// SEARCH/REPLACE
		{"a block", tree{"f": "one\ntwo\nthree\n"}, "edit f", searchBlock("two\n", "new\n"), tree{"f": "one\nnew\nthree\n"}, ""},
		{"two blocks", tree{"f": "one\ntwo\nthree\n"}, "edit f", searchBlock("one\n", "1\n") + "\n...\n\n" + searchBlock("three\n", "3\n"), tree{"f": "1\ntwo\n3\n"}, ""},
		{"with the name", tree{"d/f.go": "one\n"}, "edit d/f.go", "d/f.go\n" + searchBlock("one\n", "1\n"), tree{"d/f.go": "1\n"}, ""},
		{"with the end of the name", tree{"d/f.go": "one\n"}, "edit d/f.go", "f.go\n" + searchBlock("one\n", "1\n"), tree{"d/f.go": "1\n"}, ""},
		{"with another name", tree{"f.go": "one\n", "g.go": "one\n"}, "edit f.go", "g.go\n" + searchBlock("one\n", "1\n"), nil, "send it to apply_patch"},
		{"with prose", tree{"f": "Two\n"}, "edit f", "Here's the change:\n\n```text\nfoo\n" + searchBlock("Two\n", "Tooooo\n") + "```\n\nHope you like it!\n", tree{"f": "Tooooo\n"}, ""},
		{"of several files", tree{"a.py": "1\n", "b.py": "1\n"}, "", "a.py\n```python\n" + searchBlock("1\n", "2\n") + "```\n\n**b.py**\n```python\n" + searchBlock("1\n", "3\n") + "```\n", tree{"a.py": "2\n", "b.py": "3\n"}, ""},
		{"the name in the fence", tree{"a.py": "1\n2\n"}, "", "```python\na.py\n" + searchBlock("1\n", "one\n") + "\n" + searchBlock("2\n", "two\n") + "```\n", tree{"a.py": "one\ntwo\n"}, ""},
		{"no name", tree{"a.py": "1\n"}, "", searchBlock("1\n", "2\n"), nil, "does not say which file"},
		{"a new file by a block", nil, "", "new/a.py\n" + searchBlock("", "x\n"), tree{"new/a.py": "x\n"}, ""},
		{"an empty SEARCH of a file with text", tree{"a.py": "1\n"}, "", "a.py\n" + searchBlock("", "x\n"), nil, "where its lines go cannot be told"},
		{"not closed", tree{"f": "Two\n"}, "edit f", "<<<<<<< SEARCH\nTwo\n=======\nToo\n\noops!\n", nil, "has no line ======="},
		{"two dividers", tree{"f": "a\n"}, "edit f", "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", nil, "within a block"},
		{"deletes", tree{"f": "a\nb\n"}, "edit f", searchBlock("b\n", ""), tree{"f": "a\n"}, ""},
		{"other marks", tree{"f": "a\nb\n"}, "edit f", "------- SEARCH\nb\n=======\nc\n+++++++ REPLACE\n", tree{"f": "a\nc\n"}, ""},
		{"a start line", tree{"f": "b\na\nb\n"}, "edit f", "<<<<<<< SEARCH\n:start_line:3\n-------\nb\n=======\nc\n>>>>>>> REPLACE\n", tree{"f": "b\na\nc\n"}, ""},
		{"several times", tree{"f": "line1\nline2\nline1\n"}, "edit f", searchBlock("line1\n", "new\n"), nil, "occurs 2 times in f (lines 1, 3)"},
		{"in no order", tree{"f": "b\na\nb\n"}, "edit f", searchBlock("a\n", "A\n") + searchBlock("b\n", "B\n"), nil, "the old text of edit 2 occurs 2 times in f (lines 1, 3)"},
		{"backwards", tree{"f": "a\nb\n"}, "edit f", searchBlock("b\n", "B\n") + searchBlock("a\n", "A\n"), tree{"f": "A\nB\n"}, ""},
		{"missing indentation", tree{"f": "    line1\n    line2\n    line3\n"}, "edit f", searchBlock("line1\nline2\n", "new1\nnew2\n"), tree{"f": "    new1\n    new2\n    line3\n"}, "indentation"},
		{"missing indentation in a block", tree{"f": "\n    line1\n    line2\n        line3\n    line4\n"}, "edit f", searchBlock("line2\n    line3\n", "new2\n    new3\n"), tree{"f": "\n    line1\n    new2\n        new3\n    line4\n"}, "indentation"},
		{"a fuzzy match", tree{"f": "This is a sample text.\n"}, "edit f", searchBlock("This is a sample text\n", "x\n"), nil, "not in f"},
		{"no patch", tree{"f": "a\n"}, "edit f", "change a to b, please\n", nil, "this is no patch: send SEARCH/REPLACE blocks"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newUndoShell(t)
			for name, text := range row.files {
				s.put(name, text)
			}
			before := s.tree()
			words := []string{"apply_patch"}
			if row.tool != "" {
				words = strings.Fields(row.tool)
			}
			r := s.pipe(strings.NewReader(row.patch), words...)
			require.Contains(t, r.err, row.says, r.out)
			if row.want == nil {
				require.NotZero(t, r.status, r.out)
				require.Equal(t, before, s.tree())
				return
			}
			require.Zero(t, r.status, r.err)
			after := maps.Clone(before)
			maps.Copy(after, row.want)
			maps.DeleteFunc(after, func(_, text string) bool { return text == "-" })
			require.Equal(t, after, s.tree(), r.err)
			s.requireNoTemp()
			s.ok("undo")
			require.Equal(t, before, s.tree(), "one undo takes all of it back")
			s.ok("undo", "--redo")
			require.Equal(t, after, s.tree(), "and a redo does all of it again")
		})
	}
}

// Every diff that git makes is applied as git applies it.
func TestGitDiffsAreApplied(t *testing.T) {
	git := func(dir string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		require.NoError(t, err, "%q", args)
		return string(out)
	}
	old := tree{"a.go": "package a\n\nfunc f() {\n\tx()\n}\n\nfunc g() {\n\tx()\n}\n", "gone.txt": "1\n2\n", "é b.txt": "x\ny\n", "open": "1\n2", "move/me.txt": numbered(30), "crlf": "a\r\nb\r\nc\r\n"}
	new := tree{"a.go": "package a\n\nfunc f() {\n\ty()\n}\n\nfunc h() {\n\tx()\n}\n\nfunc g() {\n\tx()\n\tz()\n}\n", "é b.txt": "x\nz\n", "open": "1\n2\n", "moved/me.txt": strings.Replace(numbered(30), "line 7\n", "7\n", 1), "crlf": "a\r\nB\r\nc\r\n", "new/deep/n": "1\n"}
	for _, context := range []string{"-U3", "-U1", "-U10"} {
		s := newUndoShell(t)
		repo := t.TempDir()
		git(repo, "init", "-q")
		for name, text := range old {
			s.put(name, text)
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644))
		}
		git(repo, "add", "-A")
		git(repo, "commit", "-qm", "x")
		git(repo, "rm", "-rq", ".")
		for name, text := range new {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644))
		}
		git(repo, "add", "-A")
		diff := git(repo, "diff", "--cached", "--no-color", "--no-ext-diff", "-M", context)
		require.Contains(t, diff, "rename to")
		r := s.pipe(strings.NewReader(diff), "apply_patch")
		require.Zero(t, r.status, "%s\n%s", r.err, diff)
		require.Equal(t, new, s.tree())
		s.ok("undo")
		require.Equal(t, old, s.tree())
	}
}

// A patch goes through the same gate as every other change, and one file that may not
// be changed keeps all from being changed.
func TestPatchesStayInside(t *testing.T) {
	for path, why := range map[string]string{"OUT/f": "outside the workspace", "to-file": "outside the workspace", "kept": "protected", ".git/config": "protected", "token": "secrets", "hard": "hard links", "to-dir/new": "outside the workspace", "OUT/secret/key": "secrets"} {
		s, outside := fenced(t)
		path = expand(path, s.dir, outside)
		before, inside := snapshotOf(t, outside), snapshotOf(t, s.dir)
		for _, change := range []string{"*** Delete File: " + path, "*** Update File: " + path + "\n@@\n-ours\n+mine", "*** Update File: " + path + "\n@@\n-theirs\n+mine", "*** Add File: " + path + "\n+mine", "*** Update File: sub/f\n*** Move to: " + path} {
			text := envelope("*** Update File: f", "@@", "-ours", "+mine", change)
			tried := []result{s.run("apply_patch", text), s.pipe(strings.NewReader(text), "apply_patch")}
			if why != "outside the workspace" && why != "hard links" { // where a look is allowed
				tried = append(tried, s.run("apply_patch", text, "--dry_run"))
			}
			for _, r := range tried {
				require.Equal(t, 126, r.status, "%s: %s", change, r.err)
				require.Contains(t, r.err, why, change)
				require.NotContains(t, r.out, "theirs")
			}
		}
		require.Equal(t, before, snapshotOf(t, outside))
		require.Equal(t, inside, snapshotOf(t, s.dir))
	}
}

// What cannot be written takes back what was.
func TestAPatchThatFailsHalfWayChangesNothing(t *testing.T) {
	s := newUndoShell(t)
	s.dir = smallDisk(t, 256<<10)
	s.put("a", "one\n")
	s.put("b", "two\n")
	s.put("z", "three\n")
	before := s.tree()
	r := s.pipe(strings.NewReader(envelope("*** Update File: a", "@@", "-one", "+1", "*** Delete File: b", "*** Add File: c", "+c", "*** Update File: z", "@@", "-three", "+"+strings.Repeat("x", 400<<10))), "apply_patch")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.err, "z: no space left on device: nothing was changed")
	require.Equal(t, before, s.tree())
	require.Empty(t, s.ok("undo", "--list"))
}

func TestAPatchKeepsModesAndSaysWhatItDid(t *testing.T) {
	s := newUndoShell(t)
	require.NoError(t, os.Chmod(s.put("run.sh", "a\nb\n"), 0o755))
	require.NoError(t, os.Chmod(s.put("old.sh", "a\nb\n"), 0o750))
	require.NoError(t, os.Chmod(s.put("gone.sh", "x\n"), 0o711))
	text := envelope("*** Update File: run.sh", "@@", "-a", "+A", "*** Update File: old.sh", "*** Move to: d/new.sh", "@@", "-b", "+B", "*** Delete File: gone.sh", "*** Add File: n", "+1")
	require.Contains(t, s.run("apply_patch", text, "--dry_run").err, "nothing was changed")
	require.Equal(t, "a\nb\n", s.get("run.sh"))
	out := s.ok("apply_patch", text)
	for _, want := range []string{"--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "moved old.sh to d/new.sh\n", "-b\n+B\n", "removed gone.sh: 1 line\n", "created n: 1 line, 2 bytes"} {
		require.Contains(t, out, want)
	}
	require.EqualValues(t, 0o755, stat(t, s.path("run.sh")).Mode&0o777)
	require.EqualValues(t, 0o750, stat(t, s.path("d/new.sh")).Mode&0o777)
	require.Equal(t, 5, strings.Count(s.ok("undo", "--list"), "apply_patch"))
	require.Equal(t, 5, strings.Count(s.ok("undo"), "as it was before apply_patch"))
	require.EqualValues(t, 0o711, stat(t, s.path("gone.sh")).Mode&0o777)
	s.ok("undo", "--redo")
	s.ok("undo", "d/new.sh") // one file of them
	require.NoFileExists(t, s.path("d/new.sh"))
	require.Equal(t, "A\nb\n", s.get("run.sh"))
	require.Equal(t, []string{"n", "run.sh"}, slices.Sorted(maps.Keys(s.tree())))
}

func TestUndoOfAPatchKeepsToItsDirectory(t *testing.T) {
	s := newUndoShell(t)
	s.put("in/a", "1\n")
	s.put("b", "1\n")
	s.ok("apply_patch", envelope("*** Update File: in/a", "@@", "-1", "+2", "*** Update File: b", "@@", "-1", "+2"))
	s.dir = s.path("in")
	require.Contains(t, s.fails("undo"), "too, which is not below")
	require.Equal(t, "2\n", s.get("a"))
	s.ok("undo", "a")
	require.Equal(t, "1\n", s.get("a"))
	require.Equal(t, "2\n", s.get("../b"))
}

// A process that is killed within a patch leaves some files as they were; undo takes back the others.
func TestUndoOfAPatchThatWasCutOff(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s := newShell(t, &Options{StateDir: state})
	paths := []string{s.put("a", "2\n"), s.put("b", "1\n")} // a was changed, b was not yet
	store, one, two := checkpoint.New(state), checkpoint.VersionOf([]byte("1\n"), 0o644), checkpoint.VersionOf([]byte("2\n"), 0o644)
	step := checkpoint.NewStep
	for _, path := range paths {
		_, err := store.Add(checkpoint.Change{Op: "apply_patch", Path: path, Dir: s.dir, Before: one, After: two, Step: step}, []byte("1\n"), nil)
		require.NoError(t, err)
		step = 1
	}
	require.Contains(t, s.ok("undo"), "a: as it was before apply_patch 1")
	require.Equal(t, tree{"a": "1\n", "b": "1\n"}, s.tree())
}

func TestInsertLine(t *testing.T) {
	for _, row := range []struct{ name, file, line, text, want string }{
		{"before the first", "a\nb\n", "0", "x", "x\na\nb\n"}, {"after a line", "a\nb\n", "1", "x\ny\n", "a\nx\ny\nb\n"},
		{"after the last", "a\nb\n", "2", "x", "a\nb\nx\n"}, {"after an open last line", "a\nb", "2", "x", "a\nb\nx"},
		{"with CRLF", "a\r\nb\r\n", "1", "x\ny", "a\r\nx\r\ny\r\nb\r\n"}, {"in an empty file", "", "0", "x", "x\n"},
		{"an empty line", "a\nb\n", "1", "\n", "a\n\nb\n"}, {"past the end", "a\n", "3", "x", ""}, {"nothing", "a\n", "1", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShell(t, nil)
			s.put("f", row.file)
			r := s.run("edit", "f", "--insert_line", row.line, "--new_string="+row.text)
			if row.want == "" {
				require.Equal(t, 1, r.status, r.out)
				return
			}
			require.Zero(t, r.status, r.err)
			require.Equal(t, row.want, s.get("f"))
			require.Empty(t, r.err)
		})
	}
	s := newShell(t, nil)
	s.put("f", "a\nb\n")
	r := s.pipe(strings.NewReader("x\ny\n"), "edit", "f", "--insert_line", "1")
	require.Zero(t, r.status, r.err)
	require.Equal(t, "a\nx\ny\nb\n", s.get("f"))
	require.Contains(t, s.fails("edit", "f", "--insert_line", "9", "--new_string", "x"), "there is no line 9: the last one is 4")
	require.Equal(t, 2, s.run("edit", "f", "a", "x", "--insert_line", "1").status)
	require.Equal(t, 2, s.run("edit", "f", "--insert_line", "1").status)
}
