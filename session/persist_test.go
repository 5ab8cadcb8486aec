//go:build linux

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/proctable"
)

// TestPersists runs pairs of commands: what the first sets, the second sees.
func TestPersists(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, row := range []struct{ name, set, see, want string }{
		{"status", "(exit 7)", "echo $?", "7\n"},
		{"status of several lines", "true\n(exit 8)", "echo $?\ntrue", "8\n"},
		{"status of a syntax error", "if", "echo $?", "2\n"},
		{"status 1", "false", "echo $?", "1\n"},
		{"status into a unit", "(exit 9)", "echo $?\necho $?", "9\n0\n"},
		{"directory", "mkdir d; cd d", "basename $PWD; cd ..; rmdir d", "d\n"},
		{"variable", "x='a  b'", "echo \"$x\"", "a  b\n"},
		{"exported variable", "export X1=y", "sh -c 'echo $X1'", "y\n"},
		{"array", "arr=(1 2 3)", "echo ${arr[2]}", "3\n"},
		{"function", "f() { echo f $1; }", "f x; unset -f f", "f x\n"},
		{"function of several lines", "g() {\n  echo g\n}", "g\nunset -f g", "g\n"},
		{"alias", "alias ll='echo ll'", "ll; unalias ll", "ll\n"},
		{"alias in a text of several lines", "alias l2='echo l2'\ntrue", "l2\ntrue", "l2\n"},
		{"shell option", "shopt -s nullglob", "echo *.none; shopt -u nullglob", "\n"},
		{"set option", "set -f", "echo *; set +f", "*\n"},
		{"trap", "trap 'echo got' USR1", "kill -USR1 $$; trap - USR1", "got\n"},
		{"umask", "umask 027", "umask; umask 022", "0027\n"},
		{"ulimit", "ulimit -c 0; ulimit -Sn 200", "ulimit -Sn; ulimit -c", "200\n0\n"},
		{"positional parameters", "set -- a 'b c'", "echo $# $2; set --", "2 b c\n"},
		{"jobs", "sleep 100 &", "jobs | sed 's/  */ /g'", "[1]+ Running sleep 100 &\n"},
		{"kill of a job", "kill %1; wait %1 2>/dev/null; echo $?", "jobs", ""},
		{"wait for a job", "(exit 6) & p=$!", "wait $p; echo $?", "6\n"},
		{"open descriptor", "exec 7>seven", "echo a >&7; exec 7>&-; cat seven; rm seven", "a\n"},
		{"locale", "export LC_ALL=C", "x=ä; echo ${#x}; unset LC_ALL", "2\n"},
		{"random seed", "RANDOM=1; a=$RANDOM", "RANDOM=1; [[ $a == \"$RANDOM\" ]]; echo $?", "0\n"},
		{"directory stack", "pushd / >/dev/null", "popd >/dev/null; dirs | wc -l", "1\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			run(t, s, row.set)
			r := run(t, s, row.see)
			require.Equal(t, row.want, string(r.Stdout), "%s; %s", row.set, row.see)
			require.Empty(t, string(r.Stderr), "%s; %s", row.set, row.see)
			require.False(t, r.Restarted)
		})
	}
}

// TestRestartKeepsEveryLine: a script within a function or a trap is no state.
func TestRestartKeepsEveryLine(t *testing.T) {
	const script = "cat <<'X'\n#!/bin/bash\nset -o errexit\nset -o nounset\nX\n"
	for _, end := range []string{"exit", "set -e; false", "kill -9 $$"} {
		s := open(t, &Options{Dir: t.TempDir()})
		run(t, s, "f() {\n"+script+"}; trap '\n"+script+"' USR1; set -e")
		run(t, s, end)
		r := run(t, s, "f; kill -USR1 $$; echo $-")
		require.True(t, r.Restarted)
		require.Equal(t, strings.Repeat("#!/bin/bash\nset -o errexit\nset -o nounset\n", 2)+"hBs\n", string(r.Stdout), end)
	}
}

