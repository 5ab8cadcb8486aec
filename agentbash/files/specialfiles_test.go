//go:build linux

package files

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestDirectoriesAreRefusedWithTheirFirstEntries(t *testing.T) {
	s := newShell(t, nil)
	s.put("d/a.go", "")
	s.put("d/sub/x", "")
	for _, args := range [][]string{{"write", "d", "x"}, {"edit", "d", "a", "b"}} {
		require.Contains(t, s.fails(args...), "d is a directory: it holds a.go, sub/")
	}
}

func TestWhatIsNoFileIsRefusedAtOnce(t *testing.T) {
	s := newShell(t, nil)
	require.NoError(t, unix.Mkfifo(s.path("fifo"), 0o644))
	socket, err := net.Listen("unix", s.path("socket"))
	require.NoError(t, err)
	defer socket.Close()
	require.NoError(t, os.Symlink("fifo", s.path("link")))
	kinds := map[string]string{"fifo": "is a FIFO", "link": "is a FIFO", "socket": "is a socket", "/dev/zero": "is a character device", "/dev/tty": "", "/dev/stdin": ""}
	for path, kind := range kinds {
		for _, args := range [][]string{{"write", path, "x"}, {"edit", path, "a", "b"}, {"read", path}} {
			if args[0] == "read" && kind == "is a FIFO" { // see TestFIFOsAreRead
				continue
			}
			require.Contains(t, s.fails(args...), kind, args) // to wait would be for ever
		}
		if kind != "is a FIFO" {
			require.Equal(t, 2, s.run("grep", "x", path).status)
		}
	}
	require.Equal(t, "fifo\nlink\nsocket\n", strings.Join(entries(t, s.dir), "\n")+"\n")
	r := s.run("grep", "x") // a walk passes them by
	require.Equal(t, 1, r.status)
	require.Contains(t, r.err, "0 in 0 files")
}

func entries(t *testing.T, dir string) []string {
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestASymbolicLinkStaysAndItsTargetChanges(t *testing.T) {
	s := newShell(t, nil)
	s.put("real/file", "one\n")
	require.NoError(t, os.Symlink("real/file", s.path("b")))
	require.NoError(t, os.Symlink(s.path("b"), s.path("a")))
	require.NoError(t, os.Symlink("real/new", s.path("dangling")))
	require.NoError(t, os.Symlink("loop", s.path("loop")))
	s.ok("edit", "a", "one", "two")
	require.Equal(t, "two\n", s.get("real/file"))
	s.ok("write", "a", "three\n")
	require.Equal(t, "three\n", s.get("real/file"))
	s.ok("write", "dangling", "made\n")
	require.Equal(t, "made\n", s.get("real/new"))
	for _, link := range []string{"a", "b", "dangling"} {
		info, err := os.Lstat(s.path(link))
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink, link)
	}
	require.Contains(t, s.fails("write", "loop", "x"), "too many")
	require.Contains(t, s.fails("read", "loop"), "too many")
	s.requireNoTemp()
}

func TestHardLinksKeepTheirInode(t *testing.T) {
	s := newShell(t, nil)
	s.put("one", "a\nb\nc\n")
	require.NoError(t, os.Link(s.path("one"), s.path("two")))
	before := stat(t, s.path("one"))
	s.ok("edit", "one", "b", "bbbb")
	require.Equal(t, "a\nbbbb\nc\n", s.get("two"))
	s.ok("write", "two", "short")
	require.Equal(t, "short", s.get("one"))
	require.Equal(t, before.Ino, stat(t, s.path("one")).Ino)
	require.EqualValues(t, 2, stat(t, s.path("one")).Nlink)
	s.requireNoTemp()
}

func stat(t *testing.T, path string) unix.Stat_t {
	var st unix.Stat_t
	require.NoError(t, unix.Stat(path, &st))
	return st
}

func TestModeOwnerAndAttributesAreKept(t *testing.T) {
	s := newShell(t, nil)
	path := s.put("f", "one\n")
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(path, 1234, 4321))
	}
	require.NoError(t, os.Chmod(path, 0o750|os.ModeSetgid))
	attrs := unix.Setxattr(path, "user.note", []byte("keep me"), 0)
	before := stat(t, path)
	s.ok("edit", "f", "one", "two")
	require.NotEqual(t, before.Ino, stat(t, path).Ino, "it was not replaced")
	s.ok("write", "f", "three\n")
	after := stat(t, path)
	require.Equal(t, before.Mode, after.Mode)
	require.Equal(t, before.Uid, after.Uid)
	require.Equal(t, before.Gid, after.Gid)
	if !errors.Is(attrs, unix.ENOTSUP) {
		require.NoError(t, attrs)
		value := make([]byte, 20)
		n, err := unix.Getxattr(path, "user.note", value)
		require.NoError(t, err)
		require.Equal(t, "keep me", string(value[:n]))
	}
	old := unix.Umask(0o027)
	s.ok("write", "fresh", "x")
	unix.Umask(old)
	require.EqualValues(t, 0o640, stat(t, s.path("fresh")).Mode&0o777)
}

func TestReadOnlyFilesAreRefusedEvenToRoot(t *testing.T) {
	s := newShell(t, nil)
	path := s.put("f", "one\n")
	require.NoError(t, os.Chmod(path, 0o444))
	for _, args := range [][]string{{"write", "f", "x"}, {"write", "f", "x", "--force"}, {"write", "f", "x", "--append"}, {"edit", "f", "one", "two"}} {
		require.Contains(t, s.fails(args...), "f: the file is read-only: chmod u+w it first", args)
	}
	require.Equal(t, "one\n", s.get("f"))
	require.Equal(t, "one\n", s.ok("read", "f"))
}

