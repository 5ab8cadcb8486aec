//go:build linux

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func put(t *testing.T, path, content string) {
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func requireFile(t *testing.T, path, content string) {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, string(b))
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), TempPrefix+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestTempsWithAndWithoutAName(t *testing.T) {
	for name, makeTemp := range map[string]func(string, os.FileMode) (*temp, error){"newTemp": newTemp, "newNamedTemp": newNamedTemp} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			write := func(content string) *temp {
				tmp, err := makeTemp(dir, 0o666)
				require.NoError(t, err)
				require.NoError(t, tmp.fill([]byte(content)))
				return tmp
			}
			first := write("one")
			require.NoError(t, first.create(path))
			first.discard()
			requireFile(t, path, "one")
			again := write("two")
			require.ErrorIs(t, again.create(path), os.ErrExist)
			again.discard()
			requireFile(t, path, "one")
			over := write("three")
			require.NoError(t, over.replace(path))
			over.discard()
			requireFile(t, path, "three")
			write("never").discard()
			requireFile(t, path, "three")
		})
	}
}

func TestReplaceRefusesWhatChangedMeanwhile(t *testing.T) {
	for _, linked := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		put(t, path, "one")
		if linked {
			require.NoError(t, os.Link(path, filepath.Join(dir, "g")))
		}
		f, err := Open(path)
		require.NoError(t, err)
		put(t, path, "by another")
		require.ErrorIs(t, f.Replace([]byte("mine")), ErrChanged)
		require.ErrorIs(t, f.Append([]byte("mine")), ErrChanged)
		require.NoError(t, f.Close())
		requireFile(t, path, "by another")
	}
}

func TestADirectoryThatTakesNoFilesIsWrittenInPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, "one")
	// Root may write to any directory; a file that is a mount point cannot be renamed over by root either.
	other := filepath.Join(t.TempDir(), "mounted")
	put(t, other, "mounted")
	err := unix.Mount(other, path, "", unix.MS_BIND, "")
	if errors.Is(err, unix.EPERM) {
		require.NoError(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	} else {
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, unix.Unmount(path, 0)) })
	}
	f, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Replace([]byte("something longer")))
	require.NoError(t, f.Close())
	requireFile(t, path, "something longer")
}

func TestOverwriteWritesOnlyWhatDiffersAndCanBeTakenBack(t *testing.T) {
	for _, test := range [][2]string{{"abcdef", "abXdef"}, {"abc", "abcdef"}, {"abcdef", "abc"}, {"", "x"}, {"x", ""}, {"same", "same"}, {"abc", "xbc"}} {
		path := filepath.Join(t.TempDir(), "f")
		put(t, path, test[0])
		w, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		require.NoError(t, overwriteContent(w, []byte(test[0]), []byte(test[1])))
		requireFile(t, path, test[1])
		require.NoError(t, overwriteContent(w, []byte(test[1]), []byte(test[0])))
		requireFile(t, path, test[0])
		require.NoError(t, w.Close())
	}
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	put(t, filepath.Join(dir, "f"), "")
	require.NoError(t, os.Symlink("f", filepath.Join(dir, "a")))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "b")))
	require.NoError(t, os.Symlink("x/y", filepath.Join(dir, "dangling")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for from, to := range map[string]string{"f": "f", "b": "f", "none": "none", "dangling": "x/y", "no/such/dir": "no/such/dir"} {
		got, err := Resolve(filepath.Join(dir, from))
		require.NoError(t, err, from)
		require.Equal(t, filepath.Join(dir, to), got, from)
	}
	_, err = Resolve(filepath.Join(dir, "loop"))
	require.ErrorContains(t, err, "too many")
}

func TestKinds(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	var kind *NotRegularError
	require.ErrorAs(t, err, &kind)
	require.True(t, strings.HasSuffix(kind.Error(), "is a directory"))
	_, err = Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// What each of the program's own files needs: made or replaced as a whole, for
// nobody else to read, links followed, nothing left behind when it fails.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, content := range []string{"one", "", "three"} {
		require.NoError(t, Write(path, []byte(content)))
		requireFile(t, path, content)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, os.Symlink("f", filepath.Join(dir, "link")))
	require.NoError(t, Write(filepath.Join(dir, "link"), []byte("through")))
	requireFile(t, path, "through")
	info, err := os.Lstat(filepath.Join(dir, "link"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)

	require.ErrorIs(t, Write(filepath.Join(dir, "no", "f"), nil), os.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.Error(t, Write(filepath.Join(dir, "sub"), []byte("a directory")))
	requireFile(t, path, "through")
}
