package session

import (
	"maps"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/proctable"
)

// A target is what an interrupt goes to: the processes that one command of a
// shell started, which are never older than it.
type target struct {
	shell int           // pid, also the session
	init  int           // the parent of orphans besides 1; see Process
	since int64         // ticks; start of the command
	until int64         // ticks; what starts later is hit even if it is a background job
	dead  bool          // the shell has ended: its children are orphans now
	known map[int]int64 // what was hit before, and its start: it stays a target when its parent is gone
}

// A reach is which processes of a target are hit.
type reach int

const (
	// foreground is what carries no background mark. What the shell forked only
	// now is spared: it gets its mark a moment later, if it is to have one, or
	// belongs to abortTrap.
	foreground reach = iota

	// everything is the command's background jobs too.
	everything
)

// settled is the age from which a child surely has its mark, in ticks, if it has got a processor.
const settled = 2

// findProcesses returns the children of the shell that are in reach, with all their
// descendants, whatever marks those have and whatever session they are in, and
// orphans in reach that are still in the shell's session; parents come first.
func (t *target) findProcesses(r reach) (hits []proctable.Process) {
	all := proctable.Read()
	children := make(map[int][]proctable.Process)
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	if t.known == nil {
		t.known = make(map[int]int64)
	}
	seen := map[int]bool{t.shell: true}
	var hit func(p proctable.Process)
	hit = func(p proctable.Process) {
		if seen[p.PID] {
			return
		}
		seen[p.PID] = true
		t.known[p.PID] = p.Start
		if !p.Ended() {
			hits = append(hits, p)
		}
		for _, c := range children[p.PID] {
			hit(c)
		}
	}
	now := proctable.Now()
	for _, p := range all {
		start, was := t.known[p.PID]
		own := t.shell > 0 && (p.Parent == t.shell || p.Session == t.shell && (t.dead || p.Parent == 1 || p.Parent == t.init))
		if was && start == p.Start || own && p.Start >= t.since && (r == everything || t.isForeground(p, now)) {
			hit(p)
		}
	}
	return hits
}

// isForeground reports that a process has not the mark that bash without job control leaves on
// `cmd &` and that everything the job starts inherits: INT and QUIT are both ignored.
func (t *target) isForeground(p proctable.Process, now int64) bool {
	if fresh := p.Start > now-settled || p.State == 'R' && p.Ran == 0; fresh && !t.dead {
		return false
	}
	return p.Start >= t.until || !proctable.IgnoresInterrupts(p.PID)
}

// interrupt sends SIGINT to the foreground, once to each process.
func (t *target) interrupt() {
	before := maps.Clone(t.known)
	for _, p := range t.findProcesses(foreground) {
		if before[p.PID] != p.Start {
			unix.Kill(p.PID, syscall.SIGINT)
		}
	}
}

// freezeRounds is how often kill looks for what was started meanwhile.
const freezeRounds = 5

// killReached kills what find finds. All of it is stopped first, or a loop would start
// its next process between the death of the last one and its own.
func (t *target) killReached(r reach) {
	frozen := make(map[int]bool)
	for range freezeRounds {
		fresh := false
		for _, p := range t.findProcesses(r) {
			if !frozen[p.PID] {
				unix.Kill(p.PID, syscall.SIGSTOP)
				frozen[p.PID], fresh = true, true
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
