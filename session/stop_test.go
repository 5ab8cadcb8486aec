//go:build linux

package session

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/proctable"
)

// family lists what a session has started and that still runs, but for its
// shell.
func family(s *Session) (all []string) {
	for _, p := range proctable.Read() {
		if p.PID != s.Pid() && !p.Ended() && s.e.mark.isOn(p.PID) {
			line, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
			all = append(all, fmt.Sprintf("%d %s", p.PID, strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return all
}

// alone waits until a session has nothing but its shell.
func alone(t testing.TB, s *Session) {
	t.Helper()
	require.Eventually(t, func() bool { return len(family(s)) == 0 }, waitLimit, 5*time.Millisecond, "left: %v", family(s))
}

// waitLimit is how long a test waits for what must come.
const waitLimit = 5 * time.Minute

// runToLimit runs a command that does not end, with a limit that is doubled
// until it leaves a busy machine the time to write that much.
func runToLimit(t testing.TB, s *Session, command string, limit time.Duration, bytes int64) Result {
	t.Helper()
	for ; ; limit *= 2 {
		r, err := s.Run(context.Background(), command, &RunOptions{Timeout: limit})
		require.NoError(t, err)
		if r.StdoutTotal+r.StderrTotal >= bytes || limit > waitLimit {
			return r
		}
	}
}

// runaways are commands that do not end, and what they have written when they
// are stopped.
var runaways = []struct{ name, command, stdout string }{
	{"sleep", "echo a; sleep 100; echo b", "a\n"},
	{"several lines", "echo a\nsleep 100\necho b", "a\n"},
	{"and list", "echo a; sleep 100 && echo b || echo c", "a\n"},
	{"loop of sleeps", "echo a; while :; do sleep 100; done", "a\n"},
	{"busy loop", "echo a; while :; do :; done", "a\n"},
	{"busy loop in a function", "f() { while true; do :; done; }; echo a; f; echo b", "a\n"},
	{"subshell", "(echo a; sleep 100; echo b); echo c", "a\n"},
	{"substitution", "echo a; x=$(sleep 100; echo b); echo $x", "a\n"},
	{"pipeline", "echo a; sleep 100 | cat; echo b", "a\n"},
	{"busy pipeline", "echo a; while :; do echo x; done | grep y", "a\n"},
	{"read of a descriptor", "echo a; exec 9<> <(:); read -u 9 x; echo b; exec 9>&-", "a\n"},
	{"wait for a job", "echo a; sleep 100 & wait; echo b; kill %1", "a\n"},
	{"open of a fifo", "mkfifo ff; echo a; cat ff; echo b; rm ff", "a\n"},
	{"ignores int", "echo a; sh -c 'trap \"\" INT; sleep 100; sleep 100'; echo b", "a\n"},
	{"ignores int and term", "echo a; sh -c 'trap \"\" INT TERM HUP QUIT; while :; do sleep 100; done'; echo b", "a\n"},
	{"int ends in success", "echo a; sh -c 'trap \"exit 0\" INT; while :; do sleep 0.01; done'; echo b", "a\n"},
	{"group of its own", "echo a; setsid -w sleep 100; echo b", "a\n"},
	{"group of its own that ignores", "echo a; setsid -w sh -c 'trap \"\" INT TERM; sleep 100; :'; echo b", "a\n"},
	{"job control", "set -m; echo a; sleep 100; echo b; set +m", "a\n"},
	{"int trapped", "trap 'echo got' INT; echo a; sleep 100; echo b", "a\ngot\n"},
	{"int ignored", "trap '' INT; echo a; sleep 100; echo b", "a\n"},
	{"int ignored in a busy loop", "trap '' INT; echo a; while :; do :; done", "a\n"},
	{"int trapped by more of the same", "trap 'sleep 100' INT; echo a; sleep 100; echo b", "a\n"},
	{"grandchildren", "echo a; sh -c 'sh -c \"sleep 100 & sleep 100\" & sleep 100'", "a\n"},
	{"python", "echo a; python3 -c 'import time; time.sleep(100)'", "a\n"},
	{"python that ignores int", "echo a; python3 -c 'import signal,time; signal.signal(2, signal.SIG_IGN); time.sleep(100)'", "a\n"},
	{"timeout", "echo a; timeout 100 sleep 100", "a\n"},
	{"xargs", "echo a; yes 100 | xargs -P 4 -n 1 sleep", "a\n"},
	{"debug trap that sleeps", "trap 'sleep 100' DEBUG; echo b", ""},
	{"select that waits", "echo a; tail -f /dev/null", "a\n"},
	{"stopped child", "echo a; sh -c 'kill -STOP $$'; echo b", "a\n"},
	{"eval of a loop", "echo a; eval 'while :; do sleep 100; done'", "a\n"},
	{"errexit", "set -e; echo a; sleep 100; echo b", "a\n"},
	{"spawns as it dies", "echo a; sh -c 'trap \"sleep 100; exit\" INT; while :; do sleep 0.01; done'; echo b", "a\n"},
}

// TestStop cancels each as soon as it has written something, and looks at what
// is left of it and of the shell.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, row := range runaways {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, &Options{Dir: t.TempDir()})
			run(t, s, "keep=kept")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			opts := RunOptions{Stdout: writerFunc(func([]byte) { cancel() })}
			if row.stdout == "" {
				opts.Timeout = 300 * time.Millisecond
			}
			r, err := s.Run(ctx, row.command, &opts)
			require.NoError(t, err)
			require.NotEqual(t, r.Canceled, r.TimedOut)
			if row.stdout != "" {
				require.Equal(t, 130, r.ExitCode)
				require.Equal(t, row.stdout, string(r.Stdout))
			} else {
				require.Equal(t, 124, r.ExitCode)
			}
			code := r.ExitCode
			r = run(t, s, "echo $?; trap - INT DEBUG; set +e; echo $keep")
			require.Equal(t, itoa(code)+"\nkept\n", string(r.Stdout), row.command)
			require.Empty(t, string(r.Stderr))
			run(t, s, "kill %1 2>/dev/null")
			alone(t, s)
		})
	}
}

