package session

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// terminalAfter is how long a command may run until it is looked at whether it waits for a
// terminal; the looks are those of the prober.
const terminalAfter = time.Second

// waitsForTerminal reports whether a process in the foreground waits for what nobody can
// type. A full-screen program (vim) that reads the end of its stdin goes on with stderr in
// its place, which on a terminal is the terminal, and here the writing end of a pipe.
func (c *command) waitsForTerminal(now time.Time) bool {
	if now.Sub(c.start) < terminalAfter {
		return false
	}
	for _, p := range c.newTarget().findProcesses(foreground) {
		if writesStdin(p.pid) && sleepsInPoll(p.pid) {
			return true
		}
	}
	return false
}

// writesStdin reports whether the stdin of a process is a pipe that can only be written.
func writesStdin(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	if st, err := os.Stat(dir + "/fd/0"); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	info, _ := os.ReadFile(dir + "/fdinfo/0")
	_, rest, _ := bytes.Cut(info, []byte("flags:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	flags, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 8, 64)
	return err == nil && flags&unix.O_ACCMODE == unix.O_WRONLY
}

// sleepsInPoll reports whether a process waits for one of its descriptors (proc_pid_wchan(5)).
func sleepsInPoll(pid int) bool {
	at, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/wchan")
	return err == nil && (bytes.Contains(at, []byte("poll")) || bytes.Contains(at, []byte("select")) || string(at) == "0")
}
