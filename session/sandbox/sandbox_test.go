package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// run runs a program in a sandbox. The launcher is this very test binary.
func run(t *testing.T, spec Spec, argv ...string) (string, int) {
	t.Helper()
	s, err := Open(spec)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	words := append(append([]string{}, s.Argv...), argv...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), s.Env...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func TestOpen(t *testing.T) {
	if Kernel().Landlock == 0 {
		t.Skip("SKIP: this kernel has no Landlock")
	}
	for _, spec := range []Spec{{Write: []string{"relative"}}, {Secret: []string{"~/x"}}, {Protected: []string{""}}} {
		_, err := Open(spec)
		require.ErrorContains(t, err, "not an absolute path")
	}
	out, code := run(t, Spec{}, "no-such-program")
	require.Equal(t, exitDenied, code)
	require.Contains(t, out, "no-such-program")
	out, code = run(t, Spec{}, "/bin/sh", "-c", "echo $0 $1; exit 7", "a", "b")
	require.Equal(t, "a b\n", out)
	require.Equal(t, 7, code)
	out, _ = run(t, Spec{}, "cat", "/proc/self/status")
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		require.Contains(t, out, set+":\t0000000000000000\n")
	}
	require.Contains(t, out, "NoNewPrivs:\t1\n")
}

// TestLauncherFailsClosed: what was promised and cannot be had is no shell.
func TestLauncherFailsClosed(t *testing.T) {
	if Kernel().Landlock == 0 {
		t.Skip("SKIP: this kernel has no Landlock")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for name, text := range map[string]string{
		"no order": "{", "a version that the kernel has not": `{"Dir": "/tmp", "Landlock": 99}`, "no directory": `{"Dir": "/nonexistent", "Landlock": 1}`,
	} {
		cmd := exec.Command(self, launchWord, text, "/bin/echo", "started")
		out, _ := cmd.CombinedOutput()
		require.Equal(t, exitDenied, cmd.ProcessState.ExitCode(), "%s: %s", name, out)
		require.NotContains(t, string(out), "started", name)
	}
}

func TestReadable(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range []string{"a/b/secret/x", "a/b/beside", "a/c", "d"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), nil, 0o600))
	}
	require.NoError(t, os.Symlink("b/secret", filepath.Join(dir, "a/link")))
	all, err := readablePaths([]string{filepath.Join(dir, "a/b/secret"), filepath.Join(dir, "a/b/absent")})
	require.NoError(t, err)
	var here []string
	for _, p := range all {
		if rest, ok := strings.CutPrefix(p, dir); ok {
			here = append(here, rest)
		}
		require.False(t, strings.HasPrefix(dir, p+"/") || p == "/", "%s holds the secret", p)
	}
	require.ElementsMatch(t, []string{"/a/b/beside", "/a/c", "/d"}, here)
	require.Contains(t, all, "/usr")
	all, err = readablePaths(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"/"}, all)
}

func TestMissing(t *testing.T) {
	full := Support{Landlock: 7, Filter: true, Mounts: true}
	require.Empty(t, missingSupport(full, order{}))
	require.Len(t, missingSupport(Support{Landlock: 1, Filter: true}, order{}), 3)
	require.Len(t, missingSupport(Support{Landlock: 3}, order{}), 3)
	require.Len(t, missingSupport(Support{Landlock: 3}, order{Spec: Spec{Connect: true}}), 1)
	require.Contains(t, strings.Join(missingSupport(Support{Landlock: 3, Filter: true}, order{Spec: Spec{Ports: []uint16{443}}}), "\n"), "ports")
	does, lacks := Support{Why: "it has no Landlock"}.Lines()
	require.Empty(t, does)
	require.Equal(t, []string{"nothing is confined: it has no Landlock"}, lacks)
	does, lacks = full.Lines()
	require.Len(t, does, 6)
	require.Len(t, lacks, 1)
}

// TestPorts: one port may be connected to, another not.
func TestPorts(t *testing.T) {
	if Kernel().Landlock < 4 {
		t.Skip("SKIP: this kernel's Landlock does not restrict TCP")
	}
	const refused, denied = "Connection refused", "Permission denied"
	for _, row := range []struct {
		spec Spec
		port string
		want string
	}{
		{Spec{}, "1", denied}, {Spec{Ports: []uint16{1}}, "1", refused}, {Spec{Ports: []uint16{1}}, "2", denied}, {Spec{Connect: true}, "2", refused},
	} {
		out, _ := run(t, row.spec, "bash", "-c", ": </dev/tcp/127.0.0.1/"+row.port)
		require.Contains(t, out, row.want, "%+v", row)
	}
}
