package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// gitConfig is that of the object store. Objects hardly get smaller by being compressed and
// take twice the time; what a crash loses is asked for again. Bytes are kept as they are,
// whatever the user's configuration says, and every name is taken that a file can have.
const gitConfig = `[core]
	repositoryFormatVersion = 0
	bare = true
	sharedRepository = 0600
	looseCompression = 0
	fsync = none
	createObject = rename
	autocrlf = false
	fileMode = true
	symlinks = true
	ignoreCase = false
	protectNTFS = false
	protectHFS = false
	attributesFile = /dev/null
	hooksPath = /dev/null
[gc]
	auto = 0
`

// gitAttributes turn off what files of a workspace would have git do with contents.
const gitAttributes = "* !text !eol !crlf !ident !filter !working-tree-encoding\n"

func (s *Store) gitDir() string { return filepath.Join(s.dir, "git") }

// git runs git on the object store and the index, in the workspace.
func (s *Store) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return s.gitWith(ctx, s.root, s.index(), stdin, args...)
}

// gitWith is git in a work tree, with an index.
func (s *Store) gitWith(ctx context.Context, tree, index string, stdin []byte, args ...string) ([]byte, error) {
	env := append(s.environ(), "GIT_DIR="+s.gitDir(), "GIT_WORK_TREE="+tree, "GIT_INDEX_FILE="+index,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1")
	return runGitUpTo(ctx, 4*s.opts.MaxFiles+1000, tree, env, stdin, args...)
}

// environ is what git needs of the environment: nothing that leads it to another repository.
func (s *Store) environ() (env []string) {
	for _, kv := range s.opts.Environ {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR":
			env = append(env, kv)
		}
	}
	return append(env, "LC_ALL=C")
}

func runGit(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	return runGitUpTo(ctx, math.MaxInt, dir, env, stdin, args...)
}

// errTooMany says that there are more files than are kept: git lists each three times at most, of two snapshots twice.
var errTooMany = errors.New("there are too many files")

// recordBuffer collects what git's -z prints, up to a number.
type recordBuffer struct {
	text []byte
	left int
}

func (b *recordBuffer) Write(p []byte) (int, error) {
	if b.left -= bytes.Count(p, []byte{0}); b.left < 0 {
		return 0, errTooMany
	}
	b.text = append(b.text, p...)
	return len(p), nil
}

func runGitUpTo(ctx context.Context, most int, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var notes bytes.Buffer
	stdout := recordBuffer{left: most}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, bytes.NewReader(stdin), &stdout, &notes
	err := cmd.Run()
	out := stdout.text
	switch {
	case stdout.left < 0:
		err = errTooMany
	case errors.Is(err, exec.ErrNotFound):
		err = errors.New("git is not installed: install it")
	case err != nil:
		text := strings.TrimSpace(notes.String())
		err = fmt.Errorf("git %s: %w: %s", args[0], err, text[max(0, len(text)-500):])
	}
	return out, err
}

// prepare makes the object store if need be, and tells it what the user's own git
// ignores here.
func (s *Store) prepare(ctx context.Context) error {
	excludes, _ := runGit(ctx, s.root, s.environ(), nil, "config", "--global", "--type=path", "core.excludesFile") // nothing is the default
	config := gitConfig
	if path := strings.TrimSpace(string(excludes)); path != "" {
		config += fmt.Sprintf("[core]\n\texcludesFile = %q\n", path)
	}
	var info string
	if path, err := runGit(ctx, s.root, s.environ(), nil, "rev-parse", "--git-path", "info/exclude"); err == nil { // else it is no repository
		at := strings.TrimSuffix(string(path), "\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(s.root, at)
		}
		if data, err := os.ReadFile(at); err == nil {
			info = string(data)
		}
	}
	if rel, err := filepath.Rel(s.root, filepath.Dir(s.dir)); err == nil && filepath.IsLocal(rel) {
		info += "\n/" + quotePattern.Replace(rel) + "\n"
	}
	for _, dir := range []string{"info", "objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(s.gitDir(), dir), 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config, "info/exclude": info, "info/attributes": gitAttributes} {
		path := filepath.Join(s.gitDir(), name)
		if old, err := os.ReadFile(path); err != nil || string(old) != text {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil { // half of one is not what it is to be
				return err
			}
		}
	}
	return nil
}

var quotePattern = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `)

// records splits what git's -z prints.
func records(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// joinZ is records as git reads them with -z.
func joinZ(list []string) []byte {
	var b bytes.Buffer
	for _, one := range list {
		b.WriteString(one + "\x00")
	}
	return b.Bytes()
}
