package router

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/session"
	"github.com/agentbash/agentbash/session/sandbox"
)

func sandboxed(t testing.TB, spec sandbox.Spec) *session.Launcher {
	t.Helper()
	if k := sandbox.Kernel(); k.Landlock < 6 {
		t.Skipf("this kernel cannot confine enough for the test: Landlock version %d %s", k.Landlock, k.Why)
	}
	s, err := sandbox.Open(spec, sandbox.Read)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &session.Launcher{Dir: s.Dir, Env: s.Env, Start: func(cmd *exec.Cmd) (session.Process, error) {
		p, err := s.Start(cmd)
		if err != nil {
			return session.Process{}, err
		}
		return session.Process{Pid: p.Pid, PidFD: p.PidFD, Init: p.Init, Wait: p.Wait}, nil
	}}
}

// freeing grants freedom to texts that say so, and paths to all.
type freeing struct{ paths []string }

func (g freeing) Begin(_ context.Context, a *Action) (Grant, error) {
	grant := Grant{Paths: g.paths}
	if a.Plan != nil && strings.Contains(a.Plan.Raw, "free") {
		grant.Profile = FreeProfile
	}
	return grant, nil
}

// TestLauncher: calls from inside bash reach the host from a confined shell, a
// granted text runs in a free one, and the shell is changed with its state.
func TestLauncher(t *testing.T) {
	dir := t.TempDir()
	reg := registry.New()
	require.NoError(t, reg.Register(&registry.Tool{Name: "field:t:may", Summary: "says what was granted", Params: registry.NewParams(), Run: func(ctx context.Context, c *registry.Call) (registry.ToolResult, error) {
		if registry.Allowed(ctx, "/granted/x") {
			return registry.Success("granted\n"), nil
		}
		return registry.Success("no\n"), nil
	}}))
	l := sandboxed(t, sandbox.Spec{})
	r, err := New(reg, &Options{Dir: dir, Launcher: l, Guard: freeing{[]string{"/granted"}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	run := func(text string) string {
		res := r.Run(context.Background(), text, nil)
		return res.Stdout + res.Stderr
	}
	require.Equal(t, "granted\n", run("field:t:may"))
	require.Equal(t, "GRANTED\n", run("field:t:may | tr a-z A-Z"))
	require.Contains(t, run("x=1; f() { echo f; }; echo a >made"), "Permission denied")
	require.NoFileExists(t, filepath.Join(dir, "made"))
	require.Equal(t, "1\nbash: f: command not found\n", run("f; echo $x; echo a >free"))
	require.FileExists(t, filepath.Join(dir, "free"))
	require.Contains(t, run("f; echo $x; field:t:may | cat; echo a >made"), "f\n1\ngranted\n")
	require.NoFileExists(t, filepath.Join(dir, "made"))

	require.NoError(t, r.SetLauncher(context.Background(), session.RestartOptions{Env: append(os.Environ(), "NEW=1")}))
	require.Equal(t, "1 1\ngranted\n", run("echo $x $NEW; field:t:may | cat; echo a >made"))
	require.FileExists(t, filepath.Join(dir, "made"))
	require.NoError(t, r.SetLauncher(context.Background(), session.RestartOptions{Launcher: l, Trust: true}))
	require.Contains(t, run("echo $x; echo a >again"), "Permission denied")
}
