package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// A terminal is the pseudo-terminal that a shell finds on its stderr when it
// starts (see startShell). It is nobody's controlling terminal.
type terminal struct{ master int }

// openTerminal returns nil where there are no pseudo-terminals; then the shell
// does without.
func openTerminal() *terminal {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	if unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) != nil {
		unix.Close(fd)
		return nil
	}
	return &terminal{master: fd}
}

// drain returns what was written to the other side, and makes room for more.
func (t *terminal) drain() (said []byte) {
	if t == nil {
		return nil
	}
	var buf [1024]byte
	for {
		n, _ := readFD(t.master, buf[:])
		if n == 0 {
			return said
		}
		said = append(said, buf[:n]...)
	}
}

// slave opens the other side; the caller closes it. TIOCGPTPEER needs no path,
// so it also works where /dev/pts is not the one of this pseudo-terminal.
func (t *terminal) slave() *os.File {
	if t == nil {
		return nil
	}
	t.drain() // or the greetings of a hundred shells fill it, and the next one waits for ever
	const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(t.master), unix.TIOCGPTPEER, flags)
	if errno != 0 {
		return nil
	}
	return os.NewFile(fd, "pseudo-terminal")
}

func (t *terminal) close() {
	if t != nil {
		unix.Close(t.master)
	}
}
