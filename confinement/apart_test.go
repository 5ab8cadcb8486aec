package confinement

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/router"
)

func TestApart(t *testing.T) {
	dir := t.TempDir()
	c := New(FindWorkspace(dir, nil), &Options{StateDir: t.TempDir()})
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	run := func(profile router.Profile, hosts []string, text string) (string, int) {
		cmd := exec.Command("sh", "-c", text)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader("from stdin\n")
		require.NoError(t, c.Apart(cmd, profile, hosts))
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	out, code := run(router.ReadProfile, nil, "cat; echo x >f; exit 7")
	require.Contains(t, out, "from stdin\n")
	require.Contains(t, out, "Read-only file system")
	require.Equal(t, 7, code)
	out, code = run(router.WorkspaceProfile, nil, "echo x >f && cat f; echo y >/opt/agentbash-test; kill -TERM $$")
	require.Contains(t, out, "x\n")
	require.Contains(t, out, "Read-only file system")
	require.Equal(t, 128+15, code)
	require.Error(t, c.Apart(exec.Command("true"), router.ReadProfile, []string{"http://no.host/"}))
}
