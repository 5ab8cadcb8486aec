package router

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentbash/agentbash/internal/syscalls"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/protocol"
	"github.com/agentbash/agentbash/router/internal/stub"
	"github.com/stretchr/testify/require"
)

// blocking is a tool that says when it has started and when it was stopped.
func blocking(name string, started, stopped chan<- struct{}) *registry.Tool {
	return &registry.Tool{Name: name, Summary: "Wait", Params: registry.NewParams(), Run: func(ctx context.Context, c *registry.Call) (registry.ToolResult, error) {
		started <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return registry.ToolResult{}, ctx.Err()
	}}
}

func TestKilledClientCancelsTheTool(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
		r := newTestRouter(t, small, blocking("block", started, stopped))
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			cmd := call(r.host.dir, "agent:block")
			require.NoError(t, cmd.Start())
			<-started
			require.NoError(t, cmd.Process.Signal(signal))
			<-stopped
			require.Error(t, cmd.Wait())
		}
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-started
			cancel()
		}()
		res := r.Run(ctx, "block | cat", nil)
		require.True(t, res.Canceled)
		<-stopped
	})
}

// TestStoppedReader: a reader that neither reads nor goes keeps one call
// waiting and nothing else.
func TestStoppedReader(t *testing.T) {
	r := newTest(t)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	cmd := call(r.host.dir, "agent:yell")
	cmd.Stdout = writer
	require.NoError(t, cmd.Start())
	writer.Close()
	requireSettles(t, func() bool {
		n, err := syscalls.Unread(int(reader.Fd()))
		return err == nil && n >= 64<<10-syscalls.PipeBuf
	}, "the pipe is full")
	require.Equal(t, "pattern=x\n", run(t, r, "glob x | cat").Stdout)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	requireSettles(t, func() bool { return !strings.Contains(stacks(), "runCall") }, "the call has ended")
	res := r.Run(context.Background(), "yell | sh -c 'kill -STOP $$'", &RunOptions{Timeout: 200 * time.Millisecond})
	require.True(t, res.TimedOut)
	requireSettles(t, func() bool { return !strings.Contains(stacks(), "runCall") }, "the call has ended")
}

func stacks() string {
	buf := make([]byte, 4<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// TestStubbornToolInBash: a tool that does not stop does not keep the reader of
// its pipe, and Close does not wait for it.
func TestStubbornToolInBash(t *testing.T) {
	release := make(chan struct{})
	ended := make(chan struct{})
	r := newTest(t, &registry.Tool{Name: "stubborn", Summary: "Never stop", Params: registry.NewParams(), Run: func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		io.WriteString(c.Stdout, "before\n")
		<-release
		io.WriteString(c.Stdout, "after\n")
		close(ended)
		return registry.Success(""), nil
	}})
	res := run(t, r, `{ agent:stubborn & echo $! > pid; wait $!; } | { read -r x; echo "$x"; kill "$(cat pid)"; cat; echo end; }`)
	require.Equal(t, "before\nend\n", res.Stdout)
	require.NoError(t, r.Close())
	close(release)
	<-ended
}

func TestLargeArguments(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		megabyte := strings.Repeat("x", 1<<20)
		res := run(t, r, "field:db:query --sql '"+megabyte+"'")
		require.Equal(t, "sql="+megabyte+"\n", res.Stdout, "in process")
		res = run(t, r, "write f --content '"+megabyte+"' | cat; exit ${PIPESTATUS[0]}")
		require.Equal(t, 126, res.ExitCode)
		require.Contains(t, res.Output, "hint: inside bash no argument of a command can be longer than 128 KiB")
		res = run(t, r, "write ./f <<'EOF'\n"+megabyte+"\nEOF\nwc -c < f")
		require.Equal(t, "wrote 1048577 bytes\n1048577\n", res.Stdout, "as a here-document")
		res = run(t, r, `x=$(head -c 131000 /dev/zero | tr '\0' x); field:db:query --sql "$x" | wc -c`)
		require.Equal(t, "131005\n", res.Stdout)
		res = run(t, r, `agent:call field:db:query $(seq 1 10000 | sed 's/^/--/') 2>&1 | wc -l`)
		require.Equal(t, 0, res.ExitCode)
		words := strings.Repeat(" word", 10_000)
		require.Equal(t, 2, run(t, r, "glob"+words).ExitCode)
		require.Equal(t, 2, run(t, r, "glob"+words+" | cat; exit ${PIPESTATUS[0]}").ExitCode)
	})
}

