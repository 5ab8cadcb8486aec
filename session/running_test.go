//go:build linux

package session

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentbash/agentbash/session/sandbox"
	"github.com/stretchr/testify/require"
)

// goOn runs a command that goes on after its limit.
func goOn(t testing.TB, s *Session, command string, limit time.Duration) Result {
	t.Helper()
	r, err := s.Run(context.Background(), command, &RunOptions{Timeout: limit, GoOn: func() bool { return true }})
	require.NoError(t, err)
	require.NotNil(t, r.Running, "%+v", r)
	require.True(t, r.TimedOut)
	require.Equal(t, 124, r.ExitCode)
	return r
}

// readRest reads what a command still writes, to its end.
func readRest(r *Running) (stdout, stderr string) {
	done := make(chan string)
	go func() {
		b, _ := io.ReadAll(r.Stderr)
		r.Stderr.Close()
		done <- string(b)
	}()
	out, _ := io.ReadAll(r.Stdout)
	r.Stdout.Close()
	return string(out), <-done
}

// TestGoesOn lets a command go at its limit, looks at what the next shell has, and lets the
// command end then.
func TestGoesOn(t *testing.T) {
	for name, openIn := range map[string]func(t *testing.T, dir string) *Session{
		"free":     func(t *testing.T, dir string) *Session { return open(t, &Options{Dir: dir}) },
		"by FIFOs": func(t *testing.T, dir string) *Session { return openNamed(t, &Options{Dir: dir}) },
		"confined": func(t *testing.T, dir string) *Session {
			return open(t, &Options{Dir: dir, Launcher: sandboxed(t, sandbox.Spec{Write: []string{dir}}, sandbox.Workspace)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openIn(t, dir)
			// Without a pause in between, so that nothing of it is in a snapshot already.
			run(t, s, "mkdir sub; cd sub; export E='a b'; v=$'x\\ny'; arr=([2]=c); f() { echo \"f $1\"; }; alias al='echo al'; shopt -s extglob; set -o pipefail; umask 027")
			run(t, s, "w=last")
			pid := s.Pid()
			r := goOn(t, s, "echo first; echo err >&2; v=other; until [ -e ../go ]; do sleep 0.01; done; echo last; echo end >&2; (exit 7)", 100*time.Millisecond)
			require.Equal(t, pid, r.Running.Pid)
			require.False(t, r.StateLost)
			require.Equal(t, filepath.Join(dir, "sub"), r.Dir)
			next := run(t, s, `echo $?; pwd; echo "$E|$v|${arr[2]}|$w"; f 1; al; [[ aa == +(a) ]]; echo $?; set -o | grep pipefail; umask; env | grep ^E=`)
			require.Equal(t, []string{"124", filepath.Join(dir, "sub"), "a b|x", "y|c|last", "f 1", "al", "0", "pipefail       \ton", "0027", "E=a b", ""},
				strings.Split(string(next.Stdout), "\n"), "%s", next.Stderr)
			require.False(t, next.Restarted, "its shell has not ended")
			require.NotEqual(t, pid, s.Pid())
			run(t, s, "touch ../go")
			stdout, stderr := readRest(r.Running)
			require.Equal(t, "first\nlast\n", string(r.Stdout)+stdout)
			require.Equal(t, "err\nend\n", string(r.Stderr)+stderr)
			require.Equal(t, 7, r.Running.Wait().ExitStatus())
			alone(t, s)
			require.Equal(t, "x y last\n", string(run(t, s, "echo $v $w").Stdout), "what the command has set is not the session's")
		})
	}
}

// TestGoesOnEnds ends a command that goes on in every way.
func TestGoesOnEnds(t *testing.T) {
	t.Parallel()
	const wait = "echo a; until [ -e go ]; do sleep 0.01; done; echo b; "
	for _, row := range []struct {
		name, command string
		kill          bool
		code          int
		signal        syscall.Signal
		stdout        string
	}{
		{"status", wait + "false", false, 1, 0, "a\nb\n"},
		{"exit", wait + "exit 5; echo c", false, 5, 0, "a\nb\n"},
		{"exec", wait + "exec sh -c 'echo c; exit 6'", false, 6, 0, "a\nb\nc\n"},
		{"signal", wait + "kill -9 $$", false, 0, syscall.SIGKILL, "a\nb\n"},
		{"errexit", "set -e; " + wait + "false; echo c", false, 1, 0, "a\nb\n"},
		{"closed", "exec 10>&- 11>&- 12>&- 13>&-; " + wait + "exit 4", false, 4, 0, "a\nb\n"},
		{"no builtin", "builtin() { :; }; " + wait + "exit 4", false, 4, 0, "a\nb\n"},
		{"killed", "echo a; while :; do sleep 100; done & sleep 100; echo b", true, 0, syscall.SIGKILL, "a\n"},
		{"killed while it ignores signals", "trap '' INT TERM HUP QUIT; echo a; while :; do :; done", true, 0, syscall.SIGKILL, "a\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, &Options{Dir: t.TempDir()})
			run(t, s, "v=1; sleep 100 & sleep 0.1") // a job is as old as its tick of the clock says
			r := goOn(t, s, row.command, 100*time.Millisecond)
			if row.kill {
				r.Running.Kill()
			} else {
				run(t, s, "touch go")
			}
			stdout, _ := readRest(r.Running)
			ws := r.Running.Wait()
			if row.kill {
				require.True(t, strings.HasPrefix(row.stdout, string(r.Stdout)+stdout), "%q %q", r.Stdout, stdout)
			} else {
				require.Equal(t, row.stdout, string(r.Stdout)+stdout)
			}
			if row.signal != 0 {
				require.True(t, ws.Signaled())
				require.Equal(t, row.signal, ws.Signal())
			} else {
				require.Equal(t, row.code, ws.ExitStatus())
			}
			require.Equal(t, "1\n", string(run(t, s, "echo $v").Stdout))
			require.Len(t, family(s), 1, "the job of the command before goes on: %v", family(s))
		})
	}
}

