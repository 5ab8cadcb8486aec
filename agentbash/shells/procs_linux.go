package shells

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// process is one process of a tree.
type process struct {
	pid     int
	parent  int
	group   int
	session int
	start   string // in ticks; tells it from a later one with its number
	zombie  bool
	busy    bool // it runs, or waits for a disk
}

// readProcesses reads them all from /proc (proc_pid_stat(5)).
func readProcesses() (all []process) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue
		}
		f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])) // a name may hold anything
		if len(f) < 20 {
			continue
		}
		p := process{pid: pid, start: f[19], zombie: f[0] == "Z" || f[0] == "X", busy: f[0] == "R" || f[0] == "D"}
		p.parent, _ = strconv.Atoi(f[1])
		p.group, _ = strconv.Atoi(f[2])
		p.session, _ = strconv.Atoi(f[3])
		all = append(all, p)
	}
	return all
}

// sessionMembers are the living processes of a session; 0, that of a leader that had ended
// before its number was known, has none, though processes of the kernel and of other namespaces are in it.
func sessionMembers(session int) (out []process) {
	for _, p := range readProcesses() {
		if session > 0 && p.session == session && !p.zombie {
			out = append(out, p)
		}
	}
	return out
}

// tree is what lives of the job: its session, what bears its mark, all
// descendants of those, and what was in the tree before and lost its parent since.
func (j *job) tree(before []process) (alive []process) {
	all := readProcesses()
	in := map[int]bool{}
	was := map[int]string{}
	for _, p := range before {
		was[p.pid] = p.start
	}
	for _, p := range all {
		if j.isOld(p) {
			continue
		}
		if j.pid > 0 && p.session == j.pid || was[p.pid] == p.start || hasEnvEntry(p.pid, j.mark) {
			in[p.pid] = true
		}
	}
	for more := true; more; {
		more = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] && !j.isOld(p) {
				in[p.pid], more = true, true
			}
		}
	}
	for _, p := range all {
		if in[p.pid] && !p.zombie {
			alive = append(alive, p)
		}
	}
	return alive
}

// waitsForInput reports whether the program that has the terminal, or without one some
// program of the shell, waits for something to read, and none is at work.
func (j *job) waitsForInput() bool {
	front := j.front()
	waits := false
	for _, p := range j.tree(nil) {
		switch {
		case front > 0 && p.group != front:
		case p.busy:
			return false
		default:
			waits = waits || isReading(p.pid)
		}
	}
	return waits
}

// readsIn are parts of the names of the kernel's functions in which a thread waits that
// reads a terminal or a pipe, or polls.
var readsIn = []string{"wait_woken", "tty_read", "pipe_read", "poll", "select"}

// isReading reports whether a thread of a process waits for something to read
// (proc_pid_wchan(5)). Where that is not shown, each one that sleeps may.
func isReading(pid int) bool {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/wchan")
	for _, task := range tasks {
		at, err := os.ReadFile(task)
		name := string(at)
		if err == nil && (name == "0" || name == "" || slices.ContainsFunc(readsIn, func(part string) bool { return strings.Contains(name, part) })) {
			return true
		}
	}
	return false
}

// shellReads reports whether an interactive shell has the terminal: what is typed is a command.
func (j *job) shellReads() bool {
	front := j.front()
	return slices.ContainsFunc(j.tree(nil), func(p process) bool {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
		argv := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		return err == nil && p.group == front && shellNames[strings.TrimPrefix(filepath.Base(argv[0]), "-")] &&
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
	start, err := strconv.ParseInt(p.start, 10, 64)
	return err == nil && start < j.since && p.pid != j.pid
}

// hasEnvEntry reports whether a process has an entry in its environment.
func hasEnvEntry(pid int, entry string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && entry != "" && bytes.Contains(append(env, 0), []byte(entry+"\x00"))
}

// signalTree stops all of them first: a shell must not go on with what follows a program
// that has the signal already.
func signalTree(tree []process, sig syscall.Signal) {
	for _, p := range tree {
		unix.Kill(p.pid, syscall.SIGSTOP)
	}
	for _, p := range tree {
		unix.Kill(p.pid, sig)
		unix.Kill(p.pid, syscall.SIGCONT) // one that is stopped would not see it
	}
}

func signalName(n int) string { return unix.SignalName(syscall.Signal(n)) }
