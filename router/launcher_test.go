package router

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/session"
	"github.com/agentbash/agentbash/session/sandbox"
)

// boxed holds bash to a sandbox, or to nothing.
type boxed struct {
	env      []string
	launcher *session.Launcher
	free     bool
}

func (b *boxed) Confine(g Grant) (Confined, error) {
	if b.free || g.Profile == FreeProfile {
		return Confined{Env: b.env, Profile: FreeProfile}, nil
	}
	return Confined{Env: b.env, Launcher: b.launcher, Profile: ReadProfile}, nil
}

func (*boxed) Ended(Confined, *Result) string { return "" }

func (*boxed) View() registry.View { return nil }

func sandboxed(t testing.TB, spec sandbox.Spec) *session.Launcher {
	t.Helper()
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
	calls, err := MakeCallsDir()
	require.NoError(t, err)
	self, err := os.Executable() // the client, where there is no small one
	require.NoError(t, err)
	b := &boxed{env: os.Environ(), launcher: sandboxed(t, sandbox.Spec{Write: []string{dir}, Keep: []string{calls.Path, filepath.Dir(self)}})}
	r, err := New(reg, &Options{Dir: dir, Confiner: b, CallsDir: calls, Guard: freeing{[]string{"/granted"}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	run := func(text string) string {
		res := r.Run(context.Background(), text, nil)
		return res.Stdout + res.Stderr
	}
	require.Equal(t, "granted\n", run("field:t:may"))
	require.Equal(t, "GRANTED\n", run("field:t:may | tr a-z A-Z"))
	require.Contains(t, run("x=1; f() { echo f; }; echo a >made"), "Read-only file system")
	require.NoFileExists(t, filepath.Join(dir, "made"))
	require.Equal(t, "1\nbash: line 1: f: command not found\n", run("f; echo $x; echo a >free"))
	require.FileExists(t, filepath.Join(dir, "free"))
	require.Contains(t, run("f; echo $x; field:t:may | cat; echo a >made"), "f\n1\ngranted\n")
	require.NoFileExists(t, filepath.Join(dir, "made"))

	b.env, b.free = append(b.env, "NEW=1"), true
	require.NoError(t, r.Refresh(context.Background()))
	require.Equal(t, "1 1\ngranted\n", run("echo $x $NEW; field:t:may | cat; echo a >made"))
	require.FileExists(t, filepath.Join(dir, "made"))
	b.free = false
	require.NoError(t, r.Refresh(context.Background()))
	require.Contains(t, run("echo $x; echo a >again"), "Read-only file system")
}
