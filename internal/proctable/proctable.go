// Package proctable reads the table of processes: proc(5), and what sysctl(3) of macOS has of
// it. Where there is no /proc on Linux, it is empty.
package proctable

// A Process is one row of the table.
type Process struct {
	PID, Parent, Group, Session int
	Start                       int64 // as Now; tells it from a later one with its number
	Ran                         int64 // ticks that it has been on a processor, rounded down; -1 where that is not shown
	State                       byte  // proc_pid_stat(5): R, S, D, T, Z, X
}

// Ended reports whether only its parent has still to be told.
func (p Process) Ended() bool { return p.State == 'Z' || p.State == 'X' }
