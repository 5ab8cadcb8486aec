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
