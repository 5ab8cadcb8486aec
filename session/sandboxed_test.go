//go:build linux

package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/session/sandbox"
)

// sandboxed is a launcher of the real thing.
func sandboxed(t testing.TB, spec sandbox.Spec, profile sandbox.Profile) *Launcher {
	t.Helper()
	needsNative(t, "sandbox")
	s, err := sandbox.Open(spec, profile)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &Launcher{Dir: s.Dir, Env: s.Env, Start: func(cmd *exec.Cmd) (Process, error) {
		p, err := s.Start(cmd)
		if err != nil {
			return Process{}, err
		}
		return Process{Pid: p.Pid, PidFD: p.PidFD, Init: p.Init, Wait: p.Wait}, nil
	}}
}

// TestSandboxedAgreesWithBash runs the table of commands in a session that
// writes nothing and in one that writes its workspace, next to a bash -c that
// is confined in the same way.
func TestSandboxedAgreesWithBash(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for mode, profile := range map[string]sandbox.Profile{"nothing": sandbox.Read, "workspace": sandbox.Workspace} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			l := sandboxed(t, sandbox.Spec{Secret: []string{filepath.Join(home, ".ssh")}, Write: []string{root}}, profile)
			s := open(t, &Options{Dir: root, Launcher: l, StateDir: t.TempDir()})
			for _, row := range agrees {
				t.Run(row.name, func(t *testing.T) {
					dir, err := os.MkdirTemp(root, "")
					require.NoError(t, err)
					want := bashBy(t, l, dir, row.command)
					run(t, s, "cd '"+dir+"'")
					got := answerOf(run(t, s, row.command))
					want.stderr, got.stderr = sorted(want.stderr), sorted(got.stderr) // jobs complain in any order
					require.Equal(t, want, got, row.command)
					run(t, s, resetShell)
					r := run(t, s, "(sleep 100 & ); printf 'still %s' here; (exit 5)")
					require.Equal(t, answer{"still here", "", 5}, answerOf(r))
				})
			}
			r := run(t, s, "x=$(head -c 3000000 /dev/zero | tr '\\0' a); echo ${#x}; echo y >../beside; echo $TMPDIR")
			require.True(t, strings.HasSuffix(string(r.Stdout), "\n/tmp\n"), "%s", r.Stdout)
			_, err := os.Stat(filepath.Join(root, "beside"))
			require.Equal(t, mode == "workspace", err == nil)
		})
	}
}

func sorted(lines string) string {
	return strings.Join(slices.Sorted(strings.Lines(lines)), "")
}

// TestSandboxedStops: what the kernel keeps in is stopped from outside.
func TestSandboxedStops(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir(), Launcher: sandboxed(t, sandbox.Spec{}, sandbox.Read)})
	ctx, cancel := context.WithCancel(context.Background())
	started := writerFunc(func([]byte) { cancel() })
	r, err := s.Run(ctx, "trap 'echo int' INT; (trap '' INT TERM; setsid sleep 1000 & echo go; sleep 1000)", &RunOptions{Stdout: started})
	require.NoError(t, err)
	require.True(t, r.Canceled)
	require.Equal(t, "go\nint\n", string(r.Stdout))
	require.Equal(t, "alive\n", string(run(t, s, "echo alive").Stdout))
	require.NoError(t, s.Close())
	require.Empty(t, family(s))
}

