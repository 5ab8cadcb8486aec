// Package pseudotty opens pseudo-terminals: a pair of descriptors, one of which
// is a terminal for programs (pty(7)).
package pseudotty

import (
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Open opens a terminal of a size. What is written to control is typed there, and
// what is written there can be read from control, which takes deadlines. The caller
// closes both.
func Open(columns, rows int) (control, terminal *os.File, err error) {
	p, terminal, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	err = pty.Setsize(p, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err == nil {
		control, err = Control(int(p.Fd()))
	}
	if err != nil {
		terminal.Close()
		return nil, nil, err
	}
	return control, terminal, nil
}

// Control is a file that takes deadlines, for a copy of the controlling side's
// descriptor.
func Control(fd int) (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), nil
}
