//go:build linux

package session

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// eventually waits until a file has the text.
func eventually(t testing.TB, path, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		b, _ := os.ReadFile(path)
		return string(b) == want
	}, waitLimit, 2*time.Millisecond, "%s should become %q", path, want)
}

// TestBackground starts jobs that hold the pipes of their command in every way.
// Each waits for a line in the FIFO go and then writes.
func TestBackground(t *testing.T) {
	const job = "{ read x <go; echo out; echo err >&2; }"
	for _, row := range []struct{ name, command string }{
		{"job", job + " &"},
		{"subshell", "( " + job + " & )"},
		{"nohup", "nohup sh -c 'read x <go; echo out; echo err >&2' 2>&2 &"},
		{"session of its own", "setsid sh -c 'read x <go; echo out; echo err >&2' &"},
		{"daemon", "(setsid sh -c 'read x <go; echo out; echo err >&2' &) "},
		{"disowned", job + " & disown"},
		{"job control", "set -m; " + job + " & set +m"},
		{"several lines", "echo start\n" + job + " &\n"},
		{"coproc", "coproc { read x <go; echo out >&2; echo err >&2; }"},
		{"function", "f() { " + job + " & }; f"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, &Options{Dir: dir, StateDir: filepath.Join(dir, "state")})
			run(t, s, "mkfifo go")
			r := run(t, s, row.command)
			require.Zero(t, r.ExitCode)
			require.Empty(t, string(r.Stderr), "no job note")
			require.Equal(t, filepath.Join(dir, "state"), filepath.Dir(r.Background))
			eventually(t, r.Background, "")

			again := run(t, s, "echo again")
			require.Equal(t, "again\n", string(again.Stdout))
			require.Empty(t, again.Background)
			again = run(t, s, "echo go >go; sleep 0.05; echo more")
			require.Equal(t, "more\n", string(again.Stdout), "the job's output is not another command's")
			require.Empty(t, string(again.Stderr))
			require.Eventually(t, func() bool {
				b, _ := os.ReadFile(r.Background)
				return string(b) == "out\nerr\n" || string(b) == "err\nout\n" // they are two pipes
			}, waitLimit, 2*time.Millisecond)
		})
	}
}

func TestJobsAreBashs(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	run(t, s, "sleep 100 & sleep 101 &")
	require.Equal(t, "2\n", string(run(t, s, "jobs -p | wc -l").Stdout))
	require.Equal(t, "0 1\n", string(run(t, s, "kill %1; wait %1 2>/dev/null; echo $((! $?)) $(jobs -r | wc -l)").Stdout))
	require.Equal(t, "0\n", string(run(t, s, "kill $!; wait; jobs -r | wc -l").Stdout))
	require.Equal(t, "7\n", string(run(t, s, "(sleep 0.01; exit 7) & wait -n; echo $?").Stdout))
	alone(t, s)
}

// TestQuickWriters leaves processes behind that are about to write and end.
func TestQuickWriters(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, row := range []struct{ command, stdout, stderr string }{
		{"echo a > >(sed s/a/b/)", "b\n", ""},
		{"{ echo a; echo b >&2; } > >(sleep 0.05; cat) 2> >(sleep 0.05; cat >&2)", "a\n", "b\n"},
	} {
		r := run(t, s, row.command)
		for range 100 { // on a busy machine they may not be quick
			if r.Background == "" {
				break
			}
			r = run(t, s, row.command)
		}
		require.Equal(t, row.stdout, string(r.Stdout), row.command)
		require.Equal(t, row.stderr, string(r.Stderr), row.command)
		require.Empty(t, r.Background, row.command)
	}
}

// TestLateOutputIsBounded has a job write more than LateLimit.
func TestLateOutputIsBounded(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	r := run(t, s, "mkfifo go; { read x <go; head -c 70000000 /dev/zero; echo end >ended; } &")
	run(t, s, "echo >go; wait")
	require.Eventually(t, func() bool {
		st, err := os.Stat(r.Background)
		return err == nil && st.Size() > LateLimit
	}, waitLimit, 5*time.Millisecond)
	st, err := os.Stat(r.Background)
	require.NoError(t, err)
	require.Less(t, st.Size(), int64(LateLimit+100))
	require.Equal(t, "end\n", string(run(t, s, "cat ended").Stdout), "the job was not held up")
}

// TestLateOutputWithoutAFile takes the state directory away.
func TestLateOutputWithoutAFile(t *testing.T) {
	needsNative(t, "nameless")
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	s := open(t, &Options{Dir: dir, StateDir: state})
	require.NoError(t, os.WriteFile(state, nil, 0o600)) // no directory can be made there
	require.Equal(t, os.DevNull, run(t, s, "sleep 100 &").Background)
	require.Equal(t, "ok\n", string(run(t, s, "echo ok").Stdout))
}

