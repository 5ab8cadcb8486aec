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
	if k.Mounts = hasCapability(unix.CAP_SYS_ADMIN); !k.Mounts {
		k.WhyNoMounts = "only root can make a mount namespace here"
	}
	return k
}

// hasCapability reports whether this process has an effective capability.
func hasCapability(c int) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return false
	}
	return data[c/32].Effective&(1<<(c%32)) != 0
}
