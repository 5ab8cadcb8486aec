//go:build linux

package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEndlessOutput(t *testing.T) {
	s := open(t, &Options{Head: 1000, Tail: 2000})
	for _, command := range []string{"yes", "yes >&2", "while :; do echo y; done", "yes | cat"} {
		r := runToLimit(t, s, command, 200*time.Millisecond, 10001)
		require.True(t, r.TimedOut, command)
		require.True(t, r.Truncated)
		require.LessOrEqual(t, len(r.Stdout)+len(r.Stderr), 3000)
		require.Equal(t, 1000, r.StdoutHead+r.StderrHead)
		require.Greater(t, r.StdoutTotal+r.StderrTotal, int64(10000))
		require.True(t, bytes.HasPrefix(append(r.Stdout, r.Stderr...), []byte("y\ny\n")))
		require.Equal(t, "ok\n", string(run(t, s, "echo ok").Stdout))
	}
}

func TestOutputLimit(t *testing.T) {
	s := open(t, &Options{OutputLimit: 1 << 20})
	r := run(t, s, "yes")
	require.True(t, r.OutputLimited)
	require.False(t, r.TimedOut)
	require.Equal(t, 130, r.ExitCode)
	require.GreaterOrEqual(t, r.StdoutTotal, int64(1<<20))
	alone(t, s)
	r = run(t, s, "head -c 1000000 /dev/zero")
	require.False(t, r.OutputLimited)
	require.Zero(t, r.ExitCode)
}

// TestBigOutput writes a gigabyte, and compares the memory before and after.
func TestBigOutput(t *testing.T) {
	s := open(t, nil)
	run(t, s, "head -c 10000000 /dev/zero") // buffers have grown
	before := heap()
	r := run(t, s, "echo first; head -c 1000000000 /dev/zero; echo; echo last")
	require.Less(t, heap(), before+2<<20)
	require.Equal(t, int64(1000000000+6+1+5), r.StdoutTotal)
	require.True(t, bytes.HasPrefix(r.Stdout, []byte("first\n\x00")))
	require.True(t, bytes.HasSuffix(r.Stdout, []byte("\x00\nlast\n")))
	require.Equal(t, DefaultHead, r.StdoutHead)
	require.Len(t, r.Stdout, DefaultHead+DefaultTail)
}

// A text that is no unit is tried as one first; nobody sees what bash says of that.
func TestWritersGetOneComplaint(t *testing.T) {
	s := open(t, nil)
	version, _ := bashVersion(t, "bash")
	for _, command := range []string{
		"if true; then\r\necho x &&\r\nfi\r\n", "for i in 1; do\r\necho x\r\ndone\r\n", "echo a &&\r\n{ echo b\r\n", "echo a\n(echo b",
		"shopt -s extglob\ncase abc in +([a-c])) echo yes;; esac; shopt -u extglob",
	} {
		var out, errs bytes.Buffer
		r, err := s.Run(context.Background(), command, &RunOptions{Stdout: &out, Stderr: &errs})
		require.NoError(t, err)
		want := bashC(t, s.Dir(), fromLine1(command, version))
		want.stderr = regexp.MustCompile("(?m)^bash: `.*\n").ReplaceAllString(want.stderr, "") // the line itself, which eval does not show

		if version == 500 { // it has 1 or 2 for what does not parse
			want.code = r.ExitCode
		}
		require.Equal(t, want, answerOf(r), "%q", command)
		require.Equal(t, want, answer{out.String(), errs.String(), r.ExitCode}, "%q", command)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestBigCommand sends a megabyte of text, of several shapes.
func TestBigCommand(t *testing.T) {
	t.Parallel()
	s := open(t, &Options{Dir: t.TempDir()})
	word := strings.Repeat("x", 1<<20)
	r := run(t, s, ": '"+word+"'; echo $?")
	require.Equal(t, "0\n", string(r.Stdout))
	r = run(t, s, "cat <<'EOF' | wc -c\n"+strings.Repeat(strings.Repeat("y", 79)+"\n", 1<<20/80)+"EOF\n")
	require.Equal(t, fmt.Sprintln(1<<20/80*80), string(r.Stdout))
	r = run(t, s, strings.Repeat("i=$((i+1))\n", 100000)+"echo $i")
	require.Equal(t, "100000\n", string(r.Stdout))
	r = run(t, s, "echo $((2+3)) '"+word+"' | wc -c\nif")
	require.Equal(t, fmt.Sprintln(1<<20+3), string(r.Stdout))
	require.Equal(t, 2, r.ExitCode)
}

func TestNUL(t *testing.T) {
	s := open(t, nil)
	_, err := s.Run(context.Background(), "echo a\x00b", nil)
	require.ErrorIs(t, err, ErrNUL)
	require.Equal(t, "ok\n", string(run(t, s, "echo ok").Stdout))
}

// TestNothingGrows runs 10,000 commands.
func TestNothingGrows(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	commands := []string{"true", "echo hi", "false", "echo a\necho b", "if", "x=1", "cd /; cd - >/dev/null", "echo e >&2", "# c"}
	if testing.Short() {
		commands = commands[:3]
	}
	batch := func(n int) {
		for i := range n {
			run(t, s, commands[i%len(commands)])
		}
		for range 5 { // and some of the costly kind
			run(t, s, "sleep 100 & kill $!; wait")
			run(t, s, "exit 1")
			_, err := s.Run(context.Background(), "sleep 100", &RunOptions{Timeout: time.Millisecond})
			require.NoError(t, err)
		}
		alone(t, s)
		require.Eventually(t, func() bool { s.e.late.mu.Lock(); defer s.e.late.mu.Unlock(); return len(s.e.late.open) == 0 }, waitLimit, time.Millisecond)
	}
	batch(1000)
	fds, goroutines, memory := openFDs(t), runtime.NumGoroutine(), heap()
	batch(9000)
	// What has ended may take a moment to be gone.
	for end := time.Now().Add(waitLimit); !slices.Equal(fds, openFDs(t)) || runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		require.True(t, time.Now().Before(end), "descriptors %v, then %v; goroutines %d, then %d", fds, openFDs(t), goroutines, runtime.NumGoroutine())
	}
	require.Less(t, heap(), memory+1<<20)
	shell := run(t, s, "ls /proc/$$/fd > fds; wc -l < fds; grep VmRSS /proc/$$/status")
	require.Regexp(t, `^6\nVmRSS:\s+\d{4} kB\n$`, string(shell.Stdout), "descriptors and memory of the shell")
}

func openFDs(t testing.TB) (all []string) {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, n := range names {
		link, _ := os.Readlink("/proc/self/fd/" + n.Name())
		link, _, _ = strings.Cut(link, ":") // the kind, not the number
		link = strings.TrimRight(link, "0123456789")
		if !strings.HasPrefix(link, "/proc/") {
			all = append(all, link)
		}
	}
	return all
}
