// Package tempdir makes temporary directories that do not outlive their program
// for long: what a killed program has left is removed when the next one makes
// its own.
//
// Its owner holds a lock (flock(2)) on a file in the directory. The kernel gives
// it up when the process ends, however it does, and shows it to every container
// that shares the directory's parent; a process number would be another
// process's there.
package tempdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockName is the file that the owner has locked. A directory without one is left
// alone.
const lockName = ".lock"

// A Dir is a directory that its process owns. It is not safe for concurrent use.
type Dir struct {
	Path string
	lock int // not an os.File: one that nobody refers to any more is closed
}

// Make makes a directory in parent, or in os.TempDir() where that is "", for this
// user only (mode 0700). Its name is prefix and a number. Directories of the same
// parent, prefix and user whose owner is dead are removed. The caller removes
// the directory; until then, or until the process ends, it is kept from that.
func Make(parent, prefix string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	removeAbandoned(parent, prefix)
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := takeLock(path, syscall.O_CREAT)
		if err == nil {
			return &Dir{path, lock}, nil
		}
		os.RemoveAll(path)
		if !errors.Is(err, errTaken) {
			return nil, err
		}
	}
}

// Remove removes the directory and what is in it.
func (d *Dir) Remove() error {
	err := os.RemoveAll(d.Path)
	syscall.Close(d.lock)
	return err
}

// errTaken is takeLock's when another process has, or had, the lock.
var errTaken = errors.New("another process has locked the directory")

// takeLock locks a directory. Who removes one that was abandoned has its lock,
// so that a file that is still there once it is locked is the caller's own.
func takeLock(dir string, create int) (fd int, err error) {
	path := filepath.Join(dir, lockName)
	fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|create, 0o600)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	var held, named syscall.Stat_t
	err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		err = errTaken
	}
	if err == nil && (syscall.Fstat(fd, &held) != nil || syscall.Lstat(path, &named) != nil || held.Dev != named.Dev || held.Ino != named.Ino) {
		err = errTaken
	}
	if err != nil {
		syscall.Close(fd)
		return -1, fmt.Errorf("lock %s: %w", path, err)
	}
	return fd, nil
}

// removeAbandoned removes directories of parent that were made with prefix and have
// no owner. What cannot be removed stays.
func removeAbandoned(parent, prefix string) {
	dir, err := os.Open(parent)
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, name := range names {
		number, ok := strings.CutPrefix(name, prefix)
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		path := filepath.Join(parent, name)
		var st syscall.Stat_t
		if syscall.Lstat(path, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFDIR || int(st.Uid) != os.Geteuid() {
			continue
		}
		if lock, err := takeLock(path, 0); err == nil {
			(&Dir{path, lock}).Remove()
		}
	}
}
