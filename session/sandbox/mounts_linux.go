package sandbox

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// protectPaths makes what exists of o.Protected read-only in a mount namespace of
// this process. The directory that holds it becomes a mount of its own first:
// what is mounted cannot be renamed or removed, so nobody can put another
// directory with other files in its place.
func protectPaths(o order) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	// What the host mounts later is seen here, what is mounted here stays here.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return &os.PathError{Op: "make a mount private", Path: "/", Err: err}
	}
	pinned := map[string]bool{}
	for _, root := range o.Write {
		pinned[root] = true // its own parent cannot be written
	}
	for _, path := range o.Protected {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if dir := filepath.Dir(path); !pinned[dir] {
			if err := bindReadOnly(dir); err != nil {
				return err
			}
			pinned[dir] = true
		}
		if err := bindReadOnly(path); err != nil {
			return err
		}
		if err := readOnly(path); err != nil {
			return err
		}
	}
	// The working directory is still that of the mount below.
	dir, err := os.Getwd()
	if err != nil {
		return nil // it was removed
	}
	return os.Chdir(dir)
}

func bindReadOnly(path string) error {
	if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return &os.PathError{Op: "bind", Path: path, Err: err}
	}
	return nil
}

// readOnly changes a mount that bind made. Its other flags stay: a mount that is
// locked to noexec or nodev is not changed without them.
func readOnly(path string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	const kept = unix.ST_NODEV | unix.ST_NOEXEC | unix.ST_NOSUID | unix.ST_NOATIME | unix.ST_NODIRATIME
	flags := uintptr(st.Flags)&kept | unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY
	if err := unix.Mount("", path, "", flags, ""); err != nil {
		return &os.PathError{Op: "make read-only", Path: path, Err: err}
	}
	return nil
}
