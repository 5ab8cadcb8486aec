package agentbash_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentbash/agentbash"
	commands "github.com/agentbash/agentbash/agentbash"
	"github.com/agentbash/agentbash/agentbash/shells"
	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

// briefly is a limit that a command outlives which waits for a file.
var briefly = &router.RunOptions{Timeout: 100 * time.Millisecond}

// untilGo is such a command.
const untilGo = "until [ -e go ]; do sleep 0.01; done"

func openBash(t *testing.T, o *agentbash.Options) *agentbash.Bash {
	t.Helper()
	b, err := agentbash.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// TestGoesOn has commands go on after their limit, free and confined: all that they write is kept,
// the session has what it had, and their end is told with the next result.
func TestGoesOn(t *testing.T) {
	for _, mode := range []policy.Mode{policy.FullMode, policy.AutoMode} {
		t.Run(string(mode), func(t *testing.T) {
			dir := t.TempDir()
			b := openBash(t, &agentbash.Options{Dir: dir, Mode: mode, StateDir: t.TempDir()})
			ctx := context.Background()
			run := func(command string) router.Result { return b.Run(ctx, command, nil) }
			require.True(t, run("X=5; f() { echo f $X; }; mkdir d && cd d").Success)
			res := b.Run(ctx, "echo first; X=6; echo oops >&2; "+untilGo+"; echo second; exit 3", briefly)
			require.Equal(t, 1, res.Running, "%+v", res)
			require.True(t, res.TimedOut)
			require.Equal(t, 124, res.ExitCode)
			require.Contains(t, res.Output, "[still running as shell 1 after 0.1 s: bash_output 1 --wait exit --timeout 60, bash_kill 1]\n")
			require.Contains(t, res.Lost, "jobs")
			require.Contains(t, res.Output, "but without: "+strings.Join(res.Lost, "; ")+"]")
			next := run("f; pwd; bash_start")
			require.Contains(t, next.Stdout, "f 5\n"+filepath.Join(dir, "d")+"\n1: running for ")
			require.False(t, next.Restarted)
			require.Empty(t, next.Lost)
			require.Zero(t, next.Running)
			require.True(t, run("touch go").Success)
			res = run("bash_output 1 --wait exit")
			require.True(t, res.Success, "%+v", res)
			require.Contains(t, res.Stdout, "second\n")
			require.NotContains(t, res.Stdout, "first", "it was shown")
			require.Contains(t, res.Stderr, "1: failed after ")
			require.Contains(t, res.Stderr, ", exit code 3\n")
			data, err := os.ReadFile(b.Shells().Jobs()[0].Log)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(data), "first\n"), "%s", data)
			require.Contains(t, string(data), "oops\n")
			require.NotContains(t, run("true").Output, "shell 1", "its end was looked at")

			res = b.Run(ctx, "rm go; "+untilGo+"; echo end", briefly)
			require.Equal(t, 2, res.Running)
			require.Contains(t, res.Lost, "jobs")
			require.NotContains(t, res.Output, "jobs", "it was told")
			require.Regexp(t, `\[the shell ended: the next command runs in a new one, but without: what the command set\b`, run("kill -9 $$").Output)
			told := run("touch go").Output // the end may come with this result already
			for i := 0; i < 30_000 && !strings.Contains(told, "[shell 2 ended"); i++ {
				told = run("sleep 0.01").Output
			}
			require.Regexp(t, `\[shell 2 ended: completed after [0-9.m]+s, exit code 0: bash_output 2 shows what it wrote since; it ran: rm go; until`, told)
			require.Equal(t, "(no output)", run("true").Output, "once")
			require.Equal(t, "end\n", run("bash_output 2").Stdout)

			require.Equal(t, 3, b.Run(ctx, "trap 'echo bye' EXIT; sleep 1000", briefly).Running)
			res = run("bash_input 3 text")
			require.Equal(t, 1, res.ExitCode)
			require.Contains(t, res.Output, "background shell 3: its stdin is empty: start it again with bash_start --tty")
			require.Contains(t, run("bash_output 3 --screen").Output, "background shell 3 has no terminal, and no screen")
			res = run("bash_kill 3")
			require.True(t, res.Success, "%+v", res)
			require.Contains(t, res.Stderr, "3: terminated")
			require.Equal(t, 4, b.Run(ctx, "sleep 1000; echo interrupted", briefly).Running)
			res = run("bash_input 4 --key ctrl-c --wait exit --timeout 600")
			require.True(t, res.Success, "%+v", res)
			require.Equal(t, "f 5\n", run("f").Stdout)
			require.Equal(t, 5, b.Run(ctx, "sleep 0.3", briefly).Running)
			for told = ""; !strings.Contains(told, "[shell 5 ended"); {
				told = run("sleep 0.01").Output
			}
			require.Regexp(t, `exit code 0: it wrote nothing since; it ran: sleep 0.3\]`, told)
			require.Equal(t, 6, b.Run(ctx, "sleep 0.2; echo part; sleep 1000", briefly).Running)
			res = b.Run(ctx, "bash_output 6 --wait exit --timeout 600", &router.RunOptions{Timeout: 4 * time.Second})
			require.Equal(t, 124, res.ExitCode)
			require.False(t, res.TimedOut, res.Output)
			require.Equal(t, "part\n", res.Stdout)
			require.Contains(t, res.Stderr, "it did not end within ")
		})
	}
}

