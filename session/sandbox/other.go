//go:build !linux || portable

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

var errOnlyLinux = errors.New("only Linux has what programs are confined with")

// Kernel reports that only Linux confines programs in the way of this package.
func Kernel() Support { return Support{Why: errOnlyLinux.Error()} }

func tryNamespaces() string { return errOnlyLinux.Error() }

// Process is a program that was started.
type Process struct{ Pid, PidFD, Init int }

// Wait is not called: nothing is started.
func (*Process) Wait() (ws syscall.WaitStatus) { return ws }

type world struct {
	temp      string
	missing   []string
	listeners Listeners
}

type worldOrder struct{}

var errWorldEnded = errOnlyLinux

func (*Sandbox) worldOrder() (o worldOrder)                     { return o }
func openWorld(worldOrder) (*world, error)                      { return nil, errOnlyLinux }
func (*world) setProfile(Profile) error                         { return errOnlyLinux }
func (*world) idle() bool                                       { return true }
func (*world) protect() error                                   { return errOnlyLinux }
func (*world) start(*exec.Cmd, bool, Profile) (*Process, error) { return nil, errOnlyLinux }
func (*world) openTerminal(int, int) (_, _ *os.File, err error) { return nil, nil, errOnlyLinux }
func (*world) close()                                           {}
func (*Sandbox) startAlone(*exec.Cmd) (*Process, error)         { return nil, errOnlyLinux }
func (*Sandbox) tempDirs() []string                             { return nil }
func holdsPath(string, []string) bool                           { return false }
