//go:build linux

package session

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// answer is what can be compared between a session and bash -c.
type answer struct {
	stdout, stderr string
	code           int
}

// bashC runs command by bash -c in dir, with the environment that a session
// gives its shell.
func bashC(t testing.TB, dir, command string) answer {
	t.Helper()
	return bashBy(t, nil, dir, command)
}

// bashBy is bashC with a launcher.
func bashBy(t testing.TB, l *Launcher, dir, command string) answer {
	t.Helper()
	c, err := resolveOptions(&Options{Dir: dir, Launcher: l})
	require.NoError(t, err)
	argv := []string{c.Shell, "--noprofile", "--norc", "-O", "expand_aliases", "-c", "--", command, "bash"}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(c.shellEnv(), "PWD="+dir)
	if l != nil {
		return startedBy(t, l, cmd)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	code := cmd.ProcessState.ExitCode()
	if code < 0 {
		code = 128 + int(waitSignal(cmd))
	}
	return answer{stdout.String(), child.ReplaceAllString(stderr.String(), "${1}PID "), code}
}

// startedBy is the answer of a command that a launcher starts.
func startedBy(t testing.TB, l *Launcher, cmd *exec.Cmd) answer {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "stream")
		require.NoError(t, err)
		defer f.Close()
		files[i] = f
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	p, err := l.Start(cmd)
	require.NoError(t, err)
	defer unix.Close(p.PidFD)
	got := answer{}
	if ws := p.Wait(); ws.Signaled() {
		got.code = 128 + int(ws.Signal())
	} else {
		got.code = ws.ExitStatus()
	}
	stdout, err := os.ReadFile(files[0].Name())
	require.NoError(t, err)
	stderr, err := os.ReadFile(files[1].Name())
	require.NoError(t, err)
	got.stdout, got.stderr = string(stdout), string(stderr)
	return got
}

// child is the number of a process that bash tells of.
var child = regexp.MustCompile(`(?m)^(\S+: line \d+: +)\d+ `)

func answerOf(r Result) answer {
	return answer{string(r.Stdout), child.ReplaceAllString(string(r.Stderr), "${1}PID "), r.ExitCode}
}

// A row is a command of a table.
type row struct{ name, command string }

