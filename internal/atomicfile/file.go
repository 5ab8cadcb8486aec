package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// ErrReadOnly says that the file's mode or the file system forbids writing;
// it is returned to root as well.
var ErrReadOnly = errors.New("the file is read-only: chmod u+w it first")

// ErrChanged says that the file was changed or replaced between Open and Replace.
var ErrChanged = errors.New("the file was changed by another program meanwhile: read it again")

// NotRegularError says that the path leads to something other than a regular file.
type NotRegularError struct {
	Path string
	Mode os.FileMode
}

func (e *NotRegularError) Error() string { return e.Path + ": " + KindOf(e.Mode) }

// KindOf names what is not a regular file: "is a directory", "is a FIFO", ...
func KindOf(m os.FileMode) string {
	switch {
	case m.IsDir():
		return "is a directory"
	case m&os.ModeNamedPipe != 0:
		return "is a FIFO"
	case m&os.ModeSocket != 0:
		return "is a socket"
	case m&os.ModeCharDevice != 0:
		return "is a character device"
	case m&os.ModeDevice != 0:
		return "is a block device"
	case m&os.ModeSymlink != 0:
		return "is a symbolic link"
	}
	return "is not a regular file"
}

// lockWait bounds the wait for one lock of another program; a lock that is held
// longer is someone's habit, not an edit, and is passed over.
const lockWait = 2 * time.Second

// File is an existing regular file, opened to be replaced. It holds an advisory
// lock (flock) so that two edits of one file by this package follow each
// other. It is not safe for concurrent use; Close gives the lock up.
type File struct {
	Path string // where the content is: all symbolic links followed
	at   string // the path that is used; another with dir
	dir  *os.File
	f    *os.File
	stat unix.Stat_t
}

// Open follows path to a regular file, checks that it may be written and locks it.
// Errors are the operating system's (fs.ErrNotExist and so on), *NotRegularError
// or ErrReadOnly. It never waits for a FIFO.
func Open(path string) (*File, error) {
	real, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	return openLocked(real, nil)
}

// OpenIn is Open for a file in an open directory, which it takes over and
// closes, also with an error: whatever happens to the directory's path, that
// directory is where the file is looked for and changed. real is its path, in
// which no link is left.
func OpenIn(dir *os.File, real string) (*File, error) {
	f, err := openLocked(real, dir)
	if err != nil {
		dir.Close()
	}
	return f, err
}

// pathIn is the path by which a file in an open directory is reached; its own
// without one.
func pathIn(dir *os.File, real string) string {
	if dir == nil {
		return real
	}
	return filepath.Join(syscalls.DirPath(dir), filepath.Base(real))
}

func openLocked(real string, dir *os.File) (*File, error) {
	for {
		f, err := openFile(real, pathIn(dir, real))
		if err != nil {
			return nil, err
		}
		locked := f.lock(time.Now().Add(lockWait))
		if !locked || f.check() == nil {
			f.dir = dir
			return f, nil
		}
		f.Close() // replaced while we waited for the lock, by an edit: wait for the new one's
	}
}

func openFile(real, at string) (*File, error) {
	fd, err := unix.Open(at, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: real, Err: err}
	}
	f := &File{Path: real, at: at, f: os.NewFile(uintptr(fd), real)}
	info, err := f.f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{Path: real, Mode: info.Mode()}
	}
	if err == nil {
		err = unix.Fstat(fd, &f.stat)
	}
	if err == nil && (f.stat.Mode&0o222 == 0 || errors.Is(unix.Faccessat(unix.AT_FDCWD, at, unix.W_OK, unix.AT_EACCESS), unix.EACCES)) {
		err = ErrReadOnly
	}
	if err != nil {
		f.f.Close()
		return nil, err
	}
	return f, nil
}

// lock tries until the deadline and reports whether it has the lock; file
// systems without locks report false.
func (f *File) lock(deadline time.Time) bool {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	return Lock(ctx, f.f) == nil
}

// Lock waits for the lock of a file or directory (flock(2)) that other programs take, too. It is given up when f is closed.
func Lock(ctx context.Context, f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EWOULDBLOCK && err != unix.EINTR {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond): // flock tells nobody when it is free
		}
	}
}

// check reports ErrChanged unless Path still leads to the file as it was opened.
func (f *File) check() error {
	var now unix.Stat_t
	if err := unix.Lstat(f.at, &now); err != nil {
		return ErrChanged
	}
	was := &f.stat
	if now.Dev != was.Dev || now.Ino != was.Ino || now.Size != was.Size || now.Mtim != was.Mtim {
		return ErrChanged
	}
	return nil
}

// Close closes the file and gives up its lock.
func (f *File) Close() error {
	if f.dir != nil {
		f.dir.Close()
	}
	return f.f.Close()
}

// Size is the file's size in bytes when it was opened.
func (f *File) Size() int64 { return f.stat.Size }

// Mode is the file's permission bits.
func (f *File) Mode() os.FileMode { return os.FileMode(f.stat.Mode & 0o7777) }

// Links is the number of the file's hard links.
func (f *File) Links() int { return int(f.stat.Nlink) }

// Content returns the whole content, of at most limit bytes.
func (f *File) Content(limit int64) ([]byte, error) {
	if f.stat.Size > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that can be changed at once", f.Path, f.stat.Size, limit)
	}
	var b bytes.Buffer
	b.Grow(int(f.stat.Size) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(io.NewSectionReader(f.f, 0, 1<<62), limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("%s grew beyond %d bytes", f.Path, limit)
	}
	return b.Bytes(), err
}

// Stat is what the operating system said of the file when it was opened.
func (f *File) Stat() unix.Stat_t { return f.stat }
