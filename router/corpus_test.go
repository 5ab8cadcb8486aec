package router

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// corpusEntry is one everyday command of testdata/corpus. In those files a
// line "==== name" starts an entry and the text up to the next is its command;
// "[crlf]" at the end of the name gives the command CRLF line ends.
type corpusEntry struct{ name, command string }

func corpus(t testing.TB) (entries []corpusEntry) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "corpus", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		topic := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, text := range strings.Split("\n"+string(b), "\n==== ")[1:] {
			name, command, _ := strings.Cut(text, "\n")
			command = strings.TrimSuffix(command, "\n")
			if n, ok := strings.CutSuffix(name, " [crlf]"); ok {
				name, command = n, strings.ReplaceAll(command, "\n", "\r\n")+"\r\n"
			}
			name = topic + ": " + name
			require.False(t, seen[name], "the name %q stands twice", name)
			seen[name] = true
			entries = append(entries, corpusEntry{name, command})
		}
	}
	return entries
}

// corpusFiles are the files that the corpus works on.
var corpusFiles = map[string]string{
	"README.md":           "# Fixture\n\nread write edit grep glob\n\nThe tools read and edit files.\nREAD the docs, WRITE the code.\n",
	"src/main.go":         "package main\n\n// TODO: read the flags\nfunc main() {\n\tread(\"a\")\n\tedit(\"b\")\n}\n\nfunc read(name string) { println(\"read\", name) }\n",
	"src/util.go":         "package main\n\nfunc edit(name string) {\n\tprintln(\"edit\", name)\n}\n",
	"src/sub/deep.go":     "package sub\n\n// nothing to do\nfunc glob() {}\n",
	"docs/guide.md":       "# Guide\n\nTODO: write it\n",
	"docs/notes.txt":      "note one\nnote two\n",
	"docs/with space.txt": "spaces\n",
	"data/table.txt":      "alpha 3\nbeta 1\ngamma 22\nalpha 4\nfoo 5\n",
	"data/passwd":         "root:x:0:0:root:/root:/bin/bash\nread:x:1000:1000::/home/read:/bin/sh\nedit:x:999:999::/:/bin/false\n",
	"data/indent.txt":     "  two\n\ttab\nend  \n",
	"data/dots.txt":       "a.b\naxb\n",
	"data/dash.txt":       "-x\n--y\n",
	"data/binary.bin":     "\x89PNG\r\n\x1a\n\x00\x00\x01",
	".hidden":             "hidden\n",
	"empty.txt":           "",
	"run.sh":              "#!/bin/bash\necho run\n",
}

// corpusFixture makes the directory that every command gets a fresh copy of;
// withGit makes it a repository with two commits.
func corpusFixture(t *testing.T, withGit bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fixture")
	for name, text := range corpusFiles {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o755))
	require.NoError(t, os.Symlink("README.md", filepath.Join(dir, "link")))
	if withGit {
		got := native(t, dir, `git init -q --template= -b main . && git add . && git commit -qm 'write the fixture' && echo extra >> docs/notes.txt && git commit -qam 'edit the notes' && git gc -q`)
		require.Zero(t, got.status, "%s", got.stderr)
	}
	return dir
}

// corpusEnv is the environment of both sides; the last lines are what a
// session sets for every command.
var corpusEnv = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8", "TZ=UTC", "TMPDIR=/tmp",
	"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
	"GIT_AUTHOR_DATE=2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z",
	"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// outcome is what a command did, in a form that can be compared.
type outcome struct {
	stdout, stderr string
	status         int
	files          map[string]string
}

// native runs a command with bash -c.
func native(t *testing.T, dir, command string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), MaxTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir, cmd.Env = dir, corpusEnv
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	err := cmd.Run()
	require.NotNil(t, cmd.ProcessState, "%v", err)
	status := cmd.ProcessState.ExitCode()
	return outcome{comparable(out.String(), dir), comparable(notes.String(), dir), status, snapshot(t, dir)}
}

// routed runs a command through a router of its own.
func routed(t *testing.T, dir, command string) (outcome, *Plan) {
	t.Helper()
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	r, err := New(reg, &Options{Dir: dir, StateDir: t.TempDir(), Env: corpusEnv})
	require.NoError(t, err)
	defer r.Close()
	p := r.Plan(command)
	res := r.RunPlan(context.Background(), p, &RunOptions{Timeout: MaxTimeout})
	require.NoError(t, res.Err, "%s", command)
	return outcome{comparable(res.Stdout, dir), comparable(res.Stderr, dir), res.ExitCode, snapshot(t, dir)}, p
}

