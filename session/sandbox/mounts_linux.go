//go:build !portable

package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A layout is what layOutFiles made.
type layout struct {
	temp      string   // the private temporary directory, by the name that programs get
	missing   []string // what could not be had, for a person
	switched  []switched
	pinned    map[string]bool
	protected map[string]bool
	shown     map[string]string // instead of protected files
}

// switched is a mount that is read-only in the profile Read.
type switched struct {
	path string
	fd   int
}

// held is a tree of mounts, kept aside until everything else is covered.
type held struct {
	path     string
	fd       int // -1: an empty directory is shown there
	readOnly bool
	switched bool // it is read-only in the profile Read
	root     bool // mounts of the host below it are switched too
	device   bool
}

// keepTree keeps a tree of mounts aside.
func keepTree(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, &os.PathError{Op: "open tree", Path: path, Err: err}
	}
	return fd, nil
}

// setFlags changes flags of a mount, or of all below it.
func setFlags(fd int, path string, set, clear uint64, how uint) error {
	if err := unix.MountSetattr(fd, path, how, &unix.MountAttr{Attr_set: set, Attr_clr: clear}); err != nil {
		return &os.PathError{Op: "change mount", Path: path, Err: err}
	}
	return nil
}

// mountFresh mounts a file system of its own.
func mountFresh(kind, path, options string, flags uintptr) error {
	if err := unix.Mount(kind, path, kind, flags|unix.MS_NOSUID, options); err != nil {
		return &os.PathError{Op: "mount " + kind, Path: path, Err: err}
	}
	return nil
}

// devices are those that programs need.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// runKept are what some systems have in /run of what programs need to start.
var runKept = []string{"/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"}

// layOutFiles makes the file systems of a world. What stays is kept aside first,
// then everything is made read-only and covered, then it is put back.
func layOutFiles(o *worldOrder) (l layout, err error) {
	l.pinned, l.protected, l.shown = map[string]bool{}, map[string]bool{}, o.Shown
	os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0) // in here: none below it
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return l, fmt.Errorf("make mounts private: %w", err)
	}
	resolv, _ := filepath.EvalSymlinks("/etc/resolv.conf")
	all, err := l.keepAside(o)
	if err != nil {
		return l, err
	}
	if err := setFlags(unix.AT_FDCWD, "/", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, 0, unix.AT_RECURSIVE); err != nil {
		return l, err
	}
	if err := coverSystem(); err != nil {
		return l, err
	}
	for _, h := range all {
		if err := l.putBack(h); err != nil {
			return l, err
		}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/dev", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return l, fmt.Errorf("make /dev read-only: %w", err)
	}
	if err := l.protectPaths(o); err != nil {
		return l, err
	}
	if err := hideSecrets(o); err != nil {
		return l, err
	}
	if o.Network && resolv != "" {
		if err := replaceFile(filepath.Join(o.Dir, "resolv.conf"), resolv); err != nil {
			return l, err
		}
	}
	if !o.Writes {
		if err := l.setWritable(false); err != nil {
			return l, err
		}
	}
	// What programs confine themselves to besides.
	o.Program = order{World: true, Connect: false, Landlock: worldLandlock(), Pipes: filepath.Join(o.Dir, "pipes"), Sockets: o.Keep,
		Write: slices.Concat(o.Write, o.Dirs, []string{filepath.Join(o.Dir, "tmp"), "/dev/shm"})}
	for _, layer := range o.Layers {
		o.Program.Write = append(o.Program.Write, layer.Dir)
	}
	return l, os.Chdir("/")
}

// worldLandlock is the version of Landlock that is used beneath the mounts: the first
// could not rename from one directory to another.
func worldLandlock() int {
	if version := Kernel().Landlock; version >= 2 {
		return version
	}
	return 0
}

// keepAside opens the trees of all that stays. What lies below another comes later.
func (l *layout) keepAside(o *worldOrder) (all []held, err error) {
	keep := func(must bool, h held, from string) {
		var e error
		if h.fd, e = keepTree(from); e == nil {
			all = append(all, h)
		} else if must && err == nil {
			err = e
		}
	}
	temp := filepath.Join(o.Dir, "tmp")
	l.temp = temp
	for _, dir := range o.Dirs {
		keep(true, held{path: dir}, temp)
		l.temp = o.Dirs[0]
	}
	for _, d := range devices {
		keep(false, held{path: d, device: true}, d)
	}
	for _, dir := range runKept {
		keep(false, held{path: dir, readOnly: true}, dir)
	}
	for _, dir := range o.Cover {
		all = append(all, held{path: dir, fd: -1})
	}
	for _, dir := range o.Keep {
		keep(false, held{path: dir, readOnly: true}, dir)
	}
	keep(true, held{path: o.Dir, readOnly: true}, o.Dir)
	keep(true, held{path: filepath.Join(o.Dir, "pipes")}, filepath.Join(o.Dir, "pipes"))
	keep(true, held{path: temp}, temp)
	for _, dir := range o.Write {
		keep(true, held{path: dir, switched: true, root: true}, dir)
	}
	o.Layers = slices.DeleteFunc(o.Layers, func(layer Layer) bool {
		volumes, e := mountsBelow(layer.Dir)
		for _, dir := range volumes {
			keep(false, held{path: dir, readOnly: true}, dir)
		}
		if e == nil {
			e = mountLayer(layer, o.Secret) // from here on, what is below Dir is the layer's
		}
		if e != nil {
			l.missing = append(l.missing, fmt.Sprintf("caches in %s cannot be written: %v", layer.Dir, e))
			return true
		}
		keep(true, held{path: layer.Dir, switched: true}, layer.Dir)
		for _, dir := range layer.Always {
			keep(false, held{path: dir}, dir)
		}
		return false
	})
	slices.SortStableFunc(all, func(a, b held) int { return len(a.path) - len(b.path) })
	return all, err
}

