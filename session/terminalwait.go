package session

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/proctable"
)

// terminalAfter is how long a command may run until it is looked at whether it waits for a
// terminal; the looks are those of the prober.
const terminalAfter = time.Second

// waitsForTerminal reports whether a process in the foreground waits for what nobody can
// type. A full-screen program (vim) that reads the end of its stdin goes on with stderr in
// its place, which on a terminal is the terminal, and here the writing end of a pipe. One that
// asks for nothing (watch) has cleared a screen that is not there, and draws on it until a key is pressed.
func (c *command) waitsForTerminal(now time.Time) bool {
	if now.Sub(c.start) < terminalAfter {
		return false
	}
	cleared := clearsScreen(c.out.kept.head)
	for _, p := range c.newTarget().findProcesses(foreground) {
		if writesStdin(p.PID) && proctable.SleepsIn(p.PID, "poll", "select") || cleared && usesCurses(p.PID) {
			return true
		}
	}
	return false
}

// clearsScreen reports whether an output has what curses clears a screen with: the sequence that changes to the
// alternate one, or, where TERM has none (dumb), a blank for each place.
func clearsScreen(output []byte) bool {
	return bytes.Contains(output, []byte("\x1b[?1049h")) || bytes.Contains(output, blankScreen)
}

var blankScreen = bytes.Repeat([]byte{' '}, 20*80)

// usesCurses reports whether a process has the library that draws on terminals.
func usesCurses(pid int) bool {
	maps, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/maps")
	return err == nil && bytes.Contains(maps, []byte("/libncurses"))
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
