package tempdir

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// Nameless makes an empty file without a name and returns its descriptor: in memory,
// or in os.TempDir() where the system has no files in memory (memfd_create(2)).
func Nameless(what string) (fd int, err error) {
	if fd, err = syscalls.MemoryFile(what); err == nil {
		return fd, nil
	}
	f, err := os.CreateTemp("", what+"-") // 0600
	if err != nil {
		return -1, fmt.Errorf("make a file without a name: %w", err)
	}
	defer f.Close()
	if err = os.Remove(f.Name()); err == nil {
		fd, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	}
	return fd, err
}
