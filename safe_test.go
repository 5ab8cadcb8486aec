package agentbash_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/guard"
	"github.com/agentbash/agentbash/router/policy"
)

// newHome makes a home with a key in it and a directory to work in.
func newHome(t *testing.T) (home, work string) {
	home = t.TempDir()
	work = filepath.Join(home, "work")
	for _, dir := range []string{work, filepath.Join(home, ".ssh"), filepath.Join(home, "other")} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "id_rsa"), []byte("KEY\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(work, "f"), []byte("content\n"), 0o600))
	t.Setenv("HOME", home)
	t.Setenv("SERVICE_TOKEN", "KEY")
	return home, work
}

// TestNewIsSafe: without options it is as safe as the program is.
func TestNewIsSafe(t *testing.T) {
	home, work := newHome(t)
	t.Chdir(work)
	b, err := agentbash.New(nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	for command, status := range map[string]int{
		"cat f": 0, "read ./f | tr a-z A-Z": 0, "cat ~/.ssh/id_rsa": 126, "read --filePath ~/.ssh/id_rsa": 126, "rm -rf ~/other": 126, "echo x > f": 126,
		"edit f content other": 126, "curl http://127.0.0.1:1": 126, "printenv SERVICE_TOKEN": 1, "bash_start 'rm -rf ~/other'": 126, "rm -rf /": 126,
	} {
		res := b.Run(context.Background(), command, nil)
		require.Equal(t, status, res.ExitCode, "%s\n%s", command, res.Output)
		require.NotContains(t, res.Output, "KEY", command)
	}
	require.DirExists(t, filepath.Join(home, "other"))
	require.NotContains(t, b.Run(context.Background(), "rm $'a\\e[31m\u202eb'", nil).Stderr, "\x1b", "a denial is safe to show")

	_, err = agentbash.New(&agentbash.Options{Mode: "bogus"})
	require.ErrorContains(t, err, `mode "bogus": it is plan, ask, auto or full`)
	for _, dir := range []string{filepath.Join(work, "none"), filepath.Join(work, "f")} {
		_, err = agentbash.New(&agentbash.Options{Dir: dir})
		require.ErrorContains(t, err, "working directory "+dir+": it is not a directory")
	}
	_, err = b.SetMode(context.Background(), "")
	require.Error(t, err)
	require.Equal(t, policy.AskMode, b.Guard().Mode())
}

// TestModes changes the mode of one that goes on.
func TestModes(t *testing.T) {
	home, work := newHome(t)
	b, err := agentbash.New(&agentbash.Options{Dir: work, Mode: policy.AutoMode, Tools: []*registry.Tool{greet}, Offer: func(name string) bool { return name != "web_fetch" }})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	run := func(command string) string {
		res := b.Run(context.Background(), command, nil)
		return res.Stdout + res.Stderr
	}
	require.Contains(t, b.Definition().Description, "greet")
	_, offered := b.Registry().Lookup("web_fetch")
	require.False(t, offered)
	require.Empty(t, run("x=5; echo one > made"))
	run("python3 -c 'open(\"../other/f\", \"w\")' || true")
	require.NoFileExists(t, filepath.Join(home, "other/f"), "what code writes outside stays inside")
	for _, mode := range []policy.Mode{policy.PlanMode, policy.AskMode} {
		missing, err := b.SetMode(context.Background(), mode)
		require.NoError(t, err)
		require.Empty(t, missing)
		require.Contains(t, run("echo two > made"), "denied", mode)
		require.Equal(t, "one\n5\n", run("cat made; echo $x"), mode)
	}
	require.NoError(t, b.TrustSender(context.Background()))
	require.Empty(t, run("rm -rf ../other"))
	require.NoDirExists(t, filepath.Join(home, "other"))
}

// TestWhatComesOnStdinIsJudged: arguments that are JSON on stdin are judged by what they name, by
// rules as by the mode.
func TestWhatComesOnStdinIsJudged(t *testing.T) {
	rules, err := policy.ParseRules("here", []byte(`["deny write **/keep.txt"]`), false)
	require.NoError(t, err)
	for _, row := range []struct {
		mode   policy.Mode
		rules  []*policy.Rules
		file   string
		status int
		says   string
	}{
		{policy.FullMode, []*policy.Rules{rules}, "keep.txt", 126, "deny write **/keep.txt"},
		{policy.AutoMode, []*policy.Rules{rules}, "keep.txt", 126, "deny write **/keep.txt"},
		{policy.FullMode, nil, "free.txt", 0, "+b"},
		{policy.AutoMode, nil, "free.txt", 0, "+b"},
		{policy.AskMode, nil, "free.txt", 126, "nobody can be asked"},
		{policy.PlanMode, nil, "free.txt", 126, "plan mode only reads"},
	} {
		for _, command := range []string{`jq -nc '{file_path: %q, old_string: "a", new_string: "b"}' | edit`, `edit --json - <<< '{"file_path": %q, "old_string": "a", "new_string": "b"}'`} {
			dir := t.TempDir()
			for _, name := range []string{"keep.txt", "free.txt"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a\n"), 0o644))
			}
			b, err := agentbash.New(&agentbash.Options{Dir: dir, Mode: row.mode, Warn: func(error) {}, Guard: guard.Options{Rules: row.rules}})
			require.NoError(t, err)
			res := b.Run(t.Context(), fmt.Sprintf(command, row.file), nil)
			require.NoError(t, b.Close())
			require.Equal(t, row.status, res.ExitCode, "%s: %s\n%s", row.mode, res.Command, res.Output)
			require.Contains(t, res.Output, row.says)
			text, err := os.ReadFile(filepath.Join(dir, row.file))
			require.NoError(t, err)
			require.Equal(t, row.status == 0, string(text) == "b\n")
		}
	}
}
