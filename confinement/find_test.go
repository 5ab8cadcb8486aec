package confinement

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/policy"
)

// What the policy and the tools protect, the kernel is told of too, and where a
// link leads in its place.
func TestWorkspaceFollowsTheTable(t *testing.T) {
	home := t.TempDir()
	ws := home + "/ws"
	for _, dir := range []string{ws + "/.git", ws + "/editor"} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(ws+"/.git/HEAD", nil, 0o600))
	require.NoError(t, os.Symlink("editor", ws+"/.vscode"))
	found := FindWorkspace(ws, &WorkspaceOptions{Home: home, Own: []string{home + "/.config/agentbash"}, Secrets: []string{"!~/.npmrc", "~/vault"}})
	c := New(found, &Options{Mode: policy.AutoMode})

	require.Subset(t, c.protected(), protected.InTree(ws))
	require.Subset(t, c.protected(), protected.InGitDir(ws+"/.git"))
	for _, path := range c.protected() {
		require.True(t, path != ws && registry.Below(path, ws), path)
	}
	a := c.Access(t.Context())
	require.Subset(t, a.Protected, protected.Startup(home))
	require.Contains(t, a.Protected, ws+"/.vscode", "the tools are to follow it")
	require.NotContains(t, a.Protected, ws+"/.idea", "its name is enough")
	require.Contains(t, a.Secret, home+"/.ssh")
	require.Contains(t, a.Secret, home+"/vault")
	require.NotContains(t, a.Secret, home+"/.npmrc")
}
