package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/internal/tempdir"
)

// pathPipes makes the pipes and files that the shell opens by path.
//
// They are anonymous, and their path is that of a descriptor of the host below
// /proc, as long as the shell may look there. It may not when it runs in a
// sandbox that the host is outside of (Landlock), as another user, without
// /proc (which macOS has not), or when the host is not dumpable. Then they are FIFOs and files in the
// state directory.
type pathPipes struct {
	host  int // own pid
	named bool
	root  string // a launcher's directory; "": dir
	dir   *stateDir
	mark  string // in the names, since another session may have the same directory
	n     int
}

// makePipe makes a pipe and returns its read end, which does not block, and the
// path by which others open the write end.
func (c *pathPipes) makePipe() (fd int, path string, err error) {
	if !c.named {
		r, w, err := syscalls.Pipe()
		if err != nil {
			return -1, "", fmt.Errorf("make a pipe: %w", err)
		}
		unix.Close(w)
		unix.SetNonblock(r, true)
		return r, c.fdPath(r), nil
	}
	if path, err = c.newName("pipe"); err != nil {
		return -1, "", err
	}
	if err = unix.Mkfifo(path, 0o600); err != nil {
		return -1, "", fmt.Errorf("make the FIFO %s: %w", path, err)
	}
	if fd, err = unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return -1, "", fmt.Errorf("open the FIFO %s: %w", path, err)
	}
	return fd, path, nil
}

// makeFile makes an empty file and returns a descriptor for it and its path.
func (c *pathPipes) makeFile() (fd int, path string, err error) {
	if !c.named {
		fd, err = tempdir.Nameless("agentbash-session")
		return fd, c.fdPath(fd), err
	}
	if path, err = c.newName("text"); err != nil {
		return -1, "", err
	}
	if fd, err = unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600); err != nil {
		return -1, "", fmt.Errorf("make the file %s: %w", path, err)
	}
	return fd, path, nil
}

// useLauncher fits the paths to the launcher of the next shell.
func (c *pathPipes) useLauncher(l *Launcher, named bool) {
	c.root, c.named = "", named || !syscalls.OpensOthers
	if l != nil && l.Dir != "" {
		c.root, c.named = l.Dir, true
	}
}

// removeName removes the name of a pipe or file that is no longer opened.
func (c *pathPipes) removeName(path string) {
	if c.named && path != "" {
		os.Remove(path)
	}
}

func (c *pathPipes) fdPath(fd int) string {
	return "/proc/" + strconv.Itoa(c.host) + "/fd/" + strconv.Itoa(fd)
}

func (c *pathPipes) newName(kind string) (string, error) {
	dir, err := c.root, error(nil)
	switch {
	case dir == "":
		dir, err = c.dir.path()
	case kind == "pipe":
		dir = filepath.Join(dir, "pipes")
	}
	if err != nil {
		return "", err
	}
	c.n++
	return filepath.Join(dir, fmt.Sprintf("%s-%s-%d", kind, c.mark, c.n)), nil
}

// A stateDir is Options.StateDir, or a private directory that is made when it
// is first asked for.
type stateDir struct {
	mu      sync.Mutex
	dir     string
	private *tempdir.Dir // nil: it is Options.StateDir, or not yet there
}

// path returns the directory, which exists then.
func (d *stateDir) path() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dir == "" {
		own, err := tempdir.Make("", "agentbash-session-")
		if err != nil {
			return "", fmt.Errorf("make a private state directory: %w", err)
		}
		d.dir, d.private = own.Path, own
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return "", fmt.Errorf("make the state directory: %w", err)
	}
	return d.dir, nil
}

// remove removes a private directory.
func (d *stateDir) remove() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.private != nil {
		d.private.Remove()
	}
}
