//go:build linux

package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPromises are what docs/session.md says and no other test shows.
func TestPromises(t *testing.T) {
	for _, row := range []struct{ name, command, then, stdout string }{
		{"a session of its own without a terminal", "true", `[[ $(ps -o sid= -o tty= -p $$) =~ ^\ *$$\ +\?$ ]] && { : </dev/tty; } 2>/dev/null; echo $?`, "1\n"},
		{"a report that is lost twice is found out", "shopt -s extdebug; trap false DEBUG", "echo again", "again\n"},
		{"a builtin that ends itself in the background has status 0", "true", "kill -TERM $BASHPID & wait $!; echo $?", "0\n"},
		{"the state needs no file", "v=kept; ulimit -f 0; exit 3", "echo $v", "kept\n"},
		{"jobs, descriptors and $! are not handed over", "sleep 100 & exec 7>f; v=kept; set -u; echo $nope", `echo "$v [${!-}] $(jobs -p)"; { : >&7; } 2>/dev/null || echo closed`, "kept [] \nclosed\n"},
		{"the source of an error is the text's line 1", "true", "nosuch_b 2>&1", "bash: line 1: nosuch_b: command not found\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := open(t, &Options{Dir: t.TempDir()})
			r := run(t, s, row.command)
			require.Equal(t, row.name == "a report that is lost twice is found out", r.StatusLost)
			require.Equal(t, row.stdout, string(run(t, s, row.then).Stdout))
		})
	}
}

// TestSlowSnapshots: where they take long, a command that goes on may have to do without one, and says so.
func TestSlowSnapshots(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for i := 0; ; i++ {
		run(t, s, "v="+itoa(i))
		s.e.running <- struct{}{}
		s.e.takeSnapshot()
		s.e.snap.took = time.Minute
		<-s.e.running
		run(t, s, "v=after")
		r := goOn(t, s, "sleep 100", 10*time.Millisecond) // where the machine stood still, one was taken meanwhile
		r.Running.Kill()
		readRest(r.Running)
		got := string(run(t, s, "echo $v").Stdout)
		if r.StateLost {
			require.Equal(t, itoa(i)+"\n", got)
			return
		}
		require.Equal(t, "after\n", got)
	}
}
