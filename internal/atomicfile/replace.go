package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// errInPlace says that a rename is not possible here.
var errInPlace = errors.New("cannot be replaced by a rename")

// Replace puts content in the file's place. ErrChanged means that nothing was
// written. After any error the file holds its old content, except when taking
// back a write in place failed too, which the error then says.
func (f *File) Replace(content []byte) error {
	err := errInPlace
	if f.stat.Nlink == 1 {
		err = f.rename(content)
	}
	if errors.Is(err, errInPlace) {
		err = f.inPlace(content)
	}
	return err
}

func (f *File) rename(content []byte) error {
	t, err := newTemp(filepath.Dir(f.at), 0o600)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, unix.EROFS) {
		return errInPlace
	}
	if err != nil {
		return err
	}
	defer t.discard()
	if err := f.carryOver(t.File); err != nil {
		return err
	}
	if err := t.fill(content); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	err = t.replace(f.at)
	if errors.Is(err, unix.EBUSY) || errors.Is(err, os.ErrPermission) || errors.Is(err, unix.EXDEV) {
		return errInPlace
	}
	if err == nil {
		syncDir(t.dir)
	}
	return err
}

// carryOver gives the temporary file the old one's owner, mode and extended
// attributes, or returns errInPlace where it may not.
func (f *File) carryOver(to *os.File) error {
	fd := int(to.Fd())
	var now unix.Stat_t
	if err := unix.Fstat(fd, &now); err != nil {
		return err
	}
	if now.Uid != f.stat.Uid || now.Gid != f.stat.Gid {
		if err := unix.Fchown(fd, int(f.stat.Uid), int(f.stat.Gid)); err != nil {
			return errInPlace
		}
	}
	if err := f.copyAttributes(fd); err != nil {
		return err
	}
	if err := unix.Fchmod(fd, uint32(f.stat.Mode&0o7777)); err != nil { // after chown, which clears setuid
		return errInPlace
	}
	return nil
}

func (f *File) copyAttributes(to int) error {
	names, err := listAttributes(int(f.f.Fd()))
	if err != nil {
		return nil // the file system has none
	}
	for _, name := range names {
		value, err := readAttribute(int(f.f.Fd()), name)
		if err == nil {
			err = unix.Fsetxattr(to, name, value, 0)
		}
		// security.* and trusted.* belong to the system, which sets its own on
		// the new file where a user may not.
		if err != nil && (strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "system.posix_acl")) {
			return errInPlace
		}
	}
	return nil
}

func listAttributes(fd int) ([]string, error) {
	n, err := unix.Flistxattr(fd, nil)
	if err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, n+256)
	if n, err = unix.Flistxattr(fd, buf); err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(buf[:n]), func(r rune) bool { return r == 0 }), nil
}

func readAttribute(fd int, name string) ([]byte, error) {
	n, err := unix.Fgetxattr(fd, name, nil)
	if err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, n)
	n, err = unix.Fgetxattr(fd, name, buf)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// Create makes a file that is not there yet, its missing parents included,
// with a mode, or if that is 0 with 0666 less the umask. fs.ErrExist means that somebody was faster.
// With an open directory, which it takes over, the file is made there, as in OpenIn.
func Create(parent *os.File, path string, content []byte, mode os.FileMode) error {
	if parent != nil {
		defer parent.Close()
		path = pathIn(parent, path)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	t, err := newTemp(dir, 0o666)
	if err != nil {
		return err
	}
	defer t.discard()
	if mode != 0 {
		if err := t.Chmod(mode); err != nil {
			return err
		}
	}
	if err := t.fill(content); err != nil {
		return err
	}
	if err := t.create(path); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// Remove removes a file; with an open directory, which it takes over, from there.
func Remove(dir *os.File, path string) error {
	if dir != nil {
		defer dir.Close()
	}
	return os.Remove(pathIn(dir, path))
}
