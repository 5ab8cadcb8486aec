//go:build linux

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
	for name, command := range map[string]string{
		"vim": "vim -u NONE f", "behind others": "true; { vim -u NONE f 2>&1; } | cat", "view": "view f",
		"after something else": "sleep 4; vim -u NONE f", "watch": "watch -n1 ls -l /", "watch with colours": "echo first; TERM=xterm watch date",
		"a program of its own": `python3 -c 'import os,select; os.dup2(2, 0); select.select([0], [], [])'`,
	} {
		if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil && name == "view" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, &Options{Dir: t.TempDir()})
			r, err := s.Run(t.Context(), command, &RunOptions{Timeout: MaxTimeout})
			require.NoError(t, err)
			require.True(t, r.WantsTerminal, "%+v", r)
			require.False(t, r.TimedOut)
			require.Equal(t, exitCanceled, r.ExitCode)
			require.Equal(t, "still here\n", string(run(t, s, "echo still here").Stdout))
		})
	}
	for name, command := range map[string]string{
		"a sleep": "sleep 2.5", "a pipe": "sleep 2.5 | cat", "blanks": "printf %2000s; sleep 2.5",
		"a screen without curses": "printf '\\033[?1049h%2000s\\n'; sleep 2.5 | cat",
		"curses without a screen": "gdb -nx -batch -ex 'shell sleep 2.5' || sleep 2.5", "a poll": "python3 -c 'import select; select.poll().poll(2500)'",
		"in the background": "vim -u NONE f >/dev/null & sleep 2.5; kill -9 $!",
	} {
		t.Run(name, func(t *testing.T) {
			if name != "in the background" { // after its warning of 2 s vim, too, waits for a terminal
				t.Parallel()
			}
			start := time.Now()
			r, err := open(t, &Options{Dir: t.TempDir()}).Run(t.Context(), command, nil)
			require.NoError(t, err)
			require.False(t, r.WantsTerminal)
			require.GreaterOrEqual(t, time.Since(start), 2*time.Second)
		})
	}
}
