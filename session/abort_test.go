//go:build linux

package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAbortSignalAtAnyPoint sends abortSignal between any two commands of endAbort, and
// expects the traps of the user back once the signal is dealt with.
func TestAbortSignalAtAnyPoint(t *testing.T) {
	kill := `\builtin kill -` + strconv.Itoa(abortSignal) + ` $$ ${__session_abort:+}`
	const mine = "trap ': int' INT; trap 'x=1' DEBUG\n"
	want := bashSays(t, mine+"trap -p INT DEBUG; shopt extdebug")
	parts := strings.SplitAfter(endAbort, "; ")
	for i := range parts {
		if i == len(parts)-1 && parts[i] == "" {
			continue
		}
		disturbed := strings.Join(parts[:i], "") + kill + "; " + strings.Join(parts[i:], "")
		snap := filepath.Join(t.TempDir(), "snap")
		require.NoError(t, os.WriteFile(snap, nil, 0o600))
		text := defineFuncs("/dev/null") + abortTrap(snap) + "\n" + mine +
			kill + "\n" + disturbed + "\n" +
			kill + "\n" + endAbort + "\n" + endAbort + "\n" +
			"trap -p INT DEBUG; shopt extdebug"
		assert.Equal(t, want, bashSays(t, text), "the signal comes before: %s", parts[i])
	}
}

func bashSays(t *testing.T, text string) string {
	t.Helper()
	cmd := exec.Command("bash")
	cmd.Stdin = strings.NewReader(text + "; true")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

// TestTrapsOutlastInterrupts expects the INT trap to run, and to be there afterwards, whatever
// an interrupt meets.
func TestTrapsOutlastInterrupts(t *testing.T) {
	s, err := New(nil)
	require.NoError(t, err)
	defer s.Close()
	endless := []string{"while :; do /bin/true; done", "while :; do :; done", "sleep 100", "while :; do x=$(/bin/true); done"}
	for i := range 200 {
		_, err := s.Run(t.Context(), "seen=; trap 'seen=y' INT", nil)
		require.NoError(t, err)
		res, err := s.Run(t.Context(), endless[i%len(endless)], &RunOptions{Timeout: 5 * time.Millisecond})
		require.NoError(t, err)
		require.True(t, res.TimedOut)
		res, err = s.Run(t.Context(), "echo $seen; trap -p INT; shopt extdebug", nil)
		require.NoError(t, err)
		require.Equal(t, "y\ntrap -- 'seen=y' SIGINT\nextdebug       \toff\n", string(res.Stdout))
	}
}
