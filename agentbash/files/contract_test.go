//go:build linux

package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Other agents' names for the same parameters are taken too.
func TestAliasesOfOtherAgents(t *testing.T) {
	s := newShell(t, nil)
	for _, alias := range []string{"file_path", "path", "filePath", "file", "filename"} {
		s.ok("write", "--"+alias+"=f", "--contents=one two\n", "--force")
		require.Equal(t, "one two\n", s.ok("read", "--"+alias, "f"), alias)
		s.ok("edit", "--"+alias, "f", "--old_str", "two", "--new_str", "three")
		s.ok("edit", "--"+alias, "f", "--oldString", "three", "--newString", "$", "--replaceAll")
		require.Equal(t, "one $\n", s.get("f"), alias)
	}
	require.Equal(t, "1| one $\n", s.ok("read", "--path", "f", "--start_line", "1", "--max_lines", "9", "--showLineNumbers"))
	require.Equal(t, "f\n", s.ok("grep", "ONE", "--include", "f", "--ignoreCase", "--outputMode", "files", "--headLimit", "1"))
	s.put("old", "x y\n")
	for _, names := range []string{"find replace", "search replace", "old_text new_text", "search replacement"} {
		old, text, _ := strings.Cut(names, " ")
		s.put("other", "alpha\n")
		s.ok("edit", "other", "--"+old, "alpha", "--"+text, "omega")
		require.Equal(t, "omega\n", s.get("other"), names)
	}
	s.ok("edit", "--path", "old", "--edits", `[{"old_str": "x", "new_str": "1"}, {"oldString": "y", "newString": "2", "replaceAll": true}]`)
	require.Equal(t, "1 2\n", s.get("old"))
}

// Paths are shown from the current directory where they lie below it, and
// absolute elsewhere, whatever was typed.
func TestPathsAreShownFromTheCurrentDirectory(t *testing.T) {
	s := newShell(t, nil)
	s.put("in/d/f", "hit\n")
	s.put("out/f", "hit\n")
	top := s.dir
	s.dir = filepath.Join(top, "in")
	for _, typed := range []string{"d/f", "./d/f", "d/../d//f", filepath.Join(s.dir, "d/f")} {
		require.Equal(t, "d/f:1:hit\n", s.ok("grep", "hit", typed), typed)
		require.Contains(t, s.ok("write", typed, "hit\n", "--force"), "overwrote d/f:", typed)
		require.Contains(t, s.fails("edit", typed, "none", "x"), "old_string is not in d/f", typed)
		require.Contains(t, s.fails("read", typed, "--offset", "9"), "d/f has 1 line", typed)
	}
	for _, typed := range []string{"../out", filepath.Join(top, "out")} {
		require.Equal(t, filepath.Join(top, "out/f")+":1:hit\n", s.ok("grep", "hit", typed), typed)
		require.Equal(t, filepath.Join(top, "out/f")+"\n", s.ok("glob", "*", typed), typed)
		require.Contains(t, s.ok("write", typed+"/f", "hit\n", "--force"), "overwrote "+filepath.Join(top, "out/f"), typed)
	}
	require.Equal(t, "d/f\n", s.ok("glob", s.dir+"/**"))
	require.Equal(t, "d/f\n", s.ok("grep", "hit", "--output_mode", "files"))
	require.Equal(t, "d/f:1\n", s.ok("grep", "hit", "--output_mode", "count"))
}

// A value outside its range is a usage error, of every number that there is.
func TestNumbersOutsideTheirRange(t *testing.T) {
	s := newShell(t, nil)
	s.put("f", "one\n")
	required := map[string][]string{"read": {"f"}, "write": {"g", "x"}, "edit": {"f", "one", "two"}, "grep": {"one"}, "glob": {"*"}, "undo": {}}
	checked := 0
	for name, tool := range s.tools {
		for _, p := range tool.Params.List() {
			if p.Min == nil {
				continue
			}
			for _, value := range []string{"-1", "1.5", "x", ""} {
				r := s.run(append([]string{name, "--" + p.Name + "=" + value}, required[name]...)...)
				require.Equal(t, 2, r.status, "%s --%s=%s: %s", name, p.Name, value, r.err)
				require.Contains(t, r.err, "--"+p.Name, value)
			}
			checked++
		}
	}
	require.Greater(t, checked, 10)
	require.Equal(t, "one\n", s.get("f"))
	require.NoFileExists(t, s.path("g"))
}

func TestAPathThatEndsInASlashIsNoFile(t *testing.T) {
	s := newShell(t, nil)
	require.Contains(t, s.fails("write", "new/", "x"), "new/ names a directory, which is not there")
	require.NoFileExists(t, s.path("new"))
	s.put("d/x", "")
	require.Contains(t, s.fails("write", "d/", "x"), "is a directory")
}

// What a kernel makes as it is read has no size of its own.
func TestProcFilesOfOtherKinds(t *testing.T) {
	s := newShell(t, nil)
	require.Contains(t, s.fails("read", "/proc/self/cmdline"), "/proc/self/cmdline is binary: unknown type: look into it with: file ")
	want, err := os.ReadFile("/proc/self/cmdline")
	require.NoError(t, err)
	require.Equal(t, string(want), s.ok("read", "/proc/self/cmdline", "--encoding", "raw"))
	require.NotZero(t, s.run("edit", "/proc/version", "Linux", "x").status)
	require.NotZero(t, s.run("write", "/proc/version", "x").status)
	require.Equal(t, "/proc/version:1\n", s.ok("grep", "Linux", "/proc/version", "--output_mode", "count"))
}

// One place that cannot be edited undoes the places that can.
func TestEditsKeepEveryRuleOfOneEdit(t *testing.T) {
	s := newShell(t, nil)
	text := "a\r\nb\r\nb\r\n"
	s.put("f", text)
	for _, bad := range []struct{ edits, want string }{
		{`[{"old_string":"a","new_string":"x"},{"old_string":"b","new_string":"c"}]`, "edits[1]: old_string occurs 2 times"},
		{`[{"old_string":"a","new_string":"x"},{"old_string":"b","new_string":"b"}]`, "are the same"},
		{`[{"old_string":"a","new_string":"x"},{"old_string":"x","new_string":"a"}]`, "leave the file as it is"},
	} {
		r := s.run("edit", "f", "--edits", bad.edits)
		require.NotZero(t, r.status, bad.edits)
		require.Contains(t, r.err, bad.want)
		require.Equal(t, text, s.get("f"))
	}
	s.ok("edit", "f", "--edits", `[{"old_string":"a\nb","new_string":"1\n2\n3"},{"old_string":"b","new_string":"4"}]`)
	require.Equal(t, "1\r\n2\r\n3\r\n4\r\n", s.get("f"))
}

// The results of a search come in one order, however many goroutines search.
func TestTheOrderIsTheSameEachTime(t *testing.T) {
	s := newShell(t, nil)
	for i := range 300 {
		s.put(strings.Repeat("d/", i%4)+string(rune('a'+i%26))+strings.Repeat("x", i%7)+".t", "hit\nhit\n")
	}
	want, names := s.ok("grep", "hit", "--head_limit", "0"), s.ok("glob", "**")
	for range 20 {
		require.Equal(t, want, s.ok("grep", "hit", "--head_limit", "0"))
		require.Equal(t, names, s.ok("glob", "**"))
	}
}
