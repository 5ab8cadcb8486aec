package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash/internal/timeline"
	"github.com/stretchr/testify/require"
)

// workspace is a directory and a store of its snapshots.
type workspace struct {
	t   *testing.T
	dir string
	*Store
}

func newWorkspace(t *testing.T, o Options) *workspace {
	o.Environ = os.Environ()
	dir := t.TempDir()
	return &workspace{t, dir, Open(dir, filepath.Join(t.TempDir(), "snapshots"), &o)}
}

// bash runs a script in the workspace.
func (w *workspace) bash(script string) string {
	w.t.Helper()
	cmd := exec.Command("bash", "-ec", script)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	return string(out)
}

func (w *workspace) take() Entry {
	w.t.Helper()
	e, err := w.Take(w.t.Context())
	require.NoError(w.t, err)
	return e
}

func (w *workspace) back(b Back) Done {
	w.t.Helper()
	done, err := w.GoBack(w.t.Context(), b)
	require.NoError(w.t, err)
	return done
}

// all is what there is: every name with its kind, permissions, content or target.
func (w *workspace) all() (out string) {
	w.t.Helper()
	require.NoError(w.t, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(w.t, err)
		info, err := d.Info()
		require.NoError(w.t, err)
		rel, _ := filepath.Rel(w.dir, path)
		out += fmt.Sprintf("%s %s", info.Mode(), rel)
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			require.NoError(w.t, err)
			out += fmt.Sprintf(" %q", data)
		case info.Mode()&os.ModeSymlink != 0:
			to, err := os.Readlink(path)
			require.NoError(w.t, err)
			out += " -> " + to
		}
		out += "\n"
		return nil
	}))
	return out
}

const repository = "git init -q; git config core.autocrlf true; printf 'one\\r\\ntwo\\n' > crlf; echo '* text=auto eol=crlf filter=f' > .gitattributes; git add .; git commit -qm first; echo s > s; git add s; git stash -q; echo staged > staged; git add staged; "

