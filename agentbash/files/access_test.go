//go:build linux

package files

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/protected"
	"github.com/agentbash/agentbash/registry"
)

// fenced are tools in a workspace beside which lie files and a secret.
func fenced(t *testing.T) (s *shell, outside string) {
	s = newShell(t, &Options{StateDir: t.TempDir(), Access: func(context.Context) *Access { return nil }})
	outside = t.TempDir()
	access := &Access{
		Write:     []string{s.dir},
		Protected: []string{filepath.Join(s.dir, "kept"), filepath.Join(s.dir, "box"), filepath.Join(s.dir, ".bashrc")},
		Secret:    []string{filepath.Join(outside, "secret"), filepath.Join(s.dir, "token"), filepath.Join(outside, "none")},
	}
	for _, tool := range Tools(&Options{StateDir: t.TempDir(), Access: func(context.Context) *Access { return access }}) {
		s.tools[tool.Name] = tool
	}
	for _, f := range []string{"/f", "/secret/key", "/sub/f"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(outside+f), 0o700))
		require.NoError(t, os.WriteFile(outside+f, []byte("theirs\n"), 0o600))
	}
	for _, f := range []string{"f", "kept", "token", ".git/config", "sub/f", "linked"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, f), []byte("ours\n"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, ".git/hooks"), 0o700))
	for name, to := range map[string]string{
		"to-file": outside + "/f", "to-dir": outside + "/sub", "to-none": outside + "/new", "to-secret": outside + "/secret/key",
		"to-secrets": outside + "/secret", "to-link": "to-file", "up": "../", "to-hooks": ".git/hooks", "inside": "f", "to-root": "/proc/self/root",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(s.dir, name)))
	}
	require.NoError(t, os.Link(outside+"/f", filepath.Join(s.dir, "hard")))
	return s, outside
}

// TestWritesStayInside tries to change what is outside or protected by every tool.
func TestWritesStayInside(t *testing.T) {
	for _, row := range []struct {
		name, path string // OUT is the directory beside the workspace, WS the workspace
		why        string // "" is allowed
	}{
		{"a file", "f", ""}, {"a new file", "new", ""}, {"a new directory", "a/b/c", ""}, {"a link inside", "inside", ""},
		{"by its whole path", "WS/f", ""}, {"up and back", "sub/../f", ""},
		{"outside", "OUT/f", "outside the workspace"},
		{"outside, new", "OUT/new/er", "outside the workspace"},
		{"the parent", "../x", "outside the workspace"},
		{"a name that starts alike", "WSx/f", "outside the workspace"},
		{"a link to a file", "to-file", "outside the workspace"},
		{"a link to a link", "to-link", "outside the workspace"},
		{"a link to a directory", "to-dir/f", "outside the workspace"},
		{"a new file through a link", "to-dir/new", "outside the workspace"},
		{"a link to nothing", "to-none", "outside the workspace"},
		{"a link up", "up/x", "outside the workspace"},
		{"the root of a process", "to-root/etc/agentbash-test", "outside the workspace"},
		{"a magic link", "/proc/self/root/etc/agentbash-test", "outside the workspace"},
		{"a magic link to the workspace", "/proc/self/cwd/../../../../../../../etc/agentbash-test", "outside the workspace"},
		{"protected", "kept", "protected"}, {"below protected", "box/x", "protected"}, {"protected and absent", ".bashrc", "protected"},
		{"git's configuration", ".git/config", "protected"}, {"a hook that is not there", ".git/hooks/pre-commit", "protected"},
		{"through a link to hooks", "to-hooks/pre-commit", "protected"}, {"a repository of its own", "sub/.git/config", "protected"},
		{"a file .git", "other/.git", "protected"}, {"our own settings", ".agentbash/config.json", "protected"}, {"servers", ".mcp.json", "protected"},
		{"a secret inside", "token", "secrets"}, {"a secret outside", "OUT/secret/key", "secrets"}, {"a secret that is not there", "OUT/none", "secrets"},
		{"a hard link", "hard", "hard links"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, outside := fenced(t)
			path := expand(row.path, s.dir, outside)
			before := snapshotOf(t, outside)
			for _, words := range [][]string{{"write", path, "mine\n"}, {"write", path, "--append", "mine\n"}, {"edit", path, "mine", "changed", "--replace_all"}} {
				r := s.run(words...)
				if row.why == "" {
					require.Zero(t, r.status, "%q: %s", words, r.err)
					continue
				}
				if words[0] == "edit" && r.status == 1 {
					require.Contains(t, r.err, "does not exist", "%q", words)
					continue
				}
				require.Equal(t, 126, r.status, "%q: %s", words, r.err)
				require.Contains(t, r.err, row.why, "%q", words)
				require.Contains(t, r.err, "ask the person", "%q", words)
			}
			require.Equal(t, before, snapshotOf(t, outside))
			if row.why != "" {
				require.Equal(t, "ours\n", readFile(t, s.dir+"/kept"), "nothing is changed")
				require.NoFileExists(t, s.dir+"/.git/hooks/pre-commit")
				require.NoFileExists(t, s.dir+"/.bashrc")
				require.NoDirExists(t, s.dir+"/other")
			}
		})
	}
}

