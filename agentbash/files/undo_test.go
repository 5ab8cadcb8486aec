//go:build linux

package files

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agentbash/agentbash/agentbash/internal/checkpoint"
	"github.com/stretchr/testify/require"
)

func newUndoShell(t *testing.T) *shell {
	return newShell(t, &Options{StateDir: filepath.Join(t.TempDir(), "state")})
}

func TestUndoStepByStep(t *testing.T) {
	s := newUndoShell(t)
	for _, v := range []string{"v1", "v2", "v3", "v4"} {
		s.ok("write", "a", v+"\n", "--force")
	}
	out := s.ok("undo")
	require.Contains(t, out, "a: as it was before write 4 (undo a --redo takes this back)\n")
	require.Contains(t, out, "-v4\n+v3\n")
	for _, step := range []struct{ words, want string }{
		{"undo", "v2"}, {"undo", "v1"}, {"undo --redo", "v2"}, {"undo a --redo", "v3"}, {"undo", "v2"}, {"undo --redo", "v3"}, {"undo --redo", "v4"},
		{"undo --id 2", "v1"}, {"undo --redo", "v4"}, {"undo", "v3"},
	} {
		s.ok(strings.Fields(step.words)...)
		require.Equal(t, step.want+"\n", s.get("a"), step.words)
	}
	s.ok("write", "a", "v3\n", "--force") // changes nothing, and so is no step
	s.ok("undo")
	require.Equal(t, "v2\n", s.get("a"))
	s.ok("undo", "--redo")
	s.ok("write", "a", "other\n", "--force")
	require.Contains(t, s.fails("undo", "--redo"), "nothing was undone that could be done again", "a change ends it")
	for _, want := range []string{"v3", "v2", "v1"} {
		s.ok("undo")
		require.Equal(t, want+"\n", s.get("a"))
	}
	require.Contains(t, s.ok("undo"), "a: removed, as it was before write 1 (undo a --redo takes this back)")
	require.NoFileExists(t, s.path("a"))
	require.Contains(t, s.fails("undo"), "that are kept were taken back: undo --redo goes forward again")
	require.Contains(t, s.fails("undo", "a"), "all changes of a that are kept were taken back")
	s.ok("undo", "--redo")
	require.Equal(t, "v1\n", s.get("a"))
	require.Equal(t, 2, s.run("undo", "--redo", "--id", "1").status)
	s.ok("write", "b", "1\n")
	s.ok("undo", "--redo")
	require.Equal(t, "v2\n", s.get("a"), "of another file is no change of this one")
}

// Files take turns as they were changed.
func TestUndoOfSeveralFiles(t *testing.T) {
	s := newUndoShell(t)
	for _, w := range []string{"a1", "b1", "a2", "b2"} {
		s.ok("write", w[:1], w, "--force")
	}
	for _, want := range []string{"a2 b1", "a1 b1", "a1 ", " "} {
		s.ok("undo")
		require.Equal(t, want, s.tree()["a"]+" "+s.tree()["b"])
	}
	for _, want := range []string{"a1 ", "a1 b1", "a2 b1", "a2 b2"} {
		s.ok("undo", "--redo")
		require.Equal(t, want, s.tree()["a"]+" "+s.tree()["b"])
	}
}

// What a removed file held last is brought back, wherever it was removed.
func TestUndoOfARemoval(t *testing.T) {
	for _, words := range [][]string{{"undo"}, {"undo", "dd/x"}} {
		s := newUndoShell(t)
		s.ok("write", "dd/x", "1")
		s.ok("edit", "dd/x", "1", "2")
		require.NoError(t, os.RemoveAll(s.path("dd")))
		require.Contains(t, s.ok(append(words, "--dry_run")...), "would be dd/x: brought back, as it was after edit 2")
		require.NoFileExists(t, s.path("dd/x"))
		require.Contains(t, s.ok(words...), "dd/x: brought back, as it was after edit 2 (undo dd/x --redo takes this back)")
		require.Equal(t, "2", s.get("dd/x"))
		s.ok("undo")
		require.Equal(t, "1", s.get("dd/x"))
		s.ok("undo", "--redo")
		require.Equal(t, "2", s.get("dd/x"))
		s.ok("undo", "--redo")
		require.NoFileExists(t, s.path("dd/x"))
	}
	s := newUndoShell(t)
	s.ok("write", "log", "1\n")
	s.ok("write", "log", "2\n", "--append")
	require.NoError(t, os.Remove(s.path("log")))
	require.Contains(t, s.fails("undo"), "log: it was removed, and what it held after something was appended was not kept")
	s.ok("undo", "--id", "2", "log")
	require.Equal(t, "1\n", s.get("log"))
}

