package ignore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Names are the files that hold rules, those that win first. GitIgnore counts within
// repositories only.
var Names = [...]string{".rgignore", ".ignore", GitIgnore}

// GitIgnore is git's own file of rules.
const GitIgnore = ".gitignore"

const (
	git      = len(Names) - 1 // the chain of .gitignore
	excludes = len(Names)     // info/exclude, then the user's own, from the repository's top
	given    = len(Names) + 1 // what the caller gave
)

// Dir is what is known of the rules that hold in a directory. It is not
// changed after it was made and is safe for concurrent use. A nil *Dir
// ignores nothing.
type Dir struct {
	inRepo bool
	chains [given + 1]*level // the nearest rules first
}

// level is the rules of one directory, linked to those of the directories above.
type level struct {
	rules *Rules
	base  int    // length of the directory's path and the slash after it
	dir   string // given: that path, which a tree need not be below
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

// With adds rules that hold below a directory if no others do; the last ones win.
func (d *Dir) With(dir string, rules ...*Rules) *Dir {
	next := Dir{}
	if d != nil {
		next = *d
	}
	for _, r := range rules {
		if r != nil {
			next.chains[given] = &level{rules: r, dir: strings.TrimSuffix(dir, "/") + "/", up: next.chains[given]}
		}
	}
	return &next
}

// Enter returns the rules that hold in a subdirectory; has reports whether an entry
// exists there, and read returns a file's content, nil when it cannot.
func (d *Dir) Enter(path string, has func(name string) bool, read func(name string) []byte) *Dir {
	hasGit := has(".git")
	if !hasGit && !slices.ContainsFunc(Names[:], has) {
		return d
	}
	return d.enter(path, hasGit, func(name string) []byte {
		if !has(name) {
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
	base := baseLen(path)
	if hasGit {
		next.inRepo, next.chains[git] = true, nil // what is above belongs to another repository
		next.chains[excludes] = loadExcludes(path, base)
	}
	for i, name := range Names {
		if i != git || next.inRepo {
			next.chains[i] = next.chains[i].push(Parse(read(name)), base)
		}
	}
	return &next
}

func baseLen(path string) int { return len(strings.TrimSuffix(path, "/")) + 1 }

func (l *level) push(r *Rules, base int) *level {
	if r == nil {
		return l
	}
	return &level{rules: r, base: base, up: l}
}

// Judge says what the rules say of an entry of the directory; path is absolute, name
// its last element.
func (d *Dir) Judge(path, name string, isDir bool) Result {
	if d == nil {
		return Silent
	}
	for _, l := range d.chains {
		for ; l != nil; l = l.up {
			if v := l.rules.Match(strings.TrimPrefix(path[l.base:], l.dir), name, isDir); v != Silent {
				return v
			}
		}
	}
	return Silent
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