// TestRestartKeepsLetters: an attribute that is about letters changes no value that was there before it.
func TestRestartKeepsLetters(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	const script = "cat <<'X'\ndeclare -u q=\"q\"\nX\n"
	run(t, s, "u=Abc l=Abc c=aBc r=Abc e=Abc a=(Abc d); declare -A m=([k]=Abc); declare -u u m; declare -l l; declare -c c; declare -ur r; declare -lx e a; f() {\n"+script+"}")
	run(t, s, "kill -9 $$")
	r := run(t, s, "f; echo $u $l $c $r $e ${a[@]} ${m[k]}; u=Abc; l=Abc; c=aBc; e=Abc; a[1]=D; m[j]=x; echo $u $l $c $e ${a[1]} ${m[j]}; declare -p r; env | grep ^e=")
	require.True(t, r.Restarted)
	require.Equal(t, "declare -u q=\"q\"\nAbc Abc aBc Abc Abc Abc d Abc\nABC abc Abc abc d X\ndeclare -ru r=\"Abc\"\ne=abc\n", string(r.Stdout))
	require.Empty(t, string(r.Stderr))
}

// TestRestart ends the shell in every way and looks at what the next one has.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, end string
		code      int
		stderr    string
	}{
		{"exit", "exit 3", 3, ""},
		{"exit of the last status", "false; exit", 1, ""},
		{"exit in a function", "q() { exit 4; }; q", 4, ""},
		{"exit over lines", "true\nexit 5\ntrue", 5, ""},
		{"exit after exit's text", "echo exit >&2; exit 6", 6, "exit\n"},
		{"logout", "logout", 1, "bash: line 1: logout: not login shell: use `exit'\n"},
		{"exec", "exec ls -d /", 0, ""},
		{"exec that writes exit", "exec sh -c 'echo the exit >&2; exit 7'", 7, "the exit\n"},
		{"errexit", "set -e; false", 1, ""},
		{"errexit of several lines", "PS1=$'a\"\n`b'; set -e; false 'x\"\ny'", 1, ""},
		{"errexit after exit's text", "set -e; printf 'no way to ex''it\n' >&2; false", 1, "no way to exit\n"},
		{"kill -9", "kill -9 $$", 137, ""},
		{"kill -9 from a child", "sh -c 'kill -9 $PPID'; sleep 100", 137, ""},
		{"kill -HUP", "kill -HUP $$", 129, ""},
		{"kill -SEGV", "kill -SEGV $$", 139, ""},
		{"the users own trap", "trap 'echo bye >&2' EXIT; exit 9", 9, "bye\n"},
		{"onecmd", "set -t", 0, ""},
		{"end of file", "exec 0<&- 10<&-", 0, ""},
		{"kill", "kill $$", 143, ""},
		{"nounset", "set -u; echo $nope", 1, "bash: line 1: nope: unbound variable\n"},
		{"an error of an expansion", "true\n: ${nope?gone}", 1, "bash: line 2: nope: gone\n"},
		{"exec of nothing", "exec no-such-command", bashC(t, t.TempDir(), "trap : EXIT; exec no-such-command").code, "bash: line 1: exec: no-such-command: not found\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, &Options{Dir: dir})
			pid := s.Pid()
			run(t, s, "mkdir sub; cd sub; export E='a b'; v=$'x\\ny'; arr=([2]=c); declare -A m=([k]=v); readonly r=1; declare -i n=5")
			run(t, s, "f() { echo \"f $1\"; }; alias al='echo al'; shopt -s extglob; set -o pipefail; umask 027; trap 'echo usr1' USR1")
			r := run(t, s, row.end)
			require.Equal(t, row.code, r.ExitCode, "%+v", r)
			require.Equal(t, row.stderr, string(r.Stderr))
			require.False(t, r.Restarted)
			if row.name == "logout" {
				require.False(t, r.ShellExited)
				return
			}
			if row.name != "onecmd" && row.name != "end of file" { // these end it after the report
				require.True(t, r.ShellExited)
			}
			r = run(t, s, `echo $?; pwd; echo "$E|$v|${arr[2]}|${m[k]}|$r|$n"; f 1; al; [[ aa == +(a) ]]; echo $?; set -o | grep pipefail; umask; kill -USR1 $$; env | grep ^E=`)
			require.Equal(t, []string{itoa(row.code), filepath.Join(dir, "sub"), "a b|x", "y|c|v|1|5", "f 1", "al", "0", "pipefail       \ton", "0027", "usr1", "E=a b", ""},
				strings.Split(string(r.Stdout), "\n"))
			require.Empty(t, string(r.Stderr))
			require.True(t, r.Restarted)
			require.Equal(t, filepath.Join(dir, "sub"), r.Dir)
			require.NotEqual(t, pid, s.Pid())
			require.False(t, run(t, s, "true").Restarted)
		})
	}
}

