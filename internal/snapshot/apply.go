package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

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

// apply makes the changes: git exchanges the files for those of a tree.
func (s *Store) apply(ctx context.Context, from, to state, tree string, list []Change) error {
	modes, err := s.modes(ctx, to)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer root.Close()
	dirs := s.openDirectories(root, list)
	if _, err := s.git(ctx, nil, "read-tree", "-m", "-u", from.Tree, tree); err != nil {
		for _, d := range dirs {
			if d.was != 0 {
				err = errors.Join(err, root.Chmod(d.path, d.was))
			}
		}
		return err
	}
	var errs []error
	for _, c := range list {
		if !strings.HasSuffix(c.Path, "/") {
			errs = append(errs, setMode(root, c.Path, modes[c.Path]))
		}
	}
	for _, d := range slices.Backward(dirs) { // what is in it comes first: it may become one that cannot be entered
		errs = append(errs, d.restore(root, modes[d.path+"/"]))
	}
	return errors.Join(errs...)
}

// directory is one in which something changes.
type directory struct {
	path    string
	changes bool        // it is made, or its permissions change
	was     os.FileMode // what it was, where it had to be opened for the change; 0: it had not
}

// openDirectories are the directories of changes, in order; those in which nothing can be changed are opened for a while.
func (s *Store) openDirectories(root *os.Root, list []Change) (dirs []directory) {
	changes := map[string]bool{}
	for _, c := range list {
		for dir := filepath.Dir(c.Path + "x"); dir != "."; dir = filepath.Dir(dir) {
			changes[dir] = changes[dir] || dir+"/" == c.Path || !isDirectory(filepath.Join(s.root, dir))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		d := directory{path: path, changes: changes[path]}
		if st, err := root.Lstat(path); err == nil && st.IsDir() && st.Mode()&0o300 != 0o300 && root.Chmod(path, st.Mode()|0o300) == nil {
			d.was = st.Mode()
		}
		dirs = append(dirs, d)
	}
	return dirs
}

// restore gives the directory its permissions; "" are the usual ones, and say that an empty one is not wanted.
func (d directory) restore(root *os.Root, mode string) (err error) {
	if mode != "" {
		err = root.MkdirAll(d.path, 0o755)
	} else if st, err := root.Lstat(d.path); err == nil && st.IsDir() && root.Remove(d.path) == nil {
		return nil
	}
	if d.was != 0 && !d.changes {
		return errors.Join(err, root.Chmod(d.path, d.was))
	}
	if mode != "" || d.changes {
		err = errors.Join(err, setMode(root, d.path, mode))
	}
	return err
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
