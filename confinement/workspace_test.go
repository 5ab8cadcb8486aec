package confinement

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestFindWorkspace(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	repo, tree := filepath.Join(home, "repo"), filepath.Join(home, "tree")
	sub := filepath.Join(repo, "sub")
	require.NoError(t, os.MkdirAll(sub, 0o755))
	git(t, repo, "init", "-q")
	git(t, repo, "commit", "-q", "--allow-empty", "-m", "first")
	git(t, repo, "worktree", "add", "-q", tree)
	link := filepath.Join(home, "link")
	require.NoError(t, os.Symlink(repo, link))
	opts := &WorkspaceOptions{Home: home, Temp: "/tmp", Own: []string{filepath.Join(home, ".config", "own")},
		Write: []string{"~/more", "other"}, Secrets: []string{"!~/.netrc", "keys/mine"}}

	w := FindWorkspace(sub, opts)
	require.Equal(t, []string{sub, repo, filepath.Join(home, "more"), filepath.Join(home, "other")}, w.Roots, "the repository is written too")
	require.Equal(t, "/tmp", w.Scratch[0])
	for _, p := range []string{"repo/.git/hooks", "repo/.git/config", ".bashrc", ".ssh", ".config/own"} {
		require.Contains(t, w.Protected, filepath.Join(home, p))
	}
	require.Contains(t, w.Secrets, filepath.Join(home, ".ssh"))
	require.Contains(t, w.Secrets, filepath.Join(home, "keys/mine"))
	require.NotContains(t, w.Secrets, filepath.Join(home, ".netrc"), "taken off the list")

	require.Contains(t, FindWorkspace(tree, opts).Roots, filepath.Join(repo, ".git"), "a work tree writes into its repository")
	require.Equal(t, []string{link, repo}, FindWorkspace(link, opts).Roots[:2], "what a link leads to")
	require.NotContains(t, FindWorkspace(home, &WorkspaceOptions{Home: home}).Roots, filepath.Dir(home))

	world, access := w.World(), w.Access()
	require.Equal(t, [][]string{w.Roots, w.Scratch, w.Protected, w.Secrets}, [][]string{world.Roots, world.Scratch, world.Protected, world.Secrets})
	require.Equal(t, append(append([]string{}, w.Roots...), w.Scratch...), access.Write)
	require.NotEmpty(t, FindWorkspace(sub, nil).Secrets, "the defaults know the user's home")
}

func TestConfinementFollowsTheMode(t *testing.T) {
	dir := t.TempDir()
	c := New(FindWorkspace(dir, nil), &Options{Environ: []string{"PATH=/bin", "MY_TOKEN=t"}})
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	require.NotEmpty(t, c.Access(t.Context()).Write, "ask is the default")
	missing, err := c.Missing()
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Equal(t, policy.Holds{Read: true, Workspace: true, Hosts: true}, c.Holds())
	read, err := c.Confine(router.Grant{})
	require.NoError(t, err)
	require.NotNil(t, read.Launcher)
	require.Equal(t, []string{"PATH=/bin"}, read.Env)
	require.Equal(t, router.ReadProfile, read.Profile)
	works, err := c.Confine(router.Grant{Profile: router.WorkspaceProfile})
	require.NoError(t, err)
	require.Equal(t, router.WorkspaceProfile, works.Profile)
	require.Same(t, read.Launcher, works.Launcher, "one shell")
	free, err := c.Confine(router.Grant{Profile: router.FreeProfile})
	require.NoError(t, err)
	require.Equal(t, router.Confined{Env: []string{"PATH=/bin"}, Profile: router.FreeProfile}, free)

	c.SetMode(policy.AutoMode, false)
	usual, err := c.Confine(router.Grant{})
	require.NoError(t, err)
	require.Equal(t, router.WorkspaceProfile, usual.Profile)
	undo := c.SetMode(policy.PlanMode, false)
	require.Empty(t, c.Access(t.Context()).Write)
	undo()
	require.NotEmpty(t, c.Access(t.Context()).Write)
	c.SetMode(policy.FullMode, true)
	require.Nil(t, c.Access(t.Context()))
	trusted, err := c.Confine(router.Grant{Profile: router.ReadProfile})
	require.NoError(t, err)
	require.Equal(t, router.Confined{Env: []string{"PATH=/bin", "MY_TOKEN=t"}}, trusted, "the person's own environment")
}
