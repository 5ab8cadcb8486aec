//go:build linux

package session

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an EXIT trap writes is the command's when errexit ends the shell, and Exit's when Close does.
func TestOutputOfExitTraps(t *testing.T) {
	var out, errs string
	s, err := New(&Options{Dir: t.TempDir(), Exit: func(o, e []byte) { out, errs = string(o), string(e) }})
	require.NoError(t, err)
	for _, command := range []string{
		"trap 'echo out $?; echo err >&2' EXIT; set -e; echo a; (exit 5); echo b",
		"trap 'echo out $?; echo err >&2' EXIT; set -e\n{ echo a; echo e >&2\nfalse; }\necho b",
		"trap 'echo out; echo err >&2' EXIT; echo a >&2; exit 3",
		"trap 'sleep 0.01; echo err >&2; false' EXIT; echo exit >&2; exit 3",
		"trap 'echo out; head -c 40000 /dev/zero' EXIT; set -e; false",
	} {
		var stdout, stderr bytes.Buffer
		r, err := s.Run(context.Background(), command, &RunOptions{Stdout: &stdout, Stderr: &stderr})
		require.NoError(t, err)
		require.Equal(t, bashC(t, s.Dir(), command), answerOf(r), command)
		require.Equal(t, string(r.Stdout), stdout.String())
		require.Equal(t, string(r.Stderr), stderr.String())
		require.True(t, r.ShellExited)
	}
	run(t, s, "trap 'echo out $?; cat; echo err >&2; head -c 100000 /dev/zero' EXIT; (exit 3)")
	require.NoError(t, s.Close())
	require.Equal(t, "out 3\n"+string(make([]byte, 100000)), out)
	require.Equal(t, "err\n", errs)
}
