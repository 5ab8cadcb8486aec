package atomicfile

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// temp is a new file that has no name where the file system allows that
// (O_TMPFILE), so that nothing is left of it when the process is killed.
type temp struct {
	*os.File
	dir  string
	name string // absolute; "" for none
}

func newTemp(dir string, mode os.FileMode) (*temp, error) {
	fd, err := syscalls.OpenNameless(dir, mode)
	if err == nil {
		return &temp{File: os.NewFile(uintptr(fd), dir), dir: dir}, nil
	}
	return newNamedTemp(dir, mode)
}

func newNamedTemp(dir string, mode os.FileMode) (*temp, error) {
	for {
		name := tempName(dir)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			return &temp{f, dir, name}, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
}

func tempName(dir string) string { return filepath.Join(dir, TempPrefix+rand.Text()[:12]) }

// fill writes the content and forces it to the disk.
func (t *temp) fill(content []byte) error {
	if _, err := t.Write(content); err != nil {
		return err
	}
	return t.Sync()
}

// replace gives the file the name of an existing one.
func (t *temp) replace(path string) error {
	if t.name == "" {
		name := tempName(t.dir)
		if err := t.link(name); err != nil {
			return err
		}
		t.name = name
	}
	if err := os.Rename(t.name, path); err != nil {
		return err
	}
	t.name = ""
	return nil
}

// create gives the file a name that is not taken.
func (t *temp) create(path string) error {
	if t.name == "" {
		return t.link(path)
	}
	err := syscalls.RenameNew(t.name, path)
	if err == unix.EINVAL || err == unix.ENOSYS || err == unix.ENOTSUP { // a file system without it
		if err = unix.Link(t.name, path); err == nil {
			err = unix.Unlink(t.name)
		}
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: t.name, New: path, Err: err}
	}
	t.name = ""
	return nil
}

// link gives a file without a name one; it needs /proc.
func (t *temp) link(path string) error {
	if err := syscalls.LinkNameless(int(t.Fd()), path); err != nil {
		return &os.LinkError{Op: "link", Old: t.Name(), New: path, Err: err}
	}
	return nil
}

// discard closes the file, and removes it if it still has its own name.
func (t *temp) discard() {
	t.Close()
	if t.name != "" {
		os.Remove(t.name)
	}
}
