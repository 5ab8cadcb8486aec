package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

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
	unlock, err := s.lock()
	if err != nil {
		return done, err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return done, err
	}
	now := s.next(all)
	if err := s.capture(ctx, &now); err != nil {
		return done, err
	}
	list := s.ofSession(all)
	to, err := choose(list, now, b)
	if err != nil {
		return done, err
	}
	done.Entry = *to
	if done.Changes, err = s.compare(ctx, now.state, to.state); err != nil {
		return done, err
	}
	ignored, err := s.ignoredIn(ctx, to.state, done.Changes)
	if err != nil {
		return done, err
	}
	s.passOver(&done, b, append(slices.Clone(to.Left), now.Left...), ignored)
	if len(done.Changes) == 0 || b.DryRun {
		return done, nil
	}
	tree, err := s.partOf(ctx, now.state, done.Changes)
	if err != nil {
		return done, err
	}
	if _, err := s.git(ctx, nil, "read-tree", "-n", "-m", "-u", now.Tree, tree); err != nil {
		return done, fmt.Errorf("nothing was changed, for files changed meanwhile: try again (%w)", err)
	}
	if err := s.append(now); err != nil { // what is there is kept before anything is changed
		return done, err
	}
	if err := s.apply(ctx, now.state, to.state, tree, done.Changes); err != nil {
		return done, fmt.Errorf("not everything could be restored: undo --turn takes back what was, --dry_run says what is left to do (%w)", err)
	}
	done.Changes = slices.DeleteFunc(done.Changes, func(c Change) bool {
		dir, is := strings.CutSuffix(c.Path, "/")
		stays := is && c.Kind == "removed" && isDirectory(filepath.Join(s.root, dir))
		if stays {
			c.Why = errors.New("something in it is not kept, such as what git ignores, or a repository")
			done.Kept = append(done.Kept, c)
		}
		return stays
	})
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
	return done, s.append(now) // again: it was done
}

// choose finds the snapshot to go back to.
func choose(list []Entry, now Entry, b Back) (*Entry, error) {
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
		case e.state != now.state:
			return e, nil
		}
	}
	return nil, errors.New("no turn is kept that changed a file that git does not ignore: there is nothing to take back")
}

