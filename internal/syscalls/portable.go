//go:build !linux || portable

package syscalls

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors is a directory in which a program finds its own descriptors by their numbers.
const Descriptors = "/dev/fd"

// OpensOthers says whether what another process has open can be opened, below /proc.
const OpensOthers = false

// Missing names what of Linux's own this system lacks, or is not asked for.
func Missing() []string { return []string{"pidfd", "memfd", "what /proc shows of processes"} }

// PipeBuf is how much a pipe takes at once or not at all (PIPE_BUF).
const PipeBuf = 512

// MemoryFile is an error: there are no files in memory.
func MemoryFile(string) (fd int, err error) { return -1, unix.ENOSYS }

// OpenNameless is an error: every file gets a name.
func OpenNameless(string, os.FileMode) (fd int, err error) { return -1, unix.EOPNOTSUPP }

// LinkNameless is an error.
func LinkNameless(int, string) error { return unix.EOPNOTSUPP }

// DirPath is the path by which an open directory was opened.
func DirPath(dir *os.File) string { return dir.Name() }

// Reserve is an error: there is no way to do it that leaves a file's size.
func Reserve(int, int64, int64) error { return unix.EOPNOTSUPP }

// SyncData forces what is in a file to the disk.
func SyncData(fd int) error { return unix.Fsync(fd) }

// GrowPipe does nothing: a pipe is as large as it is.
func GrowPipe(int, int) {}

// AskReader says whether how much waits in a pipe can only be asked at the end that is read.
const AskReader = true

// PollBriefly is poll(2) for a millisecond, the least that it can wait.
func PollBriefly(p []unix.PollFd, _ time.Duration) (int, error) { return unix.Poll(p, 1) }

// EndFD is a descriptor that is readable when a child has ended, which is left to be reaped.
func EndFD(pid int) (int, error) { return endPipe(pid) }

// SendSignal is an error: a process has nothing but its number.
func SendSignal(int, syscall.Signal) error { return unix.ENOSYS }

// Pipe makes a pipe of which both ends close on exec.
func Pipe() (r, w int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(p[:]); err != nil {
		return -1, -1, err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p[0], p[1], nil
}
