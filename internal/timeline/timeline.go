// Package timeline keeps logs of steps of which some go back to before earlier
// ones, and tells what undo and redo lead to in them.
package timeline

// Step is one entry of a log.
type Step struct {
	ID int

	// To is the step before which this one goes back; 0: it goes on. To go back to
	// before a step that went back itself is to redo what that took back.
	To int

	// Same says that nothing has changed since the step before: what was taken back
	// can still be redone.
	Same bool
}

// list is a stack that shares its lower part with others.
type list struct {
	id   int
	next *list
}

func (l *list) ids() (ids []int) {
	for ; l != nil; l = l.next {
		ids = append(ids, l.id)
	}
	return ids
}

// Replay follows a log and returns what an undo goes back to before, and what a redo
// does, by their IDs, each the next one first.
func Replay(log []Step) (undo, redo []int) {
	type state struct {
		undo, redo *list
		goesBack   bool
	}
	before, now := map[int]state{}, state{}
	for _, s := range log {
		was := now
		was.goesBack = s.To != 0
		before[s.ID] = was
		target := before[s.To] // of a step that is no longer in the log: the beginning
		switch {
		case s.To == 0 && s.Same:
			now.undo = &list{s.ID, now.undo}
		case s.To == 0:
			now = state{undo: &list{s.ID, now.undo}}
		case target.goesBack:
			now = state{undo: target.undo, redo: target.redo}
		default:
			now = state{undo: target.undo, redo: &list{s.ID, now.redo}}
		}
	}
	return now.undo.ids(), now.redo.ids()
}
