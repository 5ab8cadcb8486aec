//go:build !portable

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// openNetwork makes the sockets of Listeners, if somebody wants them, in a network
// that has nothing but its loopback interface.
func openNetwork(wanted bool) (fds []int, err error) {
	control, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(control)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return nil, err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(control, unix.SIOCSIFFLAGS, lo); err != nil {
		return nil, err
	}
	// With 127.0.0.1 alone glibc looks up no IPv4 address (AI_ADDRCONFIG).
	second, err := unix.NewIfreq("lo:1")
	if err == nil {
		err = second.SetInet4Addr([]byte{127, 127, 255, 254})
	}
	if err == nil {
		err = unix.IoctlIfreq(control, unix.SIOCSIFADDR, second)
	}
	if err != nil {
		return nil, err
	}
	if !wanted {
		return nil, nil
	}
	local := [4]byte{127, 0, 0, 1}
	for _, s := range []struct {
		kind, port int
		addr       [4]byte
	}{{unix.SOCK_STREAM, 3128, local}, {unix.SOCK_DGRAM, 53, local}, {unix.SOCK_STREAM, 22, [4]byte{}}, {unix.SOCK_STREAM, 80, [4]byte{}}, {unix.SOCK_STREAM, 443, [4]byte{}}} {
		fd, err := unix.Socket(unix.AF_INET, s.kind|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			err = unix.Bind(fd, &unix.SockaddrInet4{Port: s.port, Addr: s.addr})
		}
		if err == nil && s.kind == unix.SOCK_STREAM {
			err = unix.Listen(fd, 128)
		}
		if err != nil {
			return nil, fmt.Errorf("port %d: %w", s.port, err)
		}
		fds = append(fds, fd)
	}
	return fds, nil
}
