package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// TempPrefix starts the names of temporary files; one that stays behind was
// left by a process that was killed.
const TempPrefix = ".agentbash-"

// Write makes the file at path, or replaces it, with mode 0600: it is for what
// this program keeps of its own, which is nobody else's to read. The content is
// on the disk when Write returns. The directory must be there.
func Write(path string, content []byte) error {
	path, err := Resolve(path)
	if err != nil {
		return err
	}
	t, err := newNamedTemp(filepath.Dir(path), 0o600)
	if err != nil {
		return err
	}
	defer t.discard()
	if err := errors.Join(t.fill(content), t.Close()); err != nil {
		return err
	}
	if err := t.replace(path); err != nil {
		return err
	}
	syncDir(t.dir)
	return nil
}

// LockPath opens a file or directory, as os.OpenFile with mode 0600, and waits for its lock, as Lock.
func LockPath(ctx context.Context, path string, flags int) (unlock func(), err error) {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := Lock(ctx, f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// Resolve follows every symbolic link in path, also one that leads to nothing
// yet; the parent of what it returns may be missing. A loop is an error.
func Resolve(path string) (string, error) {
	for range 40 { // the kernel's own limit
		real, err := filepath.EvalSymlinks(path)
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return real, err
		}
		target, err := os.Readlink(path)
		if err != nil { // not a link: it is what will be created
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return path, nil
			}
			return filepath.Join(dir, filepath.Base(path)), nil
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &os.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// syncDir makes a rename last through a power cut, where the file system can.
// The rename itself is done, so there is no error to return.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
