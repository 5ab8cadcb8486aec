package proctable

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Read returns all processes.
func Read() (all []Process) {
	infos, _ := unix.SysctlKinfoProcSlice("kern.proc.all")
	for i := range infos {
		all = append(all, processOf(&infos[i]))
	}
	return all
}

// Stat returns one process, if it is there.
func Stat(pid int) (Process, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return Process{}, false
	}
	return processOf(info), true
}

// states are the letters of Process.State for those of sys/proc.h: SIDL, SRUN, SSLEEP, SSTOP, SZOMB.
const states = "?RRSTZ"

func processOf(info *unix.KinfoProc) Process {
	p := Process{PID: int(info.Proc.P_pid), Parent: int(info.Eproc.Ppid), Group: int(info.Eproc.Pgid), Start: ticks(time.Unix(info.Proc.P_starttime.Unix())), Ran: -1, State: '?'}
	p.Session, _ = unix.Getsid(p.PID)
	if at := int(info.Proc.P_stat); at >= 0 && at < len(states) {
		p.State = states[at]
	}
	return p
}

func ticks(at time.Time) int64 { return at.UnixMilli() / 10 }

// Now is the present time in the unit of Process.Start: 10 ms of the clock.
func Now() int64 { return ticks(time.Now()) }

// IgnoresInterrupts reports whether a process ignores both SIGINT and SIGQUIT.
func IgnoresInterrupts(pid int) bool {
	const both = 1<<(unix.SIGINT-1) | 1<<(unix.SIGQUIT-1)
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && info.Proc.P_sigignore&both == both
}

// HasEnv reports whether the environment of a process has an entry that begins so. That of
// the system's own programs is not shown (System Integrity Protection).
func HasEnv(pid int, entry string) bool {
	env, err := Environ(pid)
	return err == nil && entry != "" && slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e+"\x00", entry) })
}

// Environ is the environment that a process was started with.
func Environ(pid int) ([]string, error) {
	_, env, err := arguments(pid)
	return env, err
}

// Argv is what a process was started with.
func Argv(pid int) ([]string, error) {
	argv, _, err := arguments(pid)
	return argv, err
}

// arguments takes apart what sysctl(3) has of a process: how many arguments there are, the path of the
// program, which NULs fill up, the arguments, and the environment up to an empty entry.
func arguments(pid int) (argv, env []string, err error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil, err
	}
	if len(b) < 4 {
		return nil, nil, errors.New("the arguments of the process are not shown")
	}
	count := int(binary.NativeEndian.Uint32(b))
	_, rest, _ := strings.Cut(string(b[4:]), "\x00")
	words := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if count < 0 || count > len(words) {
		return nil, nil, errors.New("the arguments of the process are not shown")
	}
	argv, env = words[:count], words[count:]
	if end := slices.Index(env, ""); end >= 0 {
		env = env[:end]
	}
	return argv, env, nil
}

// SleepsIn reports whether a process sleeps: in which function of the kernel is not shown.
func SleepsIn(pid int, _ ...string) bool {
	p, ok := Stat(pid)
	return ok && p.State == 'S'
}
