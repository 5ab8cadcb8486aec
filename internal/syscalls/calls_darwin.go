package syscalls

import (
	"bytes"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The requests with which the attributes of a terminal are read and set.
const (
	GetTermios = unix.TIOCGETA
	SetTermios = unix.TIOCSETA
)

// RenameNew renames a file to a name that is not taken.
func RenameNew(from, to string) error {
	return unix.RenameatxNp(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCL)
}

// PathOf is the kernel's name of what is open; an error for what has none, as a pipe.
func PathOf(fd int) (string, error) {
	buf := make([]byte, unix.PathMax)
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETPATH, int(uintptr(unsafe.Pointer(&buf[0]))))
	runtime.KeepAlive(buf)
	name, _, _ := bytes.Cut(buf, []byte{0})
	return string(name), err
}

// Peer is the process at the other end of a Unix socket, and its user.
func Peer(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err == nil {
		pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	}
	if err != nil {
		return 0, 0, err
	}
	return pid, int(c.Uid), nil
}

// NoExec reports whether nothing below a directory can be executed, as its file system was mounted.
func NoExec(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_NOEXEC != 0
}

// Unread is how many bytes wait in a pipe, asked at the end that is read (FIONREAD of sys/filio.h).
func Unread(fd int) (int, error) { return unix.IoctlGetInt(fd, 0x4004667f) }

// endPipe is EndFD: a kqueue(2), which poll(2) takes as it does a pipe.
func endPipe(pid int) (int, error) {
	fd, err := unix.Kqueue()
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(fd)
	end := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&end, pid, unix.EVFILT_PROC, unix.EV_ADD)
	if _, err = unix.Kevent(fd, []unix.Kevent_t{end}, nil, nil); err == nil {
		return fd, nil
	}
	unix.Close(fd)
	if err != unix.ESRCH { // else it has ended
		return -1, err
	}
	r, w, err := Pipe()
	unix.Close(w)
	return r, err
}