// prefix is how bash names itself before a message. bash -c gives the line of
// its text ("bash: line 3: "), an interactive one that evaluates does so for
// some messages only and in another form; the message itself is the same.
// After a syntax error bash repeats the line, which it takes from its own
// input, so that repetition is left out too.
var (
	prefix     = regexp.MustCompile(`(?m)^bash: (-c: |eval: )?(line \d+: )?(-c: |eval: )?`)
	repetition = regexp.MustCompile("(?m)^bash: `.*\n")
)

func comparable(text, dir string) string {
	text = prefix.ReplaceAllString(strings.ReplaceAll(text, dir, "DIR"), "bash: ")
	return repetition.ReplaceAllString(text, "")
}

// snapshot is every file below dir but git's own, with its mode and content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
		case d.Type().IsRegular():
			var b []byte
			b, err = os.ReadFile(path)
			text = string(b)
		}
		files[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%v %q", info.Mode(), strings.ReplaceAll(text, dir, "DIR"))
		return err
	})
	require.NoError(t, err)
	return files
}

// notBashC are the entries in which the session is known to answer otherwise
// than bash -c on stderr or with another status, with or without a router. What
// they print and leave behind is compared for them too.
var notBashC = map[string]string{
	"broken: a bad array":                     "eval returns 2 for this syntax error, bash -c 1",
	"shell: a signal's status":                "bash -c tells of the killed child on stderr, an interactive bash does not",
	"find: xargs of a name that is a builtin": "a hint says what the tool is called there",
	"heredoc: without an end":                 "eval counts the line where the heredoc began otherwise",
}

// pool hands out fresh copies of a fixture. One that a command left as it was
// is fresh still.
type pool struct {
	template string
	pristine map[string]string
	dirs     chan string
}

func newPool(t *testing.T, template string) *pool {
	return &pool{template: template, pristine: snapshot(t, template), dirs: make(chan string, 16)}
}

func (p *pool) take(t *testing.T, top string) string {
	t.Helper()
	select {
	case dir := <-p.dirs:
		return dir
	default:
	}
	parent, err := os.MkdirTemp(top, "")
	require.NoError(t, err)
	dir := filepath.Join(parent, "fixture")
	out, err := exec.Command("cp", "-a", p.template, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

func (p *pool) putBack(dir string, got outcome) {
	if maps.Equal(got.files, p.pristine) {
		select {
		case p.dirs <- dir:
		default:
		}
	}
}

// TestCorpus is the promise that no native command notices the router.
func TestCorpus(t *testing.T) {
	entries := corpus(t)
	require.GreaterOrEqual(t, len(entries), 300)
	top := t.TempDir()
	plainDirs, gitDirs := newPool(t, corpusFixture(t, false)), newPool(t, corpusFixture(t, true))
	for _, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dirs := plainDirs
			if strings.HasPrefix(e.name, "git: ") {
				dirs = &pool{template: gitDirs.template} // a repository is never as it was
			}
			one, two := dirs.take(t, top), dirs.take(t, top)
			want := native(t, one, e.command)
			got, p := routed(t, two, e.command)
			require.True(t, p.Native && p.Layer == Native && !p.InProcess, "%s", e.command)
			require.Equal(t, e.command, p.Script)
			require.Empty(t, p.Calls, "%s", e.command)
			if notBashC[e.name] != "" {
				want.stderr, want.status = got.stderr, got.status
			}
			requireSame(t, e.command, want, got)
			dirs.putBack(one, want)
			dirs.putBack(two, got)
		})
	}
}

func requireSame(t *testing.T, command string, want, got outcome) {
	t.Helper()
	require.Equal(t, want.stdout, got.stdout, "stdout of:\n%s\nstderr: %s", command, got.stderr)
	require.Equal(t, want.stderr, got.stderr, "stderr of:\n%s", command)
	require.Equal(t, want.status, got.status, "status of:\n%s", command)
	require.Equal(t, slices.Sorted(maps.Keys(want.files)), slices.Sorted(maps.Keys(got.files)), "files after:\n%s", command)
	require.Equal(t, want.files, got.files, "files after:\n%s", command)
}