// TestClose closes a session that has jobs of every kind, and one whose command
// runs.
func TestClose(t *testing.T) {
	dir := t.TempDir()
	s, err := New(&Options{Dir: dir})
	require.NoError(t, err)
	jobs, least := "trap 'echo bye >bye' EXIT; sleep 100 & (setsid sleep 100 &) ; nohup sleep 100 & ", 3
	if s.e.mark.limitLine() != "" { // else nothing is left to know those by
		jobs, least = jobs+"env -i setsid sleep 100 & (exec -a hidden env -i setsid -f sleep 100)", 5
	}
	r := run(t, s, jobs)
	private := filepath.Dir(r.Background)
	require.DirExists(t, private)
	require.GreaterOrEqual(t, len(family(s)), least)
	require.NoError(t, s.Close())
	require.Empty(t, family(s))
	require.NoDirExists(t, private)
	eventually(t, filepath.Join(dir, "bye"), "bye\n")
	require.NoError(t, s.Close())
	_, err = s.Run(context.Background(), "true", nil)
	require.ErrorIs(t, err, ErrClosed)
	require.Zero(t, s.Pid())

	s, err = New(&Options{Dir: dir})
	require.NoError(t, err)
	started, done := make(chan struct{}), make(chan error)
	go func() {
		_, err := s.Run(context.Background(), "echo a; sleep 100", &RunOptions{Stdout: writerFunc(func([]byte) { close(started) })})
		done <- err
	}()
	<-started
	require.NoError(t, s.Close())
	require.ErrorIs(t, <-done, ErrClosed)
	require.Empty(t, family(s))
}

// TestSideBySide runs two sessions in one process.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, &Options{Dir: dir}), open(t, &Options{Dir: dir})
	run(t, a, "x=a; cd /; sleep 100 &")
	run(t, b, "x=b; exec 7>&1")
	require.Equal(t, "a / 1\n", string(run(t, a, "echo $x $PWD $(jobs -r | wc -l)").Stdout))
	require.Equal(t, "b "+dir+" 0\n", string(run(t, b, "echo $x $PWD $(jobs -r | wc -l)").Stdout))
	run(t, b, "exit 3")
	require.NoError(t, b.Close())
	require.Equal(t, "a 1\n", string(run(t, a, "echo $x $(jobs -r | wc -l)").Stdout))
	require.Len(t, family(a), 1)
}

// TestWriters compares what RunOptions' writers get with the Result.
func TestWriters(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, command := range []string{
		"echo a; echo b >&2; sleep 0.01; echo c", "seq 10000; seq 5 >&2", "sleep 100 & echo '[1] 2' >&2; printf '[1' >&2",
		"exec 2>&1; echo a", "head -c 150000 /dev/zero", "echo x >&2; exit 3", "if", "true",
	} {
		var out, errs strings.Builder
		r, err := s.Run(context.Background(), command, &RunOptions{Stdout: &out, Stderr: &errs})
		require.NoError(t, err)
		require.Equal(t, string(r.Stdout), out.String(), command)
		require.Equal(t, string(r.Stderr), errs.String(), command)
		require.Equal(t, int64(out.Len()), r.StdoutTotal)
	}
	r, err := s.Run(context.Background(), "yes | head -c 1000000; echo done >&2", &RunOptions{Stdout: failingWriter{}})
	require.NoError(t, err)
	require.Equal(t, "done\n", string(r.Stderr), "a writer that fails does not stop the command")
	require.Equal(t, int64(1000000), r.StdoutTotal)
}

// TestWritersGetTheOrder has each chunk written after the one before was got.
func TestWritersGetTheOrder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, &Options{Dir: dir})
	run(t, s, "mkfifo go; exec 9<>go")
	next, err := os.OpenFile(filepath.Join(dir, "go"), os.O_WRONLY, 0)
	require.NoError(t, err)
	defer next.Close()
	var got strings.Builder
	writer := writerFunc(func(p []byte) {
		got.Write(p)
		next.WriteString("\n")
	})
	_, err = s.Run(context.Background(), "for i in 1 2 3 4; do echo o$i; read x <&9; echo e$i >&2; read x <&9; done", &RunOptions{Stdout: writer, Stderr: writer})
	require.NoError(t, err)
	require.Equal(t, "o1\ne1\no2\ne2\no3\ne3\no4\ne4\n", got.String())
}

type failingWriter struct{}

func (failingWriter) Write(p []byte) (int, error) { return 0, io.ErrClosedPipe }