// TestRestartAfterIdleDeath kills the shell between two commands.
func TestRestartAfterIdleDeath(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	run(t, s, "x=5; echo 1 >>log")
	run(t, s, ": kill") // a snapshot is taken before it
	require.NoError(t, syscall.Kill(s.Pid(), syscall.SIGKILL))
	require.Eventually(t, func() bool { p, _ := proctable.Stat(s.Pid()); return p.Ended() }, waitLimit, time.Millisecond)
	r := run(t, s, "echo 2 >>log; echo $x; cat log")
	require.Equal(t, "5\n1\n2\n", string(r.Stdout), "the command ran once, in a new shell")
	require.True(t, r.Restarted)
	require.False(t, r.ShellExited)
}

// What the next Result says of the state is true.
func TestStateLost(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, row := range []struct {
		end  string
		lost bool
	}{
		{"v=1; set -e; cat /nonexist", false}, {"v=2; set -u; echo $nope", false}, {"v=3; exit", false}, {"v=4; kill $$", false}, {"v=5; exec no-such-command", false},
		{"v=6; kill -9 $$", true}, {"v=7; exec true", true}, {"trap : EXIT; v=8; exit", true},
	} {
		run(t, s, "v=old")
		require.True(t, run(t, s, row.end).ShellExited, row.end)
		r := run(t, s, "echo $v")
		require.True(t, r.Restarted)
		require.Equal(t, row.lost, r.StateLost, row.end)
		require.Equal(t, row.lost, string(r.Stdout) == "old\n", "%s: %s", row.end, r.Stdout)
		require.False(t, run(t, s, "true").StateLost)
	}
}

// TestInit looks at what Init sets, before and after a restart.
func TestInit(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct{ name, init string }{
		{"plain", ""},
		{"with output", "echo noise; echo noise >&2\n"},
		{"with an error", "no-such-command; cd /nowhere; : $((1/0))\n"},
		{"with a syntax error at the end", ""},
		{"that reads stdin", "read x; cat\n"},
		{"that turns options on", "set -u\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			init := "PATH=$PATH:/from/init\ninitf() { echo initf; }\n" + row.init
			if strings.Contains(row.name, "syntax") {
				init += "if then"
			}
			s := open(t, &Options{Dir: dir, Init: init})
			const see = "echo ${PATH##*:}; initf"
			for _, end := range []string{"true", "exit 1", "kill -9 $$", "exec true"} {
				r := run(t, s, end)
				require.Empty(t, string(r.Stdout)+string(r.Stderr))
				r = run(t, s, see)
				require.Equal(t, "/from/init\ninitf\n", string(r.Stdout), "after %s", end)
				require.Empty(t, string(r.Stderr))
			}
			r := run(t, s, "PATH=/mine:$PATH; exit")
			require.True(t, r.ShellExited)
			require.Equal(t, "/mine 1\n", string(run(t, s, "echo ${PATH%%:*} $(tr : '\\n' <<<\"$PATH\" | grep -c /from/init)").Stdout))
		})
	}
}

func TestManyRestarts(t *testing.T) {
	t.Parallel()
	s := open(t, nil)
	for range 200 {
		run(t, s, "exit 1")
	}
	require.Equal(t, "ok\n", string(run(t, s, "echo ok").Stdout))
}

func TestInitThatExits(t *testing.T) {
	for _, init := range []string{"exit 3", ": ${x?}"} {
		_, err := New(&Options{Init: init})
		require.ErrorContains(t, err, "Options.Init")
	}
}

// TestPoisonedState leaves a state that would end every shell that reads it.
func TestPoisonedState(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, poison := range []string{
		"PROMPT_COMMAND='exit 7'", "trap 'exit 8' CHLD; true | true", "declare -r UID2=1 PS1=x", "alias declare='exit 9'", "builtin() { exit 3; }",
		"set -e; shopt -s extdebug", "declare() { exit 4; }", "set -o posix; readonly PATH IFS", "trap 'exit 5' RETURN; set -T",
	} {
		run(t, s, poison)
		run(t, s, "kill -9 $$")
		r := run(t, s, "echo alive")
		require.Equal(t, "alive\n", string(r.Stdout), "after %s", poison)
	}
}

