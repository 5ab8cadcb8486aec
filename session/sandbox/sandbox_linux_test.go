//go:build !portable

package sandbox

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// open opens a sandbox that is closed when the test ends.
func open(t *testing.T, spec Spec, p Profile) *Sandbox {
	t.Helper()
	s, err := Open(spec, p)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// run runs a program in a sandbox. The launcher is this very test binary.
func run(t *testing.T, s *Sandbox, dir string, argv ...string) (string, int) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	require.NoError(t, err)
	defer out.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = append(os.Environ(), s.Env...), dir, out, out
	p, err := s.Start(cmd)
	if err != nil {
		return err.Error(), exitDenied
	}
	defer unix.Close(p.PidFD)
	ws := p.Wait()
	status := ws.ExitStatus()
	if ws.Signaled() {
		status = 128 + int(ws.Signal())
	}
	text, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	return string(text), status
}

func shell(t *testing.T, s *Sandbox, dir, text string) string {
	t.Helper()
	out, _ := run(t, s, dir, "bash", "-c", text)
	return out
}

// place makes files below a new directory.
func place(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), []byte("theirs\n"), 0o644))
	}
	return dir
}

func TestOpen(t *testing.T) {
	for _, spec := range []Spec{{Write: []string{"relative"}}, {Secret: []string{"~/x"}}, {Protected: []string{""}}} {
		_, err := Open(spec, Read)
		require.ErrorContains(t, err, "not an absolute path")
	}
	s := open(t, Spec{}, Read)
	require.True(t, s.Switches(), s.why)
	out, code := run(t, s, "/", "no-such-program")
	require.Equal(t, exitDenied, code)
	require.Contains(t, out, "no-such-program")
	out, code = run(t, s, "/", "/bin/sh", "-c", "echo $0 $1; exit 7", "a", "b")
	require.Equal(t, "a b\n", out)
	require.Equal(t, 7, code)
	_, code = run(t, s, "/", "/bin/sh", "-c", "kill -9 $$")
	require.Equal(t, 137, code)
	out, _ = run(t, s, "/", "cat", "/proc/self/status")
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		require.Contains(t, out, set+":\t0000000000000000\n")
	}
	require.Contains(t, out, "NoNewPrivs:\t1\n")
}

// TestProfiles: one and the same sandbox writes the workspace or does not.
func TestProfiles(t *testing.T) {
	top := place(t, "ws/f", "out/f", "ws/.git/config", "ws/.git/HEAD", "home/.ssh/id", "home/.cache/x", "home/notes")
	ws, home := top+"/ws", top+"/home"
	s := open(t, Spec{Write: []string{ws}, Protected: []string{ws + "/.git/config", ws + "/.envrc"}, Secret: []string{home + "/.ssh", home + "/.netrc"},
		Layers: []Layer{{Dir: home, Upper: place(t), Always: []string{home + "/.cache"}}}}, Read)
	require.Empty(t, s.Missing())
	for range 2 {
		require.Contains(t, shell(t, s, ws, "echo x >f; cat f"), "Read-only file system\ntheirs\n")
		require.Equal(t, "cached\n", shell(t, s, ws, "echo cached >"+home+"/.cache/y; cat "+home+"/.cache/y"))
		require.Contains(t, shell(t, s, ws, "echo x >"+home+"/notes"), "Read-only file system")
		require.NoError(t, s.SetProfile(Workspace))
		require.Equal(t, "ours\n", shell(t, s, ws, "echo ours >f; cat f"))
		require.Contains(t, shell(t, s, ws, "echo x >../out/f; cat ../out/f"), "No such file")
		require.Contains(t, shell(t, s, ws, "echo x >.git/config"), "Read-only file system")
		require.Contains(t, shell(t, s, ws, "mv .git g"), "busy")
		require.Equal(t, "", shell(t, s, ws, "echo x >.git/HEAD"))
		require.Equal(t, "mine\n", shell(t, s, ws, "echo mine >"+home+"/notes; cat "+home+"/notes"))
		require.Contains(t, shell(t, s, ws, "cat "+home+"/.ssh/id; ls "+home+"/.ssh; cat "+home+"/.netrc"), "")
		require.NoError(t, s.SetProfile(Read))
		require.NoError(t, os.WriteFile(ws+"/f", []byte("theirs\n"), 0o644))
	}
	require.NoError(t, os.WriteFile(home+"/.netrc", []byte("secret\n"), 0o644))
	out := shell(t, s, ws, "cat "+home+"/.ssh/id; cat "+home+"/.netrc")
	require.NotContains(t, out, "secret")
	require.NotContains(t, out, "theirs")
	text, err := os.ReadFile(home + "/notes")
	require.NoError(t, err)
	require.Equal(t, "theirs\n", string(text))
	require.NoFileExists(t, home+"/.cache/y")
}

func TestBusy(t *testing.T) {
	ws := place(t, "f")
	s := open(t, Spec{Write: []string{ws}}, Workspace)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	cmd := exec.Command("sh", "-c", "exec 4>>f; echo open; read x")
	cmd.Dir, cmd.Stdin = ws, r
	line, out, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = out
	p, err := s.Start(cmd)
	require.NoError(t, err)
	_, err = line.Read(make([]byte, 10))
	require.NoError(t, err)
	require.ErrorIs(t, s.SetProfile(Read), ErrBusy)
	require.Equal(t, Workspace, s.Profile())
	require.Equal(t, "", shell(t, s, ws, "echo x >f"))
	w.Write([]byte("\n"))
	require.Zero(t, p.Wait())
	require.NoError(t, s.SetProfile(Read))
}

