package session

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A proc is one row of the process table.
type proc struct {
	pid, parent, session int
	start                int64 // clock ticks since boot
	zombie, stopped      bool
}

// readProcesses reads the process table. What ends meanwhile is left out.
func readProcesses() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []proc
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := statProc(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// statProc reads /proc/PID/stat; proc(5) numbers its fields.
func statProc(pid int) (proc, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // the name may hold spaces and parentheses
	if len(f) < 20 {
		return proc{}, false
	}
	p := proc{pid: pid, zombie: f[0][0] == 'Z' || f[0][0] == 'X', stopped: f[0][0] == 'T'}
	p.parent, _ = strconv.Atoi(string(f[1]))
	p.session, _ = strconv.Atoi(string(f[3]))
	p.start, _ = strconv.ParseInt(string(f[19]), 10, 64)
	return p, true
}

// ticksNow is the present time in the unit of proc.start, which is 10 ms on
// every Linux that Go runs on.
func ticksNow() int64 {
	var boot unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot)
	return boot.Nano() / 10_000_000
}

// isBackground reports the mark that bash without job control leaves on `cmd &`
// and that everything the job starts inherits: INT and QUIT are both ignored.
func isBackground(pid int) bool {
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

// cwdOf returns the working directory of a process as the kernel names it.
func cwdOf(pid int, buf []byte) (name []byte, deleted bool) {
	n, err := unix.Readlink("/proc/"+strconv.Itoa(pid)+"/cwd", buf)
	if err != nil {
		return nil, false
	}
	return bytes.CutSuffix(buf[:n], []byte(" (deleted)"))
}