// A function named builtin is not kept, and costs the command no status.
func TestFunctionNamedBuiltin(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, command := range []string{
		"builtin(){ :; }", "builtin() { echo mine \"$@\"; }\nbuiltin cd x\n(exit 4)", "set -e; function builtin { return 9; }; ! builtin", "echo a; function  builtin () { :; }; unset() { :; }; trap() { :; }; (exit 3)",
	} {
		r := run(t, s, command)
		require.Equal(t, bashC(t, s.Dir(), command), answerOf(r), command)
		require.False(t, r.StatusLost || r.ShellExited, command)
		require.Equal(t, fmt.Sprintln(r.ExitCode), string(run(t, s, "builtin echo $?; set +e").Stdout), command)
		require.Equal(t, "x\n", string(run(t, s, "alias e=echo\ne x").Stdout))
	}
}

func TestDir(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := open(t, &Options{Dir: dir})
	require.Equal(t, dir, s.Dir())
	r := run(t, s, "mkdir 'a b' $'new\\nline' gone; ln -s 'a b' link; cd 'a b'")
	require.Equal(t, dir+"/a b", r.Dir)
	require.Equal(t, r.Dir, s.Dir())
	require.Equal(t, dir+"/link", run(t, s, "cd ../link").Dir, "named as the shell names it")
	require.Equal(t, dir+"/link\n", string(run(t, s, "pwd").Stdout))
	require.Equal(t, dir+"/link", run(t, s, "true").Dir)
	t.Run("a lie", func(t *testing.T) {
		needsNative(t, "kernelDir")
		require.Equal(t, dir+"/a b", run(t, s, "PWD=/lie").Dir, "what the shell says is not believed")
	})
	require.Equal(t, dir+"/new\nline", run(t, s, "cd ../new*").Dir)
	r = run(t, s, "cd ../gone; rmdir $PWD")
	require.Equal(t, dir+"/gone", r.Dir)
	require.True(t, r.DirDeleted)
	r = run(t, s, "echo still here; ls; touch x")
	require.Equal(t, "still here\n", string(r.Stdout))
	require.NotZero(t, r.ExitCode)
	r = run(t, s, "exit 1")
	require.True(t, r.ShellExited)
	r = run(t, s, "pwd; echo $PWD")
	require.Equal(t, dir+"\n"+dir+"\n", string(r.Stdout), "a new shell starts in the nearest directory that exists")
	require.False(t, r.DirDeleted)
	require.NoError(t, os.RemoveAll(dir))
	r = run(t, s, "echo alive")
	require.Equal(t, "alive\n", string(r.Stdout))
	require.True(t, r.DirDeleted)
}

func TestSetStatus(t *testing.T) {
	s := open(t, nil)
	s.SetStatus(42)
	require.Equal(t, "42\n", string(run(t, s, "echo $?").Stdout))
	require.Equal(t, "0\n", string(run(t, s, "echo $?").Stdout))
	s.SetStatus(1)
	require.Equal(t, "1\n0\n", string(run(t, s, "echo $?\necho $?").Stdout))
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SECRET_KEY", "hush")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("FORCE_COLOR", "1")
	t.Setenv("BASH_ENV", "/dev/stderr")
	t.Setenv("PROMPT_COMMAND", "echo prompt")
	t.Setenv("SHELLOPTS", "braceexpand:xtrace")
	t.Setenv("BASH_FUNC_builtin%%", "() { echo taken; }")
	t.Setenv("BASH_FUNC_hello%%", "() { echo hello; }")
	s := open(t, &Options{Unset: []string{"SECRET_KEY"}})
	r := run(t, s, `echo "$TERM $PAGER $GIT_PAGER $NO_COLOR [$SECRET_KEY] [$FORCE_COLOR] $BASH_ENV"; hello; env | grep -c SECRET`)
	require.Equal(t, "dumb cat cat 1 [] [] /dev/stderr\nhello\n0\n", string(r.Stdout))
	require.Empty(t, string(r.Stderr))

	s = open(t, &Options{Env: []string{"PATH=" + os.Getenv("PATH"), "ONLY=this"}, Init: "export TERM=vt100"})
	require.Equal(t, "this vt100 []\n", string(run(t, s, `echo "$ONLY $TERM [$HOME]"`).Stdout))
}

