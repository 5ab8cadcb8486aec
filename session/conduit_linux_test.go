package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestNamedConduits runs the table of commands in a session that uses FIFOs.
func TestNamedConduits(t *testing.T) {
	for _, row := range agrees {
		t.Run(row.name, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			want := bashC(t, dir, row.command)
			c, err := resolve(&Options{Dir: dir, StateDir: state})
			require.NoError(t, err)
			c.named = true
			e, err := newEngine(c)
			require.NoError(t, err)
			s := &Session{e: e}
			require.Equal(t, want, answerOf(run(t, s, row.command)), row.command)
			r := run(t, s, "trap - EXIT ERR DEBUG; set +eux; sleep 100 & printf 'still %s' here")
			require.Equal(t, "still here", string(r.Stdout))
			require.Equal(t, state, filepath.Dir(r.Background))
			require.Equal(t, "and here", string(run(t, s, "printf 'and %s' here").Stdout))
			require.NoError(t, s.Close())
			left, err := filepath.Glob(filepath.Join(state, "[^b]*"))
			require.NoError(t, err)
			require.Empty(t, left, "only late output is left")
		})
	}
}

// TestConfinedShell runs a shell that the kernel does not let look at its host.
func TestConfinedShell(t *testing.T) {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1); errno != 0 {
		t.Skipf("this kernel has no Landlock: %v", errno)
	}
	dir := t.TempDir()
	shell := filepath.Join(dir, "confined")
	require.NoError(t, os.WriteFile(shell, []byte("#!/bin/sh\n"+roleEnv+"=confined exec "+os.Args[0]+" \"$@\"\n"), 0o700))
	s := open(t, &Options{Shell: shell, Dir: dir})
	require.True(t, s.e.conduits.named)
	run(t, s, "x=5; cd /; exit 3")
	r := run(t, s, "echo $x $PWD; : </proc/"+itoa(os.Getpid())+"/fd/0")
	require.Equal(t, "5 /\n", string(r.Stdout))
	require.Contains(t, string(r.Stderr), "Permission denied", "it is confined indeed")
}
