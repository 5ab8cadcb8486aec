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

	"github.com/agentbash/agentbash/internal/proctable"
)

// A processMark marks everything that a session starts, so that its host and its
// watchdog can find it wherever it has gone: a process may leave the session
// with setsid and lose its parent, but it inherits its environment and its
// resource limits. An environment is often cleared, a limit that no process
// knows of hardly ever: the soft limit on the processor time of real-time
// processes between two system calls, in microseconds, is set to a number
// that means a hundred thousand years and is the session's own.
type processMark struct {
	id     string // value of the environment variable
	rttime uint64
	since  int64 // ticks; nothing older has it
}

func newProcessMark() processMark {
	var b [16]byte
	rand.Read(b[:])
	return processMark{id: hex.EncodeToString(b[:]), rttime: 1<<62 | binary.NativeEndian.Uint64(b[:])>>3, since: proctable.Now() - 1}
}

// envEntry is the environment entry.
func (m processMark) envEntry() string { return envMark + "=" + m.id }

// isOn reports whether a process has the mark.
func (m processMark) isOn(pid int) bool {
	if proctable.HasEnv(pid, m.envEntry()) {
		return true
	}
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	return err == nil && m.limitLine() != "" && bytes.Contains(limits, []byte(m.limitLine()))
}

// killMarked kills every process of the session of the given shell and every one that
// has the mark, until none is left.
func (m processMark) killMarked(shell int) {
	for range 10 {
		hits := 0
		for _, p := range proctable.Read() {
			if !p.Ended() && p.Start >= m.since && (shell != 0 && p.Session == shell || m.isOn(p.PID)) {
				unix.Kill(p.PID, syscall.SIGKILL)
				hits++
			}
		}
		if hits == 0 {
			return
		}
	}
}