// TestAtTheLimit: who may not go on is ended at the limit.
func TestAtTheLimit(t *testing.T) {
	ctx := context.Background()
	var o agentbash.Options
	o.Dir, o.Mode, o.StateDir, o.Router.KillAtLimit = t.TempDir(), policy.FullMode, t.TempDir(), true
	ended := func(b *agentbash.Bash, ctx context.Context) router.Result {
		res := b.Run(ctx, "sleep 1000", briefly)
		require.Zero(t, res.Running)
		require.True(t, res.TimedOut)
		require.Contains(t, res.Output, "[timed out after 0.1s")
		return res
	}
	ended(openBash(t, &o), ctx)
	o.Router.KillAtLimit = false
	b := openBash(t, &o)
	ended(b, router.KillAtLimit(ctx))
	for i := range 8 {
		require.Equal(t, i+1, b.Run(ctx, "sleep 1000", briefly).Running)
	}
	require.Contains(t, ended(b, ctx).Output, "[it was ended and does not go on: 8 commands go on already, the most there are: bash_kill 1 ends the oldest]")
	require.True(t, b.Run(ctx, "bash_kill 1", nil).Success)
	require.Equal(t, 9, b.Run(ctx, "sleep 1000", briefly).Running)
	canceled, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	res := b.Run(canceled, "sleep 1000", nil)
	require.True(t, res.Canceled)
	require.Zero(t, res.Running)
}

// TestTheSecondLimit ends what goes on.
func TestTheSecondLimit(t *testing.T) {
	b := openBash(t, &agentbash.Options{Dir: t.TempDir(), Mode: policy.FullMode, StateDir: t.TempDir(),
		Commands: commands.Options{Shells: shells.Options{Limit: 200 * time.Millisecond}}})
	require.Equal(t, 1, b.Run(context.Background(), "trap '' TERM; echo a; sleep 1000", briefly).Running)
	var told string
	require.Eventually(t, func() bool { told = b.Run(context.Background(), "true", nil).Output; return told != "(no output)" }, 5*time.Minute, 10*time.Millisecond)
	require.Contains(t, told, "shell 1 ended: by the time limit for what goes on, terminated")
}

// TestCloseEndsWhatGoesOn leaves no process.
func TestCloseEndsWhatGoesOn(t *testing.T) {
	b, err := agentbash.New(&agentbash.Options{Dir: t.TempDir(), Mode: policy.FullMode})
	require.NoError(t, err)
	mark := fmt.Sprintf("1000.%d", os.Getpid())
	require.Equal(t, 1, b.Run(context.Background(), "sleep "+mark+" & setsid sleep "+mark+" & sleep "+mark, briefly).Running)
	require.NoError(t, b.Close())
	out, err := exec.Command("ps", "-eo", "args").Output()
	require.NoError(t, err)
	require.NotContains(t, string(out), "sleep "+mark)
}

// TestStartHasTheState: a background shell has what the session has.
func TestStartHasTheState(t *testing.T) {
	for _, mode := range []policy.Mode{policy.FullMode, policy.AutoMode} {
		t.Run(string(mode), func(t *testing.T) {
			b := openBash(t, &agentbash.Options{Dir: t.TempDir(), Mode: mode, StateDir: t.TempDir()})
			ctx := context.Background()
			b.Run(ctx, "X=5; export E=env; arr=(a 'b c'); f() { echo f $X; }; alias al='echo al'; shopt -s extglob; set -o pipefail; umask 027; trap 'echo no' EXIT", nil)
			res := b.Run(ctx, `bash_start 'al; f; echo "${arr[1]}"; [[ aa == +(a) ]] && echo ext; umask; set -o | grep pipefail; echo $E ${BASH_ENV##*/}; declare -F; nope; E=2 bash -c "echo \$E"; bash_start | wc -l'`, nil)
			require.True(t, res.Success, "%+v", res)
			out := b.Run(ctx, "bash_output 1 --wait exit", nil).Stdout
			require.Contains(t, out, "al\nf 5\nb c\next\n0027\npipefail       \ton\nenv", mode)
			require.Contains(t, out, "declare -f f\n")
			require.NotContains(t, out, "__session")
			require.Contains(t, out, "line 1: nope: command not found")
			require.True(t, strings.HasSuffix(out, "2\n1\n"), "%q", out)
			// From inside bash too, with the environment of the caller.
			res = b.Run(ctx, `E=other; X=6; id=$(bash_start 'echo $E; f'); bash_output $id --wait exit`, nil)
			require.True(t, strings.HasPrefix(res.Stdout, "other\nf 5\n"), "%+v", res)
		})
	}
}
