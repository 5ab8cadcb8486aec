package router

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentbash/agentbash/registry"
	_ "github.com/agentbash/agentbash/router/incall"
	"github.com/agentbash/agentbash/router/internal/protocol"
	"github.com/stretchr/testify/require"
)

// hostVar makes the test's executable a host, for tests in which one dies.
const hostVar = "ROUTER_TEST_HOST"

func TestMain(m *testing.M) {
	if mode := os.Getenv(hostVar); mode != "" {
		os.Unsetenv(hostVar)
		beHost(mode == "small")
	}
	os.Exit(m.Run())
}

// beHost serves calls until it is killed.
func beHost(small bool) {
	reg := registry.New()
	if err := reg.Register(testTools()...); err != nil {
		panic(err)
	}
	r, err := newRouter(reg, nil, small)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.host.dir)
	io.Copy(io.Discard, os.Stdin)
	r.Close()
	os.Exit(0)
}

// call runs a command's program the way a shell of the host would.
func call(h string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(h, "bin", protocol.Any), append([]string{name}, args...)...)
	cmd.Env = append(os.Environ(), protocol.SocketVar+"="+filepath.Join(h, "socket"), protocol.LinksVar+"="+filepath.Join(h, "bin"))
	return cmd
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return 0
}

func TestHostDies(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		t.Setenv("TMPDIR", t.TempDir()) // in the common one any other host removes what is left
		host := exec.Command(os.Args[0])
		host.Env = append(os.Environ(), hostVar+"="+map[bool]string{true: "small", false: "own"}[small])
		stdin, err := host.StdinPipe()
		require.NoError(t, err)
		defer stdin.Close()
		stdout, err := host.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, host.Start())
		dir, err := bufio.NewReader(stdout).ReadString('\n')
		require.NoError(t, err)
		dir = strings.TrimSpace(dir)

		cmd := call(dir, "agent:hang")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		var notes strings.Builder
		cmd.Stderr = &notes
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "waiting\n", line, "the call is under way")
		require.NoError(t, host.Process.Kill())
		require.Error(t, host.Wait())
		require.Equal(t, exitTransport, exitCode(cmd.Wait()))
		require.Equal(t, "agent:hang: "+protocol.Lost+"\n", notes.String())

		said, err := call(dir, "agent:hang").CombinedOutput()
		require.Equal(t, exitTransport, exitCode(err))
		require.Equal(t, "agent:hang: "+protocol.NoHost+"\n", string(said), "the socket is there, but nobody listens")
		require.NoError(t, os.Remove(filepath.Join(dir, "socket")))
		said, err = call(dir, "field:a:b", "x").CombinedOutput()
		require.Equal(t, exitTransport, exitCode(err))
		require.Equal(t, "field:a:b: "+protocol.NoHost+"\n", string(said), "the socket is gone")

		next := newTestRouter(t, small)
		require.NoDirExists(t, dir, "the next host removes what the killed one left")
		require.DirExists(t, next.host.dir)
	})
}

func TestSocketGoneInsideBash(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		res := run(t, r, "rm "+r.host.socket()+"; glob x | cat; echo ${PIPESTATUS[0]}")
		require.Equal(t, "3\n", res.Stdout)
		require.Equal(t, "glob: "+protocol.NoHost+"\n", strings.ReplaceAll(res.Stderr, "agent:glob", "glob"))
	})
}

func TestCloseEndsCalls(t *testing.T) {
	r := newTest(t)
	cmd := call(r.host.dir, "agent:hang")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, exitTransport, exitCode(cmd.Wait()))
	require.NoDirExists(t, r.host.dir)
}

func TestTwoHostsSideBySide(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		one := newTestRouter(t, small, says("whoami2", "one\n", ""))
		two := newTestRouter(t, small, says("whoami2", "two\n", ""))
		for range 3 {
			require.Equal(t, "one\n", run(t, one, "whoami2 | cat").Stdout)
			require.Equal(t, "two\n", run(t, two, "whoami2 | cat").Stdout)
		}
		require.NoError(t, one.Close())
		require.Equal(t, "two\n", run(t, two, "whoami2 | cat").Stdout)
	})
}

