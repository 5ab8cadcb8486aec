package proctable

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Read returns all processes. What ends meanwhile is left out.
func Read() (all []Process) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := Stat(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// Stat returns one process, if it is there.
func Stat(pid int) (Process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // the name may hold anything
	if len(f) < 20 {
		return Process{}, false
	}
	p := Process{PID: pid, State: f[0][0]}
	for i, to := range []*int{&p.Parent, &p.Group, &p.Session} {
		*to, _ = strconv.Atoi(string(f[1+i]))
	}
	p.Start, _ = strconv.ParseInt(string(f[19]), 10, 64)
	for _, ticks := range f[11:13] { // utime, stime
		n, _ := strconv.ParseInt(string(ticks), 10, 64)
		p.Ran += n
	}
	return p, true
}

// HasEnv reports whether the environment of a process has an entry that begins so.
func HasEnv(pid int, entry string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && entry != "" && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+entry))
}

// SleepsIn reports whether a thread of a process sleeps in a function of the kernel whose name has one of the parts
// (proc_pid_wchan(5)). Where that is not shown, each one that sleeps may.
func SleepsIn(pid int, parts ...string) bool {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/wchan")
	return slices.ContainsFunc(tasks, func(task string) bool {
		at, err := os.ReadFile(task)
		name := string(at)
		return err == nil && (name == "0" || name == "" || slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) }))
	})
}

// Environ is the environment that a process was started with.
func Environ(pid int) ([]string, error) { return readStrings(pid, "environ") }

// Argv is what a process was started with, and has made of it since.
func Argv(pid int) ([]string, error) { return readStrings(pid, "cmdline") }

func readStrings(pid int, file string) ([]string, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + file)
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), err
}

// Now is the present time in the unit of Process.Start: ticks since boot, which are 10 ms on
// every Linux that Go runs on.
func Now() int64 {
	var boot unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot)
	return boot.Nano() / 10_000_000
}

// IgnoresInterrupts reports whether a process ignores both SIGINT and SIGQUIT.
func IgnoresInterrupts(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	_, rest, ok := bytes.Cut(b, []byte("SigIgn:\t"))
	if !ok || len(rest) < 16 {
		return false
	}
	mask, _ := strconv.ParseUint(string(rest[:16]), 16, 64)
	const both = 1<<(unix.SIGINT-1) | 1<<(unix.SIGQUIT-1)
	return mask&both == both
}
