//go:build !linux

package shells

import (
	"strconv"
	"syscall"
)

// process is one process of a tree.
type process struct{ pid int }

// sessionMembers are the living processes of a session: without /proc, its leader.
func sessionMembers(session int) []process {
	if syscall.Kill(session, 0) != nil {
		return nil
	}
	return []process{{session}}
}

func (j *job) tree([]process) []process {
	if syscall.Kill(-j.pid, 0) != nil {
		return nil
	}
	return []process{{j.pid}}
}

// waitsForInput cannot be told without /proc: who is quiet is taken to wait.
func (j *job) waitsForInput() bool { return true }

// shellReads cannot be told either.
func (j *job) shellReads() bool { return true }

// signalTree reaches the process group alone.
func signalTree(tree []process, sig syscall.Signal) {
	for _, p := range tree {
		syscall.Kill(-p.pid, sig)
	}
}

func signalName(n int) string { return "signal " + strconv.Itoa(n) }