// TestWhatIsProtectedEverywhere has the tools refuse the whole table, wherever
// in the workspace.
func TestWhatIsProtectedEverywhere(t *testing.T) {
	s, _ := fenced(t)
	for _, dir := range []string{s.dir, s.dir + "/deep/er"} {
		for _, path := range append(protected.InTree(dir), protected.InGitDir(dir+"/.git")...) {
			r := s.run("write", path, "mine", "--force")
			require.Equal(t, 126, r.status, "%s: %s", path, r.err)
			require.Contains(t, r.err, "is protected")
		}
	}
	require.NoDirExists(t, s.dir+"/deep")
}

func expand(path, ws, out string) string {
	switch {
	case len(path) >= 3 && path[:3] == "OUT":
		return out + path[3:]
	case len(path) >= 2 && path[:2] == "WS":
		return ws + path[2:]
	}
	return path
}

func readFile(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// snapshotOf is every file below a directory with its content.
func snapshotOf(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all[path] = readFile(t, path)
		}
		return err
	}))
	return all
}

// TestSecretsAreNotRead tries to read what must not be read.
func TestSecretsAreNotRead(t *testing.T) {
	s, outside := fenced(t)
	fd, err := unix.Open(outside+"/secret/key", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	for _, path := range []string{"token", outside + "/secret/key", "to-secret", "to-secrets/key", "../" + filepath.Base(s.dir) + "/token",
		"/proc/self/root" + outside + "/secret/key", "to-root" + outside + "/secret/key", "/proc/self/fd/" + strconv.Itoa(fd), "/proc/" + strconv.Itoa(os.Getpid()) + "/root" + s.dir + "/token"} {
		for _, words := range [][]string{{"read", path}, {"grep", "r", path}} {
			r := s.run(words...)
			require.Empty(t, r.out, "%q", words)
			require.NotZero(t, r.status, "%q", words)
			require.NotContains(t, r.err, "theirs", "%q", words)
		}
		require.Equal(t, 126, s.run("read", path).status, path)
		require.Equal(t, 126, s.run("read", path+":1").status, path)
	}
	r := s.run("grep", "--pattern", "rs", "--path", s.dir, "--hidden")
	require.Contains(t, r.out, "kept:1:ours")
	require.NotContains(t, r.out, "token")
	require.Contains(t, r.err, "1 file left out")
	r = s.run("grep", "rs", "to-secrets")
	require.Empty(t, r.out)
	require.Contains(t, r.err, "1 file left out")
	require.Contains(t, s.ok("read", outside+"/f"), "theirs", "anything else is read")
}

// TestLinksAreFollowedByEveryRun: where the paths of an Access lead may change
// between two runs, and their ends may be missing.
func TestLinksAreFollowedByEveryRun(t *testing.T) {
	s, outside := fenced(t)
	keys, home := filepath.Join(outside, "keys"), filepath.Join(outside, "home")
	access := &Access{Write: []string{s.dir}, Protected: []string{home + "/.config/git"}, Secret: []string{keys, home + "/.netrc"}}
	for _, tool := range Tools(&Options{StateDir: t.TempDir(), Access: func(context.Context) *Access { return access }}) {
		s.tools[tool.Name] = tool
	}
	for _, f := range []string{"a/f", "b/f"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, f), []byte("theirs\n"), 0o600))
	}
	status := func() []int { return []int{s.run("read", "a/f").status, s.run("read", "b/f").status} }
	require.Equal(t, []int{0, 0}, status())
	require.NoError(t, os.Symlink(s.dir+"/a", keys))
	require.Equal(t, []int{126, 0}, status())
	require.NoError(t, os.Remove(keys))
	require.NoError(t, os.Symlink("mid", keys))
	require.NoError(t, os.Symlink(s.dir+"/b/../b/f", outside+"/mid"))
	require.Equal(t, []int{0, 126}, status())

	require.NoError(t, os.Symlink(s.dir+"/sub", home))
	require.Equal(t, 126, s.run("write", "sub/.config/git/config", "x").status, "a directory that is missing, below a link")
	require.Zero(t, s.run("write", "sub/.config/other", "x").status)
	require.Equal(t, 126, s.run("write", "sub/.netrc", "x").status)
	access.Secret = []string{"relative", "/"}
	require.Equal(t, 126, s.run("read", "a/f").status)
}

