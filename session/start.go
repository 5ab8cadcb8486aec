package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/agentbash/agentbash/internal/syscalls"
)

var (
	// errState is start's when the shell ends over the state that it is given.
	errState = errors.New("the shell did not take the state of the one before")

	// errPath is start's when the shell cannot open what pathPipes made.
	errPath = errors.New("the shell cannot open the pipes of its host")
)

// tooOld is added to the first status of a bash that lacks what a session needs.
const tooOld = 64

// howToInstall says how a system, as runtime.GOOS names it, gets a bash that is new enough: macOS has 3.2.
func howToInstall(system string) string {
	if system == "darwin" {
		return "install one from Homebrew (brew install bash)"
	}
	return "install one"
}

// lackError is the error of a start where the machine has not what a session stands on.
func lackError(err error) error {
	for _, need := range []struct{ path, how string }{
		{syscalls.Descriptors, "mount -t proc proc /proc; bwrap: --proc /proc"},
		{os.DevNull, "mknod -m 666 /dev/null c 1 3; bwrap: --dev /dev"},
	} {
		if _, missing := os.Stat(need.path); missing != nil {
			return fmt.Errorf("there is no %s here, without which no shell can be kept: give this container or chroot one (%s)", need.path, need.how)
		}
	}
	return err
}

// ensureShell starts a shell if none is alive.
func (e *engine) ensureShell() error {
	if e.shell.Load() != nil {
		return nil // or dead without our knowing: the command loop finds out
	}
	if err := e.restartShell(); err != nil {
		return fmt.Errorf("restart the shell: %w", err)
	}
	e.restarted = !e.wentOn
	e.wentOn = false
	return nil
}

// restartShell starts a shell with the state of the one before: what its EXIT trap
// wrote, or the last snapshot. A shell that does not survive its state is
// replaced by one that has only the directory.
func (e *engine) restartShell() error {
	e.snap.readPipe(e.buf)
	e.stateLost = !e.snap.fresh && e.snap.seq != e.seq
	state := e.snap.restorable(e.dir.Load().name)
	err := e.startShellWith(state)
	if errors.Is(err, errState) {
		e.snap.whole, e.stateLost = nil, true
		err = e.startShellWith(nil)
	}
	return err
}

// startShellWith starts a shell and makes it what bootLines say; state restores what an
// older shell left. It changes to named pipes if the shell cannot open the
// others.
func (e *engine) startShellWith(state []byte) error {
	err := e.tryStart(state)
	if errors.Is(err, errPath) && !e.pipes.named {
		e.conduits.close(&e.pipes)
		e.pipes.named = true
		err = e.tryStart(state)
	}
	return err
}

func (e *engine) tryStart(state []byte) error {
	if err := e.conduits.open(&e.pipes); err != nil {
		return err
	}
	if err := e.watch.Start(); err != nil {
		return err
	}
	dir := e.dir.Load().name
	if e.cfg.Launcher == nil {
		dir = nearestDir(dir)
	}
	env, bashEnv := takeBashEnv(e.cfg.shellEnv())
	env = append(env, e.mark.envEntry(), "PWD="+dir)
	sh, err := startShell(&e.cfg, dir, env, &e.pipes)
	if err != nil {
		return err
	}
	if e.mark.setLimit(sh.pid); e.mark.limitLine() == "" { // the session says more than the environment, which can be cleared and hidden
		e.watch.Add(sh.pid)
		wait := sh.wait
		sh.wait = func() syscall.WaitStatus {
			defer e.watch.Remove(sh.pid)
			return wait()
		}
	}
	err = e.bootShell(sh, bashEnv, state)
	if err != nil {
		sh.readDiag(e.buf)
		sh.signal(syscall.SIGKILL)
		sh.reap()
		if said := bytes.TrimSpace(sh.diagnostics); len(said) > 0 {
			err = fmt.Errorf("%w; it said: %q", err, said)
		}
		return err
	}
	sh.diagnostics = sh.diagnostics[:0]
	e.shell.Store(sh)
	e.snap.seq = e.seq // what it has is what it was given
	return nil
}

// bootShell feeds a new shell its first lines, Init and the state of the old one.
func (e *engine) bootShell(sh *shell, bashEnv string, state []byte) error {
	e.seq++
	canOpen := fmt.Sprint(`\builtin : >|`, e.snap.path, `; \builtin printf `, frameFormat, " ", e.seq, ` "$(($? + (BASH_VERSINFO[0]*100 + BASH_VERSINFO[1] < 404 ? `, tooOld, ` : 0)))" "$BASH_VERSION"`, "\n")
	f, ok := frame{}, sh.queueText([]byte(canOpen)) == nil
	if ok {
		f, ok = sh.awaitReport(e.seq, bootTimeout, e.buf, &e.snap)
	}
	if ok && f.status >= tooOld {
		return fmt.Errorf("%s is bash %s, and the session needs 4.4 or later: %s, and put it first on PATH", e.cfg.Shell, f.pwd, howToInstall(runtime.GOOS))
	}
	if ok && f.status != 0 {
		return errPath
	}
	if ok {
		_, ok = e.runLines(sh, bootLines(e.snap.path, sh.ctlPath, bashEnv), bootTimeout)
	}
	if !ok {
		return fmt.Errorf("%s did not get ready: Options.Shell must be a bash, 4.4 or later", e.cfg.Shell)
	}
	if e.cfg.Init != "" {
		if err := e.text.set([]byte(e.cfg.Init)); err != nil {
			return err
		}
		if _, ok := e.runLines(sh, initLine(e.text.path), bootTimeout); !ok {
			return errors.New("the shell ended or hung in Options.Init")
		}
	}
	if state != nil {
		if err := e.text.set(state); err != nil {
			return err
		}
		if _, ok := e.runLines(sh, restoreLine(e.text.path), bootTimeout); !ok {
			return errState
		}
	}
	return nil
}

// runLines sends lines to the shell and waits until it has run them; the report
// has the status of the last one.
func (e *engine) runLines(sh *shell, lines string, d time.Duration) (frame, bool) {
	e.seq++
	l := append(e.scratch[:0], lines...)
	e.scratch = append(appendReport(l, reportFunc, e.seq), '\n')
	if sh.queueText(e.scratch) != nil {
		return frame{}, false
	}
	return sh.awaitReport(e.seq, d, e.buf, &e.snap)
}

// takeBashEnv takes BASH_ENV out of an environment: a shell that is not
// interactive would read that file.
func takeBashEnv(env []string) (rest []string, value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "BASH_ENV="); ok {
			value = v
		} else {
			rest = append(rest, e)
		}
	}
	return rest, value
}

// nearestDir returns dir or the nearest directory above it that exists.
func nearestDir(dir string) string {
	for dir != "" {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
	}
	return "/"
}
