package snapshot

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeGit has a script run where git is asked for some commands.
func (w *workspace) fakeGit(pattern, script string) {
	git, err := exec.LookPath("git")
	require.NoError(w.t, err)
	dir := w.t.TempDir()
	require.NoError(w.t, os.WriteFile(filepath.Join(dir, "git"), fmt.Appendf(nil, "#!/bin/sh\ncase \"$*\" in %s) %s;; esac\nexec %s \"$@\"\n", pattern, script, git), 0o755))
	w.t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestGoingBackThatStopsHalfWay(t *testing.T) {
	w := newWorkspace(t, Options{})
	w.bash("echo 1 > a; echo 1 > b")
	w.take()
	w.bash("echo 2 > a; echo 2 > b")
	path := os.Getenv("PATH")
	w.fakeGit("'read-tree -m -u '*", "echo 1 > a; echo no space >&2; exit 128")
	_, err := w.GoBack(t.Context(), Back{})
	require.ErrorContains(t, err, "not everything could be restored: undo --turn takes back what was")
	require.ErrorContains(t, err, "no space")
	t.Setenv("PATH", path)
	_, err = w.GoBack(t.Context(), Back{Redo: true})
	require.ErrorContains(t, err, "nothing to redo")
	w.back(Back{})
	require.Equal(t, "2\n2\n", w.bash("cat a b"))
	w.back(Back{})
	require.Equal(t, "1\n1\n", w.bash("cat a b"))
}

// The permissions of directories keep nothing from being restored. They do not hold for root.
func TestDirectoriesThatAreClosed(t *testing.T) {
	if os.Getuid() == 0 {
		dir, err := os.MkdirTemp("", "")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		require.NoError(t, os.Chown(dir, 65534, 65534))
		bin, err := os.ReadFile("/proc/self/exe") // where it is that user may not get to
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "test"), bin, 0o700))
		require.NoError(t, os.Chown(filepath.Join(dir, "test"), 65534, 65534))
		cmd := exec.Command(filepath.Join(dir, "test"), "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: "+t.Name())
		return
	}
	for _, row := range []struct{ name, before, turn string }{
		{"it was", "mkdir d; echo 1 > d/f; chmod 555 d", "chmod 755 d; echo 2 > d/f; echo 3 > d/g; chmod 555 d"},
		{"it came to be", "mkdir -p d/e; echo 1 > d/e/f; echo 1 > a", "echo 2 > d/e/f; echo 2 > a; chmod 555 d/e d"},
		{"it cannot be looked into", "mkdir d; echo 1 > d/f; echo 1 > a", "echo 2 > a; chmod 000 d"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorkspace(t, Options{})
			t.Cleanup(func() { w.bash("chmod -R u+rwx .") })
			w.bash("umask 022; " + row.before)
			w.take()
			before := w.all()
			w.bash("umask 022; " + row.turn)
			w.back(Back{})
			require.Equal(t, before, w.all())
			w.back(Back{Redo: true})
			w.back(Back{})
			require.Equal(t, before, w.all())
		})
	}
}

// What is said to be removed is.
func TestDirectoriesThatHoldWhatIsNotKeptStay(t *testing.T) {
	w := newWorkspace(t, Options{})
	w.bash("echo '*.o' > .gitignore")
	w.take()
	w.bash("git init -q n; mkdir o p; echo 1 > o/f.o; echo 1 > p/f")
	done := w.back(Back{})
	var removed, kept []string
	for _, c := range done.Changes {
		removed = append(removed, c.Path)
	}
	for _, c := range done.Kept {
		kept = append(kept, c.Path)
	}
	require.Equal(t, []string{"p/f"}, removed)
	require.Equal(t, []string{"n/", "o/"}, kept)
	require.Equal(t, "n o\n", w.bash("echo *"))
}

// A turn that left nothing but a directory with what git ignores in it is passed over.
func TestATurnWithNothingToTakeBackIsPassedOver(t *testing.T) {
	w := newWorkspace(t, Options{})
	w.bash("echo '*.o' > .gitignore; echo 1 > f")
	w.take()
	w.bash("echo 2 > f")
	w.take()
	w.bash("mkdir -p d/e; echo > d/e/x.o")
	require.Equal(t, 1, w.back(Back{}).Entry.Turn)
	require.Equal(t, "1\n./d/e/x.o\n", w.bash("cat f; find . -name '*.o'"))
}

func TestNamesThatAreNoUTF8(t *testing.T) {
	w := newWorkspace(t, Options{MaxFile: 20})
	w.bash(`printf %30s x > $'a\xff\xfe'; echo 1 > f`)
	w.take()
	w.bash(`echo small > $'a\xff\xfe'; echo 2 > f`)
	done := w.back(Back{})
	require.Len(t, done.Kept, 1)
	require.Equal(t, "1\nsmall\n", w.bash(`cat f $'a\xff\xfe'`))
}

// Without its rules a workspace is too big to be looked at: they come back first.
func TestRulesThatATurnRemoved(t *testing.T) {
	w := newWorkspace(t, Options{MaxFiles: 3})
	w.bash("mkdir n; touch n/{1..9}; echo n > .gitignore; echo 1 > f")
	before := w.all()
	w.take()
	w.bash("rm .gitignore; echo 2 > f")
	_, err := w.GoBack(t.Context(), Back{DryRun: true})
	require.ErrorContains(t, err, "has 10 files")
	require.Equal(t, 1, w.back(Back{}).Entry.Turn)
	require.Equal(t, before, w.all())
}