// TestTimeout lets commands run into their limit.
func TestTimeout(t *testing.T) {
	t.Parallel()
	s := open(t, &Options{Dir: t.TempDir()})
	for _, command := range []string{"echo a; sleep 100; echo b", "echo a\nwhile :; do :; done\necho b", "echo a; sh -c 'trap \"\" INT; sleep 100'"} {
		r := runToLimit(t, s, command, time.Second/2, 1)
		require.True(t, r.TimedOut)
		require.False(t, r.Canceled)
		require.Equal(t, 124, r.ExitCode)
		require.Equal(t, "a\n", string(r.Stdout))
		require.Equal(t, "124\n", string(run(t, s, "echo $?").Stdout))
		alone(t, s)
	}
}

// TestStopKeepsTraps stops a command that has an INT trap.
func TestStopKeepsTraps(t *testing.T) {
	s := open(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := s.Run(ctx, "trap 'echo got' INT; echo a; sleep 100; echo b", &RunOptions{Stdout: writerFunc(func([]byte) { cancel() })})
	require.NoError(t, err)
	require.Equal(t, "a\ngot\n", string(r.Stdout))
	require.Equal(t, "trap -- 'echo got' SIGINT\n", string(run(t, s, "trap -p INT; trap - INT").Stdout))
}

func TestCancel(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	run(t, s, "keep=kept")
	pid := s.Pid()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := s.Run(ctx, "echo a; sleep 100; echo b", &RunOptions{Stdout: writerFunc(func(p []byte) { cancel() })})
	require.NoError(t, err)
	require.True(t, r.Canceled)
	require.False(t, r.TimedOut)
	require.Equal(t, 130, r.ExitCode)
	require.Equal(t, "a\n", string(r.Stdout))
	alone(t, s)
	require.Equal(t, "130 kept\n", string(run(t, s, "echo $? $keep").Stdout))
	require.Equal(t, pid, s.Pid())

	r, err = s.Run(ctx, "touch never", nil)
	require.NoError(t, err)
	require.True(t, r.Canceled)
	require.Equal(t, 130, r.ExitCode)
	require.Equal(t, "2\n", string(run(t, s, "ls never >/dev/null 2>&1; echo $?").Stdout))
}

// TestCancelWhileWaiting cancels a Run that waits for another one.
func TestCancelWhileWaiting(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	started, first := make(chan struct{}), make(chan Result)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		r, _ := s.Run(ctx, "echo a; sleep 100", &RunOptions{Stdout: writerFunc(func([]byte) { close(started) })})
		first <- r
	}()
	<-started
	second, stop := context.WithCancel(context.Background())
	stop()
	r, err := s.Run(second, "echo b", nil)
	require.NoError(t, err)
	require.True(t, r.Canceled)
	cancel()
	require.True(t, (<-first).Canceled)
}