func TestGoBackAndForward(t *testing.T) {
	for _, row := range []struct{ name, before, turn string }{
		{"the usual", "echo 1 > a; echo 2 > b; echo 3 > c", "echo x >> a; rm b; mv c d; mkdir n"},
		{"in a repository", repository + "echo 1 > a; echo 2 > b", "echo x >> a; rm b; git add -A; git commit -qm second; printf 'x\\n' > crlf"},
		{"its attributes", repository, "rm .gitattributes; printf 'a\\r\\nb\\n' > crlf"},
		{"permissions", "umask 022; echo 1 > a; echo 2 > b; chmod 600 b; mkdir -m 700 p; echo > p/f; mkdir -m 750 e", "chmod 4755 a; chmod 644 b; chmod 755 p; chmod 700 e; echo new > c; chmod 640 c"},
		{"permissions of what is removed", "umask 022; mkdir -m 700 p; echo 1 > p/f; chmod 640 p/f", "rm -r p"},
		{"links", "echo 1 > a; ln -s a l; mkdir d; echo 2 > d/f; ln -s nowhere dead", "ln -sfn d l; rm -r d; ln -s /etc d; rm dead"},
		{"a file and a directory change places", "echo 1 > a; mkdir d; echo 2 > d/f", "rm a; mkdir a; echo 3 > a/f; rm -r d; echo 4 > d"},
		{"empty directories", "mkdir -p e/f g/h/i; echo > g/k", "rm -r e g; mkdir -p m/n/o"},
		{"a directory loses its last file", "mkdir d; echo 1 > d/f", "rm d/f"},
		{"an empty directory gets a file", "mkdir d", "echo > d/f"},
		{"odd names", `printf 1 > $'a\nb'; printf 2 > 'c"d\e'; printf 3 > ' lead'; printf 4 > $'\xff'; mkdir 'git~1'; echo > 'git~1/x'; printf 5 > '*'`, `rm -r ./*; printf x > ' lead'`},
		{"nested repositories", "mkdir -p v/lib; (cd v/lib; git init -q; echo 1 > a; git add a; git commit -qm x; echo 2 > b; git init -q in; echo 3 > in/f)", "echo x > v/lib/a; rm v/lib/b v/lib/in/f; echo new > v/lib/c"},
		{"a submodule", "git init -q up; (cd up; echo 1 > a; git add a; git commit -qm x); git init -q; git -c protocol.file.allow=always submodule -q add ./up sub; git commit -qm y", "echo x > sub/a; echo y > sub/new"},
		{"big and small", "head -c 3000000 /dev/urandom > big; : > empty", "head -c 2000000 /dev/urandom > big; echo x > empty"},
		{"same size, same second", "echo 1 > a", "t=$(date -r a +@%s.%N); echo 2 > a; touch -d $t a"},
		{"what is in the index though a rule ignores it", "git init -q; echo '*.log' > .gitignore; echo 1 > k.log; echo 1 > m.log; mkdir n; (cd n; git init -q; echo 1 > k.log; echo '*.log' > .gitignore; git add -f k.log); git add -f *.log", "rm k.log n/k.log; echo 2 > m.log; echo x > a"},
		{"rules go", "printf '*.o\\n/n/\\n' > .gitignore; echo 1 > f.o; mkdir n p; echo 1 > n/f; echo 1 > p/f.o; echo 1 > p/g", "rm .gitignore p/g; echo 2 > a"},
		{"FIFOs stay", "mkfifo p; echo 1 > a", "echo 2 > a"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorkspace(t, Options{})
			w.bash(row.before)
			w.take()
			before := w.all()
			w.bash(row.turn)
			git, after := w.gitFiles(), w.all()
			done := w.back(Back{DryRun: true})
			require.NotEmpty(t, done.Changes)
			require.Equal(t, after, w.all(), "a dry run changes nothing")
			w.back(Back{})
			require.Equal(t, git, w.gitFiles(), "the repository is touched")
			require.Equal(t, without(before), without(w.all()))
			w.back(Back{Redo: true})
			require.Equal(t, git, w.gitFiles())
			require.Equal(t, after, w.all())
			w.back(Back{})
			require.Equal(t, without(before), without(w.all()))
		})
	}
}

// gitFiles are the bytes of all repositories.
func (w *workspace) gitFiles() (out string) { return strings.Join(gitLines(w.all(), true), "\n") }

// without leaves them out.
func without(all string) string { return strings.Join(gitLines(all, false), "\n") }

func gitLines(all string, in bool) (out []string) {
	for line := range strings.Lines(all) {
		if name := " " + strings.SplitN(line, " ", 3)[1]; (strings.Contains(name, "/.git") || strings.Contains(name, " .git")) && !(strings.Contains(name, ".gita") || strings.Contains(name, ".giti")) == in {
			out = append(out, line)
		} else if !in && !strings.Contains(name, ".git/") && !strings.HasSuffix(strings.TrimSpace(name), ".git") {
			out = append(out, line)
		}
	}
	return out
}

func TestStepByStep(t *testing.T) {
	w := newWorkspace(t, Options{})
	for i := range 4 {
		e := w.take()
		require.Equal(t, i+1, e.Turn)
		w.bash(fmt.Sprintf("echo %d > a", i+1))
	}
	content := func() string { return w.bash("cat a 2>/dev/null || :") }
	w.back(Back{})
	require.Equal(t, "3\n", content())
	w.take() // of a turn that begins with going back: nothing has changed, so it counts for nothing
	w.back(Back{})
	require.Equal(t, "2\n", content())
	w.take()
	w.back(Back{Redo: true})
	require.Equal(t, "3\n", content())
	w.back(Back{Redo: true})
	require.Equal(t, "4\n", content())
	_, err := w.GoBack(t.Context(), Back{Redo: true})
	require.ErrorContains(t, err, "nothing to redo")
	w.back(Back{Turn: 2})
	require.Equal(t, "1\n", content())
	w.bash("echo own > a")
	_, err = w.GoBack(t.Context(), Back{Redo: true})
	require.ErrorContains(t, err, "files were changed since")
	_, err = w.GoBack(t.Context(), Back{Turn: 99})
	require.ErrorContains(t, err, "no snapshot of turn 99 is kept")
}

