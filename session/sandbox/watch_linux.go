//go:build !portable

package sandbox

import (
	"bytes"
	"encoding/binary"
	"iter"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// A watch tells when something appears in a directory that holds protected files.
type watch struct {
	fd   int // -1: nothing is watched
	mu   sync.Mutex
	dirs map[int32]string // guarded by mu
}

func openWatch() *watch {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		fd = -1
	}
	return &watch{fd: fd, dirs: map[int32]string{}}
}

// add watches the directories of files.
func (w *watch) add(files iter.Seq[string]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path := range files {
		dir := filepath.Dir(path)
		if at, err := unix.InotifyAddWatch(w.fd, dir, unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ONLYDIR); err == nil {
			w.dirs[int32(at)] = dir
		}
	}
}

// next waits for what appears next; nil is the end.
func (w *watch) next() (paths []string) {
	buf := make([]byte, 64<<10)
	n, err := unix.Read(w.fd, buf)
	for err == unix.EINTR {
		n, err = unix.Read(w.fd, buf)
	}
	if err != nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for b := buf[:n]; len(b) >= unix.SizeofInotifyEvent; { // struct inotify_event, inotify(7)
		at, length := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[12:])
		b = b[unix.SizeofInotifyEvent:]
		name, _, _ := bytes.Cut(b[:length], []byte{0})
		paths = append(paths, filepath.Join(w.dirs[at], string(name)))
		b = b[length:]
	}
	return paths
}

// watchProtected makes protected files read-only again that somebody outside has
// exchanged: a rename over what is mounted takes the mount away. Secrets are covered
// again, and those that are new; in a layer nothing of the host's shows up.
func (in *inside) watchProtected() {
	for {
		paths := in.watch.next()
		if paths == nil {
			return
		}
		in.coverAgain(paths)
	}
}

func (in *inside) coverAgain(paths []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, path := range paths {
		switch {
		case isMountRoot(path):
		case in.protected[path]:
			in.freeze(path)
		case slices.Contains(in.Secret, path) && !in.inLayer(path):
			in.hide(path)
		}
	}
}

func (o *worldOrder) inLayer(path string) bool {
	return slices.ContainsFunc(o.Layers, func(l Layer) bool { return isBelow(path, l.Dir) }) && !holdsAny(o.Write, path)
}

func isMountRoot(path string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, 0, &st)
	return err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
