//go:build !portable

package sandbox

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/openat"
)

// protectPaths makes what exists of o.Protected read-only. The directory that
// holds it becomes a mount of its own first: what is mounted cannot be renamed or
// removed, so nobody can put another directory with other files in its place.
func (l *layout) protectPaths(o *worldOrder) error {
	for _, root := range o.Write {
		l.pinned[root] = true // its own parent cannot be written
	}
	for _, path := range o.Protected {
		if l.protected[path] || !holdsAny(o.Write, path) || slices.Contains(o.Write, path) || !isReal(path) {
			continue
		}
		if err := l.pinDirs(filepath.Dir(path)); err != nil {
			return err
		}
		if err := l.freeze(path); err != nil {
			return err
		}
	}
	return nil
}

// openReal opens what a path means without any symbolic link: a program inside may put
// one in the place of anything at any time.
func openReal(path string) (int, error) {
	fd, err := openat.NoLinks(unix.AT_FDCWD, path, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// isReal reports whether something other than a link is there. A link cannot be
// mounted on.
func isReal(path string) bool {
	fd, err := openReal(path)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFLNK
}

// mountOnItself makes a mount of a file or a directory.
func mountOnItself(path string) (tree int, err error) { return mountOver(path, "") }

// mountOver mounts a file or a directory on another, "" on itself.
func mountOver(path, shown string) (tree int, err error) {
	at, err := openReal(path)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	from := at
	if shown != "" {
		if from, err = openReal(shown); err != nil {
			return -1, err
		}
		defer unix.Close(from)
	}
	tree, err = unix.OpenTree(from, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, &os.PathError{Op: "open tree", Path: path, Err: err}
	}
	if err := unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		unix.Close(tree)
		return -1, &os.PathError{Op: "mount", Path: path, Err: err}
	}
	return tree, nil
}

// pinDirs makes mounts of a directory and of those above it, up to the root that
// they lie in.
func (l *layout) pinDirs(dir string) error {
	if l.pinned[dir] {
		return nil
	}
	if err := l.pinDirs(filepath.Dir(dir)); err != nil {
		return err
	}
	fd, err := mountOnItself(dir)
	if err != nil {
		return err
	}
	l.pinned[dir] = true
	l.switched = append(l.switched, switched{dir, fd})
	return nil
}

// freeze makes a file or a directory read-only.
func (l *layout) freeze(path string) error {
	fd, err := mountOver(path, l.shown[path])
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	l.protected[path] = true
	return setFlags(fd, "", unix.MOUNT_ATTR_RDONLY, 0, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
}

// hideSecrets covers what must not be read, and the sockets of others.
func hideSecrets(o *worldOrder) error {
	for _, path := range slices.Concat(o.Secret, o.Sockets) {
		if err := o.hide(path); err != nil {
			return err
		}
	}
	return nil
}

// hide covers a file or a directory, if it is there.
func (o *worldOrder) hide(path string) error {
	st, err := os.Lstat(path)
	switch {
	case err != nil || st.Mode()&os.ModeSymlink != 0:
		return nil
	case st.IsDir():
		return mountFresh("tmpfs", path, "mode=000,size=4k,nr_inodes=1", unix.MS_NODEV|unix.MS_RDONLY)
	}
	return replaceFile(filepath.Join(o.Dir, "empty"), path)
}

// replaceFile shows one file in the place of another, which it makes if it was
// covered.
func replaceFile(from, at string) error {
	if _, err := os.Lstat(at); err != nil {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := makeFile(at); err != nil {
			return err
		}
	}
	if err := bind(from, at); err != nil {
		return err
	}
	return setFlags(unix.AT_FDCWD, at, unix.MOUNT_ATTR_RDONLY, 0, 0)
}
