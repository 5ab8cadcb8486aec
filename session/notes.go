package session

import (
	"bytes"
	"strconv"
)

// An interactive bash writes two things to a command's stderr that bash -c
// does not: "[1] 4711" when a job is put into the background, and "exit" when
// it is told to exit. noteFilter takes them out of the stream as it passes. Each
// is one write, so it can only be split by the end of a read.
type noteFilter struct {
	held []byte // end of the stream that may yet turn out to be a note

	// announced reports whether pid can be a job that the shell has just put
	// into the background.
	announced func(pid int) bool
}

var exitNote = []byte("exit\n")

// add returns what of the stream may go on now. The result is valid until the
// next call.
func (f *noteFilter) add(p []byte) []byte {
	if len(f.held) == 0 && bytes.IndexByte(p, '[') < 0 && !bytes.Contains(p, exitNote) {
		return p
	}
	p = f.stripJobs(append(f.held, p...))
	keep := len(p) - unfinishedNote(p)
	f.held = append([]byte(nil), p[keep:]...)
	return p[:keep]
}

// flush returns what was held back at the end of the stream.
func (f *noteFilter) flush() []byte {
	p := f.held
	f.held = nil
	return p
}

// stripJobs removes job announcements from p, in place.
func (f *noteFilter) stripJobs(p []byte) []byte {
	out := p[:0]
	for {
		i := bytes.IndexByte(p, '[')
		if i < 0 {
			return append(out, p...)
		}
		out = append(out, p[:i]...)
		p = p[i:]
		if n, pid := jobNote(p); n > 0 && f.announced(pid) {
			p = p[n:]
			continue
		}
		out, p = append(out, '['), p[1:]
	}
}

// jobNote returns the length of the line "[digits] pid\n" that p begins with,
// and the pid; 0 if it does not begin with one.
func jobNote(p []byte) (n, pid int) {
	job := countDigits(p[1:])
	if job == 0 || !bytes.HasPrefix(p[1+job:], []byte("] ")) {
		return 0, 0
	}
	at := 1 + job + 2
	d := countDigits(p[at:])
	if d == 0 || at+d >= len(p) || p[at+d] != '\n' {
		return 0, 0
	}
	pid, _ = strconv.Atoi(string(p[at : at+d]))
	return at + d + 1, pid
}

// maxTrapOutput is how much an EXIT trap may write after the exit note for that to be found.
const maxTrapOutput = 4 << 10

// unfinishedNote returns how many bytes at the end of p may be the beginning of
// a note, or a note and what an EXIT trap wrote after it.
func unfinishedNote(p []byte) int {
	if i := bytes.LastIndex(p, exitNote); i >= 0 && len(p)-i <= maxTrapOutput {
		return len(p) - i
	}
	i := bytes.LastIndexByte(p, '[')
	if i < 0 {
		return 0
	}
	rest := p[i+1:]
	rest = rest[countDigits(rest):]
	if len(rest) == 0 {
		return len(p) - i
	}
	if len(p)-i-1 == len(rest) || rest[0] != ']' { // no job number, or something else after it
		return 0
	}
	rest = rest[1:]
	if len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
		rest = rest[countDigits(rest):]
	}
	if len(rest) > 0 {
		return 0
	}
	return len(p) - i
}

// countDigits returns how many decimal digits p begins with; more than nine are
// none, for no job or process has such a number.
func countDigits(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= '0' && p[n] <= '9' {
		n++
	}
	if n > 9 {
		return 0
	}
	return n
}