// TestHostInsideAnother is an agentbash that a command of another starts: its
// commands are its own.
func TestHostInsideAnother(t *testing.T) {
	outer := newTest(t, says("outeronly", "outer\n", ""), says("whoami2", "outer\n", ""))
	reg := registry.New()
	require.NoError(t, reg.Register(says("whoami2", "inner\n", "")))
	env := strings.Split(run(t, outer, "env -0").Stdout, "\x00")
	inner, err := New(reg, &Options{Dir: t.TempDir(), Env: env})
	require.NoError(t, err)
	defer inner.Close()
	require.Equal(t, "inner\n", run(t, inner, "whoami2 | cat").Stdout)
	require.Equal(t, 127, run(t, inner, "agent:outeronly | cat; exit ${PIPESTATUS[0]}").ExitCode)
	require.Equal(t, 127, run(t, inner, "outeronly").ExitCode)
	require.NotContains(t, run(t, inner, `echo "$PATH"`).Stdout, outer.host.dir)
	require.Equal(t, "outer\n", run(t, outer, "whoami2 | cat").Stdout)
}

// message makes a request as a client would.
func message(parts ...string) []byte {
	body := strings.Join(parts, "\x00")
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestGarbageIsHungUpOn(t *testing.T) {
	r := newTest(t)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	fd := int(null.Fd())
	rows := []struct {
		name string
		fds  []int
		text []byte
	}{
		{"nothing", nil, nil},
		{"a request without descriptors", nil, message("/", "agent:glob", "x", "")},
		{"one descriptor", []int{fd}, message("/", "agent:glob", "x", "")},
		{"four descriptors", []int{fd, fd, fd, fd}, message("/", "agent:glob", "x", "")},
		{"a hundred descriptors", slicesRepeat(fd, 100), message("/", "agent:glob", "x", "")},
		{"words that do not end", []int{fd, fd, fd}, message("/", "agent:glob", "x")},
		{"no name", []int{fd, fd, fd}, message("/", "")},
		{"nothing in it", []int{fd, fd, fd}, message()},
		{"only a size", []int{fd, fd, fd}, []byte{0, 0, 1, 0}},
		{"less than its size", []int{fd, fd, fd}, message("/", "agent:glob", "x", "")[:12]},
		{"larger than anything", []int{fd, fd, fd}, []byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3}},
		{"HTTP", nil, []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")},
		{"HTTP with descriptors", []int{fd, fd, fd}, []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")},
		{"noise", []int{fd, fd, fd}, []byte(strings.Repeat("\xa5\x00\x7f", 5000))},
	}
	before := openFiles(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.host.socket(), Net: "unix"})
			require.NoError(t, err)
			defer conn.Close()
			if len(row.text) > 0 {
				conn.WriteMsgUnix(row.text, syscall.UnixRights(row.fds...), nil)
			}
			conn.CloseWrite()
			answer, _ := io.ReadAll(conn)
			require.Empty(t, answer)
		})
	}
	require.Equal(t, "pattern=x\n", run(t, r, "glob x | cat").Stdout, "and goes on serving")
	requireSettles(t, func() bool { return openFiles(t) <= before+sessionFiles }, "descriptors are closed")
}

// sessionFiles is how many descriptors a started session may hold.
const sessionFiles = 40

func slicesRepeat(fd, n int) (fds []int) {
	for range n {
		fds = append(fds, fd)
	}
	return fds
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// requireSettles waits, by asking, for what another goroutine is about to do. It
// takes two goroutines.
func requireSettles(t *testing.T, ok func() bool, what string) {
	t.Helper()
	require.Eventually(t, ok, 5*time.Minute, 2*time.Millisecond, what)
}

func TestSocketIsPrivate(t *testing.T) {
	r := newTest(t)
	for path, mode := range map[string]os.FileMode{r.host.dir: 0o700, r.host.socket(): 0o600, r.host.links.dir: 0o700} {
		st, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, st.Mode().Perm(), path)
	}
}