// coverSystem puts empty or private file systems over what leads outside.
func coverSystem() error {
	if err := mountFresh("tmpfs", "/run", "mode=755,size=1m", unix.MS_NODEV); err != nil {
		return err
	}
	if err := mountFresh("tmpfs", "/dev", "mode=755,size=1m", 0); err != nil {
		return err
	}
	for _, dir := range []string{"/dev/pts", "/dev/shm"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(target, "/dev/"+name); err != nil {
			return err
		}
	}
	if err := mountFresh("tmpfs", "/dev/shm", "mode=1777", unix.MS_NODEV); err != nil {
		return err
	}
	if err := mountFresh("devpts", "/dev/pts", "newinstance,ptmxmode=0666,mode=0620", unix.MS_NOEXEC); err != nil {
		return err
	}
	if err := mountFresh("proc", "/proc", "", unix.MS_NODEV|unix.MS_NOEXEC); err != nil {
		return err
	}
	for _, p := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"} {
		if bind(p, p) == nil {
			if err := setFlags(unix.AT_FDCWD, p, unix.MOUNT_ATTR_RDONLY, 0, unix.AT_RECURSIVE); err != nil {
				return err
			}
		}
	}
	return nil
}

func bind(from, to string) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return &os.PathError{Op: "bind", Path: to, Err: err}
	}
	return nil
}

// putBack mounts a tree where it was.
func (l *layout) putBack(h held) error {
	st, err := os.Lstat(h.path)
	if err != nil { // its parent was covered
		if h.device {
			err = makeFile(h.path)
		} else {
			err = os.MkdirAll(h.path, 0o755)
		}
		if err != nil {
			return err
		}
	} else if st.Mode()&os.ModeSymlink != 0 {
		return &os.PathError{Op: "put back", Path: h.path, Err: unix.ELOOP}
	}
	if h.fd < 0 {
		return mountFresh("tmpfs", h.path, "mode=755,size=1m", unix.MS_NODEV)
	}
	if err := unix.MoveMount(h.fd, "", unix.AT_FDCWD, h.path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return &os.PathError{Op: "put back", Path: h.path, Err: err}
	}
	flags := uint64(unix.MOUNT_ATTR_NOSUID)
	if !h.device {
		flags |= unix.MOUNT_ATTR_NODEV
	}
	if h.readOnly {
		flags |= unix.MOUNT_ATTR_RDONLY
	}
	if err := setFlags(h.fd, "", flags, 0, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE); err != nil {
		return fmt.Errorf("%s: %w", h.path, err)
	}
	if !h.switched {
		unix.Close(h.fd)
		return nil
	}
	if l.switched = append(l.switched, switched{h.path, h.fd}); !h.root {
		return nil
	}
	volumes, err := mountsBelow(h.path)
	for _, path := range volumes {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: path, Err: err}
		}
		l.switched = append(l.switched, switched{path, fd})
	}
	return err
}

// mountsBelow are the mounts below a directory, but for those that are read-only.
func mountsBelow(dir string) (paths []string, err error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text()) // proc(5)
		if len(fields) < 6 || slices.Contains(strings.Split(fields[5], ","), "ro") {
			continue
		}
		if path := unescapeMount(fields[4]); strings.HasPrefix(path, dir+"/") && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, lines.Err()
}

// unescapeMount takes back what the kernel escapes in a table of mounts.
func unescapeMount(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// setWritable lets the switched mounts be written, or not. When one cannot be
// changed, none is.
func (l *layout) setWritable(writes bool) error {
	for i, m := range l.switched {
		if err := switchMount(m.fd, "", writes); err != nil {
			for _, done := range l.switched[:i] {
				switchMount(done.fd, "", !writes)
			}
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return nil
}

// switchMount makes a mount writable or read-only, by its path or its descriptor.
func switchMount(fd int, path string, writes bool) error {
	how := uint(0)
	if path == "" {
		how = unix.AT_EMPTY_PATH
	}
	if writes {
		return setFlags(fd, path, 0, unix.MOUNT_ATTR_RDONLY, how)
	}
	return setFlags(fd, path, unix.MOUNT_ATTR_RDONLY, 0, how)
}