// TestStopSparesJobs stops a command while a job of an earlier one runs.
func TestStopSparesJobs(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	run(t, s, "sleep 100 & old=$!; (setsid sleep 101 &)")
	ctx, cancel := context.WithCancel(context.Background())
	r, err := s.Run(ctx, "sleep 102 & new=$!; echo a; sleep 103", &RunOptions{Stdout: writerFunc(func([]byte) { cancel() })})
	require.NoError(t, err)
	require.True(t, r.Canceled)
	r = run(t, s, "kill -0 $old && kill -0 $new; echo $?")
	require.Equal(t, "0\n", string(r.Stdout), "jobs go on: %s %v", run(t, s, "echo old $old new $new; jobs -l").Stdout, family(s))
	left := strings.Join(family(s), "\n")
	require.Contains(t, left, "sleep 101", "and daemons")
	require.NotContains(t, left, "sleep 103", "but not the foreground")
}

// TestStopSparesStarvedJobs: what was forked for a job, and got no processor since, has not said yet that it is one.
func TestStopSparesStarvedJobs(t *testing.T) {
	var mine unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &mine))
	cpu := 0
	for !mine.IsSet(cpu) {
		cpu++
	}
	busy := exec.Command("taskset", "-c", itoa(cpu), "bash", "-c", "while :; do :; done")
	require.NoError(t, busy.Start())
	defer busy.Wait()
	defer busy.Process.Kill()
	for waited := false; !waited; {
		start := proctable.Now()
		job := exec.Command("taskset", "-c", itoa(cpu), "chrt", "-i", "0", "sh", "-c", "trap '' INT QUIT; exec sleep 100")
		require.NoError(t, job.Start())
		for pid := job.Process.Pid; !proctable.IgnoresInterrupts(pid); {
			who := target{shell: os.Getpid(), since: start, until: math.MaxInt64}
			for _, p := range who.findProcesses(foreground) {
				require.NotEqual(t, pid, p.PID, "it waits for a processor: %+v", p)
			}
			waited = waited || proctable.Now() > start+2*settled
		}
		job.Process.Kill()
		job.Wait()
	}
}

func TestTimeoutIsCut(t *testing.T) {
	require.Equal(t, 120*time.Second, limitDuration(0, DefaultTimeout))
	require.Equal(t, 600*time.Second, limitDuration(time.Hour, DefaultTimeout))
	require.Equal(t, time.Second, limitDuration(time.Second, DefaultTimeout))
}

// TestDefaultTimeout takes the limit from the session's options.
func TestDefaultTimeout(t *testing.T) {
	s := open(t, &Options{Timeout: 50 * time.Millisecond})
	require.True(t, run(t, s, "sleep 100").TimedOut)
	r, err := s.Run(context.Background(), "sleep 0.2; echo a", &RunOptions{Timeout: time.Minute})
	require.NoError(t, err)
	require.Equal(t, "a\n", string(r.Stdout))
}

// TestStuckWriter has a command stopped although the writer of its output
// blocks until it is.
func TestStuckWriter(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	stuck := writerFunc(func([]byte) { alone(t, s) })
	res, err := s.Run(context.Background(), "yes", &RunOptions{Timeout: 200 * time.Millisecond, Stdout: stuck})
	require.NoError(t, err)
	require.True(t, res.TimedOut)
	require.Equal(t, "ok\n", string(run(t, s, "echo ok").Stdout))
}

// writerFunc is an io.Writer that never fails.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// TestExecDoesNotSpin: a shell that has become another program holds no pipe of the protocol, and
// the host sleeps while it waits for that program's end.
func TestExecDoesNotSpin(t *testing.T) {
	used := func() time.Duration {
		var r syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	s := open(t, nil)
	before := used()
	res := run(t, s, "exec bash -c 'sleep 2; echo out; exit 7'")
	require.Less(t, used()-before, 200*time.Millisecond)
	require.Equal(t, "out\n", string(res.Stdout))
	require.Equal(t, 7, res.ExitCode)
	require.False(t, res.StatusLost)
}
