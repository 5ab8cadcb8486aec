//go:build !portable

package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// mountLayer shows a directory with a layer above it that takes changes.
func mountLayer(l Layer, secrets []string) error {
	up, work := filepath.Join(l.Upper, "upper"), filepath.Join(l.Upper, "work")
	for _, dir := range []string{up, work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := mountOverlay(l.Dir, up, work); err != nil {
		return &os.PathError{Op: "mount overlay", Path: l.Dir, Err: err}
	}
	for _, dir := range l.Always {
		os.MkdirAll(dir, 0o700)
	}
	// What is no secret yet because it is not there shall not come up later.
	for _, path := range secrets {
		rest, below := strings.CutPrefix(path, l.Dir+"/")
		if _, err := os.Lstat(path); !below || err == nil {
			continue
		}
		if at := filepath.Join(up, rest); os.MkdirAll(filepath.Dir(path), 0o700) == nil {
			unix.Mknod(at, unix.S_IFCHR, 0) // a whiteout (overlayfs)
		}
	}
	return nil
}

// mountOverlay mounts an overlay on the directory that it is of. (In the options of
// mount(2) no comma could be said.)
func mountOverlay(dir, up, work string) error {
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	escape := strings.NewReplacer(`\`, `\\`, ":", `\:`)
	for _, option := range [][2]string{{"lowerdir", escape.Replace(dir)}, {"upperdir", up}, {"workdir", work}} {
		if err := unix.FsconfigSetString(fs, option[0], option[1]); err != nil {
			return err
		}
	}
	if err := unix.FsconfigSetFlag(fs, "userxattr"); err != nil {
		return err
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return err
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.MoveMount(fd, "", unix.AT_FDCWD, dir, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
