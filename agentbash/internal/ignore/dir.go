package ignore

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Names of the files that hold rules.
const (
	GitIgnore = ".gitignore"
	DotIgnore = ".ignore"
)

// Dir is what is known of the rules that hold in a directory. It is not
// changed after it was made and is safe for concurrent use. A nil *Dir
// ignores nothing.
type Dir struct {
	inRepo   bool
	git, dot *level // the nearest rules first
	excludes *level // info/exclude, then the user's own, from the repository's top
}

// level is the rules of one directory, linked to those of the directories above.
type level struct {
	rules *Rules
	base  int // length of the directory's path and the slash after it
	up    *level
}

// NewDir returns the rules that hold in the directory, those of the
// directories above it included. The path is absolute and clean.
func NewDir(path string) *Dir {
	var d *Dir
	if parent := filepath.Dir(path); parent != path {
		d = NewDir(parent)
	}
	return d.enter(path, fileExists(path, ".git"), func(name string) []byte {
		return readNoFollow(filepath.Join(path, name), name == GitIgnore)
	})
}

// Enter returns the rules that hold in a subdirectory in which entries with
// these names exist; read returns such a file's content, nil when it cannot.
func (d *Dir) Enter(path string, hasGit, hasGitIgnore, hasDotIgnore bool, read func(name string) []byte) *Dir {
	if !hasGit && !hasGitIgnore && !hasDotIgnore {
		return d
	}
	return d.enter(path, hasGit, func(name string) []byte {
		if name == GitIgnore && !hasGitIgnore || name == DotIgnore && !hasDotIgnore {
			return nil
		}
		return read(name)
	})
}

func (d *Dir) enter(path string, hasGit bool, read func(name string) []byte) *Dir {
	next := Dir{}
	if d != nil {
		next = *d
	}
	base := len(strings.TrimSuffix(path, "/")) + 1
	if hasGit {
		next.inRepo, next.git = true, nil // what is above belongs to another repository
		next.excludes = loadExcludes(path, base)
	}
	if next.inRepo {
		next.git = next.git.push(Parse(read(GitIgnore)), base)
	}
	next.dot = next.dot.push(Parse(read(DotIgnore)), base)
	return &next
}

func (l *level) push(r *Rules, base int) *level {
	if r == nil {
		return l
	}
	return &level{rules: r, base: base, up: l}
}

// Empty reports whether no rule holds, so that nothing needs to be asked.
func (d *Dir) Empty() bool {
	return d == nil || d.git == nil && d.dot == nil && d.excludes == nil
}

// Ignored reports whether an entry of the directory is ignored; path is
// absolute, name its last element.
func (d *Dir) Ignored(path, name string, isDir bool) bool {
	if d == nil {
		return false
	}
	for _, l := range [...]*level{d.dot, d.git, d.excludes} {
		for ; l != nil; l = l.up {
			if v := l.rules.Match(path[l.base:], name, isDir); v != Silent {
				return v == Excluded
			}
		}
	}
	return false
}

// readLimit is the size in bytes above which an ignore file is not one.
const readLimit = 16 << 20

// readNoFollow reads a regular file; in a .gitignore's place git follows no link.
func readNoFollow(path string, noFollow bool) []byte {
	flags := unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC
	if noFollow {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Open(path, flags, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	return ReadFile(f)
}

// ReadFile returns the content of an open ignore file, or nil when it is no regular file or too big.
func ReadFile(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > readLimit {
		return nil
	}
	data := make([]byte, info.Size())
	n, _ := f.ReadAt(data, 0)
	return data[:n]
}

func fileExists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
