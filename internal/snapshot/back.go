package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/timeline"
)

// Back says what to go back to.
type Back struct {
	Turn   int                     // to before this turn of the session; 0: before the last one that changed something
	Redo   bool                    // to what the last going back did away with
	Path   string                  // of one file or directory alone, relative to the root; "": of all
	DryRun bool                    // only say what would be done
	May    func(path string) error // may refuse an absolute path, which is passed over then; nil: nothing is refused
}

// Done is what going back did.
type Done struct {
	Entry   Entry
	Changes []Change
	Kept    []Change // what was passed over, with the reason
	Ignored []string // what git ignores now, directories as a whole: it is in no snapshot, and stays as it is; not with Back.Path
}

// Change is what going back does to one path, relative to the root.
type Change struct {
	Path string
	Kind string // "restored", "brought back", "removed" or "mode"
	Why  error  // it was passed over

	mode, object string // as git has them, of a file: zeros where it is to be removed
}

// GoBack makes the workspace what it was in a snapshot. It keeps what it is in one of its own
// before, to which a redo goes.
func (s *Store) GoBack(ctx context.Context, b Back) (done Done, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return done, err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return done, err
	}
	now := s.next(all)
	if err := s.captureToGo(ctx, &now, b.DryRun); err != nil {
		return done, err
	}
	done, ignored, err := s.plan(ctx, s.ofSession(all), now, b)
	if b.Path == "" {
		done.Ignored = s.listIgnored(ctx)
	}
	if err != nil || len(done.Changes) == 0 || b.DryRun {
		return done, err
	}
	to := done.Entry
	tree, err := s.partOf(ctx, now.state, done.Changes)
	if err != nil {
		return done, err
	}
	if _, err := s.git(ctx, nil, "read-tree", "-n", "-m", "-u", now.Tree, tree); err != nil {
		return done, fmt.Errorf("nothing was changed, for files changed meanwhile: try again (%w)", err)
	}
	if err := timeline.Append(s.log(), now); err != nil { // what is there is kept before anything is changed
		return done, err
	}
	if err := s.apply(ctx, now.state, to.state, tree, done.Changes); err != nil {
		return done, fmt.Errorf("not everything could be restored: undo --turn takes back what was, --dry_run says what is left to do (%w)", err)
	}
	if b.Path != "" {
		return done, nil
	}
	if len(ignored) > 0 { // again, and so left out
		if _, err := s.git(ctx, joinZ(ignored), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return done, err
		}
	}
	reached := now
	if err := s.capture(ctx, &reached); err != nil {
		return done, err
	}
	now.To, now.Reached = to.ID, &reached.state
	return done, timeline.Append(s.log(), now) // again: it was done
}

// captureToGo is capture before going back: where there are too many files, maybe for want of a .gitignore
// that is gone, it is brought back first.
func (s *Store) captureToGo(ctx context.Context, now *Entry, dryRun bool) error {
	err := s.capture(ctx, now)
	if s.tooBig == "" || dryRun {
		return err
	}
	names, listErr := s.git(ctx, nil, "ls-files", "-z", "--", ":(top,glob)**/.gitignore")
	if listErr != nil {
		return err
	}
	s.git(ctx, names, "checkout-index", "-q", "-z", "--stdin") // what is there stays, which it says
	s.tooBig = ""
	return s.capture(ctx, now)
}

// plan finds the snapshot to go back to and what is to be done for it; ignored are the files that its rules ignore.
func (s *Store) plan(ctx context.Context, list []Entry, now Entry, b Back) (done Done, ignored []string, err error) {
	isDone := func(c Change) bool { return c.Why == nil || !strings.HasSuffix(c.Path, "/") }
	for skip := 0; !slices.ContainsFunc(slices.Concat(done.Changes, done.Kept), isDone); skip++ {
		to, err := choose(list, now, b, skip)
		if err != nil {
			return done, nil, err
		}
		done = Done{Entry: *to}
		if done.Changes, err = s.compare(ctx, now.state, to.state); err != nil {
			return done, nil, err
		}
		if ignored, err = s.ignoredIn(ctx, to.state, done.Changes); err != nil {
			return done, nil, err
		}
		s.passOver(&done, b, append(slices.Clone(to.Left), now.Left...), ignored)
		if b.Turn > 0 || b.Redo || b.Path != "" {
			break
		}
	}
	return done, ignored, nil
}

// choose finds the snapshot to go back to; without a turn's number it passes over as many as there is nothing to be done for.
func choose(list []Entry, now Entry, b Back, skip int) (*Entry, error) {
	find := func(fits func(Entry) bool) *Entry {
		for i := len(list) - 1; i >= 0; i-- {
			if fits(list[i]) {
				return &list[i]
			}
		}
		return nil
	}
	byID := func(id int) *Entry { return find(func(e Entry) bool { return e.ID == id }) }
	var steps []timeline.Step
	var left state // by the last that went back
	for _, e := range list {
		step := timeline.Step{ID: e.ID, To: e.To, Same: e.state == left && left != state{}}
		if e.Reached != nil {
			left = *e.Reached
		} else if !step.Same {
			left = state{}
		}
		steps = append(steps, step)
	}
	undo, redo := timeline.Replay(steps)
	switch {
	case b.Turn > 0:
		if e := find(func(e Entry) bool { return e.Turn == b.Turn }); e == nil {
			return nil, fmt.Errorf("no snapshot of turn %d is kept: undo --turn --list shows those that are", b.Turn)
		} else if e.Skipped != "" {
			return nil, fmt.Errorf("no snapshot was taken before turn %d: %s", b.Turn, e.Skipped)
		} else {
			return e, nil
		}
	case b.Redo && len(redo) > 0 && left == now.state:
		return byID(redo[0]), nil
	case b.Redo && len(redo) > 0:
		return nil, errors.New("files were changed since the turn was taken back: undo --turn takes that back first")
	case b.Redo:
		return nil, errors.New("no turn was taken back: there is nothing to redo")
	}
	for _, id := range undo {
		switch e := byID(id); {
		case e.Skipped != "":
			return nil, fmt.Errorf("no snapshot was taken before turn %d: %s", e.Turn, e.Skipped)
		case e.state == now.state:
		case skip == 0:
			return e, nil
		default:
			skip--
		}
	}
	return nil, errors.New("no turn is kept that changed a file that git does not ignore: there is nothing to take back")
}
