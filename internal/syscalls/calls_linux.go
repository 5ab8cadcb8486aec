package syscalls

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// The requests with which the attributes of a terminal are read and set.
const (
	GetTermios = unix.TCGETS
	SetTermios = unix.TCSETS
)

// RenameNew renames a file to a name that is not taken.
func RenameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}

// PathOf is the kernel's name of what is open: its path, or "pipe:[N]".
func PathOf(fd int) (string, error) { return os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)) }

// Peer is the process at the other end of a Unix socket, and its user.
func Peer(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(c.Pid), int(c.Uid), nil
}

// NoExec reports whether nothing below a directory can be executed, as its file system was mounted.
func NoExec(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) != nil || st.Flags&unix.ST_NOEXEC != 0
}

// Unread is how many bytes wait in a pipe.
func Unread(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }

// endPipe is EndFD where there are no pidfds.
func endPipe(pid int) (int, error) {
	r, w, err := Pipe()
	if err != nil {
		return -1, err
	}
	go func() {
		defer unix.Close(w)
		for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}()
	return r, nil
}