// smallDisk is a directory on a file system with room for little. Where
// nothing can be mounted, the test says so.
func smallDisk(t *testing.T, bytes int) string {
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skipf("a disk that fills up needs the right to mount: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, 0)) })
	return dir
}

func TestAFullDiskLeavesTheOriginalWhole(t *testing.T) {
	s := newShell(t, nil)
	s.dir = smallDisk(t, 256<<10)
	original := strings.Repeat("0123456789abcde\n", 6000) // 96 KB
	s.put("f", original)
	require.NoError(t, os.Link(s.put("one", original), s.path("two")))
	big := strings.Repeat("x", 200<<10)
	for _, args := range [][]string{{"write", "f", big}, {"write", "f", big, "--append"}, {"write", "one", big}, {"write", "new", big}, {"edit", "f", "0123456789abcde\n", strings.Repeat("y", 50), "--replace_all"},
		{"edit", "one", original, big}} {
		require.Contains(t, s.fails(args...), "no space left on device", args[:2])
		require.Equal(t, original, s.get("f"))
		require.Equal(t, original, s.get("two"))
		require.NoFileExists(t, s.path("new"))
		s.requireNoTemp()
	}
	require.EqualValues(t, 2, stat(t, s.path("one")).Nlink)
}

func TestAFullStateDirectoryIsSaidAndStopsNothing(t *testing.T) {
	disk := smallDisk(t, 64<<10)
	s := newShell(t, &Options{StateDir: filepath.Join(disk, "state")})
	s.put("f", strings.Repeat("a", 100<<10))
	r := s.run("write", "f", "b")
	require.Zero(t, r.status, r.err)
	require.Contains(t, r.err, "no checkpoint was kept")
	require.Equal(t, "b", s.get("f"))
}

func TestChangesBetweenReadAndEditAreSeen(t *testing.T) {
	s := newShell(t, nil)
	path := s.put("f", "one two\n")
	s.ok("read", "f")
	times := stat(t, path)
	s.put("f", "one 222\n") // the same size, and then the same time
	require.NoError(t, os.Chtimes(path, time.Unix(times.Atim.Unix()), time.Unix(times.Mtim.Unix())))
	for _, words := range [][]string{{"2", "1", "--replace_all"}, {"2", "1", "--count", "3"}, {"one  \n", "1\n"}, {"--insert_line", "0", "--new_string", "x"}} {
		r := s.run(append([]string{"edit", "f"}, words...)...)
		require.Equal(t, 1, r.status, "%q", words)
		require.NotContains(t, r.out, "222")
	}
	require.Contains(t, s.fails("edit", "f", "2", "1", "--replace_all"), "f changed since it was read: read it again")
	require.Contains(t, s.fails("write", "f", "x"), "f changed since it was read")
	require.Equal(t, "one 222\n", s.get("f"))
	s.ok("read", "f")
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(path, now, now)) // touched only
	s.ok("edit", "f", "one", "1")
	s.ok("edit", "f", "222", "2") // after an edit of its own
	require.Equal(t, "1 2\n", s.get("f"))
	s.put("f", "by another\n")
	s.ok("write", "f", "mine\n", "--force")
}

func TestAPartlyReadFileIsKnownToo(t *testing.T) {
	s := newShell(t, &Options{RequireRead: true})
	s.put("f", numbered(5000))
	s.ok("read", "f", "--limit", "3")
	s.ok("edit", "f", "line 4000\n", "line four thousand\n")
	s.ok("read", "f", "--limit", "3")
	s.put("f", numbered(4999))
	require.Contains(t, s.fails("edit", "f", "line 3", "x", "--replace_all"), "changed since")
}

// A formatter that ran in between is no reason to read a file again to change what stands
// there all the same; for overwriting it is.
func TestAnExactEditNeedsNoNewRead(t *testing.T) {
	s := newShell(t, &Options{RequireRead: true})
	s.put("f.go", "package a\nvar  x = 1\nvar y = 2\n")
	s.ok("read", "f.go")
	s.put("f.go", "package a\n\nvar x = 1\nvar y = 2\n") // gofmt -w
	for _, words := range [][]string{{"edit", "f.go", "y = 2", "y = 3"}, {"edit", "f.go", "y = 3", "y = 4"}} {
		r := s.run(words...)
		require.Zero(t, r.status, r.err)
		require.Contains(t, r.err, "it changed since it was read; the old text is there once")
	}
	require.Equal(t, "package a\n\nvar x = 1\nvar y = 4\n", s.get("f.go"))
	require.Contains(t, s.fails("write", "f.go", "x"), "changed since it was read")
	s.ok("read", "f.go")
	require.Empty(t, s.run("edit", "f.go", "y = 4", "y = 5").err)
}

func TestFilesThatAreNotThere(t *testing.T) {
	s := newShell(t, nil)
	s.put("main.go", "x")
	require.Contains(t, s.fails("read", "mian.go"), "mian.go does not exist: did you mean main.go?")
	require.Contains(t, s.fails("edit", "main.py", "a", "b"), "does not exist")
	require.Contains(t, s.fails("read", "no/such/file.go"), "glob '**/file.go'")
	require.Equal(t, 2, s.run("grep", "x", "nodir").status)
	require.Contains(t, s.fails("read", "main.go/x"), "not a directory")
	require.Contains(t, s.fails("write", "main.go/x", "y"), "not a directory")
}