func TestUndoOfANamedFile(t *testing.T) {
	s := newUndoShell(t)
	s.put("a", "a1\n")
	s.put("b", "b1\n")
	s.ok("write", "a", "a2\n")
	s.ok("write", "b", "b2\n")
	s.ok("undo", "a")
	require.Equal(t, "a1\n", s.get("a"))
	require.Equal(t, "b2\n", s.get("b"))
	require.Contains(t, s.fails("undo", "c"), "no change of c is kept")
	require.Contains(t, s.fails("undo", "--id", "99"), "no change 99")
}

func TestUndoOfANewFileRemovesIt(t *testing.T) {
	s := newUndoShell(t)
	s.ok("write", "d/new", "text\n")
	require.Contains(t, s.ok("undo"), "d/new: removed")
	require.NoFileExists(t, s.path("d/new"))
	s.ok("undo", "--redo")
	require.Equal(t, "text\n", s.get("d/new"))
}

func TestUndoRefusesWhenTheFileChangedSince(t *testing.T) {
	s := newUndoShell(t)
	s.put("f", "one\n")
	s.ok("edit", "f", "one", "two")
	s.put("f", "by another\n")
	require.Contains(t, s.fails("undo"), "f was changed by something else since the last edit")
	require.Equal(t, "by another\n", s.get("f"))
	s.ok("undo", "--force")
	require.Equal(t, "one\n", s.get("f"))
	s.ok("undo", "--redo")
	require.Equal(t, "by another\n", s.get("f"), "what was overwritten by force is kept too")
}

func TestUndoOfAnAppend(t *testing.T) {
	s := newUndoShell(t)
	s.put("log", "one\n")
	s.ok("write", "log", "two\n", "--append")
	s.ok("write", "log", "three\n", "--append")
	s.ok("undo")
	require.Equal(t, "one\ntwo\n", s.get("log"))
	s.ok("undo", "--redo")
	require.Equal(t, "one\ntwo\nthree\n", s.get("log"))
	s.ok("undo", "--id", "1")
	require.Equal(t, "one\n", s.get("log"))
}

func TestUndoKeepsToItsDirectory(t *testing.T) {
	s := newUndoShell(t)
	s.ok("write", "here/f", "1\n")
	top := s.dir
	s.dir = filepath.Join(top, "elsewhere")
	require.NoError(t, os.Mkdir(s.dir, 0o755))
	require.Contains(t, s.fails("undo"), "the last change was of "+filepath.Join(top, "here/f"))
	require.Empty(t, s.ok("undo", "--list"), "the changes of another workspace")
	require.Contains(t, s.ok("undo", "--list", "--all"), "here/f")
	require.Contains(t, s.fails("undo", "--id", "1"), "which is not below")
	s.ok("undo", filepath.Join(top, "here/f"))
	require.NoFileExists(t, filepath.Join(top, "here/f"))
}

func TestUndoThroughALinkAndWithTheMode(t *testing.T) {
	s := newUndoShell(t)
	path := s.put("f", "one\n")
	require.NoError(t, os.Chmod(path, 0o750))
	require.NoError(t, os.Symlink("f", s.path("link")))
	s.ok("edit", "link", "one", "two")
	s.ok("undo", "link")
	require.Equal(t, "one\n", s.get("f"))
	require.NoError(t, os.Remove(path)) // gone altogether
	s.ok("undo", "f", "--id", "2")
	require.Equal(t, "two\n", s.get("f"))
	require.EqualValues(t, 0o750, stat(t, path).Mode&0o777)
}

