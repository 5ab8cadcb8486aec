//go:build linux

package files

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/agentbash/internal/patch"
)

// gitDiff is git's diff of two contents, from its first hunk on.
func gitDiff(t *testing.T, old, new string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte(old), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b"), []byte(new), 0o600))
	cmd := exec.Command("git", "-c", "diff.algorithm=myers", "diff", "--no-index", "--no-color", "--no-ext-diff", "--minimal", "a", "b")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, _ := cmd.Output()
	_, hunks, _ := strings.Cut(string(out), "\n@@")
	return regexp.MustCompile(`(?m)^(@@ .*? @@).*$`).ReplaceAllString("@@"+hunks, "$1")
}

func ourDiff(old, new string) string {
	d := compareLines(old, new)
	d.print(0, 1<<30)
	return d.out.String()
}

// TestDiffsAreThoseOfGit compares hunks, their numbers and where a change slides to.
func TestDiffsAreThoseOfGit(t *testing.T) {
	calls := numbered(9) + "foo()\n" + "l11\nl12\nfoo()\n" + numbered(26) + "foo()\n" + numbered(20)
	for _, row := range []struct{ name, old, new string }{
		{"one line", "a\nb\nc\n", "a\nB\nc\n"},
		{"merged hunks keep the numbers", calls, strings.ReplaceAll(calls, "foo()", "bar()")},
		{"growth in merged hunks", calls, strings.ReplaceAll(calls, "foo()", "bar()\nbaz()\nqux()")},
		{"hunks that just do not touch", numbered(20), strings.ReplaceAll(strings.ReplaceAll(numbered(20), "line 5\n", "5\n"), "line 13\n", "13\n")},
		{"hunks that just touch", numbered(20), strings.ReplaceAll(strings.ReplaceAll(numbered(20), "line 5\n", "5\n"), "line 12\n", "12\n")},
		{"a function added before one that ends alike", "func a() {\n\tx()\n}\n\nfunc c() {\n\tz()\n}\n", "func a() {\n\tx()\n}\n\nfunc b() {\n\ty()\n}\n\nfunc c() {\n\tz()\n}\n"},
		{"a function added at the end", "def a():\n    x\n\ndef b():\n    y\n", "def a():\n    x\n\ndef b():\n    y\n\ndef c():\n    y\n"},
		{"a block added in a loop", "for x {\n\tif a {\n\t\tb\n\t}\n}\n", "for x {\n\tif a {\n\t\tb\n\t}\n\tif c {\n\t\tb\n\t}\n}\n"},
		{"a line among equal ones", "a\na\na\na\n", "a\na\na\na\na\n"},
		{"equal lines removed", "x\na\na\na\ny\n", "x\na\ny\n"},
		{"blank lines", "a\n\n\nb\n", "a\n\n\n\n\nb\n"},
		{"a repeated list", "- [x]\n  - a\n- [x]\n  - a\n", "- [x]\n  - a\n- [x]\n  - a\n- [x]\n  - a\n"},
		{"a comment before a function", "// a\nfunc a() {}\n\n// b\nfunc b() {}\n", "// a\nfunc a() {}\n\n// a\nfunc c() {}\n\n// b\nfunc b() {}\n"},
		{"everything removed", "a\nb\n", ""}, {"everything added", "", "a\nb\n"}, {"the last line", "a\nb", "a\nc"},
		{"an end of line added", "a\nb", "a\nb\n"}, {"an end of line removed", "a\nb\n", "a\nb"}, {"lines added to an open end", "a\nb", "a\nb\nc"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, gitDiff(t, row.old, row.new), ourDiff(row.old, row.new))
		})
	}
}

// TestInsertedLinesSlideAsInGit inserts and removes runs of lines in texts that repeat themselves.
func TestInsertedLinesSlideAsInGit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	words := []string{"\n", "}\n", "\t}\n", "\tx()\n", "\t\ty()\n", "func f() {\n", "\tif a {\n", "end\n", "    z\n"}
	for i := range 150 {
		var lines []string
		for range 10 + r.IntN(40) {
			lines = append(lines, words[r.IntN(len(words))])
		}
		from := r.IntN(len(lines))
		to := min(from+1+r.IntN(4), len(lines))
		at := r.IntN(len(lines) + 1)
		more := strings.Join(lines[:at], "") + strings.Join(lines[from:to], "") + strings.Join(lines[at:], "")
		text := strings.Join(lines, "")
		require.Equal(t, gitDiff(t, text, more), ourDiff(text, more), "%d", i)
		require.Equal(t, gitDiff(t, more, text), ourDiff(more, text), "%d", i)
		for range 3 {
			lines[r.IntN(len(lines))] = words[r.IntN(len(words))]
		}
		if changed := strings.Join(lines, ""); changed != more { // its own diff leads from the one to the other, wherever lines repeat themselves
			list, err := patch.Parse(ourDiff(more, changed))
			require.NoError(t, err)
			e, err := applyReplacements([]byte(more), replacementsFrom(list[0].Edits), &registry.Call{}, "f")
			require.NoError(t, err, "%q\n%s", more, ourDiff(more, changed))
			require.Equal(t, changed, string(e.content), "%q\n%s", more, ourDiff(more, changed))
		}
	}
}