// What one turn left behind is what the next one found.
func TestAnEmptyDirectoryThatATurnLeft(t *testing.T) {
	w := newWorkspace(t, Options{})
	w.bash("mkdir -p d/e g; echo 1 > d/e/f; echo 1 > g/f")
	w.take()
	w.bash("rm d/e/f; rm g/f; mkdir g/h")
	w.take()
	before := w.all()
	w.bash("echo > a")
	w.back(Back{})
	require.Equal(t, before, w.all())
}

func TestNothingIsLostByGoingBack(t *testing.T) {
	w := newWorkspace(t, Options{MaxFile: 1000})
	w.bash("echo 1 > a; echo 1 > b; echo 1 > c; echo 1 > grows; head -c 2000 /dev/zero > shrinks; echo 1 > d")
	e := w.take()
	require.Equal(t, []string{"shrinks"}, e.Left)
	w.bash("rm a d")
	w.take()
	w.bash("echo a > .gitignore; echo d/ >> .gitignore; echo mine > a; mkdir d; echo mine > d/f; head -c 2000 /dev/zero > grows; echo 1 > shrinks; echo 2 > b")
	done := w.back(Back{Turn: 1, May: func(path string) error {
		if path == filepath.Join(w.dir, "b") {
			return errors.New("is protected")
		}
		return nil
	}})
	var kept []string
	for _, c := range done.Kept {
		kept = append(kept, c.Path+": "+c.Why.Error())
	}
	require.Equal(t, []string{"a: what is there is ignored by git, so it was not kept: move it away first", "b: is protected",
		"d: what is there is ignored by git, so it was not kept: move it away first", "grows: it was too big, or could not be read", "shrinks: it was too big, or could not be read"}, kept)
	require.Equal(t, "mine\nmine\n2\n1\n", w.bash("cat a d/f b shrinks"))
	require.Equal(t, "2000\n", w.bash("stat -c %s grows"))
	require.NoFileExists(t, filepath.Join(w.dir, ".gitignore"))
	w.back(Back{Redo: true})
	require.FileExists(t, filepath.Join(w.dir, ".gitignore"))
	w.back(Back{})

	w.bash("echo 3 > c; echo 3 > b")
	w.back(Back{Turn: 1, Path: "c"})
	require.Equal(t, "1\n3\n", w.bash("cat c b"))
	w.back(Back{})
	require.Equal(t, "3\n3\n", w.bash("cat c b"), "what one file was is kept as well")
}

// A file that is changed while the turn is taken back keeps what it got.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorkspace(t, Options{})
	w.bash("echo 1 > a; echo 1 > b")
	w.take()
	w.bash("echo 2 > a; echo 2 > b")
	_, err := w.GoBack(t.Context(), Back{May: func(path string) error { return os.WriteFile(path, []byte("meanwhile\n"), 0o600) }})
	require.ErrorContains(t, err, "nothing was changed, for files changed meanwhile")
	require.Equal(t, "meanwhile\nmeanwhile\n", w.bash("cat a b"))
	_, err = w.GoBack(t.Context(), Back{Redo: true})
	require.ErrorContains(t, err, "nothing to redo")
	w.back(Back{})
	require.Equal(t, "1\n1\n", w.bash("cat a b"))
	w.back(Back{Redo: true})
	require.Equal(t, "meanwhile\nmeanwhile\n", w.bash("cat a b"))
}

