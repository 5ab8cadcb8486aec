package files

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// links follows the symbolic links of the lists of an Access, which have some
// 200 paths. Every run asks anew, for links change, but not for each path: it is
// remembered which names of a directory are no links until the directory
// changes, which its change time (ctime) shows. The zero value is ready for use,
// also concurrently.
type links struct {
	settled time.Duration // 0: settledAfter; tests do not wait

	mu   sync.Mutex
	dirs map[string]*directory // by paths without links
}

// directory is what is remembered of one.
type directory struct {
	stat  unix.Stat_t
	plain map[string]bool // names that are no links; true: there is no such name
}

// withTargets are paths and, where it is another, what they lead to.
func (l *links) withTargets(paths []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out, run := slices.Clone(paths), map[string]target{}
	for _, p := range paths {
		if real := l.followLinks(p, run); real.path != p {
			out = append(out, real.path)
		}
	}
	return out
}

// target is what a path leads to.
type target struct {
	path    string
	missing bool
	dir     *directory // what is remembered of it; nil: nothing is to be
}

// followLinks follows the links in a clean path, of which the end may be missing. run
// has the directories that this run has followed.
func (l *links) followLinks(path string, run map[string]target) target {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || path == "/" {
		return target{path: path}
	}
	dir, name := path[:max(slash, 1)], path[slash+1:]
	parent, known := run[dir]
	if !known {
		parent = l.followLinks(dir, run)
		parent.dir = l.directoryOf(parent)
		run[dir] = parent
	}
	real := target{path: path, missing: parent.missing}
	if parent.path != dir {
		real.path = filepath.Join(parent.path, name)
	}
	if real.missing {
		return real
	}
	if parent.dir != nil {
		if missing, known := parent.dir.plain[name]; known {
			real.missing = missing
			return real
		}
	}
	n, err := unix.Readlink(real.path, make([]byte, 1))
	real.missing = err == unix.ENOENT
	if n > 0 {
		if to, err := resolveLinks(real.path); err == nil {
			real.path = to
		}
	} else if parent.dir != nil && (real.missing || err == unix.EINVAL) {
		parent.dir.plain[name] = real.missing
	}
	return real
}

// settledAfter is how long ago a directory must have changed so that its next
// change has another time, on the coarsest of file systems.
const settledAfter = 3 * time.Second

// directoryOf returns what is remembered of the present state of a directory.
func (l *links) directoryOf(t target) *directory {
	var st unix.Stat_t
	if t.missing || unix.Lstat(t.path, &st) != nil {
		return nil
	}
	d := l.dirs[t.path]
	if d == nil || d.stat.Dev != st.Dev || d.stat.Ino != st.Ino || d.stat.Ctim != st.Ctim {
		if time.Since(time.Unix(st.Ctim.Unix())) < cmp.Or(l.settled, settledAfter) {
			return nil
		}
		if l.dirs == nil {
			l.dirs = map[string]*directory{}
		}
		d = &directory{stat: st, plain: map[string]bool{}}
		l.dirs[t.path] = d
	}
	return d
}