func TestUndoListAndDryRun(t *testing.T) {
	s := newUndoShell(t)
	require.Contains(t, s.fails("undo"), "nothing was changed yet")
	require.Equal(t, "nothing was changed yet\n", s.run("undo", "--list").err)
	s.put("f", "one\n")
	s.ok("edit", "f", "one", "two")
	require.Contains(t, s.run("undo", "--list", "h").err, "no change of h is kept")
	s.ok("write", "g", "new")
	lines := strings.Split(strings.TrimSuffix(s.ok("undo", "--list"), "\n"), "\n")
	require.Len(t, lines, 2)
	require.Regexp(t, `^2\t\S+ \S+\twrite\tg\tno file -> 3 bytes$`, lines[0])
	require.Regexp(t, `^1\t\S+ \S+\tedit\tf\t4 bytes -> 4 bytes$`, lines[1])
	require.Contains(t, s.ok("undo", "f", "--dry_run"), "-two\n+one\n")
	require.Equal(t, "two\n", s.get("f"))
	info, err := os.Stat(s.tools["undo"].Name) // no file of that name came to be
	require.Error(t, err, info)
}

func TestAnEditThatNeverHappenedIsNotUndone(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s := newShell(t, &Options{StateDir: state})
	path := s.put("f", "one\n")
	s.ok("edit", "f", "one", "two")
	store := checkpoint.New(state) // as a process leaves it that is killed before it replaces the file
	now := checkpoint.VersionOf([]byte("two\n"), 0o644)
	_, err := store.Add(checkpoint.Change{Op: "edit", Path: path, Dir: s.dir, Before: now, After: checkpoint.VersionOf([]byte("three\n"), 0o644)}, []byte("two\n"), nil)
	require.NoError(t, err)
	s.ok("undo")
	require.Equal(t, "one\n", s.get("f"))
}

func TestAFailedChangeLeavesNoCheckpoint(t *testing.T) {
	s := newUndoShell(t)
	s.dir = smallDisk(t, 128<<10)
	s.put("f", "one\n")
	s.ok("edit", "f", "one", "two")
	s.fails("write", "f", strings.Repeat("x", 300<<10), "--force")
	require.Equal(t, 1, strings.Count(s.ok("undo", "--list"), "\n"))
	s.ok("undo")
	require.Equal(t, "one\n", s.get("f"))
}

// The changes of a workspace are listed from everywhere in it.
func TestUndoListsTheWorkspace(t *testing.T) {
	top := t.TempDir()
	s := newShell(t, &Options{StateDir: filepath.Join(t.TempDir(), "state"), Workspace: filepath.Join(top, "in")})
	s.dir = top
	s.ok("write", "in/a", "1")
	s.ok("write", "out", "1")
	require.NoError(t, os.MkdirAll(filepath.Join(top, "in/sub"), 0o755))
	s.dir = filepath.Join(top, "in/sub")
	require.Regexp(t, `^1\t.*\t`+filepath.Join(top, "in/a")+`\t.*\n$`, s.ok("undo", "--list"))
	require.Equal(t, 2, strings.Count(s.ok("undo", "--list", "--all"), "\n"))
	for range 60 {
		s.ok("write", "b", "x", "--append")
	}
	r := s.run("undo", "--list", "b")
	require.Equal(t, 50, strings.Count(r.out, "\n"))
	require.Equal(t, "the last 50 of 60 changes: name a file for its own\n", r.err)
}

func TestTheStateIsPrivateAndWithoutItThereIsNoUndo(t *testing.T) {
	state := filepath.Join(t.TempDir(), "a/state")
	s := newShell(t, &Options{StateDir: state})
	s.put("f", "secret\n")
	s.ok("edit", "f", "secret", "x")
	require.NoError(t, filepath.WalkDir(state, func(p string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, p)
		return nil
	}))
	none := newShell(t, nil)
	none.ok("write", "f", "x")
	require.Contains(t, none.fails("undo"), "no checkpoints are kept")
}

func TestCheckpointsOfManyWritersAtOnce(t *testing.T) {
	s := newUndoShell(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := string(rune('a' + i))
			for range 5 {
				s.run("write", name, name, "--append")
			}
		})
	}
	wg.Wait()
	require.Equal(t, 40, strings.Count(s.ok("undo", "--list", "--file_path", "a"), "\n")+35)
	for i := range 8 {
		require.Equal(t, strings.Repeat(string(rune('a'+i)), 5), s.get(string(rune('a'+i))))
	}
}
