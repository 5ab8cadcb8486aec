package sandbox

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterArch are the machines whose system calls are known here.
var filterArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Offsets in struct seccomp_data (linux/seccomp.h), low halves of little-endian
// words.
const (
	dataCall   = 0
	dataArch   = 4
	dataDomain = 16
	dataType   = 24
	dataProto  = 32
)

const (
	x32Bit      = 0x40000000 // amd64: the other numbering of system calls
	socketTypes = 0xf        // type without SOCK_NONBLOCK and SOCK_CLOEXEC
)

// filterSockets keeps a program to Unix sockets and, with tcp, to the stream
// sockets that Landlock restricts. Multipath TCP is refused as by a kernel
// without it, so that programs take plain TCP. A call by another numbering is
// one that does not exist; so is io_uring, whose operations a filter does not
// see.
func filterSockets(tcp bool) error {
	arch := filterArch[runtime.GOARCH]
	if arch == 0 {
		return nil
	}
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		least = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		and   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	refuse := func(errno syscall.Errno) unix.SockFilter {
		return unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	allow := unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW}
	on := func(code uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no}
	}
	stream := refuse(unix.EACCES)
	if tcp {
		stream = allow
	}
	program := []unix.SockFilter{
		on(load, dataArch, 0, 0),
		on(equal, arch, 1, 0),
		refuse(unix.ENOSYS),
		on(load, dataCall, 0, 0),
		on(least, x32Bit, 0, 1),
		refuse(unix.ENOSYS),
		on(equal, unix.SYS_IO_URING_SETUP, 0, 1),
		refuse(unix.ENOSYS),
		on(equal, unix.SYS_SOCKET, 1, 0),
		allow,
		on(load, dataDomain, 0, 0),
		on(equal, unix.AF_UNIX, 0, 1),
		allow,
		on(equal, unix.AF_NETLINK, 0, 1), // names and addresses of interfaces
		allow,
		on(equal, unix.AF_INET, 2, 0),
		on(equal, unix.AF_INET6, 1, 0),
		refuse(unix.EACCES),
		on(load, dataType, 0, 0),
		on(and, socketTypes, 0, 0),
		on(equal, unix.SOCK_STREAM, 1, 0),
		refuse(unix.EACCES),
		on(load, dataProto, 0, 0),
		on(equal, unix.IPPROTO_MPTCP, 0, 1),
		refuse(unix.EPROTONOSUPPORT),
		stream,
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return errno
	}
	return nil
}