// compare tells what has to be done to get from one state to another.
func (s *Store) compare(ctx context.Context, from, to state) (list []Change, err error) {
	out, err := s.git(ctx, nil, "diff-tree", "-r", "-z", "--no-renames", "--raw", from.Tree, to.Tree)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	fields := records(out)
	for i := 0; i+1 < len(fields); i += 2 { // ":OLDMODE NEWMODE OLD NEW STATUS", path
		f := strings.Fields(fields[i])
		kinds := map[string]string{"A": "brought back", "D": "removed"}
		c := Change{Path: fields[i+1], Kind: kinds[f[4]], mode: f[1], object: f[3]}
		if c.Kind == "" {
			c.Kind = "restored"
		}
		seen[c.Path] = true
		list = append(list, c)
	}
	was, err := s.modes(ctx, from)
	if err != nil {
		return nil, err
	}
	is, err := s.modes(ctx, to)
	for path := range is {
		if dir, isDir := strings.CutSuffix(path, "/"); was[path] != is[path] && !seen[path] {
			c := Change{Path: path, Kind: "mode"}
			if isDir && !isDirectory(filepath.Join(s.root, dir)) {
				c.Kind = "brought back"
			}
			list = append(list, c)
		}
	}
	for path := range was {
		if _, both := is[path]; !both && !seen[path] {
			c := Change{Path: path, Kind: "mode"}
			if strings.HasSuffix(path, "/") && !s.holds(ctx, to, path) {
				c.Kind = "removed"
			}
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

func isDirectory(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

// holds reports whether a tree has something in a directory.
func (s *Store) holds(ctx context.Context, in state, dir string) bool {
	out, _ := s.git(ctx, nil, "ls-tree", "-z", in.Tree, "--", strings.TrimSuffix(dir, "/"))
	return len(out) > 0
}

// modes are the permissions that are not the usual ones, and the empty directories.
func (s *Store) modes(ctx context.Context, of state) (map[string]string, error) {
	out, err := s.git(ctx, nil, "cat-file", "blob", of.Modes)
	modes := map[string]string{}
	for _, line := range records(out) {
		mode, path, _ := strings.Cut(line, " ")
		modes[path] = mode
	}
	return modes, err
}

// ignoredIn lists the files to be removed that rules of a state ignore, with which they were
// left out: where the changes are of rules, too.
func (s *Store) ignoredIn(ctx context.Context, in state, list []Change) ([]string, error) {
	var removed []string
	rules := false
	for _, c := range list {
		if rules = rules || filepath.Base(c.Path) == ".gitignore"; c.Kind == "removed" {
			removed = append(removed, strings.TrimSuffix(c.Path, "/"))
		}
	}
	if !rules || len(removed) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp(s.dir, "rules")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	index := filepath.Join(dir, "index")
	var out []byte
	for _, args := range [][]string{{"read-tree", in.Tree}, {"ls-files", "-z", "--", ":(top,glob)**/.gitignore"}, {"checkout-index", "-z", "--stdin"}} {
		if out, err = s.gitWith(ctx, dir, index, out, args...); err != nil {
			return nil, err
		}
	}
	out, err = s.gitWith(ctx, dir, index, joinZ(removed), "check-ignore", "--no-index", "-z", "--stdin")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // none is
	}
	return records(out), err
}

// passOver takes out of the changes what was not asked for, what may not be done, and what
// would do away with bytes that are not kept.
func (s *Store) passOver(done *Done, b Back, left, ignored []string) {
	wasIgnored := map[string]bool{}
	for _, path := range ignored {
		wasIgnored[path] = true
	}
	done.Changes = slices.DeleteFunc(done.Changes, func(c Change) bool {
		path := strings.TrimSuffix(c.Path, "/")
		if b.Path != "" && path != b.Path && !strings.HasPrefix(path, b.Path+"/") {
			return true
		}
		var st unix.Stat_t
		switch err := unix.Lstat(filepath.Join(s.root, path), &st); {
		case slices.Contains(left, path):
			c.Why = errors.New("it was too big, or could not be read")
		case c.Kind == "removed" && wasIgnored[path]:
			c.Why = errors.New("git ignored it then, so it may have been there")
		case c.Kind == "brought back" && c.object != "" && err != unix.ENOENT && !s.replaced(done.Changes, path):
			c.Why = errors.New("what is there is ignored by git, so it was not kept: move it away first")
		case b.May != nil:
			c.Why = b.May(filepath.Join(s.root, path))
		}
		if c.Why != nil {
			done.Kept = append(done.Kept, c)
		}
		return c.Why != nil
	})
}

// replaced reports whether what is in the way of a path is itself removed: a file where a
// directory is to be, or the other way round.
func (s *Store) replaced(list []Change, path string) bool {
	return slices.ContainsFunc(list, func(c Change) bool {
		removed := strings.TrimSuffix(c.Path, "/")
		return c.Kind == "removed" && (strings.HasPrefix(path, removed+"/") || strings.HasPrefix(removed, path+"/"))
	})
}

// apply makes the changes: git exchanges the files for those of a tree.
func (s *Store) apply(ctx context.Context, from, to state, tree string, list []Change) error {
	dirs := map[string]bool{} // of what changes: whether its permissions do, or it is made
	for _, c := range list {
		for dir := filepath.Dir(c.Path + "x"); dir != "."; dir = filepath.Dir(dir) {
			dirs[dir] = dirs[dir] || dir+"/" == c.Path || !isDirectory(filepath.Join(s.root, dir))
		}
	}
	modes, err := s.modes(ctx, to)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer root.Close()
	closed := map[string]os.FileMode{} // directories in which nothing can be changed, for a while they are not
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if st, err := root.Lstat(dir); err == nil && st.IsDir() && st.Mode()&0o300 != 0o300 && root.Chmod(dir, st.Mode()|0o300) == nil {
			closed[dir] = st.Mode()
		}
	}
	if _, err := s.git(ctx, nil, "read-tree", "-m", "-u", from.Tree, tree); err != nil {
		for dir, mode := range closed {
			err = errors.Join(err, root.Chmod(dir, mode))
		}
		return err
	}
	var errs []error
	for _, c := range list {
		if !strings.HasSuffix(c.Path, "/") {
			errs = append(errs, setMode(root, c.Path, modes[c.Path]))
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(dirs))) { // what is in it comes first: it may become one that cannot be entered
		mode := modes[dir+"/"]
		if st, err := root.Lstat(dir); mode == "" && err == nil && st.IsDir() && root.Remove(dir) == nil {
			continue // an empty one is not wanted, and others stay
		} else if mode != "" {
			errs = append(errs, root.MkdirAll(dir, 0o755))
		}
		if was, isClosed := closed[dir]; isClosed && !dirs[dir] {
			errs = append(errs, root.Chmod(dir, was))
		} else if mode != "" || dirs[dir] {
			errs = append(errs, setMode(root, dir, mode))
		}
	}
	return errors.Join(errs...)
}

// partOf is the tree with only these changes to files.
func (s *Store) partOf(ctx context.Context, from state, list []Change) (string, error) {
	var lines []string
	for _, c := range list {
		if c.object != "" {
			lines = append(lines, fmt.Sprintf("%s %s\t%s", c.mode, c.object, c.Path))
		}
	}
	index := filepath.Join(s.dir, "part")
	defer os.Remove(index)
	for _, step := range []struct {
		stdin []byte
		args  []string
	}{{nil, []string{"read-tree", from.Tree}}, {joinZ(lines), []string{"update-index", "--replace", "-z", "--index-info"}}} {
		if _, err := s.gitWith(ctx, s.root, index, step.stdin, step.args...); err != nil {
			return "", err
		}
	}
	out, err := s.gitWith(ctx, s.root, index, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// setMode gives a file or directory its permissions: "" are the usual ones.
func setMode(root *os.Root, path, mode string) error {
	st, err := root.Lstat(path)
	if err != nil || st.Mode()&os.ModeSymlink != 0 {
		return nil // it was removed
	}
	perm := uint64(0o644)
	if st.IsDir() || st.Mode()&0o100 != 0 {
		perm = 0o755
	}
	if mode != "" {
		if perm, err = strconv.ParseUint(mode, 8, 32); err != nil {
			return err
		}
	}
	want := os.FileMode(perm & 0o777)
	for bit, flag := range map[uint64]os.FileMode{0o4000: os.ModeSetuid, 0o2000: os.ModeSetgid, 0o1000: os.ModeSticky} {
		if perm&bit != 0 {
			want |= flag
		}
	}
	return root.Chmod(path, want)
}
