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
	"strings"

	"golang.org/x/sys/unix"
)

// errDamaged says that the index is of no use: it is cut off, or names objects that there are not.
var errDamaged = errors.New("the index is damaged")

// capture brings the index up to what the files are, and notes that in an entry. The
// lock is held.
func (s *Store) capture(ctx context.Context, e *Entry) error {
	err := s.captureWith(ctx, e)
	if errors.Is(err, errDamaged) && ctx.Err() == nil && os.Remove(s.index()) == nil {
		err = s.captureWith(ctx, e)
	}
	return err
}

func (s *Store) captureWith(ctx context.Context, e *Entry) error {
	if home := filepath.Clean(s.opts.Home); s.root == "/" || s.opts.Home != "" && (home == s.root || strings.HasPrefix(home, s.root+"/")) {
		return fmt.Errorf("%s holds more than a project: start in the project's directory", s.root)
	}
	if s.tooBig != "" {
		return errors.New(s.tooBig)
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	f, err := s.look(ctx)
	if errors.Is(err, errTooMany) {
		s.tooBig = fmt.Sprintf("%s has far more files that git does not ignore than the %d that are kept at most: have git ignore what need not be, or raise the limit, and start again", s.root, s.opts.MaxFiles)
		return errors.New(s.tooBig)
	}
	if err != nil {
		return err
	}
	if f.count > s.opts.MaxFiles || f.bytes > s.opts.MaxBytes {
		s.tooBig = fmt.Sprintf("%s has %d files with %d MiB that git does not ignore, and %d files with %d MiB are the most that is kept: have git ignore what need not be, or raise the limit, and start again",
			s.root, f.count, f.bytes>>20, s.opts.MaxFiles, s.opts.MaxBytes>>20)
		return errors.New(s.tooBig)
	}
	if len(f.changed) >= slowFiles && s.opts.Slow != nil {
		s.opts.Slow(fmt.Sprintf("%d files of %s are copied so that undo --turn can bring them back, which takes a while; later only what changed is", len(f.changed), s.root))
	}
	if len(f.gone) > 0 {
		if _, err := s.git(ctx, joinZ(f.gone), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if len(f.changed) > 0 {
		if _, err := s.git(ctx, joinZ(f.changed), "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return err
		}
	}
	tree, err := s.git(ctx, nil, "write-tree")
	if err != nil {
		return errors.Join(errDamaged, err)
	}
	if err := f.addDirectories(ctx, s); err != nil {
		return err
	}
	slices.Sort(f.modes)
	modes, err := s.git(ctx, joinZ(f.modes), "hash-object", "-w", "--stdin")
	e.Tree, e.Modes, e.Left = strings.TrimSpace(string(tree)), strings.TrimSpace(string(modes)), f.left
	e.Added = f.added
	return err
}

// slowFiles is how many files take seconds.
const slowFiles = 5000

// found is what a look at the workspace finds.
type found struct {
	changed, gone []string // in comparison with the index
	left          []string // files that are not kept
	modes         []string // "MODE PATH" of what has not the usual one; directories that are empty have a slash, too
	count         int
	bytes, added  int64 // of all, and of those that changed

	parents   map[string]bool // directories of files that are kept
	untracked []string        // what git lists beside those in the index: a directory is one that has none there
}

// look compares the workspace with the index.
func (s *Store) look(ctx context.Context) (f found, err error) {
	dirs, forced := make(chan []string, 1), make(chan []string, 1)
	go func() { // on the second processor; where it fails the other does too
		list, _ := s.listUntracked(ctx)
		dirs <- list
		forced <- s.listForced(ctx, s.root)
	}()
	if _, err := os.Stat(s.index()); err == nil {
		_, err = s.git(ctx, nil, "update-index", "-q", "--refresh") // fails where something changed
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 128 {
			return f, errors.Join(errDamaged, err)
		}
	}
	out, err := s.git(ctx, nil, "ls-files", "-z", "-t", "--cached", "--modified", "--others", "--exclude-standard")
	f.parents, f.untracked = map[string]bool{}, <-dirs
	if err != nil {
		return f, err
	}
	modified, own := map[string]bool{}, map[string]bool{}
	for _, path := range <-forced {
		own[path] = true
	}
	var paths []string
	for _, r := range records(out) {
		tag, path, _ := strings.Cut(r, " ")
		switch {
		case tag == "?" && strings.HasSuffix(path, "/"):
			inner, err := s.lookNested(ctx, path)
			if err != nil {
				return f, err
			}
			for _, p := range inner {
				modified[p] = true
			}
			paths = append(paths, inner...)
		case tag == "H":
			delete(own, path)
			paths = append(paths, path)
		case tag == "?":
			paths = append(paths, path)
			fallthrough
		default: // C or R, of one that H has named
			modified[path] = true
		}
	}
	maps.Copy(modified, own)
	for _, path := range slices.AppendSeq(paths, maps.Keys(own)) {
		if !f.add(s, path, modified[path]) {
			continue
		}
		for dir := filepath.Dir(path); dir != "." && !f.parents[dir]; dir = filepath.Dir(dir) {
			f.parents[dir] = true
		}
	}
	return f, nil
}

func (s *Store) listUntracked(ctx context.Context) ([]string, error) {
	out, err := s.git(ctx, nil, "ls-files", "-z", "--others", "--directory", "--exclude-standard")
	return records(out), err
}

// listIgnored lists what git ignores. It is for the reader alone: where git cannot say, there is nothing to show.
func (s *Store) listIgnored(ctx context.Context) []string {
	out, _ := s.git(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--directory", "--exclude-standard")
	return records(out)
}

// listForced lists what a repository of the user has in its index though a rule would ignore
// it: git does not ignore that.
func (s *Store) listForced(ctx context.Context, dir string) []string {
	out, _ := runGit(ctx, dir, s.environ(), nil, "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
	return records(out) // none where it is no repository
}

// addDirectories notes the directories that are empty and those with other permissions than
// most. The index has all files.
func (f *found) addDirectories(ctx context.Context, s *Store) (err error) {
	isNew := func(dir string) bool { return f.parents[strings.TrimSuffix(dir, "/")] }
	if len(f.gone) > 0 || slices.ContainsFunc(f.untracked, isNew) { // git did not look into it
		if f.untracked, err = s.listUntracked(ctx); err != nil {
			return err
		}
	}
	empty := map[string]bool{}
	for _, dir := range f.untracked {
		if name := strings.TrimSuffix(dir, "/"); name != dir && !isNew(dir) {
			s.findEmpty(name, empty)
		}
	}
	for _, dirs := range []map[string]bool{f.parents, empty} {
		for dir := range dirs {
			var st unix.Stat_t
			if unix.Lstat(filepath.Join(s.root, dir), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && (empty[dir] || st.Mode&0o7777 != 0o755) {
				f.modes = append(f.modes, fmt.Sprintf("%04o %s/", st.Mode&0o7777, dir))
			}
		}
	}
	return nil
}

// add notes one file, and says whether it is kept.
func (f *found) add(s *Store, path string, modified bool) bool {
	var st unix.Stat_t
	err := unix.Lstat(filepath.Join(s.root, path), &st)
	kind := st.Mode & unix.S_IFMT
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), err == nil && kind != unix.S_IFREG && kind != unix.S_IFLNK:
		f.gone = append(f.gone, path)
		return false
	case err != nil, kind == unix.S_IFREG && (st.Size > s.opts.MaxFile || modified && unix.Access(filepath.Join(s.root, path), unix.R_OK) != nil):
		f.gone, f.left = append(f.gone, path), append(f.left, path)
		return false
	}
	if f.count++; kind == unix.S_IFREG {
		f.bytes += st.Size
		if mode := st.Mode & 0o7777; mode != 0o644 && mode != 0o755 {
			f.modes = append(f.modes, fmt.Sprintf("%04o %s", mode, path))
		}
	}
	if modified {
		f.added += st.Size
		f.changed = append(f.changed, path)
	}
	return true
}

// lookNested lists the files of a repository in the workspace, which git passes over until
// one of them is in the index.
func (s *Store) lookNested(ctx context.Context, dir string) (paths []string, err error) {
	out, err := s.gitWith(ctx, filepath.Join(s.root, dir), filepath.Join(s.dir, "none"), nil, "ls-files", "-z", "--others", "--exclude-standard")
	for _, p := range records(out) {
		if !strings.HasSuffix(p, "/") {
			paths = append(paths, dir+p)
			continue
		}
		inner, err := s.lookNested(ctx, dir+p)
		if err != nil {
			return nil, err
		}
		paths = append(paths, inner...)
	}
	for _, p := range s.listForced(ctx, filepath.Join(s.root, dir)) {
		paths = append(paths, dir+p)
	}
	return paths, err
}

// findEmpty notes a directory in which there is nothing to be kept, and those in it.
func (s *Store) findEmpty(dir string, empty map[string]bool) {
	entries, _ := os.ReadDir(filepath.Join(s.root, dir))
	empty[dir] = true
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() || e.Name() == ".git" }) {
		return
	}
	for _, e := range entries {
		s.findEmpty(dir+"/"+e.Name(), empty)
	}
}
