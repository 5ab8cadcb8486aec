//go:build linux && !portable

package session

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// abortSignal is a real-time signal, which nothing else uses.
const abortSignal = 64 - 7

// limitLine is how the limit looks in /proc/PID/limits.
func (m processMark) limitLine() string {
	return "Max realtime timeout      " + strconv.FormatUint(m.rttime, 10) + " "
}

// setLimit sets the limit of a shell that has run nothing yet. Where the hard
// limit forbids it, the environment alone must do.
func (m processMark) setLimit(pid int) {
	var old unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &old) == nil && old.Max >= m.rttime {
		unix.Prlimit(pid, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: m.rttime, Max: old.Max}, nil)
	}
}

// cwdOf returns the working directory of a process as the kernel names it.
func cwdOf(pid int, _ string, buf []byte) (name []byte, deleted bool) {
	n, err := unix.Readlink("/proc/"+strconv.Itoa(pid)+"/cwd", buf)
	if err != nil {
		return nil, false
	}
	return bytes.CutSuffix(buf[:n], []byte(" (deleted)"))
}
