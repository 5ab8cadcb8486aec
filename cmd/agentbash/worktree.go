package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/config"
	"github.com/agentbash/agentbash/internal/quote"
)

// worktree is a work tree of a run's own (git-worktree(1)), on a branch of its own.
type worktree struct {
	path, branch, base string
	from               string // the work tree that it was made from
	dir                string // in it, where the run works
}

// addWorktree makes a work tree of the repository that dir is in. It lies beside the state
// directory and not in it, which commands may not write.
func (a *app) addWorktree(ctx context.Context, dir string) (*worktree, error) {
	dirs, err := config.UserDirs(a.lookup)
	if err != nil {
		return nil, err
	}
	if dir, err = workDir(dir); err != nil {
		return nil, err
	}
	top, err := runGit(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("--worktree wants a git repository: %w", err)
	}
	w := &worktree{from: top}
	if w.base, err = runGit(ctx, dir, "rev-parse", "--verify", "HEAD"); err != nil {
		return nil, fmt.Errorf("--worktree wants a commit to begin from: %w", err)
	}
	name := fmt.Sprintf("%s-%06d", time.Now().Format("20060102-150405"), os.Getpid()%1_000_000)
	w.path = filepath.Join(dirs.State+"-worktrees", filepath.Base(top), name)
	w.branch = "agentbash/" + name
	if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return nil, err
	}
	if _, err := runGit(ctx, dir, "worktree", "add", "--quiet", "-b", w.branch, w.path, "HEAD"); err != nil {
		return nil, fmt.Errorf("--worktree: %w", err)
	}
	w.dir = w.path
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if below, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(below) {
			w.dir = filepath.Join(w.path, below)
		}
	}
	if _, err := os.Stat(w.dir); err != nil { // git does not track the directory
		w.dir = w.path
	}
	return w, nil
}

// end removes the work tree where nothing was changed in it, and else says where it is.
func (w *worktree) end(a *app) {
	ctx := context.Background()
	changed, err := runGit(ctx, w.path, "status", "--porcelain")
	head, herr := runGit(ctx, w.path, "rev-parse", "HEAD")
	if errors.Join(err, herr) == nil && changed == "" && head == w.base {
		_, err = runGit(ctx, w.from, "worktree", "remove", w.path)
		if err == nil {
			_, err = runGit(ctx, w.from, "branch", "--quiet", "-D", w.branch)
		}
		if err == nil {
			os.Remove(filepath.Dir(w.path)) // if it is empty
			return
		}
	}
	path := quote.Word(w.path)
	fmt.Fprintf(a.err, "agentbash: the work tree is kept: %s (branch %s)\n", w.path, w.branch)
	if changed != "" {
		fmt.Fprintf(a.err, "agentbash: not everything in it is committed: git -C %s status\n", path)
	}
	fmt.Fprintf(a.err, "agentbash: git merge %s takes over what is committed, git worktree remove %s ends it\n", w.branch, path)
}

// runGit runs git for the program: without what a repository would have it run.
func runGit(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// enterWorktree makes a work tree for the run, if one is wanted, and has the run work there. done
// ends it.
func (a *app) enterWorktree(ctx context.Context, c *chatFlags) (done func(), err error) {
	if !c.run.worktree {
		return func() {}, nil
	}
	w, err := a.addWorktree(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	if c.config.File != "" { // it is looked up where the person stands
		if c.config.File, err = filepath.Abs(c.config.File); err != nil {
			return nil, err
		}
	}
	c.dir = w.dir
	return func() { w.end(a) }, nil
}
