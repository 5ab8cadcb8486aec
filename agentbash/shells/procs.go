package shells

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/proctable"
)

// process is one process of a tree.
type process = proctable.Process

// sessionMembers are the living processes of a session; 0, that of a leader that had ended
// before its number was known, has none, though processes of the kernel and of other namespaces are in it.
func sessionMembers(session int) (out []process) {
	for _, p := range proctable.Read() {
		if session > 0 && p.Session == session && !p.Ended() {
			out = append(out, p)
		}
	}
	return out
}

// tree is what lives of the job: its session, what bears its mark, all
// descendants of those, and what was in the tree before and lost its parent since.
func (j *job) tree(before []process) (alive []process) {
	all := proctable.Read()
	since := j.since
	if p, ok := proctable.Stat(j.pid); ok && j.hasMark(p) {
		since = p.Start // so the environment of all that is older need not be read
	}
	in := map[int]bool{}
	was := map[int]int64{}
	for _, p := range before {
		was[p.PID] = p.Start
	}
	for _, p := range all {
		if j.isOld(p) {
			continue
		}
		start, known := was[p.PID]
		in[p.PID] = j.pid > 0 && p.Session == j.pid || known && start == p.Start || p.Start >= since && j.hasMark(p)
	}
	for more := true; more; {
		more = false
		for _, p := range all {
			if !in[p.PID] && in[p.Parent] && !j.isOld(p) {
				in[p.PID], more = true, true
			}
		}
	}
	for _, p := range all {
		if in[p.PID] && !p.Ended() {
			alive = append(alive, p)
		}
	}
	return alive
}

func (j *job) hasMark(p process) bool { return j.mark != "" && proctable.HasEnv(p.PID, j.mark+"\x00") }

// waitsForInput reports whether the program that has the terminal, or without one some
// program of the shell, waits for something to read, and none is at work.
func (j *job) waitsForInput() bool {
	front := j.front()
	waits := false
	for _, p := range j.tree(nil) {
		switch {
		case front > 0 && p.Group != front:
		case isAtWork(p):
			return false
		default:
			waits = waits || proctable.SleepsIn(p.PID, readsIn...)
		}
	}
	return waits
}

// isAtWork reports whether a program of the shell is at work.
func (j *job) isAtWork() bool { return slices.ContainsFunc(j.tree(nil), isAtWork) }

// isAtWork reports whether a process runs, or waits for a disk.
func isAtWork(p process) bool { return p.State == 'R' || p.State == 'D' }

// readsIn are parts of the names of the kernel's functions in which a thread waits that
// reads a terminal or a pipe, or polls.
var readsIn = []string{"wait_woken", "tty_read", "pipe_read", "poll", "select"}

// shellReads reports whether an interactive shell has the terminal: what is typed is a command.
func (j *job) shellReads() bool {
	front := j.front()
	return slices.ContainsFunc(j.tree(nil), func(p process) bool {
		argv, err := proctable.Argv(p.PID)
		return err == nil && p.Group == front && shellNames[strings.TrimPrefix(filepath.Base(argv[0]), "-")] &&
			!slices.ContainsFunc(argv[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") || arg == "-c" })
	})
}

// shellNames are the shells whose commands can be judged.
var shellNames = map[string]bool{"bash": true, "sh": true, "dash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "busybox": true}

// front is the process group that has the terminal; 0 without one.
func (j *job) front() (group int) {
	if conn, err := j.out.SyscallConn(); j.term != nil && err == nil {
		conn.Control(func(fd uintptr) { group, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) })
	}
	return group
}

// isOld reports whether a process was started before the command of an adopted shell.
func (j *job) isOld(p process) bool {
	return p.Start < j.since && p.PID != j.pid
}

// signalTree stops all of them first: a shell must not go on with what follows a program
// that has the signal already.
func signalTree(tree []process, sig syscall.Signal) {
	for _, p := range tree {
		unix.Kill(p.PID, syscall.SIGSTOP)
	}
	for _, p := range tree {
		unix.Kill(p.PID, sig)
		unix.Kill(p.PID, syscall.SIGCONT) // one that is stopped would not see it
	}
}

func signalName(n int) string { return unix.SignalName(syscall.Signal(n)) }