// TestAllowedPaths: what somebody said yes to goes through.
func TestAllowedPaths(t *testing.T) {
	s, outside := fenced(t)
	tool := s.tools["write"]
	run := func(ctx context.Context, path string) int {
		p, err := tool.Parse([]string{path, "mine\n"}, false)
		require.NoError(t, err)
		return tool.Invoke(ctx, &registry.Call{Kwargs: p.Kwargs, Dir: s.dir, Stdout: &discard{}, Stderr: &discard{}}).ExitStatus
	}
	ctx := registry.Allow(context.Background(), outside+"/f", filepath.Join(s.dir, ".git"), outside+"/deep")
	require.Zero(t, run(ctx, "to-file"))
	require.Equal(t, "mine\n", readFile(t, outside+"/f"))
	require.Zero(t, run(ctx, ".git/hooks/pre-commit"))
	require.Zero(t, run(ctx, outside+"/deep/er/file"))
	require.Equal(t, 126, run(ctx, outside+"/g"))
	require.Equal(t, 126, run(context.Background(), "to-file"))
	require.Zero(t, run(registry.Allow(ctx, "/"), outside+"/g"))
}

type discard struct{}

func (*discard) Write(p []byte) (int, error) { return len(p), nil }

// TestUndoStaysInside: what was allowed once is not undone without being allowed.
func TestUndoStaysInside(t *testing.T) {
	s, outside := fenced(t)
	var access *Access
	for _, tool := range Tools(&Options{StateDir: t.TempDir(), Access: func(context.Context) *Access { return access }}) {
		s.tools[tool.Name] = tool
	}
	s.ok("write", outside+"/f", "mine\n")
	access = &Access{Write: []string{s.dir}}
	require.Equal(t, 126, s.run("undo", outside+"/f").status)
	require.Equal(t, "mine\n", readFile(t, outside+"/f"))
	access = nil
	s.ok("undo", outside+"/f")
	require.Equal(t, "theirs\n", readFile(t, outside+"/f"))
}

// TestSwappedDirectory exchanges a directory for a link to the outside again
// and again while files are written through it.
func TestSwappedDirectory(t *testing.T) {
	s, outside := fenced(t)
	sub, aside := filepath.Join(s.dir, "sub"), filepath.Join(s.dir, "aside")
	require.NoError(t, os.Symlink(outside+"/sub", aside))
	before := snapshotOf(t, outside)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				unix.Renameat2(unix.AT_FDCWD, sub, unix.AT_FDCWD, aside, unix.RENAME_EXCHANGE)
			}
		}
	}()
	wrote := 0
	for i := range 400 {
		if s.run("write", "sub/f", strconv.Itoa(i)).status == 0 {
			wrote++
		}
		s.run("write", "sub/new"+strconv.Itoa(i), "x")
		require.NotContains(t, s.run("write", "sub/deep/er", "x", "--force").out, "theirs")
	}
	close(stop)
	<-stopped
	require.Equal(t, before, snapshotOf(t, outside))
	require.NotZero(t, wrote)
}
