package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// What Landlock knows, by the version of its interface.
const (
	makeAndRemove = ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeChar | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeBlock | ll.AccessFSMakeSym
	makeDevices = ll.AccessFSMakeChar | ll.AccessFSMakeBlock
)

// accessRights are the rights of files that a version restricts, of those that are
// restricted at all: what is executed and listed is not.
func accessRights(version int) (all, write landlock.AccessFSSet) {
	write = makeAndRemove | ll.AccessFSWriteFile
	if version >= 2 {
		write |= ll.AccessFSRefer
	}
	if version >= 3 {
		write |= ll.AccessFSTruncate
	}
	all = write
	if version >= 5 {
		all |= ll.AccessFSIoctlDev
	}
	return all, write &^ makeDevices
}

// restrictProcess applies Landlock to this process.
func restrictProcess(o order) error {
	all, write := accessRights(o.Landlock)
	file := write & (ll.AccessFSWriteFile | ll.AccessFSTruncate)
	device := file | all&ll.AccessFSIoctlDev
	var rules []landlock.Rule
	if len(o.Secret) > 0 {
		all |= ll.AccessFSReadFile
		write |= ll.AccessFSReadFile
		open, err := readablePaths(o.Secret)
		if err != nil {
			return err
		}
		rules = append(rules, landlock.PathAccess(ll.AccessFSReadFile, open...).IgnoreIfMissing()) // one may have been removed since they were listed
	}
	if o.Landlock >= 9 && !o.Connect {
		all |= ll.AccessFSResolveUnix
		rules = append(rules, landlock.PathAccess(ll.AccessFSResolveUnix, slices.Concat(o.Sockets, o.Write)...).IgnoreIfMissing())
	}
	rules = append(rules,
		landlock.PathAccess(file, o.Pipes),
		landlock.PathAccess(device, "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts").IgnoreIfMissing())
	for _, dir := range o.Write {
		r, err := writeRules(dir, write, file|write&ll.AccessFSReadFile)
		if err != nil {
			return err
		}
		rules = append(rules, r...)
	}
	sets := []any{all}
	if o.Landlock >= 6 {
		sets = append(sets, landlock.ScopedSet(ll.ScopeSignal|ll.ScopeAbstractUnixSocket))
	}
	config, err := landlock.NewConfig(sets...)
	if err != nil {
		return err
	}
	return config.Restrict(rules...)
}

// writeRules grants a directory, or the file that stands there.
func writeRules(path string, dir, file landlock.AccessFSSet) ([]landlock.Rule, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // nothing to write; who makes it later is not us
	case err != nil:
		return nil, err
	case st.IsDir():
		return []landlock.Rule{landlock.PathAccess(dir, path)}, nil
	}
	return []landlock.Rule{landlock.PathAccess(file, path)}, nil
}

// maxBeside is how many names there may be beside a secret and the directories
// it is in.
const maxBeside = 50_000

// readablePaths lists what may be read when secrets may not: Landlock can only
// allow, so it is everything beside them and beside the directories they are
// in. Links are left out: what they lead to is in a place of its own.
func readablePaths(secrets []string) (paths []string, err error) {
	var walk func(dir string) error
	walk = func(dir string) error {
		if !holdsPath(dir, secrets) {
			paths = append(paths, dir)
			return nil
		}
		names, err := os.ReadDir(dir)
		if err != nil {
			return nil // nothing that could be opened either
		}
		for _, e := range names {
			p := filepath.Join(dir, e.Name())
			if e.Type()&fs.ModeSymlink != 0 || isOne(p, secrets) {
				continue
			}
			if len(paths) > maxBeside {
				return fmt.Errorf("more than %d files lie beside what must not be read", maxBeside)
			}
			if err := walk(p); err != nil {
				return err
			}
		}
		return nil
	}
	return paths, walk("/")
}

func isOne(path string, list []string) bool {
	for _, p := range list {
		if p == path {
			return true
		}
	}
	return false
}

// holdsPath reports whether one of the paths lies below dir.
func holdsPath(dir string, paths []string) bool {
	if dir != "/" {
		dir += "/"
	}
	for _, p := range paths {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	return false
}
