//go:build linux

package session

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func open(t testing.TB, opts *Options) *Session {
	t.Helper()
	s, err := New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func run(t testing.TB, s *Session, command string) Result {
	t.Helper()
	r, err := s.Run(context.Background(), command, nil)
	require.NoError(t, err, command)
	return r
}

func TestRun(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	r := run(t, s, "echo hi; echo oops >&2; false")
	require.Equal(t, "hi\n", string(r.Stdout))
	require.Equal(t, "oops\n", string(r.Stderr))
	require.Equal(t, 1, r.ExitCode)
	r = run(t, s, "echo $?; sleep 100 &")
	require.Equal(t, "1\n", string(r.Stdout))
	require.Empty(t, string(r.Stderr))
	require.NotEmpty(t, r.Background)
	_, err := os.Stat(r.Background)
	require.NoError(t, err)
	r = run(t, s, "x=5; cd /; f() { echo f; }; exit 3")
	require.Equal(t, 3, r.ExitCode)
	require.True(t, r.ShellExited)
	require.Empty(t, string(r.Stderr))
	r = run(t, s, "pwd; echo $x; f")
	require.Equal(t, "/\n5\nf\n", string(r.Stdout))
	require.True(t, r.Restarted)
	require.Equal(t, "/", s.Dir())
	r = runToLimit(t, s, "echo a; sleep 100; echo b", time.Second/2, 1)
	require.Equal(t, "a\n", string(r.Stdout))
	require.Equal(t, 124, r.ExitCode)
	require.True(t, r.TimedOut)
}
