package confinement

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// held runs commands in mode auto, with nobody to judge them.
func held(t *testing.T, dir string) (run func(command string) router.Result, state string) {
	t.Helper()
	state = t.TempDir()
	c := New(FindWorkspace(dir, nil), &Options{Mode: policy.AutoMode, StateDir: state})
	r, err := router.New(registry.New(), &router.Options{Dir: dir, Confiner: c, NoCalls: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, r.Close())
		require.NoError(t, c.Close())
	})
	return func(command string) router.Result { return r.Run(context.Background(), command, nil) }, state
}

// TestTakenOut: what other programs would run is not left in the workspace.
func TestTakenOut(t *testing.T) {
	dir := t.TempDir()
	run, state := held(t, dir)
	res := run("mkdir .husky; echo evil >.husky/pre-commit; echo evil >.envrc; ln -s /etc/passwd .mcp.json; echo fine >f")
	require.NoFileExists(t, dir+"/.envrc")
	require.NoDirExists(t, dir+"/.husky")
	require.FileExists(t, dir+"/f")
	require.Contains(t, res.Stderr, ".envrc")
	require.Contains(t, res.Output, state+"/taken")
	kept, err := filepath.Glob(state + "/taken/.husky-*/.husky/pre-commit")
	require.NoError(t, err)
	require.Len(t, kept, 1)
	_, err = os.Lstat(dir + "/.mcp.json")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Empty(t, run("echo fine >f").Stderr)
}

// TestNewRepository: git init works, hooks that are put there do not stay, and then
// they are protected.
func TestNewRepository(t *testing.T) {
	dir := t.TempDir()
	run, _ := held(t, dir)
	res := run("git init -q . && echo evil >.git/hooks/pre-commit && git config user.name x && git config user.email y@z")
	require.Zero(t, res.ExitCode, res.Stderr)
	require.NoFileExists(t, dir+"/.git/hooks/pre-commit")
	require.Contains(t, res.Stderr, "pre-commit")
	res = run("echo evil >.git/hooks/pre-commit")
	require.Contains(t, res.Stderr, "Read-only file system")
	res = run("echo a >a; git add a; git -c user.name=x -c user.email=y@z commit -qm a; git log --oneline | wc -l; git checkout -q -b b; git rm -q a; git commit -qm b; git checkout -q -; ls")
	require.Equal(t, "1\na\n", res.Stdout, res.Stderr)
}

// TestBranchOfARemoteOne: .git/config is held, so git is not to write there unasked.
func TestBranchOfARemoteOne(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	git(t, dir, "remote", "add", "origin", "../other")
	git(t, dir, "update-ref", "refs/remotes/origin/main", "HEAD")
	run, _ := held(t, dir)
	res := run("git checkout -b topic origin/main")
	require.Equal(t, 0, res.ExitCode, res.Stderr)
	require.Equal(t, "Switched to a new branch 'topic'\n", res.Stderr)
}