// TestGoesOnOrNot: whoever is asked may say no, and the end of the context still ends a command.
func TestGoesOnOrNot(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	r, err := s.Run(context.Background(), "sleep 100", &RunOptions{Timeout: 10 * time.Millisecond, GoOn: func() bool { return false }})
	require.NoError(t, err)
	require.True(t, r.TimedOut)
	require.Nil(t, r.Running)
	alone(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	r, err = s.Run(ctx, "sleep 100", &RunOptions{GoOn: func() bool { return true }})
	require.NoError(t, err)
	require.True(t, r.Canceled)
	require.Nil(t, r.Running)
	alone(t, s)
}

// TestGoesOnIntoClose: the end of the session is that of what goes on.
func TestGoesOnIntoClose(t *testing.T) {
	s, err := New(&Options{Dir: t.TempDir()})
	require.NoError(t, err)
	var all []*Running
	for range 3 {
		all = append(all, goOn(t, s, "sleep 100 & sleep 100", time.Millisecond).Running)
	}
	require.NoError(t, s.Close())
	for _, r := range all {
		r.Wait()
		readRest(r)
	}
	require.Empty(t, family(s))
}

// TestGoesOnAfterReading: a shell that had not read its command yet runs that one, whatever
// the session does meanwhile.
func TestGoesOnAfterReading(t *testing.T) {
	t.Parallel()
	for name, openIn := range map[string]func() *Session{
		"free":     func() *Session { return open(t, &Options{Dir: t.TempDir()}) },
		"by FIFOs": func() *Session { return openNamed(t, &Options{Dir: t.TempDir()}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openIn()
			long := ": " + strings.Repeat("x", 2*maxInline) + "\n"
			for i := range 50 {
				n := itoa(i)
				run(t, s, "i="+n)
				s.e.running <- struct{}{}
				s.e.takeSnapshot()
				<-s.e.running
				pid := s.Pid()
				require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
				r := goOn(t, s, long+"echo $i; until [ -e go"+n+" ]; do sleep 0.001; done; echo end "+n, time.Nanosecond)
				require.Equal(t, pid, r.Running.Pid)
				require.Equal(t, n+"\n", string(run(t, s, long+"echo $i").Stdout))
				require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
				run(t, s, "touch go"+n)
				stdout, stderr := readRest(r.Running)
				require.Equal(t, n+"\nend "+n+"\n", string(r.Stdout)+stdout, "%s", stderr)
				require.Zero(t, r.Running.Wait().ExitStatus())
			}
			alone(t, s)
		})
	}
}

var soak = flag.Int("soak", 2000, "how many commands TestSoak runs")

// TestSoak runs many commands, of which one in a thousand outlives its limit, and looks at what is left.
func TestSoak(t *testing.T) {
	state := t.TempDir()
	s := open(t, &Options{Dir: t.TempDir(), StateDir: state})
	random := rand.New(rand.NewPCG(1, 0))
	var going sync.WaitGroup
	var went int
	var fds, memory int
	run(t, s, "n=0")
	for i := range *soak {
		if i == *soak/10 {
			going.Wait()
			run(t, s, "true") // in a shell that is there
			alone(t, s)
			fds, memory = len(openFDs(t)), int(heap())
		}
		if i%1000 != 999 {
			require.Equal(t, "x\n", string(run(t, s, "((++n)); echo x").Stdout))
			continue
		}
		r := goOn(t, s, []string{"echo a; sleep 0.05; echo b", "(sleep 0.02; echo b) & echo a; wait", "echo a | { sleep 0.03; cat; }; echo b; exit 3"}[random.IntN(3)],
			time.Duration(1+random.IntN(4))*time.Millisecond)
		went++
		going.Go(func() {
			stdout, stderr := readRest(r.Running)
			if r.Running.Wait(); string(r.Stdout)+stdout != "a\nb\n" || stderr != "" {
				t.Errorf("%q, then %q, %q", r.Stdout, stdout, stderr)
			}
		})
	}
	going.Wait()
	require.Equal(t, itoa(*soak-went)+"\n", string(run(t, s, "echo $n").Stdout), "no command was lost, none ran twice")
	alone(t, s)
	require.LessOrEqual(t, len(openFDs(t)), fds)
	require.Less(t, int(heap()), memory+1<<20)
	left, err := os.ReadDir(state)
	require.NoError(t, err)
	ofShell := 0
	if s.e.pipes.named {
		ofShell = 6 // two texts and four pipes
	}
	require.Len(t, left, ofShell)
	t.Logf("%d commands, %d went on", *soak, went)
}
