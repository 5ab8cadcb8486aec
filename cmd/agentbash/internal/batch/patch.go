package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentbash/agentbash/internal/tempdir"
)

// Repository is a git repository in which work is done, and the commit it began with.
type Repository struct {
	Commit string

	root    string // of the work tree
	environ []string
}

// OpenRepository finds the repository that dir is in; commit is what its patch is against,
// or "" for the one that is checked out.
func OpenRepository(ctx context.Context, dir, commit string, environ []string) (*Repository, error) {
	r := &Repository{root: dir}
	for _, kv := range environ { // what leads git to another repository is not for this one
		if !strings.HasPrefix(kv, "GIT_") {
			r.environ = append(r.environ, kv)
		}
	}
	root, err := r.line(ctx, "rev-parse", "--show-toplevel")
	if err == nil {
		r.root = root
		if commit == "" {
			commit = "HEAD"
		}
		r.Commit, err = r.line(ctx, "rev-parse", "--verify", commit+"^{commit}")
	}
	if err != nil {
		return nil, fmt.Errorf("--result-patch wants a git repository with a commit in %s: %w", dir, err)
	}
	return r, nil
}

// Patch is what the work tree is against the commit, for git apply: with new files that are
// not ignored, whatever was committed or staged since. The repository stays as it is: the
// index is a copy, and objects go to a directory of their own. New repositories within are
// left out.
func (r *Repository) Patch(ctx context.Context) ([]byte, error) {
	temp, err := tempdir.Make("", "agentbash-patch-")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	path := func(name string) (string, error) {
		p, err := r.line(ctx, "rev-parse", "--git-path", name)
		if err == nil && !filepath.IsAbs(p) {
			p = filepath.Join(r.root, p)
		}
		return p, err
	}
	index, err1 := path("index")
	objects, err2 := path("objects")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	own := filepath.Join(temp.Path, "index")
	switch data, err := os.ReadFile(index); {
	case err == nil:
		if err := os.WriteFile(own, data, 0o600); err != nil {
			return nil, err
		}
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	aside := &Repository{root: r.root, environ: append(r.environ[:len(r.environ):len(r.environ)], "GIT_INDEX_FILE="+own,
		"GIT_OBJECT_DIRECTORY="+temp.Path, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(objects))}
	if _, err := aside.git(ctx, nil, "add", "--update"); err != nil {
		return nil, err
	}
	list, err := aside.git(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	for _, name := range bytes.SplitAfter(list, []byte{0}) {
		if !bytes.HasSuffix(name, []byte("/\x00")) {
			files.Write(name)
		}
	}
	if _, err := aside.git(ctx, files.Bytes(), "update-index", "--add", "-z", "--stdin"); err != nil {
		return nil, err
	}
	return aside.git(ctx, nil, "diff", "--cached", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short",
		"--src-prefix=a/", "--dst-prefix=b/", r.Commit)
}

// git runs git without the programs that a repository can name.
func (r *Repository) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.root, r.environ, bytes.NewReader(stdin)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(failed.Stderr))
	}
	return out, err
}

func (r *Repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}
