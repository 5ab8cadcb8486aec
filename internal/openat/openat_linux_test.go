package openat

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestWalk: directory by directory gives what openat2 gives.
func TestWalk(t *testing.T) {
	d, err := os.MkdirTemp("/tmp", "openat-") // without a link in it
	require.NoError(t, err)
	defer os.RemoveAll(d)
	require.NoError(t, os.MkdirAll(d+"/a/b", 0o755))
	require.NoError(t, os.WriteFile(d+"/a/b/f", []byte("f"), 0o644))
	require.NoError(t, os.Symlink("a", d+"/l"))
	require.NoError(t, os.Symlink(d+"/a/b/f", d+"/lf"))
	dir, err := unix.Open(d, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(dir)
	for _, row := range []struct {
		path  string
		flags int
	}{
		{d + "/a/b/f", unix.O_RDONLY}, {d + "/a/b", SearchOnly | unix.O_DIRECTORY}, {"/", SearchOnly | unix.O_DIRECTORY}, {"//" + d + "//a/./b", unix.O_RDONLY},
		{"a/b/f", unix.O_RDONLY}, {"a", SearchOnly | unix.O_DIRECTORY}, {"a/f", unix.O_RDONLY}, {d + "/none/f", unix.O_RDONLY},
		{d + "/l/b/f", unix.O_RDONLY}, {d + "/lf", unix.O_RDONLY}, {"l/b", unix.O_RDONLY}, {d + "/lf", unix.O_PATH | unix.O_NOFOLLOW}, {d + "/a/b/f/g", unix.O_RDONLY},
		{d + "/a/b/f", SearchOnly | unix.O_DIRECTORY},
	} {
		want, wantErr := openat2(dir, row.path, row.flags, noSymlinks)
		if isRefused(wantErr) {
			t.Skip("SKIPPED: this kernel has no openat2 to compare with")
		}
		got, err := walk(dir, row.path, row.flags)
		require.Equal(t, wantErr == nil, err == nil, "%s: %v, %v", row.path, wantErr, err)
		require.Equal(t, wantErr == unix.ENOENT, err == unix.ENOENT, row.path)
		if err == nil {
			require.Equal(t, nameOf(t, want), nameOf(t, got), row.path)
		}
	}
}

func nameOf(t *testing.T, fd int) string {
	defer unix.Close(fd)
	name, err := os.Readlink(fmt.Sprint("/proc/self/fd/", fd))
	require.NoError(t, err)
	return name
}
