//go:build linux

package session

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// longText does not fit into the line that evaluates a command.
var longText = strings.Repeat("long ", maxInline/4)

// says are commands of which bash has something to say: a session says it too, with
// the same lines, and goes on where bash -c goes on.
var says = []row{
	{"a forgotten fi", "if true; then\n  echo x"},
	{"a forgotten done", "for i in 1 2; do\n  echo $i\n"},
	{"a forgotten esac", "case x in\n  x) echo yes ;;\n"},
	{"a forgotten brace", "f() {\n  echo x\n"},
	{"a forgotten parenthesis", "echo a\n(echo b"},
	{"two semicolons", "echo a ;; echo b"},
	{"esac alone", "echo a\nesac\necho b"},
	{"a parenthesis too many", "echo a; )"},
	{"a syntax error after good lines", "echo a\nfi\necho b"},
	{"a closing brace first", "}\necho x\n{\n:"},
	{"an open single quote", "echo a\necho 'abc"},
	{"an open double quote", "echo a\n\n\necho \"abc\necho d"},
	{"an open substitution", "x=$(\necho hi"},
	{"an open substitution with a case", "x=$(case a in\na) echo b;;\n"},
	{"an open backquote", "echo a\necho `abc\n"},
	{"an open parameter", "echo a\necho ${abc\n"},
	{"an open arithmetic", "echo a\necho $((1 +\n2"},
	{"an open array", "a=(1\n2\n"},
	{"an open here-document", "cat <<EOF\nhello"},
	{"an open here-document after lines", "echo a\ncat <<EOF\nhello\nthere\n"},
	{"an open here-document in a substitution", "echo $(cat <<EOF\nhello\n)\necho b"},
	{"an open here-document in a loop", "for i in 1; do\ncat <<EOF\n$i\ndone"},
	{"carriage returns", "if true; then\r\necho x &&\r\nfi\r\n"},
	{"a carriage return in a word", "echo a\r\nls\r\n"},
	{"extglob where it was not on", "shopt -s extglob; case abc in +([a-c])) echo yes;; esac; shopt -u extglob"},
	{"a text that begins with a dash", "-n x; echo $?"},
	{"a command that is not there", "echo a\nnosuch_b\necho c"},
	{"a command in the way of a pipe", "echo a |\nnosuch_b |\ncat"},
	{"a command in a subshell", "(\n  nosuch_b\n)"},
	{"a command in a substitution", "x=$(\n  nosuch_b\n)\necho $?"},
	{"a command in a loop", "for i in 1 2; do\n  nosuch_$i\ndone"},
	{"a command in the background", "nosuch_b &\nwait"},
	{"a directory", "echo a\n/tmp"},
	{"no permission", "echo >x\n./x; rm x"},
	{"a bad interpreter", "echo '#!/no/such' >x; chmod +x x\n./x; rm x"},
	{"a sourced file", "printf 'echo a\\necho b\\nnosuch_c\\n' >src\n. ./src; rm src"},
	{"a sourced file that does not parse", "printf 'echo a\\nfi\\n' >src\n. ./src; echo $?; rm src"},
	{"a sourced file with an open quote", "printf 'echo a\\necho \"b\\n' >src\n. ./src; echo $?; rm src"},
	{"a function of a sourced file", "printf 'f() {\\n  nosuch_c\\n}\\n' >src\n. ./src\nf; rm src"},
	{"a sourced file that is not there", "echo a\n. ./nosuch\necho b"},
	{"an eval", "echo a\neval 'echo b\nnosuch_c'\necho d"},
	{"an eval in an eval", "eval 'eval \"echo a\nnosuch_c\"'"},
	{"cd to nowhere", "echo a\ncd /no/such\necho b"},
	{"a redirection to nowhere", "echo a\necho b >/no/such/file\necho c"},
	{"a bad descriptor", "echo a\necho b >&77\necho c"},
	{"exec with a bad redirection", "echo a\nexec 7</no/such\necho b"},
	{"exec of nothing", "exec no-such-command-here; echo after"},
	{"exec of nothing over lines", "echo a\nexec no-such-command-here\necho after"},
	{"an ambiguous redirection", "x='a b'\necho c >$x\necho d"},
	{"noclobber", "set -C; echo a >nc\necho b >nc\ncat nc; rm nc; set +C"},
	{"readonly", "readonly RO2=1\nRO2=2\necho after"},
	{"readonly in a line", "readonly RO1=1; RO1=2; echo after"},
	{"a bad substitution", "echo ${a b}; echo not\necho after"},
	{"a division by zero", "echo a\necho $((1/0))\necho after"},
	{"a division by zero in a line", "echo $((1/0)); echo after"},
	{"a division by zero in a loop", "for i in 1 2; do\n  echo $((i/0))\ndone\necho after"},
	{"a division by zero in a condition", "if (( 1/0 )); then echo not; fi\necho after"},
	{"bad arithmetic", "echo $((1+))\necho after"},
	{"let", "let 'x=1+'\necho $?"},
	{"a bad integer", "declare -i n=abc-\necho after"},
	{"a bad index", "a=(1)\necho ${a[x-]}\necho after"},
	{"failglob", "shopt -s failglob\necho *.none\necho after\nshopt -u failglob"},
	{"failglob in a line", "shopt -s failglob\necho *.none; echo not\nshopt -u failglob"},
	{"a bad name", "export 1a=b\necho $?"},
	{"a bad option", "echo a\nread -Q x\necho $?"},
	{"shift too far", "shift 5; echo $?"},
	{"break outside", "break; echo $?"},
	{"return outside", "echo a\nreturn 3\necho $?"},
	{"local outside", "local x=1; echo $?"},
	{"test with too many words", "[ a b c ]; echo $?"},
	{"an integer expected", "[ a -eq 1 ]\necho $?"},
	{"printf of no number", "printf '%d\\n' abc"},
	{"errexit over lines", "set -e\necho a\nfalse\necho after"},
	{"errexit of a program", "set -e; cat /nonexist\necho after"},
	{"a child that a signal ended", "sh -c 'kill -SEGV $$'; echo $?"},
	{"a child that was killed", "echo a\nsh -c 'kill -9 $$'\necho $?"},
	{"a job that was killed", "sleep 50 &\nkill -9 $!\nwait $!\necho $?"},
	{"a job in a redirected stderr", "{ true & } 2>f; wait; cat f; rm f"},
	{"a log", "exec >log 2>&1; echo a; sleep 0 & wait; exit 0"},
	{"what a log got", "(exec >log 2>&1; echo a; sleep 0 & wait; nosuch_b; exit 0); cat log; rm log"},
	{"a log of the shell itself", "bash -c 'exec >log 2>&1; echo a; sleep 0 & wait; exit 0'; cat log; rm log"},
	{"no job", "kill %7\nfg; bg; jobs; wait %3"},
	{"jobs", "sleep 50 &\njobs | sed 's/  */ /g'; kill %1; wait"},
	{"LINENO", "echo $LINENO\necho $LINENO; f() {\n echo $LINENO\n}\nf"},
	{"BASH_COMMAND", "trap 'echo \"<$BASH_COMMAND>\"' ERR\nfalse\nls /nonexist 2>/dev/null\ntrap - ERR"},
	{"FUNCNAME and BASH_SOURCE", "f() { echo ${FUNCNAME[@]} ${BASH_LINENO[@]} ${#BASH_SOURCE[@]}; }\nf; echo ${#FUNCNAME[@]} ${#BASH_SOURCE[@]}"},
	{"a trap on ERR with the line", "trap 'echo err $LINENO' ERR\ntrue\nfalse\ntrap - ERR"},
	{"a trap on DEBUG with the line", "trap 'echo $LINENO' DEBUG\ntrue\ntrap - DEBUG"},
	{"a trap on EXIT with an error", "trap nosuch_b EXIT\nexit 3"},
	{"a trap on EXIT of the text alone", "trap 'echo bye $?' EXIT\necho a\nexit 4"},
	{"an alias that is not there", "alias nosuch_a\nunalias nosuch_b"},
	{"an alias of something that is not there", "alias x=nosuch_b\nx\nunalias x"},
	{"an unknown shopt", "shopt -s nosuch\nset -o nosuch\necho $?"},
	{"exclamation marks", "echo hi! !! !x\n!! \necho $?"},
	{"nested quotes that end wrong", "bash -c 'echo \"a'; echo $?"},
	{"bash -c within", "bash -c 'echo a\nnosuch_b\nfi'"},
	{"a script", "printf 'echo a\\nnosuch_b\\nfi\\n' >s.sh; bash s.sh; rm s.sh"},
	{"type of nothing", "type nosuch_b; command -v nosuch_b; which nosuch_b; hash nosuch_b"},
	{"a select without end", "select x in a; do\necho $x"},
	{"a function without a body", "f()\n"},
	{"a pipe without end", "echo a |"},
	{"and without end", "echo a &&\n"},
	{"a backslash and a newline at the end", "echo a\\\n"},
	{"newlines at the end", "if true; then\n\n\n"},
	{"an error far down", "echo a\n\n\n\n# more\n\nnosuch_b"},
	{"a long text", "echo a\n# " + longText + "\nnosuch_b\n\nif\n\n"},
	{"an open quote in a long text", "# " + longText + "\necho a\necho 'b\n\n"},
	{"kill", "echo a; kill $$; echo not"},
	{"kill -INT", "echo a; kill -INT $$; echo not"},
	{"kill -HUP", "echo a\nkill -HUP $$\necho not"},
	{"a text of options", "set -o pipefail\nnosuch_b | cat\necho $?; set +o pipefail"},
	{"descriptors 3 to 9 closed", "for fd in 3 4 5 6 7 8 9; do eval \"exec $fd>&-\"; done; echo closed"},
	{"descriptors 3 to 15 written to", "exec 3>&1 4>&1 13>&1 14>&1; echo a >&3; echo b >&14; for fd in 3 4 13 14; do eval \"exec $fd>&-\"; done"},
	{"descriptors 13 to 255 closed", "for fd in {13..255}; do eval \"exec $fd>&-\"; done; echo closed; nosuch_b"},
	{"coproc of nothing", "coproc nosuch_b; wait"},
	{"time of nothing", "TIMEFORMAT=x; time nosuch_b"},
	{"env of nothing", "env nosuch_b\necho $?"},
	{"unset of a readonly", "readonly R9=1\nunset R9\necho $?"},
	{"a here string to nothing", "nosuch_b <<<x\necho $?"},
	{"source without a file", "source; echo $?"},
	{"ulimit", "ulimit -n 99999999999; echo $?"},
	{"umask", "umask 999; echo $?"},
	{"getopts", "set -- -z; getopts ab: o; echo $? $o; OPTIND=1"},
	{"a warning of a substitution", "x=$(printf 'a\\0b')\necho $x"},
}

