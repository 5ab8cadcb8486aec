package confinement

import (
	"context"
	"os"
	"os/exec"
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
	t.Setenv("PATH", dir+"/bin:"+os.Getenv("PATH"))
	res := run("mkdir .husky bin; printf '#!/bin/sh\ntouch " + state + "/ran' >bin/mv; chmod +x bin/mv; echo evil >.husky/pre-commit; echo evil >.envrc; ln -s /etc/passwd .mcp.json; echo fine >f")
	require.NoFileExists(t, state+"/ran")
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
	require.FileExists(t, dir+"/.git/config")
	res = run("echo evil >.git/hooks/pre-commit")
	require.Contains(t, res.Stderr, "Read-only file system")
	res = run("echo a >a; git add a; git -c user.name=x -c user.email=y@z commit -qm a; git log --oneline | wc -l; git checkout -q -b b; git rm -q a; git commit -qm b; git checkout -q -; ls")
	require.Equal(t, "1\na\n", res.Stdout, res.Stderr)
}

// TestLinksTakenOut: what a link leads to is not the workspace's to be taken out of, and
// neither is a link that is protected to be exchanged.
func TestLinksTakenOut(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, name := range []string{out + "/workflows/ci.yml", out + "/hooks/pre-commit", dir + "/tools/pre-commit"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte("theirs"), 0o644))
	}
	require.NoError(t, os.Symlink("tools", dir+"/.husky"))
	require.NoError(t, os.Symlink("nowhere", dir+"/.envrc"))
	run, _ := held(t, dir)
	require.Empty(t, run("echo fine >f").Stderr)
	for _, command := range []string{"ln -s " + out + " .github", "ln -s " + out + " .git", "mkdir .git && ln -s " + out + "/hooks .git/hooks", "echo gitdir: x >.git",
		"rm .husky && mkdir .husky && echo evil >.husky/pre-commit", "echo evil >nowhere"} {
		res := run("rm -rf .git; " + command)
		require.Contains(t, res.Stderr, "taken out", command)
		require.FileExists(t, out+"/workflows/ci.yml", command)
		require.FileExists(t, out+"/hooks/pre-commit", command)
	}
	left, err := filepath.Glob(dir + "/.[a-z]*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestLinkedRepositories: what git runs by the files of work trees and submodules.
func TestLinkedRepositories(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tree := top + "/tree"
	out, err := exec.Command("bash", "-ec", `cd "$0"; export GIT_CONFIG_GLOBAL=/dev/null; g="git -c user.name=x -c user.email=y@z -c protocol.file.allow=always"
		git init -q lib; $g -C lib commit -q --allow-empty -m a; git init -q main; cd main; $g submodule --quiet add ../lib deps/lib; $g commit -qm b; git worktree add -q ../tree`, top).CombinedOutput()
	require.NoError(t, err, "%s", out)
	evil := `for f in commondir config.worktree hooks/pre-commit; do echo evil >` + top + `/main/.git/worktrees/tree/$f; echo evil >` + top + `/main/.git/modules/deps/lib/$f; done; echo evil >` + top + `/main/.git/modules/deps/lib/config
		mv ` + top + `/main/.git/worktrees/tree{,2}; mv ` + top + `/main/.git/modules/deps{,2}; true`
	for _, dir := range []string{tree, top + "/main"} {
		run, _ := held(t, dir)
		run(evil)
		out, err := exec.Command("grep", "-rl", "evil", top).CombinedOutput()
		require.Error(t, err, "%s: %s", dir, out)
		res := run("echo x >f; git add f; git -c user.name=x -c user.email=y@z commit -qm c; git status --short; git log --oneline | wc -l")
		require.Equal(t, "2\n", res.Stdout, res.Stderr)
	}
}

// TestNewConfiguration: a new repository has no configuration that runs programs.
func TestNewConfiguration(t *testing.T) {
	for _, evil := range []string{"printf '[core]\n fsmonitor = touch x' >>.git/config", "printf '[include] path = x' >.git/config", `printf '[core] bare = false\\\n' >.git/config`,
		"mkfifo .git/c; mv .git/c .git/config", "ln -sf ../f .git/config", "echo ../x >.git/commondir", "rm -rf .git/hooks; ln -s .. .git/hooks"} {
		dir := t.TempDir()
		run, _ := held(t, dir)
		res := run("git init -q .; git remote add origin https://example.com/x; " + evil)
		require.Contains(t, res.Stderr, "taken out", evil)
		require.Zero(t, run("git status --short").ExitCode, evil)
	}
}
