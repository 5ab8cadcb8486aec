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

func TestUndoRestoresAndCanBeUndone(t *testing.T) {
	s := newUndoShell(t)
	s.put("f", "one\n")
	s.ok("edit", "f", "one", "two")
	s.ok("write", "f", "three\n", "--force")
	out := s.ok("undo")
	require.Contains(t, out, "f: as it was before write 2")
	require.Contains(t, out, "-three\n+two\n")
	require.Equal(t, "two\n", s.get("f"))
	s.ok("undo")
	require.Equal(t, "three\n", s.get("f"), "the undo was not undone")
	s.ok("undo", "--id", "1")
	require.Equal(t, "one\n", s.get("f"))
	s.ok("undo", "f")
	require.Equal(t, "three\n", s.get("f"))
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
	s.ok("undo")
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
	s.ok("undo")
	require.Equal(t, "by another\n", s.get("f"), "what was overwritten by force is kept too")
}

func TestUndoOfAnAppend(t *testing.T) {
	s := newUndoShell(t)
	s.put("log", "one\n")
	s.ok("write", "log", "two\n", "--append")
	s.ok("write", "log", "three\n", "--append")
	s.ok("undo")
	require.Equal(t, "one\ntwo\n", s.get("log"))
	s.ok("undo")
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
	require.Contains(t, s.fails("undo", "f"), "changed by something else")
	s.ok("undo", "f", "--force", "--id", "2")
	require.Equal(t, "two\n", s.get("f"))
	require.EqualValues(t, 0o750, stat(t, path).Mode&0o777)
}

func TestUndoListAndDryRun(t *testing.T) {
	s := newUndoShell(t)
	require.Contains(t, s.fails("undo"), "nothing was changed yet")
	s.put("f", "one\n")
	s.ok("edit", "f", "one", "two")
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
	_, err := store.Add(checkpoint.Change{Op: "edit", Path: path, Dir: s.dir, Before: now, After: checkpoint.VersionOf([]byte("three\n"), 0o644)}, []byte("two\n"))
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
