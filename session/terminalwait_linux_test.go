package session

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program that waits for a terminal is ended long before its limit; what waits for
// something else is not.
func TestWhatWaitsForATerminal(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for name, command := range map[string]string{
		"vim": "vim -u NONE f", "behind others": "true; { vim -u NONE f 2>&1; } | cat", "view": "view f",
		"a program of its own": `python3 -c 'import os,select; os.dup2(2, 0); select.select([0], [], [])'`,
	} {
		if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil && name == "view" {
			continue
		}
		r, err := s.Run(t.Context(), command, &RunOptions{Timeout: MaxTimeout})
		require.NoError(t, err)
		require.True(t, r.WantsTerminal, "%s: %+v", name, r)
		require.False(t, r.TimedOut)
		require.Equal(t, exitCanceled, r.ExitCode)
		require.Equal(t, "still here\n", string(run(t, s, "echo still here").Stdout))
	}
	for name, command := range map[string]string{
		"a sleep": "sleep 2.5", "a pipe": "sleep 2.5 | cat", "a poll": "python3 -c 'import select; select.poll().poll(2500)'",
		"in the background": "vim -u NONE f >/dev/null & sleep 2.5; kill -9 $!",
	} {
		start := time.Now()
		r, err := s.Run(t.Context(), command, nil)
		require.NoError(t, err)
		require.False(t, r.WantsTerminal, name)
		require.GreaterOrEqual(t, time.Since(start), 2*time.Second)
	}
}
