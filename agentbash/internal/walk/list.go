package walk

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openDirs bounds how many directories are kept open so that what is in them
// can be opened by its name alone.
const openDirs = 200

// handles counts the directories of one walk that are open.
type handles struct{ open atomic.Int32 }

// Dir is an open directory of the walk.
type Dir struct {
	Path string // absolute
	FD   int    // -1 when too many are open: then use Path
	refs atomic.Int32
	all  *handles
}

func openDir(all *handles, parent *Dir, name string) (*Dir, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NONBLOCK
	d := &Dir{Path: name, FD: -1, all: all}
	d.refs.Store(1)
	var err error
	if parent == nil {
		d.FD, err = unix.Open(name, flags, 0)
	} else {
		d.Path = joinName(parent.Path, name)
		d.FD, err = parent.Open(name, flags|unix.O_NOFOLLOW)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: d.Path, Err: err}
	}
	all.open.Add(1)
	return d, nil
}

// Open opens an entry of the directory.
func (d *Dir) Open(name string, flags int) (fd int, err error) {
	for {
		if d.FD >= 0 {
			fd, err = unix.Openat(d.FD, name, flags, 0)
		} else {
			fd, err = unix.Open(joinName(d.Path, name), flags, 0)
		}
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// Stat returns what the system says of an entry, links followed.
func (d *Dir) Stat(name string) (st unix.Stat_t, err error) {
	if d.FD >= 0 {
		err = unix.Fstatat(d.FD, name, &st, 0)
	} else {
		err = unix.Stat(joinName(d.Path, name), &st)
	}
	return st, err
}

func (d *Dir) retain() { d.refs.Add(1) }

func (d *Dir) release() {
	if d.refs.Add(-1) == 0 {
		d.closeFD()
	}
}

func (d *Dir) closeFD() {
	if d.FD >= 0 {
		unix.Close(d.FD)
		d.all.open.Add(-1)
		d.FD = -1
	}
}

func joinName(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// lister is one worker's memory for listing directories.
type lister struct {
	buf     []byte
	entries []Entry
	path    []byte
}

func newLister() *lister { return &lister{buf: make([]byte, 64<<10)} }

// read lists a directory, sorted by name. The result is valid until the next call.
func (l *lister) read(d *Dir) ([]Entry, error) {
	l.entries = l.entries[:0]
	for {
		n, err := unix.ReadDirent(d.FD, l.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "list", Path: d.Path, Err: err}
		}
		if n <= 0 {
			break
		}
		l.parse(d, string(l.buf[:n])) // one copy for all names
	}
	slices.SortFunc(l.entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return l.entries, nil
}

// Where the parts of a directory's record stand: getdents64(2), and getdirentries(2) of macOS.
const (
	sizeAt = int(unsafe.Offsetof(unix.Dirent{}.Reclen))
	typeAt = int(unsafe.Offsetof(unix.Dirent{}.Type))
	nameAt = int(unsafe.Offsetof(unix.Dirent{}.Name))
)

// parse takes apart what ReadDirent returned.
func (l *lister) parse(d *Dir, s string) {
	for len(s) > nameAt {
		size := int(s[sizeAt]) | int(s[sizeAt+1])<<8
		name := s[nameAt:size]
		name = name[:strings.IndexByte(name, 0)]
		if name != "." && name != ".." {
			l.entries = append(l.entries, Entry{name, typeOf(s[typeAt])})
			if l.entries[len(l.entries)-1].Type == unknown {
				d.resolveType(&l.entries[len(l.entries)-1])
			}
		}
		s = s[size:]
	}
}

func typeOf(t byte) Type {
	switch t {
	case unix.DT_REG:
		return File
	case unix.DT_DIR:
		return Directory
	case unix.DT_LNK:
		return Link
	case unix.DT_UNKNOWN:
		return unknown
	}
	return Other
}

// resolveType asks for the type of an entry where the file system's listing has none.
func (d *Dir) resolveType(e *Entry) {
	var st unix.Stat_t
	e.Type = Other
	if unix.Fstatat(d.FD, e.Name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		e.Type = typeOf(byte(st.Mode & unix.S_IFMT >> 12)) // the same numbers, by history
	}
}
