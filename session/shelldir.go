package session

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// A shellDir is where the shell was after a command.
type shellDir struct {
	kernel  string // as the kernel names it
	shell   string // $PWD
	name    string // one of them
	deleted bool
}

// updateDir looks where the shell is after a command that reported pwd.
func (e *engine) updateDir(sh *shell, pwd string) *shellDir {
	at := e.dir.Load()
	kernel, deleted := sh.kernelDir(pwd, e.buf[:unix.PathMax])
	if kernel == nil || string(kernel) == at.kernel && pwd == at.shell && deleted == at.deleted {
		return at
	}
	now := &shellDir{kernel: string(kernel), shell: pwd, deleted: deleted}
	now.name = now.kernel
	if !deleted && sameDir(pwd, now.kernel) {
		now.name = pwd
	}
	e.dir.Store(now)
	return now
}

// setDir notes that a shell that has ended was in the directory pwd.
func (e *engine) setDir(pwd string) {
	if st, err := os.Stat(pwd); err == nil && st.IsDir() && strings.HasPrefix(pwd, "/") {
		e.dir.Store(&shellDir{shell: pwd, name: pwd})
	}
}

// sameDir reports whether the absolute path pwd leads to the directory dir.
func sameDir(pwd, dir string) bool {
	if pwd == dir || !strings.HasPrefix(pwd, "/") {
		return pwd == dir
	}
	a, err := os.Stat(pwd)
	b, err2 := os.Stat(dir)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// Dir is Session.Dir.
func (e *engine) Dir() string {
	at := e.dir.Load()
	if sh := e.shell.Load(); sh != nil {
		var buf [unix.PathMax]byte
		if now, _ := sh.kernelDir("", buf[:]); now != nil && string(now) != at.kernel {
			return string(now)
		}
	}
	return at.name
}
