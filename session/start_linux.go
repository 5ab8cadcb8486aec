package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	// errState is start's when the shell ends over the state that it is given.
	errState = errors.New("the shell did not take the state of the one before")

	// errPath is start's when the shell cannot open what conduits made.
	errPath = errors.New("the shell cannot open the pipes of its host")
)

// revive starts a shell if none is alive.
func (e *engine) revive() error {
	if e.shell.Load() != nil {
		return nil // or dead without our knowing: the command loop finds out
	}
	if err := e.restart(); err != nil {
		return fmt.Errorf("restart the shell: %w", err)
	}
	e.restarted = true
	return nil
}

// restart starts a shell with the state of the one before: what its EXIT trap
// wrote, or the last snapshot. A shell that does not survive its state is
// replaced by one that has only the directory.
func (e *engine) restart() error {
	e.snap.read(e.buf)
	state := e.snap.restorable(e.where.Load().name)
	err := e.start(state)
	if errors.Is(err, errState) {
		e.snap.whole = nil
		err = e.start(nil)
	}
	return err
}

// start starts a shell and makes it what bootLines say; state restores what an
// older shell left. It changes to named conduits if the shell cannot open the
// others.
func (e *engine) start(state []byte) error {
	err := e.tryStart(state)
	if errors.Is(err, errPath) && !e.conduits.named {
		e.closeConduits()
		e.conduits.named = true
		err = e.tryStart(state)
	}
	return err
}

func (e *engine) tryStart(state []byte) error {
	if err := e.openConduits(); err != nil {
		return err
	}
	if err := e.watch.Start(); err != nil {
		return err
	}
	dir := nearestDir(e.where.Load().name)
	env := slices.Clip(e.cfg.environment())
	env = append(env, e.brand.env(), "PWD="+dir, "HISTFILE=/dev/null")
	tty := e.tty.slave()
	sh, err := startShell(&e.cfg, dir, env, tty, &e.conduits)
	if tty != nil {
		tty.Close()
	}
	if err != nil {
		return err
	}
	e.brand.limit(sh.pid)
	if err := e.boot(sh, state); err != nil {
		sh.readDiag(e.buf)
		said := append(e.tty.drain(), sh.diagnostics...)
		sh.signal(syscall.SIGKILL)
		sh.reap()
		return fmt.Errorf("%w; it said: %q", err, bytes.TrimSpace(said))
	}
	sh.diagnostics = sh.diagnostics[:0]
	e.shell.Store(sh)
	return nil
}

// boot feeds a new shell its first lines, Init and the state of the old one.
func (e *engine) boot(sh *shell, state []byte) error {
	f, ok := e.tell(sh, `\exec 2>|`+sh.diagPath+"\n", bootTimeout)
	e.conduits.forget(sh.diagPath)
	if !ok {
		return fmt.Errorf("%s did not get ready: Options.Shell must be a bash", e.cfg.Shell)
	}
	if f.status != 0 {
		return errPath
	}
	if _, ok := e.tell(sh, bootLines(e.snap.path), bootTimeout); !ok {
		return fmt.Errorf("%s did not get ready: Options.Shell must be a bash", e.cfg.Shell)
	}
	if e.cfg.Init != "" {
		if err := e.text.set([]byte(e.cfg.Init)); err != nil {
			return err
		}
		if _, ok := e.tell(sh, initLine(e.text.path), bootTimeout); !ok {
			return errors.New("the shell ended or hung in Options.Init")
		}
	}
	if state != nil {
		if err := e.text.set(state); err != nil {
			return err
		}
		if _, ok := e.tell(sh, restoreLine(e.text.path), bootTimeout); !ok {
			return errState
		}
	}
	return nil
}

// tell sends lines to the shell and waits until it has run them; the report
// has the status of the last one.
func (e *engine) tell(sh *shell, lines string, d time.Duration) (frame, bool) {
	e.seq++
	l := append(e.line[:0], lines...)
	e.line = append(appendReport(l, e.seq, true), '\n')
	if sh.queue(e.line) != nil {
		return frame{}, false
	}
	return sh.await(e.seq, d, e.buf, &e.snap)
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