func TestIgnoredFilesAreLeftOut(t *testing.T) {
	w := newWorkspace(t, Options{})
	home := t.TempDir()
	w.opts.Environ = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "x"))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\texcludesFile = ~/mine\n\thooksPath = /nowhere\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, "mine"), []byte("*.mine\n"), 0o600))
	w.bash("git init -q; echo '*.info' > .git/info/exclude; echo '*.o' > .gitignore; for f in f.o f.info f.mine f.c; do echo 1 > $f; done")
	w.take()
	w.bash("for f in f.o f.info f.mine f.c; do echo 2 > $f; done")
	done := w.back(Back{})
	require.Equal(t, "2\n2\n2\n1\n", w.bash("cat f.o f.info f.mine f.c"))
	require.Equal(t, []string{"f.info", "f.mine", "f.o"}, done.Ignored)
	require.Empty(t, w.back(Back{Redo: true, Path: "f.c"}).Ignored)
}

func TestWhatIsTooMuchIsNotTaken(t *testing.T) {
	for _, row := range []struct {
		name    string
		o       Options
		setUp   func(w *workspace)
		because string
	}{
		{"files", Options{MaxFiles: 2}, func(*workspace) {}, "has 3 files with 0 MiB"},
		{"bytes", Options{MaxBytes: 5}, func(*workspace) {}, "has 3 files with 0 MiB"},
		{"the home directory", Options{}, func(w *workspace) { w.opts.Home = w.dir }, "holds more than a project"},
		{"what holds it", Options{}, func(w *workspace) { w.opts.Home = w.dir + "/u" }, "holds more than a project"},
		{"no git", Options{}, func(w *workspace) { w.t.Setenv("PATH", w.t.TempDir()) }, "git is not installed: install it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorkspace(t, row.o)
			w.bash("echo 1 > a; echo 2 > b; echo 3 > c")
			row.setUp(w)
			require.Contains(t, w.take().Skipped, row.because)
			if row.name != "no git" {
				w.opts = Options{Environ: os.Environ(), MaxFiles: 10, MaxBytes: 1000, MaxFile: 1000, MaxAge: time.Hour, MaxCount: 10}
				w.tooBig = "" // as another process finds it
				_, err := w.GoBack(t.Context(), Back{})
				require.ErrorContains(t, err, "no snapshot was taken before turn 1: ")
				require.ErrorContains(t, err, row.because)
			}
		})
	}
}

func TestSessionsAreApart(t *testing.T) {
	name := "a"
	w := newWorkspace(t, Options{Session: func() string { return name }})
	w.take()
	w.bash("echo 1 > f")
	name = "b"
	_, err := w.GoBack(t.Context(), Back{})
	require.ErrorContains(t, err, "nothing to take back")
	require.Equal(t, 1, w.take().Turn)
	list, err := w.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	w.opts.Session = nil // a person
	list, err = w.List()
	require.NoError(t, err)
	require.Len(t, list, 2)
	w.back(Back{})
	require.NoFileExists(t, filepath.Join(w.dir, "f"))
}

func TestOldSnapshotsAreDropped(t *testing.T) {
	w := newWorkspace(t, Options{MaxCount: 5})
	for i := range 40 {
		w.bash(fmt.Sprintf("echo content %d > a", i))
		w.take()
	}
	list, err := w.List()
	require.NoError(t, err)
	require.Less(t, len(list), 5+slack+1)
	require.Equal(t, 40, list[len(list)-1].Turn)
	objects := strings.Count(w.bash("find "+w.gitDir()+"/objects -type f"), "\n")
	require.Less(t, objects, 3*(5+slack)+5)
	for _, e := range list {
		out, err := w.git(t.Context(), nil, "cat-file", "-p", e.Tree+":a")
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("content %d\n", e.Turn-1), string(out))
	}

	unused := Open(t.TempDir(), filepath.Dir(w.Store.dir), &Options{Environ: os.Environ()})
	_, err = unused.Take(t.Context())
	require.NoError(t, err)
	long := time.Now().Add(-30 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(unused.log(), long, long))
	require.NoError(t, os.Chtimes(w.pruned(), long, long))
	for i := range list {
		list[i].Time = long
	}
	require.NoError(t, os.WriteFile(w.log(), timeline.Encode(list), 0o600))
	_, err = Open(t.TempDir(), filepath.Dir(w.Store.dir), &Options{Environ: os.Environ()}).Take(t.Context()) // in any workspace
	require.NoError(t, err)
	require.NoDirExists(t, unused.dir)
	w.take()
	list, err = w.List()
	require.NoError(t, err)
	require.Len(t, list, 1, "those that are too old")
}

