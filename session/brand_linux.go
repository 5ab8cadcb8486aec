package session

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A brand marks everything that a session starts, so that its host and its
// watchdog can find it wherever it has gone: a process may leave the session
// with setsid and lose its parent, but it inherits its environment and its
// resource limits. An environment is often cleared, a limit that no process
// knows of hardly ever: the soft limit on the processor time of real-time
// processes between two system calls, in microseconds, is set to a number
// that means a hundred thousand years and is the session's own.
type brand struct {
	id     string // value of the environment variable
	rttime uint64
	since  int64 // ticks; nothing older bears it
}

func newBrand() brand {
	var b [16]byte
	rand.Read(b[:])
	return brand{id: hex.EncodeToString(b[:]), rttime: 1<<62 | binary.NativeEndian.Uint64(b[:])>>3, since: ticksNow() - 1}
}

// env is the environment entry.
func (b brand) env() string { return envMark + "=" + b.id }

// limits is how the limit looks in /proc/PID/limits.
func (b brand) limits() string {
	return "Max realtime timeout      " + strconv.FormatUint(b.rttime, 10) + " "
}

// limit sets the limit of a shell that has run nothing yet. Where the hard
// limit forbids it, the environment alone must do.
func (b brand) limit(pid int) {
	var old unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &old) == nil && old.Max >= b.rttime {
		unix.Prlimit(pid, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: b.rttime, Max: old.Max}, nil)
	}
}

// marks reports whether a process bears the brand.
func (b brand) marks(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	if env, err := os.ReadFile(dir + "/environ"); err == nil && bytes.Contains(env, []byte(b.env())) {
		return true
	}
	limits, err := os.ReadFile(dir + "/limits")
	return err == nil && bytes.Contains(limits, []byte(b.limits()))
}

// kill kills every process of the session of the given shell and every one that
// bears the brand, until none is left.
func (b brand) kill(shell int) {
	for range 10 {
		hits := 0
		for _, p := range readProcesses() {
			if !p.zombie && p.start >= b.since && (shell != 0 && p.session == shell || b.marks(p.pid)) {
				unix.Kill(p.pid, syscall.SIGKILL)
				hits++
			}
		}
		if hits == 0 {
			return
		}
	}
}
