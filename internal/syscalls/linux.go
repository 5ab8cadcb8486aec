//go:build linux && !portable

package syscalls

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors is a directory in which a program finds its own descriptors by their numbers.
const Descriptors = "/proc/self/fd"

// OpensOthers says whether what another process has open can be opened, below /proc.
const OpensOthers = true

// Missing names what of Linux's own this kernel lacks or refuses.
func Missing() (names []string) {
	for _, call := range []struct {
		name string
		try  func() (int, error)
	}{
		{"pidfd", func() (int, error) { return unix.PidfdOpen(os.Getpid(), 0) }},
		{"memfd", func() (int, error) { return MemoryFile("try") }},
	} {
		fd, err := call.try()
		if err != nil {
			names = append(names, call.name+" ("+err.Error()+")")
			continue
		}
		unix.Close(fd)
	}
	return names
}

// PipeBuf is how much a pipe takes at once or not at all (PIPE_BUF).
const PipeBuf = 4096

// MemoryFile makes a file that has no name and is on no disk.
func MemoryFile(what string) (fd int, err error) { return unix.MemfdCreate(what, unix.MFD_CLOEXEC) }

// OpenNameless makes a file in a directory that has no name until LinkNameless gives it one.
func OpenNameless(dir string, mode os.FileMode) (fd int, err error) {
	return unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, uint32(mode))
}

// LinkNameless gives a file that has none a name that is not taken.
func LinkNameless(fd int, path string) error {
	return unix.Linkat(unix.AT_FDCWD, Descriptors+"/"+strconv.Itoa(fd), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

// DirPath is a path of an open directory that is that directory's whatever happens to its name.
func DirPath(dir *os.File) string { return Descriptors + "/" + strconv.Itoa(int(dir.Fd())) }

// Reserve makes sure that a file has room on its disk, and leaves its size. Errors but those
// of a full disk mean that the file system cannot do that.
func Reserve(fd int, from, size int64) error {
	return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, from, size)
}

// SyncData forces what is in a file to the disk.
func SyncData(fd int) error { return unix.Fdatasync(fd) }

// GrowPipe lets a pipe hold a number of bytes, if the system can.
func GrowPipe(fd, size int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, size) }

// AskReader says whether how much waits in a pipe can only be asked at the end that is read.
const AskReader = false

// PollBriefly is poll(2) for less than a millisecond.
func PollBriefly(p []unix.PollFd, d time.Duration) (int, error) {
	limit := unix.NsecToTimespec(int64(d))
	return unix.Ppoll(p, &limit, nil)
}

// EndFD is a descriptor that is readable when a child has ended, which is left to be reaped.
func EndFD(pid int) (int, error) {
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		return fd, nil
	}
	return endPipe(pid)
}

// SendSignal sends a signal to the child of an EndFD, or says why the kernel cannot do that so.
func SendSignal(endFD int, sig syscall.Signal) error { return unix.PidfdSendSignal(endFD, sig, nil, 0) }

// Pipe makes a pipe of which both ends close on exec.
func Pipe() (r, w int, err error) {
	var p [2]int
	err = unix.Pipe2(p[:], unix.O_CLOEXEC)
	return p[0], p[1], err
}
