package session

import (
	"bytes"
	"regexp"
	"strings"
	"time"
)

// A snapshot is the latest whole state that the shell wrote, as text that
// bash can read back. It comes through a pipe, not a file, so that ulimit -f
// does not kill the shell over it.
type snapshot struct {
	coming []byte // from the last snapBegin on
	whole  []byte // the last one that came to its end, without its marks
	dir    string // $PWD in it
	fresh  bool   // it came since the last command began
	seq    int64  // of the last command before it
}

// maxSnapshot bounds the memory that a state takes; a bigger one is not kept.
const maxSnapshot = 8 << 20

// read takes in what the snapshot pipe holds.
func (s *snapshot) read(fd int, buf []byte) {
	for {
		n, _ := readFD(fd, buf)
		if n == 0 {
			return
		}
		if bytes.HasPrefix(buf[:n], []byte(snapBegin)) || len(s.coming)+n > maxSnapshot {
			s.coming = s.coming[:0] // what came before was cut off
		}
		s.coming = append(s.coming, buf[:n]...)
		body, ok := bytes.CutPrefix(s.coming, []byte(snapBegin))
		if !ok || !bytes.HasSuffix(body, []byte("\n"+snapEnd)) {
			continue
		}
		if dir, state, ok := bytes.Cut(body[:len(body)-len(snapEnd)], []byte{0}); ok {
			s.whole, s.dir, s.fresh = append(s.whole[:0], state...), string(dir), true
		}
		s.coming = s.coming[:0]
	}
}

// ownVars are variables that bash keeps itself: to restore them is an error or
// has side effects.
const ownVars = `BASHOPTS|BASHPID|BASH_[A-Z]+|DIRSTACK|EPOCH[A-Z]+|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|PIPESTATUS|PPID|RANDOM|SECONDS|SHELLOPTS|SRANDOM|UID|COPROC|PS1|__session_[a-z]+`

// notRestored are lines of a snapshot that a new shell must not read: bash's
// own variables, and options that would end it or change where it reads from.
var notRestored = regexp.MustCompile(`(?m)^(declare -[A-Za-z-]+ (` + ownVars + `)(=.*)?|set -o (errexit|noexec|onecmd|privileged|history|histexpand)|set [-+]o (emacs|vi))\n`)

// restart starts a shell with the state of the one before: what its EXIT trap
// wrote, or the last snapshot.
func (e *engine) restart() error {
	e.readSnap()
	var state []byte
	if e.snap.whole != nil {
		state = append(notRestored.ReplaceAll(e.snap.whole, nil), `\builtin cd -- `...)
		state = append(appendQuoted(state, e.where.Load().name), '\n')
	}
	return e.start(state)
}

// readSnap takes in snapshots.
func (e *engine) readSnap() { e.snap.read(e.snapIn, e.buf) }

// foresee takes a snapshot before a command that may end the shell without an
// EXIT trap, by exec or by a signal.
func (e *engine) foresee(text string) {
	if e.snap.seq != e.seq && (strings.Contains(text, "exec") || strings.Contains(text, "kill")) {
		e.takeSnapshot()
	}
}

// snapTimeout bounds the wait for a snapshot.
const snapTimeout = 2 * time.Second

func (e *engine) takeSnapshot() {
	sh := e.shell.Load()
	if sh == nil {
		return
	}
	e.seq++
	e.line = appendDump(e.line[:0], e.path(e.snapIn), e.seq)
	if sh.queue(e.line) == nil && e.await(sh, snapTimeout) {
		e.readSnap()
	}
	e.snap.seq = e.seq
}

// fixState sends the line that takes back what the last command did to the
// prompt.
func (e *engine) fixState() {
	if sh := e.shell.Load(); sh != nil {
		sh.queue([]byte(fixLine))
		sh.readDiag(e.buf)
	}
}
