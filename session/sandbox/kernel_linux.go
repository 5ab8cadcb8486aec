//go:build !portable

package sandbox

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kernel asks the kernel what it offers.
func Kernel() Support {
	k := Support{Filter: filterArch[runtime.GOARCH] != 0 && unix.Prctl(unix.PR_GET_SECCOMP, 0, 0, 0, 0) == nil}
	version, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		k.Landlock = int(version)
	case unix.ENOSYS:
		k.Why = "it has no Landlock (Linux 5.13 brought it)"
	case unix.EOPNOTSUPP:
		k.Why = "its Landlock is switched off: add landlock to the kernel's parameter lsm="
	default:
		k.Why = "Landlock: " + errno.Error()
	}
	return k
}

// tryNamespaces returns why there can be no world, or "".
func tryNamespaces() string {
	s, err := Open(Spec{}, Read)
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	return s.why
}
