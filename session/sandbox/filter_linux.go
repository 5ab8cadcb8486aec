//go:build !portable

package sandbox

import (
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterArch are the machines whose system calls are known here.
var filterArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Calls that are refused to everybody: they would make namespaces and mounts, load
// code into the kernel, or reach keys and the log of the kernel.
var refusedCalls = []uint32{
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL,
	unix.SYS_ADD_KEY, unix.SYS_KEYCTL, unix.SYS_REQUEST_KEY, unix.SYS_SYSLOG, unix.SYS_OPEN_BY_HANDLE_AT,
}

// ipcCalls reach what other processes share, where there is no namespace for it.
var ipcCalls = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// Those of them that not every machine has.
var (
	machineRefused = map[string][]uint32{"amd64": {320}, "arm64": {294}}          // kexec_file_load
	machineIPC     = map[string][]uint32{"amd64": {65, 220}, "arm64": {193, 192}} // semop, semtimedop
)

// attributeCalls change what Landlock does not see of a file: modes, owners, times and
// attributes. oldAttributeCalls are those that only some machines have.
var (
	attributeCalls = []uint32{
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	}
	oldAttributeCalls = map[string][]uint32{"amd64": {90, 92, 94, 132, 235, 261}} // chmod, chown, lchown, utime, utimes, futimesat
)

// attributeRequests do so by ioctl(2).
var attributeRequests = []uint32{unix.FS_IOC_SETFLAGS, 0x401c5820} // FS_IOC_FSSETXATTR (linux/fs.h)

// absentCalls are as on a kernel that has them not: programs know another way. A
// filter does not see what io_uring does, nor the flags of clone3.
var absentCalls = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// selfCalls change priorities of the process whose number is the argument: only 0,
// the caller itself, is let through where processes outside could be named. userCalls
// of them may mean all processes of a user, by the value of their first argument.
var (
	selfCalls = map[uint32]int{
		unix.SYS_SETPRIORITY: 1, unix.SYS_IOPRIO_SET: 1,
		unix.SYS_SCHED_SETAFFINITY: 0, unix.SYS_SCHED_SETSCHEDULER: 0, unix.SYS_SCHED_SETPARAM: 0, unix.SYS_SCHED_SETATTR: 0,
	}
	userCalls = map[uint32]uint32{unix.SYS_SETPRIORITY: unix.PRIO_USER, unix.SYS_IOPRIO_SET: 3} // IOPRIO_WHO_USER
)

const (
	x32Bit     = 0x40000000 // amd64: the other numbering of system calls
	namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
)

// A filter is a program for the kernel. Every test is followed by what is done
// where it holds, so no jump is longer than that.
type filter []unix.SockFilter

func (f *filter) add(code int, k uint32, yes, no uint8) {
	*f = append(*f, unix.SockFilter{Code: uint16(code), K: k, Jt: yes, Jf: no})
}

// Offsets in struct seccomp_data (linux/seccomp.h); of an argument the low half of
// a little-endian word.
func (f *filter) loadCall()    { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, 0) }
func (f *filter) loadMachine() { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 4, 0, 0) }
func (f *filter) loadArgument(n int) {
	f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, uint32(16+8*n), 0, 0)
}
func (f *filter) loadHighHalf(n int) {
	f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, uint32(20+8*n), 0, 0)
}

// unlessEqual skips the given number of instructions when the loaded value is
// another.
func (f *filter) unlessEqual(k uint32, skip uint8) {
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, skip)
}
func (f *filter) unlessBits(k uint32, skip uint8) {
	f.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, k, 0, skip)
}
func (f *filter) allow() { f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0) }
func (f *filter) refuse(errno syscall.Errno) {
	f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
}

// filterCalls keeps a program from system calls that lead out. A call by another
// numbering is one that does not exist.
func filterCalls(o order) error {
	machine := filterArch[runtime.GOARCH]
	if machine == 0 {
		return nil
	}
	var f filter
	f.loadMachine()
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, machine, 1, 0)
	f.refuse(unix.ENOSYS)
	f.loadCall()
	f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32Bit, 0, 1)
	f.refuse(unix.ENOSYS)
	refused := slices.Concat(refusedCalls, machineRefused[runtime.GOARCH])
	if !o.World {
		refused = slices.Concat(refused, ipcCalls, machineIPC[runtime.GOARCH])
	}
	requests := []uint32{unix.TIOCSTI, unix.TIOCLINUX}
	if o.Still {
		refused = slices.Concat(refused, attributeCalls, oldAttributeCalls[runtime.GOARCH])
		requests = slices.Concat(requests, attributeRequests)
	}
	for _, call := range refused {
		f.unlessEqual(call, 1)
		f.refuse(unix.EPERM)
	}
	for _, call := range absentCalls {
		f.unlessEqual(call, 1)
		f.refuse(unix.ENOSYS)
	}
	f.unlessEqual(unix.SYS_CLONE, 4)
	f.loadArgument(0)
	f.unlessBits(namespaces, 1)
	f.refuse(unix.EPERM)
	f.allow()
	f.unlessEqual(unix.SYS_IOCTL, uint8(2+2*len(requests)))
	f.loadArgument(1)
	for _, request := range requests {
		f.unlessEqual(request, 1)
		f.refuse(unix.EPERM)
	}
	f.allow()
	if !o.World {
		f.keepToSelf()
	}
	if !o.Connect {
		f.keepSockets(o.World)
	}
	f.allow()
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}

// keepToSelf refuses to change limits and priorities of others.
func (f *filter) keepToSelf() {
	for call, user := range userCalls {
		f.unlessEqual(call, 4)
		f.loadArgument(0)
		f.unlessEqual(user, 1)
		f.refuse(unix.EPERM)
		f.loadCall()
	}
	for call, argument := range selfCalls {
		f.unlessEqual(call, 4)
		f.loadArgument(argument)
		f.unlessEqual(0, 1)
		f.allow()
		f.refuse(unix.EPERM)
	}
	f.unlessEqual(unix.SYS_PRLIMIT64, 9)
	f.loadArgument(2) // the new limit, both halves of its address; only asking is let through
	f.unlessEqual(0, 3)
	f.loadHighHalf(2)
	f.unlessEqual(0, 1)
	f.allow()
	f.loadArgument(0)
	f.unlessEqual(0, 1)
	f.allow()
	f.refuse(unix.EPERM)
}

// keepSockets lets through the sockets that reach nobody outside: those of Unix,
// names and addresses of interfaces, and in a network of one's own the Internet's.
func (f *filter) keepSockets(world bool) {
	families := []uint32{unix.AF_UNIX, unix.AF_NETLINK}
	if world {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	f.unlessEqual(unix.SYS_SOCKET, uint8(2+2*len(families)))
	f.loadArgument(0)
	for _, family := range families {
		f.unlessEqual(family, 1)
		f.allow()
	}
	f.refuse(unix.EACCES)
}
