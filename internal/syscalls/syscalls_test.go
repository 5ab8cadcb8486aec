package syscalls

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// isReady reports whether a descriptor can be read now.
func isReady(t *testing.T, fd int) bool {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	require.NoError(t, err)
	return n > 0
}

func TestWakeup(t *testing.T) {
	w, err := NewWakeup()
	require.NoError(t, err)
	require.False(t, isReady(t, w.FD()))
	for range 100_000 { // more than a pipe holds
		w.Signal()
	}
	require.True(t, isReady(t, w.FD()))
	w.Drain()
	require.False(t, isReady(t, w.FD()))
	w.Signal()
	require.True(t, isReady(t, w.FD()))
	w.Close()
	w.Close()
	w.Signal()
}

// TestEndFD: it is readable once the child has ended, which can be reaped then, also when it ended before.
func TestEndFD(t *testing.T) {
	for name, open := range map[string]func(int) (int, error){"EndFD": EndFD, "endPipe": endPipe} {
		t.Run(name, func(t *testing.T) {
			c := exec.Command("cat")
			in, err := c.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			fd, err := open(c.Process.Pid)
			require.NoError(t, err)
			defer unix.Close(fd)
			require.False(t, isReady(t, fd))
			require.NoError(t, in.Close())
			p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			for {
				if _, err := unix.Poll(p, -1); err != unix.EINTR {
					require.NoError(t, err)
					break
				}
			}
			late, err := open(c.Process.Pid)
			require.NoError(t, err)
			defer unix.Close(late)
			p[0].Fd = int32(late)
			for {
				if _, err := unix.Poll(p, -1); err != unix.EINTR {
					require.NoError(t, err)
					break
				}
			}
			require.NoError(t, c.Wait())
		})
	}
}

func TestPeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	near, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer near.Close()
	far, err := l.Accept()
	require.NoError(t, err)
	defer far.Close()
	raw, err := far.(*net.UnixConn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		pid, uid, err := Peer(int(fd))
		require.NoError(t, err)
		require.Equal(t, [2]int{os.Getpid(), os.Geteuid()}, [2]int{pid, uid})
	}))
}

// TestFiles: of what a file system may not have, what is there does what it says.
func TestFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	require.NoError(t, os.WriteFile(a, []byte("a"), 0o600))
	if err := RenameNew(a, b); err != unix.EINVAL && err != unix.ENOTSUP {
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(a, []byte("a"), 0o600))
		require.ErrorIs(t, RenameNew(a, b), os.ErrExist)
	}
	f, err := os.OpenFile(a, os.O_RDWR, 0)
	require.NoError(t, err)
	defer f.Close()
	name, err := PathOf(int(f.Fd()))
	require.NoError(t, err)
	require.Equal(t, a, name)
	require.NoError(t, SyncData(int(f.Fd())))
	if Reserve(int(f.Fd()), 1, 1<<20) == nil {
		st, err := f.Stat()
		require.NoError(t, err)
		require.Equal(t, int64(1), st.Size())
	}
	d, err := os.Open(dir)
	require.NoError(t, err)
	defer d.Close()
	text, err := os.ReadFile(filepath.Join(DirPath(d), "a"))
	require.NoError(t, err)
	require.Equal(t, "a", string(text))
	if fd, err := MemoryFile("test"); err == nil {
		require.NoError(t, unix.Close(fd))
	}
}

func TestUnread(t *testing.T) {
	r, w, err := Pipe()
	require.NoError(t, err)
	defer unix.Close(r)
	_, err = unix.Write(w, []byte("four"))
	require.NoError(t, err)
	n, err := Unread(r)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	if !AskReader {
		n, err = Unread(w)
		require.NoError(t, err)
		require.Equal(t, 4, n)
	}
	require.NoError(t, syscall.Close(w))
}
