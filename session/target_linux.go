package session

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A target is what an interrupt goes to: the foreground processes that one
// command of a shell started, which are never older than it.
type target struct {
	shell int           // pid, also the session
	since int64         // ticks; start of the command
	until int64         // ticks; what starts later is hit even if it is a background job
	dead  bool          // the shell has ended: its children are orphans now
	known map[int]int64 // what was hit before, and its start: it stays a target when its parent is gone
}

// find returns the children of the shell that carry no background mark, with
// all their descendants, whatever marks those have and whatever session they
// are in, and unmarked orphans that are still in the shell's session; parents
// come first. With jobs, the command's background jobs are found too.
func (t *target) find(jobs bool) (hits []proc) {
	all := processes()
	children := make(map[int][]proc)
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	if t.known == nil {
		t.known = make(map[int]int64)
	}
	seen := map[int]bool{t.shell: true}
	var hit func(p proc)
	hit = func(p proc) {
		if seen[p.pid] {
			return
		}
		seen[p.pid] = true
		t.known[p.pid] = p.start
		if !p.zombie {
			hits = append(hits, p)
		}
		for _, c := range children[p.pid] {
			hit(c)
		}
	}
	for _, p := range all {
		start, was := t.known[p.pid]
		own := p.parent == t.shell || p.session == t.shell && (t.dead || p.parent == 1)
		if was && start == p.start || own && p.start >= t.since && (jobs || p.start >= t.until || !background(p.pid)) {
			hit(p)
		}
	}
	return hits
}

// signal sends sig to what find finds.
func (t *target) signal(sig syscall.Signal) {
	for _, p := range t.find(false) {
		unix.Kill(p.pid, sig)
	}
}

// freezeRounds is how often kill looks for what was started meanwhile.
const freezeRounds = 5

// kill kills what find finds. All of it is stopped first, or a loop would start
// its next process between the death of the last one and its own.
func (t *target) kill(jobs bool) {
	frozen := make(map[int]bool)
	for range freezeRounds {
		fresh := false
		for _, p := range t.find(jobs) {
			if !frozen[p.pid] {
				unix.Kill(p.pid, syscall.SIGSTOP)
				frozen[p.pid], fresh = true, true
			}
		}
		if !fresh {
			break
		}
	}
	for pid := range frozen {
		unix.Kill(pid, syscall.SIGKILL)
	}
}
