//go:build linux

package files

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/internal/snapshot"
	"github.com/stretchr/testify/require"
)

// turnShell is a shell with snapshots, of which one begins a turn.
func turnShell(t *testing.T, o Options) (s *shell, turn func(script string)) {
	root := t.TempDir()
	o.StateDir, o.Workspace = filepath.Join(t.TempDir(), "state"), root
	o.Snapshots = snapshot.Open(root, filepath.Join(t.TempDir(), "snapshots"), &snapshot.Options{Environ: os.Environ(), MaxFile: 20})
	s = newShell(t, &o)
	s.dir = root
	return s, func(script string) {
		_, err := o.Snapshots.Take(t.Context())
		require.NoError(t, err)
		cmd := exec.Command("bash", "-ec", script)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func TestUndoOfATurn(t *testing.T) {
	s, turn := turnShell(t, Options{})
	require.Contains(t, s.fails("undo", "--turn"), "no turn is kept that changed a file")
	turn("echo 1 > a; echo 2 > b; echo 3 > c; echo '*.o' > .gitignore; mkdir sub")
	first := s.tree()
	turn("echo x >> a; rm b; mv c d; mkdir n; echo > f.o; echo longer than twenty bytes > big")
	second := s.tree()

	require.Equal(t, "a: would be restored\nb: would be brought back\nc: would be brought back\nd: would be removed\nn/: would be removed\n", s.ok("undo", "--turn", "--dry_run"))
	require.Equal(t, second, s.tree())
	r := s.run("undo", "--turn")
	require.Zero(t, r.status, r.err)
	require.Equal(t, "a: restored\nb: brought back\nc: brought back\nd: removed\nn/: removed\n", r.out)
	require.Regexp(t, `^what git ignores is in no snapshot, and stays as it is: f\.o\nas before turn 2 \([-0-9: ]+\); undo --turn --redo takes this back\n$`, r.err)
	back := s.tree()
	require.Equal(t, "\n", back["f.o"], "git ignores it")
	require.Equal(t, "longer than twenty bytes\n", back["big"])
	delete(back, "f.o")
	delete(back, "big")
	require.Equal(t, first, back)

	s.dir = s.path("sub")
	require.Contains(t, s.ok("undo", "--turn", "--redo"), filepath.Join(filepath.Dir(s.dir), "a")+": restored\n")
	s.dir = filepath.Dir(s.dir)
	require.Equal(t, second, s.tree())
	require.Equal(t, "a: restored\n", s.ok("undo", "--turn", "2", "a"))
	require.Equal(t, "1\n", s.get("a"))
	require.NoFileExists(t, s.path("b"))
	s.ok("undo", "--turn", "1")
	require.Equal(t, tree{"f.o": "\n", "big": second["big"]}, s.tree())
	require.Equal(t, "f.o: removed\n", s.ok("undo", "--turn", "1"), "nothing ignores it any more")
	require.Contains(t, s.fails("undo", "--turn", "1"), "nothing differs from what it was before turn 1")
	require.Contains(t, s.fails("undo", "--turn", "7"), "no snapshot of turn 7 is kept: undo --turn --list")
	require.Contains(t, s.fails("undo", "--turn", "/etc/passwd"), "/etc/passwd is not in the workspace")
	require.Regexp(t, "^2\t[-0-9: ]+\tkept, but for what git ignores\n1\t[-0-9: ]+\tkept, but for what git ignores\n$", s.ok("undo", "--turn", "--list"))
	turn("echo 1 > e")
	require.Contains(t, s.ok("undo", "--turn", "--list"), "3\t")
	require.Contains(t, s.ok("undo", "--turn", "--list"), "kept, but for what git ignores and 1 file too big or not readable\n")
	turn("echo 2 > e; echo 2 > e.")
	require.Equal(t, "e.: would be removed\n", s.ok("undo", "--turn", "e.", "--dry_run"))

	none := newShell(t, nil)
	require.Contains(t, none.fails("undo", "--turn"), "no snapshots of turns are kept here: undo alone")
}

// What the tools may not write stays as it is.
func TestUndoOfATurnKeepsToTheAccess(t *testing.T) {
	var a *Access
	s, turn := turnShell(t, Options{Access: func(context.Context) *Access { return a }})
	turn("echo 1 > a; echo 1 > own; mkdir .vscode; echo 1 > .vscode/tasks.json")
	turn("echo 2 > a; echo 2 > own; echo 2 > .vscode/tasks.json")
	a = &Access{Write: []string{s.dir}, Protected: []string{s.path("own")}}
	r := s.run("undo", "--turn")
	require.Zero(t, r.status, r.err)
	require.Equal(t, "a: restored\n", r.out)
	require.Contains(t, r.err, ".vscode/tasks.json was left as it is: ")
	require.Contains(t, r.err, "own was left as it is: "+s.path("own")+" is protected")
	require.Equal(t, []string{"1\n", "2\n", "2\n"}, []string{s.get("a"), s.get("own"), s.get(".vscode/tasks.json")})
}