// TestExchangedOutside: a protected file that somebody outside has exchanged, as git
// does, is protected again.
func TestExchangedOutside(t *testing.T) {
	ws := place(t, ".git/config")
	s := open(t, Spec{Write: []string{ws}, Protected: []string{ws + "/.git/config"}}, Workspace)
	require.Contains(t, shell(t, s, ws, "echo x >.git/config"), "Read-only")
	require.NoError(t, os.WriteFile(ws+"/.git/config.lock", []byte("new\n"), 0o644))
	require.NoError(t, os.Rename(ws+"/.git/config.lock", ws+"/.git/config"))
	require.Eventually(t, func() bool {
		return strings.Contains(shell(t, s, ws, "touch .git/config 2>&1; echo >>.git/config"), "Read-only")
	}, time.Minute, time.Millisecond)
}

// TestKeptSocket: a socket that stays to be seen can be connected to, also when
// somebody listens before the sandbox is opened.
func TestKeptSocket(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "kept-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", dir+"/s")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			conn.Write([]byte("met\n"))
			conn.Close()
		}
	}()
	s := open(t, Spec{Keep: []string{dir}}, Read)
	require.Equal(t, "met\n", shell(t, s, "/", `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("`+dir+`/s"); print(s.recv(9).decode(), end="")'`))
}

// TestStartApart: what is started apart keeps its profile.
func TestStartApart(t *testing.T) {
	ws := place(t, "f")
	s := open(t, Spec{Write: []string{ws}}, Read)
	for want, profile := range map[string]Profile{"theirs\n": Read, "mine\n": Workspace} {
		cmd := exec.Command("sh", "-c", "echo mine >f")
		cmd.Dir = ws
		p, err := s.StartApart(cmd, profile)
		require.NoError(t, err)
		p.Wait()
		got, err := os.ReadFile(ws + "/f")
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		require.NoError(t, os.WriteFile(ws+"/f", []byte("theirs\n"), 0o644))
	}
	require.Contains(t, shell(t, s, ws, "echo x >f"), "Read-only")
}

func TestReadable(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range []string{"a/b/secret/x", "a/b/beside", "a/c", "d"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), nil, 0o600))
	}
	require.NoError(t, os.Symlink("b/secret", filepath.Join(dir, "a/link")))
	all, err := readablePaths([]string{filepath.Join(dir, "a/b/secret"), filepath.Join(dir, "a/b/absent")})
	require.NoError(t, err)
	var here []string
	for _, p := range all {
		if rest, ok := strings.CutPrefix(p, dir); ok {
			here = append(here, rest)
		}
		require.False(t, strings.HasPrefix(dir, p+"/") || p == "/", "%s holds the secret", p)
	}
	require.ElementsMatch(t, []string{"/a/b/beside", "/a/c", "/d"}, here)
	require.Contains(t, all, "/usr")
	all, err = readablePaths(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"/"}, all)
}

// TestProtectedLinks: nothing that a repository can hold where a protected file is
// expected takes the namespaces away.
func TestProtectedLinks(t *testing.T) {
	for name, target := range map[string]string{"dangling": "nowhere", "loop": "p", "itself": ".", "above": "..", "null": "/dev/null", "root": "/"} {
		ws := place(t, "f")
		require.NoError(t, os.Symlink(target, filepath.Join(ws, "p")))
		s := open(t, Spec{Write: []string{ws}, Protected: []string{ws + "/p", ws + "/p/q"}}, Workspace)
		require.True(t, s.Switches(), "%s: %s", name, s.Missing())
		require.Equal(t, "x\n", shell(t, s, ws, "echo x >f; cat f"), name)
	}
}

// TestSecretExchanged: a secret in the workspace that somebody outside writes anew, or
// for the first time, is covered again.
func TestSecretExchanged(t *testing.T) {
	ws := place(t, "old", "f")
	s := open(t, Spec{Write: []string{ws}, Secret: []string{ws + "/old", ws + "/new", ws + "/dir"}}, Read)
	require.True(t, s.Switches(), s.why)
	require.NoError(t, os.Rename(ws+"/f", ws+"/old"))
	require.NoError(t, os.WriteFile(ws+"/new", []byte("theirs\n"), 0o644))
	require.NoError(t, os.Mkdir(ws+"/dir", 0o755))
	require.NoError(t, os.WriteFile(ws+"/dir/f", []byte("theirs\n"), 0o644))
	require.Eventually(t, func() bool { return !strings.Contains(shell(t, s, ws, "cat old new dir/f"), "theirs") }, 10*time.Second, time.Millisecond)
}

func TestOpenRemovesWhatKilledProcessesLeft(t *testing.T) {
	temp := place(t, ".agentbash-1/.lock", ".agentbash-1/tmp/file")
	t.Setenv("TMPDIR", temp)
	s := open(t, Spec{}, Read)
	dirs, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	require.Equal(t, s.Dir, filepath.Join(temp, dirs[0].Name()))
}