func TestACallLeavesNothingBehind(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		loop := `for ((i = 0; i < %d; i++)); do glob x; done > out; echo a | write ./f > /dev/null; grep --pattern absent | cat; yell | head -n 1`
		require.Equal(t, "y\n", run(t, r, fmt.Sprintf(loop, 5)).Stdout)
		require.Equal(t, "y\n", run(t, r, "agent:hang > /dev/null & kill $!; wait $!; yell | head -n1").Stdout)
		settled := func() bool { return !strings.Contains(stacks(), "connection") }
		requireSettles(t, settled, "calls have ended")
		files, goroutines := openFiles(t), runtime.NumGoroutine()
		require.Equal(t, "y\n", run(t, r, fmt.Sprintf(loop, 1000)).Stdout)
		requireSettles(t, settled, "calls have ended")
		requireSettles(t, func() bool { return openFiles(t) <= files }, "no descriptor is left open")
		requireSettles(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, "no goroutine is left")
		require.Equal(t, "1000\n", run(t, r, "wc -l < out").Stdout)
	})
}

func TestManyCallsAtOnce(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		require.Equal(t, "200\n", run(t, r, "seq 200 | xargs -P 50 -n1 field:db:query --sql | sort -u | wc -l").Stdout)
		require.Equal(t, "100\n", run(t, r, "for i in {1..100}; do glob $i & done | sort -u | wc -l").Stdout)
	})
}

// TestEnvironmentCleared: the small program has its socket built in; the other
// says what is missing, and does not become the whole program.
func TestEnvironmentCleared(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		res := run(t, r, `env -i "$(type -P agent:glob)" x; echo $?`)
		if small && stub.Program("socket") != nil { // it is machine code, for amd64
			require.Equal(t, "pattern=x\n0\n", res.Stdout)
			return
		}
		require.Equal(t, "3\n", res.Stdout)
		require.Equal(t, "agent:glob: "+protocol.NoHost+"\n", res.Stderr)
	})
}

// TestToolsComeAndGo: what is registered later can be called, what is removed
// is an error and not another program.
func TestToolsComeAndGo(t *testing.T) {
	r := newTest(t)
	require.Equal(t, 127, run(t, r, "later | cat; exit ${PIPESTATUS[0]}").ExitCode)
	require.NoError(t, r.Registry().Register(says("later", "here\n", "")))
	require.Equal(t, "here\n", run(t, r, "later | cat").Stdout)
	require.Equal(t, "here\n", run(t, r, "later").Stdout)
	require.True(t, r.Registry().Unregister("later"))
	res := run(t, r, "agent:later | cat; exit ${PIPESTATUS[0]}")
	require.Equal(t, 127, res.ExitCode)
	require.Contains(t, res.Stderr, "no such command")
}

func TestNoCalls(t *testing.T) {
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	r, err := New(reg, &Options{Dir: t.TempDir(), NoCalls: true})
	require.NoError(t, err)
	defer r.Close()
	require.Equal(t, "pattern=x\n", run(t, r, "glob x").Stdout)
	require.Equal(t, 127, run(t, r, "glob x | cat; exit ${PIPESTATUS[0]}").ExitCode)
}

// TestOddTempDir: the directory for calls may have any name, and one that is
// too long for a socket is not used.
func TestOddTempDir(t *testing.T) {
	for _, name := range []string{"a 'b' \"c\" $d", strings.Repeat("long", 40)} {
		dir := filepath.Join("/tmp", fmt.Sprintf("%d-%s", os.Getpid(), name))
		require.NoError(t, os.Mkdir(dir, 0o700))
		defer os.RemoveAll(dir)
		t.Setenv("TMPDIR", dir)
		bothClients(t, func(t *testing.T, small bool) {
			r := newTestRouter(t, small)
			require.Equal(t, "pattern=x\nword=y\n", run(t, r, "glob x | cat; f() { field:late:echo y; }; f").Stdout)
			require.Equal(t, "pattern=x\n", run(t, r, "PATH=/usr/bin:/bin; glob x | cat").Stdout, "by the handler")
		})
	}
}

