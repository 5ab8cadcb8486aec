package snapshot

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

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
		inLog := string([]rune(path)) // bytes that are no UTF-8 are lost there
		switch err := unix.Lstat(filepath.Join(s.root, path), &st); {
		case slices.ContainsFunc(left, func(l string) bool { return string([]rune(l)) == inLog }):
			c.Why = errors.New("it was too big, or could not be read")
		case c.Kind == "removed" && wasIgnored[path]:
			c.Why = errors.New("git ignored it then, so it may have been there")
		case c.Kind == "removed" && path != c.Path && s.holdsFiles(path):
			c.Why = errors.New("something in it is not kept, such as what git ignores, or a repository")
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

// holdsFiles reports whether a directory has more than directories in it.
func (s *Store) holdsFiles(dir string) bool {
	return filepath.WalkDir(filepath.Join(s.root, dir), func(_ string, d os.DirEntry, err error) error {
		if err == nil && (!d.IsDir() || d.Name() == ".git") {
			return os.ErrExist
		}
		return nil
	}) != nil
}

// replaced reports whether what is in the way of a path is itself removed: a file where a
// directory is to be, or the other way round.
func (s *Store) replaced(list []Change, path string) bool {
	return slices.ContainsFunc(list, func(c Change) bool {
		removed := strings.TrimSuffix(c.Path, "/")
		return c.Kind == "removed" && (strings.HasPrefix(path, removed+"/") || strings.HasPrefix(removed, path+"/"))
	})
}