func TestTheBytesOfSnapshotsAreBounded(t *testing.T) {
	w := newWorkspace(t, Options{MaxBytes: 100_000})
	for range 12 {
		w.bash("head -c 50000 /dev/urandom > a; head -c 20000 /dev/zero > b")
		w.take()
	}
	size, err := strconv.Atoi(strings.Fields(w.bash("find " + w.gitDir() + "/objects -type f -printf '%s\\n' | awk '{s += $1} END {print s}'"))[0])
	require.NoError(t, err)
	require.Less(t, size, 300_000)
	w.bash("echo > a")
	w.back(Back{})
	require.Equal(t, "50000\n", w.bash("stat -c %s a"))
}

// The state directory may lie in the workspace, and is not kept then.
func TestItsOwnDirectoryIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, filepath.Join(dir, "st[a]te", "snapshots"), &Options{Environ: os.Environ()})
	w := &workspace{t, dir, s}
	for range 2 {
		w.take()
		w.bash("echo x >> f")
	}
	require.NotContains(t, w.bash("GIT_DIR="+w.gitDir()+" git ls-tree -r --name-only "+w.take().Tree), "snapshots")
}

func TestOneThatWasStopped(t *testing.T) {
	w := newWorkspace(t, Options{})
	w.bash("echo 1 > a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.Take(ctx)
	require.ErrorIs(t, err, context.Canceled)
	w.take()
	for _, damage := range []string{"truncate -s 100 " + w.index(), "truncate -s 0 " + w.index(), "rm -r " + w.gitDir() + "/objects/??"} {
		w.bash(damage)
		require.Empty(t, w.take().Skipped)
	}
	require.NoError(t, os.WriteFile(w.index()+".lock", nil, 0o600)) // of a git that was killed
	w.bash("echo 2 > a")
	w.take()
	w.bash("echo 3 > a")
	w.back(Back{})
	require.Equal(t, "2\n", w.bash("cat a"))
}

func TestDefaultsAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/agent-commands.md")
	require.NoError(t, err)
	require.Equal(t, Options{MaxFiles: 100_000, MaxBytes: 2 << 30, MaxFile: 64 << 20, MaxAge: 7 * 24 * time.Hour, MaxCount: 200}, Open("/w", "/s", nil).opts)
	for _, text := range []string{"100,000 files or 2 GiB", "files over 64 MiB", "older than seven days", "more than 200 snapshots"} {
		require.Contains(t, string(page), text)
	}
}

func TestAListingIsBounded(t *testing.T) {
	w := newWorkspace(t, Options{MaxFiles: 2})
	w.bash("touch {1..1100}")
	require.Contains(t, w.take().Skipped, "has far more files that git does not ignore than the 2 that are kept at most")
}

func TestASlowSnapshotIsSaid(t *testing.T) {
	var notes []string
	w := newWorkspace(t, Options{Slow: func(note string) { notes = append(notes, note) }})
	w.bash(fmt.Sprintf("touch {1..%d}", slowFiles))
	w.take()
	w.bash("echo > 1")
	w.take()
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "5000 files of "+w.Root())
}

func TestWaitingForTheLockEnds(t *testing.T) {
	w := newWorkspace(t, Options{})
	unlock, err := w.lock(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other := &Store{root: w.root, dir: w.Store.dir, opts: w.opts} // as another process has it
	for _, s := range []*Store{w.Store, other} {
		_, err = s.Take(ctx)
		require.ErrorIs(t, err, context.Canceled)
	}
	done := make(chan error)
	go func() { _, err := other.Take(context.Background()); done <- err }()
	unlock()
	require.NoError(t, <-done)
}
