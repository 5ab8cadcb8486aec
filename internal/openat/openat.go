// Package openat opens files whatever programs do to the links in their paths
// meanwhile: by openat2(2) where the kernel has it, else directory by directory.
package openat

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// NoLinks opens a path in which there is no symbolic link, in the directory at
// where it is relative; one in it is an error. Only with O_PATH and O_NOFOLLOW
// the last name may be a link, which is opened itself.
func NoLinks(at int, path string, flags int) (int, error) {
	fd, err := openat2(at, path, flags, noSymlinks)
	if isRefused(err) {
		return walk(at, path, flags)
	}
	return fd, err
}

// NoMagicLinks opens what a path leads to, over links that have a text, but no
// magic link of /proc, which leads to what another process has open.
func NoMagicLinks(path string, flags int) (int, error) {
	fd, err := openat2(unix.AT_FDCWD, path, flags, noMagicLinks)
	if !isRefused(err) {
		return fd, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		if errno := unix.Errno(0); errors.As(err, &errno) {
			err = errno
		}
		return -1, err
	}
	return walk(unix.AT_FDCWD, path, flags)
}

// isRefused reports that there is no openat2: before Linux 5.6, and by the filters
// of containers that do not know it.
func isRefused(err error) bool { return err == unix.ENOSYS || err == unix.EPERM }

// walk opens one name after the other, none of them a link.
func walk(at int, path string, flags int) (int, error) {
	names := strings.Split(filepath.Clean(path), "/")
	for i, name := range names {
		how := SearchOnly | unix.O_DIRECTORY
		if i == len(names)-1 {
			how = flags
		}
		next, err := unix.Openat(at, cmp.Or(name, "/"), how|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if i > 0 {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}