// TestRunsAtOnce: tools run while bash does, and calls come from inside while
// others run.
func TestRunsAtOnce(t *testing.T) {
	r := newTest(t)
	require.NoError(t, r.Start())
	release := make(chan struct{})
	done := make(chan Result)
	go func() {
		started := writerFunc(func(p []byte) (int, error) { close(release); return len(p), nil })
		done <- r.Run(context.Background(), "echo started; until [ -e go ]; do glob x >/dev/null; done", &RunOptions{Stdout: started})
	}()
	<-release
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				require.Equal(t, "sql=x\n", run(t, r, "field:db:query x").Stdout)
				r.Plan("read ./x | cat")
				r.Dir()
			}
		})
	}
	all.Wait()
	require.Zero(t, run(t, r, "write ./go --content ''").ExitCode)
	require.Zero(t, (<-done).ExitCode)
}

// A tool that wants its caller's environment is called from bash, which has it.
func TestEnvironOfTheCaller(t *testing.T) {
	tool := text("env_of", stringParam("name", true))
	tool.FromShell = true
	tool.Run = func(_ context.Context, c *registry.Call) (registry.ToolResult, error) {
		if c.Environ == nil {
			return registry.Failure("no environment"), nil
		}
		env, err := c.Environ()
		if err != nil {
			return registry.ToolResult{}, err
		}
		for _, e := range env {
			if name, v, _ := strings.Cut(e, "="); name == c.String("name") {
				return registry.Success(v + "\n"), nil
			}
		}
		return registry.Failure("%s is not set", c.String("name")), nil
	}
	reg := registry.New()
	require.NoError(t, reg.Register(append(testTools(), tool)...))
	bothClients(t, func(t *testing.T, small bool) {
		r, err := newRouter(reg, nil, small)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, r.Close()) })
		for _, row := range []struct {
			name, command, stdout string
			exit                  int
		}{
			{"not exported yet", "A=1", "", 0},
			{"unset", "env_of A", "", 1},
			{"exported in the session", "export A=$'two\\nlines'", "", 0},
			{"set", "env_of A", "two\nlines\n", 0},
			{"one command's own", "A=mine env_of A | cat", "mine\n", 0},
			{"a subshell's", "(export A=sub; env_of A)", "sub\n", 0},
			{"status", "(exit 7); env_of A; echo $?", "two\nlines\n0\n", 0},
			{"help", "env_of -h", "env_of: Test env_of\n", 0},
		} {
			res := r.Run(t.Context(), row.command, nil)
			require.Equal(t, row.stdout, res.Stdout, "%s: %s", row.name, res.Stderr)
			require.Equal(t, row.exit, res.ExitCode, row.name)
		}
		p := r.Plan("env_of A")
		require.Equal(t, Agent, p.Layer)
		require.False(t, p.InProcess)
		require.Equal(t, "agent:env_of A", p.Script)
		require.Equal(t, "A", p.Kwargs["name"])
		require.Error(t, func() error { p := r.Plan("env_of"); return p.Err }())
	})
}

func TestFromShellWithoutCalls(t *testing.T) {
	tool := text("env_of", stringParam("name", true))
	tool.FromShell = true
	reg := registry.New()
	require.NoError(t, reg.Register(tool))
	r, err := New(reg, &Options{NoCalls: true})
	require.NoError(t, err)
	defer r.Close()
	require.Equal(t, "name=A\n", run(t, r, "env_of A").Stdout)
}

func TestScriptForAShellOfItsOwn(t *testing.T) {
	reg := registry.New()
	require.NoError(t, reg.Register(testTools()...))
	r, err := New(reg, nil)
	require.NoError(t, err)
	defer r.Close()
	require.Equal(t, "echo hi; agent:read ./x | field:a:b", r.Script("echo hi; read ./x | field:a:b"))
	require.Equal(t, "if", r.Script("if"))
	require.FileExists(t, filepath.Join(r.host.links.dir, "field:a:b"))
}
