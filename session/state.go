package session

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/syscalls"
)

// A snapshot is the latest whole state that the shell wrote, as text that
// bash can read back. It comes through a pipe, not a file, so that ulimit -f
// does not kill the shell over it.
type snapshot struct {
	in, out int // both ends, so that the pipe never ends; -1: none
	path    string
	coming  []byte // from the last snapBegin on
	whole   []byte // the last one that came to its end, without its marks
	dir     string // $PWD in it
	fresh   bool   // it came since the last command began
	aborted bool   // abortNote came since then
	seq     int64  // of the last command before it
	at      time.Time
	took    time.Duration
}

// maxSnapshot bounds the memory that a state takes; a bigger one is not kept.
const maxSnapshot = 8 << 20

func (s *snapshot) open(c *pathPipes) (err error) {
	if s.in, s.path, err = c.makePipe(); err != nil {
		return err
	}
	if s.out, err = unix.Open(s.path, unix.O_WRONLY|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("open the snapshot pipe: %w", err)
	}
	// The shell writes line by line; with room for all of it, nobody has to be
	// woken for each.
	syscalls.GrowPipe(s.in, bigBuffer)
	return nil
}

func (s *snapshot) close(c *pathPipes) {
	for _, fd := range []*int{&s.in, &s.out} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
	c.removeName(s.path)
}

// readPipe takes in what the snapshot pipe holds.
func (s *snapshot) readPipe(buf []byte) {
	for {
		n, _ := readFD(s.in, buf)
		if n == 0 {
			return
		}
		chunk := buf[:n]
		if bytes.HasPrefix(chunk, []byte(snapBegin)) || len(s.coming)+len(chunk) > maxSnapshot {
			s.coming = s.coming[:0] // what came before was cut off
		}
		s.coming = append(s.coming, chunk...)
		if at := bytes.LastIndex(s.coming, []byte(abortNote)); at >= 0 {
			s.aborted = true // and a snapshot before it was cut off
			s.coming = append(s.coming[:0], s.coming[at+len(abortNote):]...)
		}
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
const ownVars = `PWD|BASHOPTS|BASHPID|BASH_[A-Z]+|DIRSTACK|EPOCH[A-Z]+|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|PIPESTATUS|PPID|RANDOM|SECONDS|SHELLOPTS|SRANDOM|UID|COPROC|PS[012]|TMOUT|_|__session_[a-z]+`

// quotedValue is a quoted value, or a part of an array, in a list of declarations.
const quotedValue = `\$'([^'\\]|\\.)*'|"([^"\\]|\\[\s\S])*"`

// notRestored are lines of a snapshot that a new shell must not read: bash's
// own variables, options that would end it or change where it reads from, and the
// session's own trap. Up to bash 5.1 a quoted value may have several lines.
var notRestored = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(declare -[A-Za-z-]+ (` + ownVars + `)(=(` + quotedValue + `|[^"\n])*)?|set -o (noexec|onecmd|privileged|history|histexpand)|set [-+]o (emacs|vi)|trap -- '.*__session_abort.*' SIGINT)\n`)
})

// restorable returns what a new shell is to read, which then goes to dir; nil
// when nothing is known.
func (s *snapshot) restorable(dir string) []byte {
	if s.whole == nil {
		return nil
	}
	state := append(readable(s.whole), `\builtin cd -- `...)
	return append(appendQuoted(state, dir), '\n')
}

// lettersLine is a variable with an attribute that makes what is assigned from then on
// capital or small letters. What it has already may have others.
var lettersLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^declare -([aAint]*)(r?)([tx]*)([clu]) (\w+)(=.*)$`)
})

// readable is what of a snapshot another shell is to read. Variables stand behind the functions.
func readable(whole []byte) []byte {
	state := notRestored().ReplaceAll(whole, nil)
	variables := bytes.LastIndex(state, []byte("\n}\n")) + 1
	return append(state[:variables:variables], lettersLine().ReplaceAll(state[variables:], []byte("declare -g$1$3 $5$6\ndeclare -$2$4 $5"))...)
}

// snapshotBefore takes a snapshot before a command that may end the shell without our
// EXIT trap: by exec, by a signal, or by exit with a trap of its own. Between
// commands that a model sends there is time enough for one, and then this one
// is not needed.
//
// One that may go on after its limit takes the shell with it, so it is the same. Snapshots that
// take long are then taken for a tenth of the time at most.
func (e *engine) snapshotBefore(text string, goesOn bool) {
	if e.snap.seq == e.seq {
		return
	}
	if goesOn && !endsAtOnce(text) && time.Since(e.snap.at) >= 10*(e.snap.took-maxCheap) {
		e.takeSnapshot()
		return
	}
	for _, word := range [...]string{"exec", "kill", "exit", "trap"} {
		if strings.Contains(text, word) {
			e.takeSnapshot()
			return
		}
	}
}

// maxCheap is how long a snapshot may take that is taken before each command.
const maxCheap = 2 * time.Millisecond

// atOnce are builtins that do not wait for anything.
var atOnce = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(": [ [[ alias cd declare dirs echo export false hash let popd printf pushd pwd readonly set shift shopt test true type typeset umask unalias unset") {
		words[w] = true
	}
	return words
})

// endsAtOnce reports whether a text surely takes no time: it has nothing but builtins and assignments.
func endsAtOnce(text string) bool {
	if strings.ContainsAny(text, "`(<>{") {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";&|\n", r) }) {
		word, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
		if !(word == "" || atOnce()[word] || rest == "" && strings.Contains(word, "=")) {
			return false
		}
	}
	return true
}

// snapTimeout bounds the wait for a snapshot.
const snapTimeout = 2 * time.Second

func (e *engine) takeSnapshot() {
	sh := e.shell.Load()
	if sh == nil {
		return
	}
	start := time.Now()
	if _, ok := e.runLines(sh, dumpLine(e.snap.path), snapTimeout); ok {
		e.snap.readPipe(e.buf)
		e.snap.seq = e.seq
		e.shareState()
	}
	e.snap.at = time.Now()
	e.snap.took = e.snap.at.Sub(start)
}

// shareState has State give what is known now.
func (e *engine) shareState() {
	whole := bytes.Clone(e.snap.whole)
	e.given.Store(&whole)
}

// notGiven are lines of a snapshot that a shell does not get that has its own environment: exported
// variables and traps.
var notGiven = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(declare -[a-zA-Z]*x[a-zA-Z]* [A-Za-z_][A-Za-z0-9_]*(=.*)?|trap .*|(?s:__session_[a-z]+ \(\).*?\n\}))\n`)
})

// State is Session.State.
func (e *engine) State() []byte {
	select {
	case e.running <- struct{}{}:
		if e.snap.seq != e.seq && !e.closing.Load() {
			e.takeSnapshot()
		}
		<-e.running
	default:
	}
	whole := e.given.Load()
	if whole == nil {
		return nil
	}
	return notGiven().ReplaceAll(readable(*whole), nil)
}
