//go:build linux

package session

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func waitSignal(c *exec.Cmd) syscall.Signal {
	return c.ProcessState.Sys().(syscall.WaitStatus).Signal()
}

// file is a descriptor as a file that does not own it.
func file(fd int) *os.File {
	dup, err := syscall.Dup(fd)
	if err != nil {
		panic(err)
	}
	syscall.CloseOnExec(dup)
	return os.NewFile(uintptr(dup), "pipe")
}

func itoa(n int) string { return strconv.Itoa(n) }