// TestRestartElsewhere changes what a shell may do and what its environment is.
func TestRestartElsewhere(t *testing.T) {
	dir := t.TempDir()
	l := sandboxed(t, sandbox.Spec{Write: []string{dir}}, sandbox.Workspace)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=/var", "API_KEY=secret", "PLAIN=1"}
	s := open(t, &Options{Dir: dir, Env: env})
	run(t, s, `mkdir -p sub; cd sub; a=(1 'b c'); export PLAIN="changed \$x"; f() { echo "f $1"; }; alias hi='echo hi'; shopt -s extglob; umask 077; x=$'two\nlines'`)
	run(t, s, "sleep 1000 & trap 'touch never' EXIT")

	require.NoError(t, s.Restart(context.Background(), &RestartOptions{Launcher: l, Env: []string{env[0], env[1], env[2], env[4]}}))
	r := run(t, s, "pwd; echo ${a[1]} $PLAIN; f 1; hi; shopt -q extglob; echo $?; umask; echo \"${API_KEY-none} $TMPDIR $x\"; grep NoNew /proc/self/status")
	require.Equal(t, dir+"/sub\nb c changed $x\nf 1\nhi\n0\n0077\nnone "+"/tmp two\nlines\nNoNewPrivs:\t1\n", string(r.Stdout), "%s", r.Stderr)
	require.False(t, r.Restarted, "nothing happened that nobody asked for")
	require.NoFileExists(t, filepath.Join(dir, "sub/never"), "the EXIT trap does not run")
	require.NotEmpty(t, family(s), "jobs go on")

	run(t, s, `cd ..; y='a$(touch forged)`+"`touch forged`"+`'; export PATH=/nowhere:$PATH LD_PRELOAD=; declare -i n=3; g() { echo g; }; alias ls='touch forged'`)
	run(t, s, `\builtin printf '#BEGIN\n%s\0declare -- z="$(touch forged)"\n' "$PWD" >|`+s.e.snap.path) // cut off by what comes next
	require.NoError(t, s.Restart(context.Background(), &RestartOptions{Env: env}))
	r = run(t, s, "pwd; echo \"$y ${a[1]} $x\"; type f g hi 2>&1 | grep -c 'not found'; echo ${n-none} $API_KEY $PATH $TMPDIR; ls -A; grep NoNew /proc/self/status")
	require.Equal(t, dir+"\na$(touch forged)`touch forged` b c two\nlines\n3\nnone secret "+os.Getenv("PATH")+" /var\nsub\nNoNewPrivs:\t0\n", string(r.Stdout), "%s", r.Stderr)
	run(t, s, "cd sub; y=free; h() { g; }")

	require.NoError(t, s.Restart(context.Background(), &RestartOptions{Launcher: l}))
	r = run(t, s, "pwd; echo $y; f 2; h; hi; alias ls; grep NoNew /proc/self/status")
	require.Equal(t, dir+"/sub\nfree\nf 2\ng\nhi\nalias ls='touch forged'\nNoNewPrivs:\t1\n", string(r.Stdout), "%s", r.Stderr)
	require.NoFileExists(t, filepath.Join(dir, "forged"))
}

// TestForgedState: what a confined process can write into the shell's state is
// no more than data to a free one.
func TestForgedState(t *testing.T) {
	for _, row := range []struct{ name, line string }{
		{"substitution", `declare -- z="$(id)"`},
		{"backquote", "declare -- z=\"`id`\""},
		{"another command", `declare -- z="a"; id`},
		{"no quotes", `declare -- z=a`},
		{"function", "z () \n{ \n    id\n}"},
		{"alias", "alias z='id'"},
		{"trap", "trap -- 'id' INT"},
		{"command", "id"},
		{"integer", `declare -i z="a[$(id)]"`},
		{"reference", `declare -n z="a[0]"`},
		{"array", `declare -a z=([0]="a" [$(id)]="b")`},
		{"array subscript", `declare -a z=([a[0]]="b")`},
		{"path", `declare -x PATH="/tmp"`},
		{"preload", `declare -x LD_PRELOAD="/tmp/x.so"`},
		{"git", `declare -x GIT_SSH_COMMAND="id"`},
		{"startup file", `declare -x BASH_ENV="/tmp/x"`},
		{"another shell's", `declare -x ZDOTDIR="/tmp"`},
		{"code", `declare -x LUA_INIT="@/tmp/x"`},
		{"a helper that is configured", `declare -x AWS_CONFIG_FILE="/tmp/x"`},
		{"a bus that is a program", `declare -rx DBUS_SESSION_BUS_ADDRESS="unixexec:path=/tmp/x"`},
		{"option with more", "shopt -s extglob; id"},
		{"set with a word", "set -o posix id"},
	} {
		require.Empty(t, string(plainData([]byte(row.line+"\n"))), row.name)
	}
	good := "umask 0022\nshopt -s extglob\nset +o emacs\ndeclare -- a=\"x\\$y \\\"z\\\"\"\ndeclare -ax b=([0]=\"1\" [2]=$'\\n')\ndeclare -A c=([\"k e\"]=\"v\" )\ndeclare -x d\ndeclare -x AWS_REGION=\"eu\"\ndeclare -- dir=\"x\"\ndeclare -- CONFIG=\"x\"\n"
	require.Equal(t, good, string(plainData([]byte(good))))
}