func TestNewRefuses(t *testing.T) {
	old := filepath.Join(t.TempDir(), "bash") // a bash that takes itself for an older one
	require.NoError(t, os.WriteFile(old, []byte("#!/bin/bash\nexec bash \"$@\" < <(exec sed -u 's/BASH_VERSINFO\\[0]/3/')\n"), 0o700))
	for _, row := range []struct {
		name string
		opts Options
		want string
	}{
		{"no shell", Options{Shell: "/no/such/bash"}, "/no/such/bash"},
		{"no bash", Options{Shell: "true"}, "must be a bash"},
		{"an old bash", Options{Shell: old}, "and the session needs 4.4 or later: install one"},
		{"no directory", Options{Dir: "/no/such/dir"}, "/no/such/dir"},
		{"a file", Options{Dir: "/etc/passwd"}, "not a directory"},
		{"NUL in Init", Options{Init: "a\x00b"}, "NUL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := New(&row.opts)
			require.ErrorContains(t, err, row.want)
		})
	}
}

// TestHowToInstall: the bash of macOS is too old, and what to type next is known there.
func TestHowToInstall(t *testing.T) {
	require.Equal(t, "install one from Homebrew (brew install bash)", howToInstall("darwin"))
	require.Equal(t, "install one", howToInstall("linux"))
}

// TestPromptCommand: what PROMPT_COMMAND does is there for the next command, in every shell, and
// nothing else of it is seen.
func TestPromptCommand(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir(), PromptCommand: true})
	// As direnv and mise have it: a function that sets what the directory says, and keeps $?.
	run(t, s, "mkdir d; hook() { local status=$?; echo noise; echo noise >&2; cat; [[ $PWD == */d ]] && export IN=d || unset IN; return $status; }; PROMPT_COMMAND=hook")
	r := run(t, s, "cd d; echo out; (exit 3)")
	require.Equal(t, answer{"out\n", "", 3}, answerOf(r))
	require.Equal(t, "3 d\n", string(run(t, s, "echo $? $IN; cd ..").Stdout))
	require.Equal(t, "none\n", string(run(t, s, "echo ${IN-none}").Stdout))
	run(t, s, "PROMPT_COMMAND=('a=$?' 'b=$?' 'kill -9 $BASHPID'); (exit 4)")
	r = run(t, s, "echo $a $b")
	require.True(t, r.Restarted, "it ended its shell, and the next command runs all the same")
	run(t, s, "PROMPT_COMMAND=('a=$?' 'b=$?' 'false' 'nope'); set -u; (exit 4)")
	require.Equal(t, "4 4\n", string(run(t, s, "echo $a $b; exit 7").Stdout))
	run(t, s, "a=; b=; (exit 6)")
	require.Equal(t, "6 6\n", string(run(t, s, "echo $a $b").Stdout), "it is kept over a restart")
	s = open(t, &Options{Dir: t.TempDir()})
	run(t, s, "PROMPT_COMMAND='x=1'")
	require.Equal(t, "none\n", string(run(t, s, "echo ${x-none}").Stdout), "who does not ask for it has none")
}

// TestStoppedShellGoesOn: nobody else would wake it.
func TestStoppedShellGoesOn(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, command := range []string{"v=1; suspend -f; echo $v", "v=1; kill -STOP $$; echo $v", "v=1; (kill -STOP $$); echo $v"} {
		r := run(t, s, command)
		require.Equal(t, answer{"1\n", "", 0}, answerOf(r), command)
		require.True(t, r.Resumed)
		require.False(t, r.ShellExited)
	}
	require.NoError(t, syscall.Kill(s.Pid(), syscall.SIGSTOP))
	r := run(t, s, "echo $v")
	require.Equal(t, "1\n", string(r.Stdout))
	require.False(t, run(t, s, "true").Resumed)
}

// TestEndSaysWhatIsLost: the Result of the command that ended the shell says already what the next
// one says.
func TestEndSaysWhatIsLost(t *testing.T) {
	for command, lost := range map[string]bool{
		"v=2; exit 3": false, "v=2; set -e; false": false, "v=2; kill $$": false, "v=2; set -u; echo $nope": false, "v=2; kill -9 $$": true, "v=2; exec true": true,
	} {
		s := open(t, &Options{Dir: t.TempDir()})
		run(t, s, "v=1")
		r := run(t, s, command)
		require.True(t, r.ShellExited, command)
		require.Equal(t, lost, r.StateLost, command)
		r = run(t, s, "echo $v")
		require.True(t, r.Restarted)
		require.Equal(t, lost, r.StateLost, command)
		require.Equal(t, map[bool]string{true: "1\n", false: "2\n"}[lost], string(r.Stdout), command)
	}
}