// agrees are commands of which a session makes what bash -c makes.
var agrees = []row{
	{"one line", "echo hi"},
	{"no newline at the end", "printf hi"},
	{"nothing", ""},
	{"blanks", "  \t "},
	{"blank lines", "\n\n\n"},
	{"comment", "# nothing"},
	{"comments", "# nothing\n  # more\n"},
	{"several lines", "echo a\necho b\n\necho c"},
	{"status of the last line", "true\nfalse"},
	{"status 7", "(exit 7)"},
	{"not found", "no-such-command-here --x"},
	{"not executable", "./"},
	{"heredoc that ends the text", "cat <<EOF\na $((1+1))\nEOF"},
	{"heredoc and newline", "cat <<'EOF'\na $x `y`\n\tEOF \nEOF\n"},
	{"heredoc with tabs", "cat <<-EOF\n\ta\n\tEOF"},
	{"heredoc without end", "cat <<EOF\na"},
	{"two heredocs", "cat <<A; cat <<B\na\nA\nb\nB"},
	{"heredoc in a loop", "for i in 1 2; do cat <<EOF\n$i\nEOF\ndone"},
	{"heredoc in a substitution", "x=$(cat <<EOF\na\nEOF\n); echo \"$x\""},
	{"here string", "cat <<<'a b'"},
	{"carriage return in quotes", "printf '%s' 'a\r\nb' | od -c"},
	{"carriage return outside", "echo a\r | od -c"},
	{"backslash at the end", "echo a\\"},
	{"backslash at the end of several lines", "echo a\necho b\\"},
	{"continued line", "echo a \\\n  b"},
	{"control characters", "printf '%s' '\x01\x02\x7f\x1b' | od -c"},
	{"invalid utf-8", "printf '%s' '\xff\xfe\xc3' | od -c"},
	{"utf-8", "x=äöü€🎉; echo ${#x} \"$x\""},
	{"exclamation mark", "echo hi! !! !x \"!y\"; set -H; echo a!b"},
	{"quotes of all kinds", `echo 'a'"b"$'c\'\n'"` + "`echo d`" + `" \' \" \\`},
	{"dollar quote", `printf '%s\n' $'\x41\u00e9\''`},
	{"glob", "touch a1 a2 b; echo a* [ab]*; rm a1 a2 b"},
	{"brace expansion", "echo {a,b}{1..3}"},
	{"arithmetic", "echo $((2**10)) $((7/2)); ((0)) || echo no"},
	{"arrays", "a=(x 'y z'); a+=(w); echo ${#a[@]} \"${a[1]}\"; declare -A m=([k]=v); echo ${m[k]}"},
	{"parameter expansion", "x=hello; echo ${x^^} ${x/l/L} ${x:1:3} ${y:-d} ${#x}"},
	{"extglob", "shopt -s extglob\ncase abc in +([a-c])) echo yes;; esac"},
	{"function", "f() { echo \"$1\"; return 4; }; f x; echo $?"},
	{"return outside a function", "return 3; echo after"},
	{"positional", "set -- a b; echo $# $1; shift; echo $1"},
	{"case of lines", "case x in\n x) echo yes;;\nesac"},
	{"while read", "printf 'a\\nb\\n' | while read -r l; do echo \"<$l>\"; done"},
	{"pipe status", "false | true; echo ${PIPESTATUS[*]}"},
	{"pipefail", "set -o pipefail; false | true; echo $?; set +o pipefail"},
	{"subshell", "(cd /; x=1; pwd); echo \"[${x-}]\""},
	{"process substitution", "cat <(echo a) <(echo b)"},
	{"coproc", "coproc cat; echo a >&${COPROC[1]}; eval \"exec ${COPROC[1]}>&-\"; cat <&${COPROC[0]}; wait"},
	{"select", "select x in a b; do echo $x; break; done"},
	{"stdin is empty", "cat; read x; echo $?; wc -c"},
	{"grep without a file", "grep foo"},
	{"python without a file", "python3"},
	{"no terminal", "echo x >/dev/tty; (: </dev/tty) 2>/dev/null; echo $?; tty"},
	{"stderr apart", "echo out; echo err >&2; echo out"},
	{"nul bytes", "printf 'a\\0b\\0'"},
	{"binary", "head -c 3000 /usr/bin/env"},
	{"output like the protocol's", "printf '\\0011 0 0 /\\0'; printf '\\0012 3 2 /tmp\\0' >&2"},
	{"output like a job note", "echo '[1] 4711'; echo '[1] 1' >&2; echo '[2] 3 x' >&2; printf '[' >&2; echo exit >&2"},
	{"stderr that ends in exit", "echo exit >&2"},
	{"half a job note", "printf '[12' >&2"},
	{"exec stdout away", "exec >/dev/null; echo gone; echo err >&2"},
	{"exec stderr to stdout", "exec 2>&1; echo a >&2"},
	{"exec stdout to stderr", "exec >&2; echo a"},
	{"exec stdout closed", "exec >&-; echo gone 2>/dev/null; true"},
	{"exec all closed", "exec 0<&- 1>&- 2>&-; echo gone; true"},
	{"exec stdin", "exec </etc/hostname; cat"},
	{"descriptors reused", "exec 3>&1 4>&2 5</dev/null 6>&1 7>&1 8>&1 9>&1; echo three >&3; echo nine >&9"},
	{"descriptors closed", "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; echo x >&3"},
	{"named descriptor", "exec {fd}>&1; echo a >&$fd; exec {fd}>&-"},
	{"descriptors from 13 on", "exec 13>&1 99>&1 200>&1 254>&1; echo a >&13; echo b >&200; exec 13>&- 99>&- 200>&- 254>&-"},
	{"syntax error", "if"},
	{"unbalanced double quote", "echo \"a"},
	{"unbalanced single quote", "echo 'a"},
	{"unbalanced backquote", "echo `a"},
	{"unbalanced substitution", "echo $(a"},
	{"unbalanced substitution of several lines", "echo $(a\necho b"},
	{"unbalanced parameter", "echo ${a"},
	{"unbalanced arithmetic", "echo $((1+"},
	{"unbalanced brace", "{ echo a"},
	{"unbalanced loop", "for i in 1 2; do echo $i"},
	{"bad substitution", "echo ${a b}; echo after"},
	{"errexit", "set -e; false; echo after"},
	{"errexit in a function", "set -e\nf() { false; echo no; }\nf\necho after"},
	{"division by zero", "echo $((1/0)); echo after"},
	{"readonly", "readonly R1=1; R1=2; echo after"},
	{"readonly unset", "readonly R2=1; unset R2; echo $?"},
	{"exit", "echo a; exit 3; echo b"},
	{"exit without status", "(exit 5); exit"},
	{"exit in a subshell", "(exit 3); echo $?"},
	{"exit in a function over lines", "f() {\n exit 9\n}\nf\necho no"},
	{"exit with a trap", "trap 'echo bye; echo err >&2' EXIT; exit 2"},
	{"exec", "echo a; exec echo b"},
	{"kill itself", "kill -9 $$; echo after"},
	{"trap on err", "trap 'echo err $?' ERR; false; trap - ERR; false"},
	{"trap on debug", "trap 'echo debug' DEBUG; echo a; trap - DEBUG"},
	{"trap on return", "f() { trap 'echo ret' RETURN; echo in; }; f; trap - RETURN"},
	{"trap on a signal", "trap 'echo usr1' USR1; kill -USR1 $$; echo after; trap - USR1"},
	{"background and wait", "sleep 0.01 & wait; echo $?"},
	{"background status", "(exit 4) & wait $!; echo $?"},
	{"background in several", "for i in 1 2 3; do (echo $i >f$i) & done; wait; cat f1 f2 f3; rm f1 f2 f3"},
	{"kill a job", "sleep 50 & kill %1; wait %1 2>/dev/null; echo $?"},
	{"aliases of the next line", "alias hey='echo hey'\nhey"},
	{"alias in the same line", "alias hoy='echo hoy'; hoy"},
	{"eval", "eval 'echo a; eval \"echo b\"'"},
	{"source", "echo 'echo sourced $1; return 5' >src; . ./src x; echo $?; rm src"},
	{"bash in bash", "bash -c 'echo $0 $1' a b; echo 'echo hi' | bash"},
	{"sh", "sh -c 'echo $0'"},
	{"status of substitution", "x=$(exit 9); echo $?"},
	{"nested substitution", "echo $(echo $(echo `echo a`))"},
	{"substitution with background job", "x=$(sleep 0.01 & echo a); echo $x"},
	{"last argument", "echo a b; echo $_"},
	{"line of 3,000 characters", "echo " + strings.Repeat("x", 3000)},
	{"many lines", strings.Repeat("echo a\n", 1500)},
	{"long list", strings.Repeat("true; ", 3000) + "echo done"},
	{"ifs of digits", "IFS=0123456789; x=a1b; echo $x; unset IFS"},
	{"posix", "set -o posix; echo a; set +o posix"},
	{"keyword", "set -k; echo a=b c; set +k"},
	{"noglob", "set -f; echo *; set +f"},
	{"noclobber", "set -C; echo a >nc; echo b >nc; cat nc; rm nc; set +C"},
	{"allexport", "set -a; AX=1; set +a; sh -c 'echo $AX'"},
	{"umask", "umask 077; umask; umask 022"},
	{"time", "TIMEFORMAT=x; time true"},
	{"let", "let a=5 b=a+1; echo $a $b"},
	{"getopts", "set -- -a -b x; while getopts ab: o; do echo $o $OPTARG; done; OPTIND=1"},
	{"mapfile", "mapfile -t m < <(printf 'a\\nb\\n'); echo ${#m[@]}"},
	{"printf -v", "printf -v v '%03d' 7; echo $v"},
	{"home", "cd; [[ $PWD == $HOME ]]; echo $?; cd - >/dev/null"},
	{"colour", "ls --color=auto -d .; echo $TERM $PAGER $GIT_PAGER $NO_COLOR"},
	{"environment for one command", "A=1 sh -c 'echo $A'; echo \"[$A]\""},
	{"unset everything of a name", "unset ${!A*} 2>/dev/null; echo ok"},
	{"yes and head", "yes | head -3; echo ${PIPESTATUS[*]}"},
	{"big output", "seq 20000"},
	{"output to both", "seq 3000; seq 3000 >&2"},
}