// A text that ends within something does no harm; in $( ) it is another shell that goes on.
func TestOpenTexts(t *testing.T) {
	t.Parallel()
	s := open(t, &Options{Dir: t.TempDir()})
	for i := range 10 {
		for _, command := range []string{
			"y=%\nx=$(\necho hi", "y=%; echo a\necho $(case a in\na) echo b; (:", "y=%\necho `a", "y=%\ncat <<EOF\n$(a", "y=%\necho ${a[$(", "y=%\n((", "y=%\n$(cat <<EOF\nx" + strings.Repeat("x", 100*i),
		} {
			mark := itoa(i) + itoa(len(command))
			command = strings.ReplaceAll(command, "%", mark)
			r := run(t, s, command)
			after := run(t, s, "echo $? $y; x=$(echo ok); echo $x")
			require.Equal(t, itoa(r.ExitCode)+" "+mark+"\nok\n", string(after.Stdout), "%s: %+v", command, r)
			require.Equal(t, r.ShellExited, after.Restarted, command)
			require.False(t, after.StateLost, command)
			require.False(t, after.ShellExited, command)
		}
	}
	require.True(t, run(t, s, "echo $(a").ShellExited)
}

// A signal that the host gets cuts no wait short.
func TestSignalsToTheHost(t *testing.T) {
	var ended []byte
	s := open(t, &Options{Dir: t.TempDir(), Exit: func(stdout, _ []byte) { ended = stdout }})
	over := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			tasks, _ := os.ReadDir("/proc/self/task")
			for _, task := range tasks {
				id, _ := strconv.Atoi(task.Name())
				unix.Tgkill(os.Getpid(), id, syscall.SIGCHLD)
			}
		}
	})
	for i := range 20 {
		run(t, s, "y="+itoa(i)+"\necho $(a")
		require.Equal(t, itoa(i)+"\n", string(run(t, s, "echo $y").Stdout))
	}
	run(t, s, "trap 'read -t 0.1 <><(:); echo bye' EXIT")
	require.NoError(t, s.Close())
	require.Equal(t, "bye\n", string(ended))
	close(over)
	sending.Wait()
}
