//go:build !portable

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What Landlock knows, by the version of its interface.
const (
	makeAndRemove = ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeChar | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeBlock | ll.AccessFSMakeSym
	makeDevices = ll.AccessFSMakeChar | ll.AccessFSMakeBlock
	ofFiles     = ll.AccessFSExecute | ll.AccessFSWriteFile | ll.AccessFSReadFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev | ll.AccessFSResolveUnix
)

// accessRights are the rights of files that a version restricts, of those that are
// restricted at all: what is executed and listed is not. In a world mounts hold
// everything but FIFOs and devices, which a read-only mount lets be written; each
// right more would be looked up whenever a file is opened.
func accessRights(version int, world bool) (all, write uint64) {
	if world {
		write = ll.AccessFSWriteFile | ll.AccessFSRefer // which is denied unless it is granted
		return write, write
	}
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

// restrictThread applies Landlock to this thread, and so to what it starts or
// becomes. (The library's own way is for all threads of a process, but an init keeps
// its rights.)
func restrictThread(o order) error {
	all, write := accessRights(o.Landlock, o.World)
	file := write & (ll.AccessFSWriteFile | ll.AccessFSTruncate)
	rules := map[string]uint64{o.Pipes: file}
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"} {
		rules[device] = file | all&ll.AccessFSIoctlDev
	}
	if len(o.Secret) > 0 {
		all |= ll.AccessFSReadFile
		write |= ll.AccessFSReadFile
		open, err := readablePaths(o.Secret)
		if err != nil {
			return err
		}
		for _, path := range open {
			rules[path] |= ll.AccessFSReadFile
		}
	}
	if o.Landlock >= 9 && !o.Connect {
		all |= ll.AccessFSResolveUnix
		for _, dir := range slices.Concat(o.Sockets, o.Write) {
			rules[dir] |= ll.AccessFSResolveUnix
		}
	}
	for _, dir := range o.Write {
		rules[dir] |= write
	}
	set := ll.RulesetAttr{HandledAccessFS: all}
	if o.Landlock >= 6 {
		set.Scoped = ll.ScopeSignal | ll.ScopeAbstractUnixSocket
	}
	fd, err := ll.LandlockCreateRuleset(&set, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for path, access := range rules {
		if err := addRule(fd, path, access); err != nil {
			return err
		}
	}
	return ll.LandlockRestrictSelf(fd, 0)
}

// addRule grants a directory, or the file that stands there. What is not there, or
// not to be seen, is nothing to grant.
func addRule(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	var st unix.Stat_t
	if err == nil {
		defer unix.Close(fd)
		err = unix.Fstat(fd, &st)
	}
	if err == nil {
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			access &= ofFiles
		}
		err = ll.LandlockAddPathBeneathRule(ruleset, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: access}, 0)
	}
	if err != nil {
		return &os.PathError{Op: "allow", Path: path, Err: err}
	}
	return nil
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