// differs are commands of which a session makes something else than bash -c.
// What bash -c makes is asked too, so that a row goes when the difference does.
var differs = []struct {
	name, command  string
	session, bash_ answer
}{
	{"an unset variable is status 1", "${nope?gone}; echo after",
		answer{"", "bash: line 1: nope: gone\n", 1}, answer{"", "bash: line 1: nope: gone\n", 127}},
	{"nounset is status 1", "set -u\necho $nope\necho after",
		answer{"", "bash: line 2: nope: unbound variable\n", 1}, answer{"", "bash: line 2: nope: unbound variable\n", 127}},
	{"noexec loses the status", "set -n; echo a; set +n; echo b",
		answer{"", "", -1}, answer{"", "", 0}},
	{"xtrace is two deeper", "set -x; echo a; { set +x; } 2>/dev/null",
		answer{"a\n", "+++ echo a\n", 0}, answer{"a\n", "+ echo a\n", 0}},
	{"descriptors 10 to 12 are the shell's", "exec 10>&1; echo ten >&10; echo a",
		answer{"a\n", "bash: line 1: echo: write error: Bad file descriptor\n", 0}, answer{"ten\na\n", "", 0}},
	{"an eval in the text keeps the session's name", "eval true; )",
		answer{"", "bash: eval: line 1: syntax error near unexpected token `)'\nbash: eval: line 1: `eval true; )'\n", 2},
		answer{"", "bash: -c: line 1: syntax error near unexpected token `)'\nbash: -c: line 1: `eval true; )'\n", 2}},
	{"a function of the text has another source", "f() {\n  nosuch_b; echo after\n}\nf",
		answer{"after\n", "main: line 2: nosuch_b: command not found\n", 0},
		answer{"after\n", "environment: line 2: nosuch_b: command not found\n", 0}},
	{"an open condition is status 2", "[[ a == b\necho c",
		answer{"", "bash: -c: line 1: syntax error in conditional expression\n", 2},
		answer{"", "bash: -c: line 1: syntax error in conditional expression\n", 0}},
}

