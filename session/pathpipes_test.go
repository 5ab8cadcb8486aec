//go:build linux

package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// openNamed opens a session that uses FIFOs from the start.
func openNamed(t testing.TB, opts *Options) *Session {
	t.Helper()
	c, err := resolveOptions(opts)
	require.NoError(t, err)
	c.named = true
	e, err := newEngine(c)
	require.NoError(t, err)
	s := &Session{e: e}
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestNamedConduits runs the table of commands in a session that uses FIFOs.
func TestNamedConduits(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := openNamed(t, &Options{StateDir: state})
	for _, row := range agrees {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			want := bashC(t, dir, row.command)
			run(t, s, "cd '"+dir+"'")
			require.Equal(t, want, answerOf(run(t, s, row.command)), row.command)
			run(t, s, resetShell)
			r := run(t, s, "(sleep 100 & ); printf 'still %s' here")
			require.Equal(t, "still here", string(r.Stdout))
			require.Equal(t, state, filepath.Dir(r.Background))
		})
	}
	require.NoError(t, s.Close())
	left, err := filepath.Glob(filepath.Join(state, "[^b]*"))
	require.NoError(t, err)
	require.Empty(t, left, "only late output is left")
}

// TestConfinedShell runs a shell that the kernel does not let look at its host.
func TestConfinedShell(t *testing.T) {
	if !landlocked() {
		t.Skip("this kernel has no Landlock")
	}
	dir := t.TempDir()
	s := open(t, &Options{Shell: confine(t, dir), Dir: dir, StateDir: dir})
	require.True(t, s.e.pipes.named)
	run(t, s, "x=5; cd /; exit 3")
	r := run(t, s, "echo $x $PWD; : </proc/"+itoa(os.Getpid())+"/fd/0")
	require.Equal(t, "5 /\n", string(r.Stdout))
	require.Contains(t, string(r.Stderr), "Permission denied", "it is confined indeed")
}