// TestOtherUsersAreRefused needs root, which alone can become another user.
func TestOtherUsersAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: no other user to be refused")
	}
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		cmd := call(r.host.dir, "agent:hang")
		program := copyForAll(t, cmd.Path)
		asNobody := func() (string, int) {
			c := exec.Command(program, cmd.Args[1:]...)
			if !small {
				c.Args[0] = protocol.Any
			}
			c.Env, c.Dir = cmd.Env, "/"
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			said, err := c.CombinedOutput()
			return string(said), exitCode(err)
		}
		said, code := asNobody()
		if small {
			require.Equal(t, "agent:hang: "+protocol.Others+"\n", said)
			require.Equal(t, exitTransport, code)
		}
		// Let it through to the socket: the host still looks at who it is.
		require.NoError(t, os.Chmod(r.host.dir, 0o711))
		require.NoError(t, os.Chmod(r.host.links.dir, 0o755))
		require.NoError(t, os.Chmod(r.host.socket(), 0o666))
		said, code = asNobody()
		require.Equal(t, "agent:hang: "+protocol.Lost+"\n", said)
		require.Equal(t, exitTransport, code)
	})
}

// copyForAll copies a program to where every user can run it, under the name
// that takes a command's name.
func copyForAll(t *testing.T, path string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "router-test-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	program := filepath.Join(dir, protocol.Any)
	require.NoError(t, os.WriteFile(program, b, 0o755))
	return program
}

// TestClosedRunsNothing: what needs no shell either.
func TestClosedRunsNothing(t *testing.T) {
	r := newTest(t)
	require.NoError(t, r.Close())
	for _, command := range []string{"glob x", "field:late:echo x", "field:late", "agent:", "glob x | cat"} {
		res := run(t, r, command)
		require.ErrorIs(t, res.Err, ErrClosed, command)
		require.Equal(t, 3, res.ExitCode, command)
		require.Empty(t, res.Stdout, command)
	}
	var out strings.Builder
	res := r.Call(context.Background(), "glob", []string{"x"}, &registry.Call{Dir: r.Dir(), Stdout: &out, Stderr: &out})
	require.Equal(t, 3, res.ExitStatus)
	require.Equal(t, "router: closed\n", out.String())
}

// TestGroupThatDoesNotLoad: a command does not wait longer for a server than it may,
// whether the server notices or not.
func TestGroupThatDoesNotLoad(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	for name, load := range map[string]func(context.Context) ([]*registry.Tool, error){
		"it notices": func(ctx context.Context) ([]*registry.Tool, error) { <-ctx.Done(); return nil, ctx.Err() },
		"it hangs":   func(context.Context) ([]*registry.Tool, error) { <-never; return nil, nil },
	} {
		r := newTest(t)
		require.NoError(t, r.Registry().RegisterGroup(registry.Group{Name: "slow", Load: load}), name)
		res := r.Run(context.Background(), "field:slow:x", &RunOptions{Timeout: 20 * time.Millisecond})
		require.Equal(t, 124, res.ExitCode, name)
		require.True(t, res.TimedOut, name)
		require.Equal(t, "field:slow:x: its group did not load within the time limit of 0.02s: try again, or give it longer", res.Error)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res = r.Run(ctx, "field:slow:x", nil)
		require.Equal(t, 130, res.ExitCode, name)
		require.True(t, res.Canceled, name)
	}
	r := newTest(t)
	require.NoError(t, r.Registry().RegisterGroup(registry.Group{Name: "broken", Load: func(context.Context) ([]*registry.Tool, error) {
		return nil, &statusError{"no such program", exitTransport}
	}}))
	res := run(t, r, "field:broken:x")
	require.Equal(t, 3, res.ExitCode)
	require.Equal(t, "field:broken: no such program", res.Error)
	require.Equal(t, "field:broken: no such program\n3\n", run(t, r, "field:broken:x 2>&1; echo $?").Stdout)
}