// Who closes the descriptors of the shell sees no report, and the next command runs.
func TestDescriptorsOfTheShellClosed(t *testing.T) {
	s := open(t, &Options{Dir: t.TempDir()})
	for _, command := range []string{
		"for fd in 3 4 5 6 7 8 9 10 11 12 13 14 15; do eval \"exec $fd>&-\"; done; echo closed",
		"exec 10>&-\necho closed", "exec 11>&-; echo closed", "f() { exec 12>&-; }; f; echo closed", "exec 11</dev/null; echo closed",
	} {
		r := run(t, s, "x="+itoa(len(command))+"; "+command)
		require.Equal(t, "closed\n", string(r.Stdout), command)
		require.Zero(t, r.ExitCode, command)
		require.NotContains(t, string(r.Stderr), "\x01", command)
		require.Equal(t, itoa(len(command))+"\n", string(run(t, s, "echo $x").Stdout), "after %s", command)
	}
}

// What closes or takes the descriptors need not say so in its own text, and is no reason to
// lose what comes next.
func TestNothingIsLostOrShownOfTheProtocol(t *testing.T) {
	rows := []string{
		"f() { exec 10>&- 11>&- 12>&-; }", "f() { exec 12</dev/null; }", "echo 'exec 12>&-' >src; f() { . ./src; }", "f() { eval 'ex''ec 12>&-'; }",
		"alias '{=echo' '[[=false' 'if=echo' '((=false'; f() { :; }",
	}
	for n := range 10 {
		rows = append(rows, "f() { :; }; ulimit -n "+itoa(n), "f() { ulimit -n "+itoa(n+3)+"; }") // below 3, f ends the shell
	}
	for _, command := range rows {
		s := open(t, &Options{Dir: t.TempDir()})
		run(t, s, command)
		for _, text := range []string{"f; echo first", "echo second; :" + strings.Repeat(" ", maxInline)} {
			r := run(t, s, text)
			require.Contains(t, []string{"first\n", "second\n"}, string(r.Stdout), command)
			require.Zero(t, r.ExitCode, command)
		}
		r := run(t, s, "(exit 3); printf third >&2; (exit 3)")
		require.Equal(t, answer{"", "third", 3}, answerOf(r), command)
	}
	s := open(t, &Options{Dir: t.TempDir()})
	for _, command := range []string{"ulimit -n 0; echo x", "f() { ulimit -n 0; }; f; echo x", "f; echo x"} { // no descriptor can be put back
		require.Equal(t, "x\n", string(run(t, s, command).Stdout), command)
		require.Equal(t, "y\n", string(run(t, s, "echo y").Stdout), command)
	}
}

func TestDiffersFromBash(t *testing.T) {
	t.Parallel()
	for _, row := range differs {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.Equal(t, row.bash_, bashC(t, dir, row.command), "bash -c: %s", row.command)
			s := open(t, &Options{Dir: dir})
			require.Equal(t, row.session, answerOf(run(t, s, row.command)), "session: %s", row.command)
			run(t, s, "set +eux")
			require.Equal(t, answer{"still here", "", 5}, answerOf(run(t, s, "printf 'still %s' here; (exit 5)")))
		})
	}
}

// resetShell takes back what rows of the table leave in a shared session.
const resetShell = "trap - EXIT ERR DEBUG; set +eux; shopt -u extglob failglob; shopt -s expand_aliases; unset -f f; unset x y m a; exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-"

// TestAgreesWithBash runs every row in a session of its own and in one that all
// rows share, which must come out of each unharmed.
func TestAgreesWithBash(t *testing.T) {
	t.Parallel()
	shared := open(t, &Options{Dir: t.TempDir()})
	for _, row := range slices.Concat(agrees, says) {
		t.Run(row.name, func(t *testing.T) {
			dir, err := os.MkdirTemp(t.TempDir(), "")
			require.NoError(t, err)
			want := bashC(t, dir, row.command)
			got := answerOf(run(t, open(t, &Options{Dir: dir}), row.command))
			require.Equal(t, want, got, "in a new session: %s", row.command)

			run(t, shared, "cd '"+dir+"'")
			require.Equal(t, want, answerOf(run(t, shared, row.command)), "in the shared session: %s", row.command)
			run(t, shared, resetShell)
			r := run(t, shared, "printf 'still %s' here; (exit 5)")
			require.Equal(t, answer{"still here", "", 5}, answerOf(r), "after %s", row.command)
			require.Equal(t, "5\n", string(run(t, shared, "echo $?").Stdout))
		})
	}
}
