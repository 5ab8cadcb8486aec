package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/atomicfile"
	"github.com/agentbash/agentbash/internal/openat"
	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/registry"
)

// Access is which files the tools may touch. Paths are absolute, and stand for
// all that is below them; symbolic links in them are followed.
//
// A path is judged by where it leads, and what is opened then is what was
// judged, whoever changes directories and links meanwhile: files are opened
// without following links, changed from a descriptor of their
// directory, and files to be read are judged by the name that the kernel has
// for them. A magic link of /proc (/proc/PID/fd/N, root, cwd) is not followed.
//
// A file with several names (hard links) is not changed: one of them may be
// outside. It is read, for all its names are equal to the kernel: who could
// make a hard link of a secret could read it.
type Access struct {
	Write     []string // where files may be changed and made
	Protected []string // in there: may not be changed, nor made if they are not there
	Secret    []string // may neither be read nor changed
}

// Denied is the error of a path that Access does not allow. Its exit status is
// 126, that of what was not allowed.
type Denied struct {
	Path string // where it leads
	Why  string // and what to do about it
}

func (d *Denied) Error() string { return d.Path + " " + d.Why }

// ExitStatus is 126.
func (*Denied) ExitStatus() int { return 126 }

// A gate holds one run of a tool to an Access: to its paths and to what they
// lead to. What only writing needs is found out when it is asked. nil lets
// everything through.
type gate struct {
	ctx              context.Context
	secret           []string
	write, protected func() []string
	settings         registry.Settings
}

// newGate is what a run of a tool is held to.
func (f *files) newGate(ctx context.Context) *gate {
	if f.opts.Access == nil {
		return nil
	}
	a := f.opts.Access(ctx)
	if a == nil {
		return nil
	}
	lazy := func(paths []string) func() []string {
		return sync.OnceValue(func() []string { return withTargets(paths) })
	}
	return &gate{ctx: ctx, settings: f.opts.Settings.WithDefaults(), write: lazy(a.Write), protected: lazy(a.Protected), secret: withTargets(a.Secret)}
}

func isBelow(path string, list []string) bool {
	return slices.ContainsFunc(list, func(root string) bool { return registry.Below(path, root) })
}

// mayWrite judges a path without links in it.
func (g *gate) mayWrite(real string) error {
	switch {
	case g == nil || registry.Allowed(g.ctx, real):
		return nil
	case isBelow(real, g.secret):
		return &Denied{real, g.secretWhy()}
	case isBelow(real, g.protected()) || isProtected(real):
		return &Denied{real, "is protected, for programs run what it says: ask the person to change it, or to approve the command"}
	case g.ctx.Value(changesNothing{}) == true:
	case len(g.write()) == 0:
		return &Denied{real, "cannot be changed in this mode: say what you would change, or ask the person to change the mode"}
	case !isBelow(real, g.write()):
		return &Denied{real, fmt.Sprintf("is outside the workspace (%s): write there, or ask the person to approve it or to %s", strings.Join(g.write(), ", "), g.settings.Workspace)}
	}
	return nil
}

func (g *gate) secretWhy() string {
	return "is on the list of secrets: work without it, or ask the person to approve the command or to " + g.settings.Secrets
}

// isProtected reports a file that is protected wherever it lies. In a repository
// that is all: git alone has business there.
func isProtected(real string) bool {
	_, inGit := protected.Git(real)
	return inGit || protected.Tree(real) != ""
}

// mayRead judges an open file by the name that the kernel has for it.
func (g *gate) mayRead(fd int) error {
	if g == nil || len(g.secret) == 0 {
		return nil
	}
	name, err := kernelName(fd)
	if err != nil {
		return fmt.Errorf("find out which file was opened: %w", err)
	}
	if isBelow(name, g.secret) && !registry.Allowed(g.ctx, name) {
		return &Denied{name, g.secretWhy()}
	}
	return nil
}

// kernelName is the kernel's name for an open file: its path, or "pipe:[N]".
func kernelName(fd int) (string, error) {
	name, err := syscalls.PathOf(fd)
	return strings.TrimSuffix(name, " (deleted)"), err
}

// openInput opens a file, or a descriptor of the caller's, to be read.
func (g *gate) openInput(call *registry.Call, path string) (fd int, err error) {
	n, own := registry.DescriptorOf(path)
	if !own {
		return g.openRead(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY)
	}
	f, err := call.OpenDescriptor(n)
	if err != nil {
		return -1, err
	}
	defer f.Close()
	err = withDescriptor(f, func(open int) (err error) {
		if err = g.mayRead(open); err == nil {
			fd, err = unix.FcntlInt(uintptr(open), unix.F_DUPFD_CLOEXEC, 0)
		}
		return err
	})
	return fd, err
}

// withDescriptor calls a function with a file's descriptor, which stays as it is.
func withDescriptor(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var done error
	err = raw.Control(func(fd uintptr) { done = do(int(fd)) })
	return errors.Join(err, done)
}

// MayRead judges an open file as read does. A nil Access lets everything through.
func (a *Access) MayRead(ctx context.Context, f *os.File, settings registry.Settings) error {
	if a == nil {
		return nil
	}
	g := &gate{ctx: ctx, settings: settings.WithDefaults(), secret: withTargets(a.Secret)}
	return withDescriptor(f, g.mayRead)
}

// openRead opens a file to be read.
func (g *gate) openRead(path string, flags int) (int, error) {
	if g == nil {
		return unix.Open(path, flags, 0)
	}
	fd, err := openat.NoMagicLinks(path, flags)
	if err != nil {
		return -1, err
	}
	if err := g.mayRead(fd); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// openParent opens the directory of a file that may be written, made if need be, so
// that it cannot be exchanged for another one. nil without an error: there is
// no need to.
func (g *gate) openParent(real string, create bool) (*os.File, error) {
	if g == nil {
		return nil, nil
	}
	if err := g.mayWrite(real); err != nil {
		return nil, err
	}
	dir := filepath.Dir(real)
	fd, err := openPlain(unix.AT_FDCWD, dir)
	if err == unix.ENOENT && create {
		fd, err = makeDirs(dir)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// openFile opens a file that is to be changed.
func (g *gate) openFile(path string) (*atomicfile.File, error) {
	if g == nil {
		return atomicfile.Open(path)
	}
	real, err := atomicfile.Resolve(path)
	if err != nil {
		return nil, err
	}
	dir, err := g.openParent(real, false)
	if err != nil {
		return nil, err
	}
	file, err := atomicfile.OpenIn(dir, real)
	if err != nil {
		return nil, err
	}
	if file.Links() > 1 && !registry.Allowed(g.ctx, real) {
		file.Close()
		return nil, &Denied{real, fmt.Sprintf("has %d names (hard links), and another may be outside the workspace: copy it, and change the copy, or ask the person to approve the command", file.Links())}
	}
	return file, nil
}

// openPlain opens a directory in whose path there is no link.
func openPlain(at int, path string) (int, error) {
	return openat.NoLinks(at, path, openat.SearchOnly|unix.O_DIRECTORY)
}

// makeDirs makes the missing directories of a path one by one, each in the one
// that was opened before.
func makeDirs(path string) (int, error) {
	at, err := openPlain(unix.AT_FDCWD, "/")
	for _, name := range strings.Split(path, "/") {
		if name == "" || err != nil {
			continue
		}
		var next int
		if next, err = openPlain(at, name); err == unix.ENOENT {
			if err = unix.Mkdirat(at, name, 0o777); err == nil || err == unix.EEXIST {
				next, err = openPlain(at, name)
			}
		}
		unix.Close(at)
		at = next
	}
	return at, err
}
