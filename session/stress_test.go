//go:build linux

package session

import (
	"context"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	stressFor  = flag.Duration("stress", 2*time.Second, "how long TestStress goes on")
	stressSeed = flag.Uint64("stress-seed", 1, "where TestStress begins")
)

// hostile are commands that go for the protocol. The session must come out of
// each with its directory, variables and functions, be it in a new shell.
var hostile = []string{
	"exit 3", "exec true", "exec no-such-command", "kill -9 $$", "kill -9 $BASHPID", "set -e; false", "set -u; echo $nope", "set -t", "set -n",
	"set -x; echo x", "set -v; echo v", "set -o vi", "set +o emacs", "set -k; set -f; set -C; set -a", "set -o posix; set -P",
	"builtin() { :; }", "printf() { :; }; eval() { :; }", "cd() { :; }; echo() { :; }; exit() { :; }; trap() { :; }; kill() { :; }; set() { :; }; unset() { :; }",
	"alias builtin=false eval=false printf=false cd=false echo=false exit=false", "unalias -a",
	"trap 'exit 9' DEBUG", "trap 'exit 9' ERR; false", "trap 'echo noise' DEBUG", "trap 'echo noise' RETURN", "trap '' INT TERM HUP QUIT",
	"trap 'exit 4' CHLD; (true)", "trap 'kill -9 $$' EXIT; exit 1", "trap - EXIT", "shopt -s extdebug; trap false DEBUG",
	"PROMPT_COMMAND='exit 9'", "PROMPT_COMMAND='echo noise'", "PS1='$(exit)'; PS0='$(sleep 1)'; PS2=x; PS4=y", "TMOUT=1",
	"readonly PROMPT_COMMAND PS1 PWD OLDPWD IFS", "IFS=0123456789", "IFS=", "unset IFS PATH HOME PWD", "PATH=", "BASH_ENV=/dev/stdin; ENV=/dev/stdin; export BASH_ENV ENV",
	"exec >/dev/null", "exec 2>&1", "exec >&-", "exec 2>&-", "exec <&-", "exec 0<&- 1>&- 2>&-", "exec 3>&1 4>&2 5<&0", "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-",
	"exec 10>&- 11>&- 12>&- 13>&-", "exec 10</dev/null 11</dev/null", "cat <&0; cat <&10", "echo x >&10 2>/dev/null", "echo x >&11; echo y >&12",
	"printf '\\0011 0 0 /\\0' >&11", "printf '\\0019999 7 0 /\\0'", "printf '#BEGIN\\n/x\\0exit 1\\n#END\\n'",
	"ulimit -n 5", "ulimit -n 0", "ulimit -f 0", "ulimit -c 0", "set -r", "umask 777", "cd /; rmdir x 2>/dev/null",
	"sleep 100 &", "(sleep 100 &)", "setsid sleep 100 &", "nohup sleep 100 & disown", "sleep 0.01 & sleep 0.02", "jobs; kill %1", "wait", "set -m; sleep 100 & set +m",
	"coproc cat", "yes", "yes >&2", "while :; do :; done", "sleep 100", "cat /dev/zero", "read x </dev/tty", "mkfifo ff; cat ff", "(exit 3)", "if", "'", "\"", "`", "$(", "${", "$((", "{", "(", "cat <<EOF", "echo \\", "esac", "}", ")", ";;", "&", "|", "&&", "!", "\x01\x02\x03\x7f", "\xff\xfe",
	"__session_p() { :; }; unset __session_p", "unset -f __session_rc __session_fix __session_dump", "unset ${!__session*}", "readonly __session_p",
	"history -c; history; fc -l", "enable -n printf eval builtin kill; enable printf eval builtin kill", "hash -r; hash -p /bin/false true", "shopt -s failglob nullglob dotglob nocasematch xpg_echo",
	"suspend -f & wait", "logout", "times", "bind -p", "complete -F x y", "dirs -c; pushd / >/dev/null", "help >/dev/null", "LANG=xx LC_ALL=yy", "LC_ALL=C; export LC_ALL",
}

// TestStress runs commands of all kinds in one session, at random.
func TestStress(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := open(t, &Options{Dir: dir, Head: 1000, Tail: 1000, OutputLimit: 1 << 20})
	random := rand.New(rand.NewPCG(*stressSeed, 0))
	const repair = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; \\builtin unset -f cd echo exit trap kill set unset eval printf wait; unalias -a; " +
		"trap - INT TERM HUP QUIT CHLD DEBUG ERR RETURN; set +euxvnkfCaPmT; set +o posix; shopt -u extdebug failglob nullglob dotglob nocasematch xpg_echo; umask 022; " +
		"unset -v IFS TMOUT PROMPT_COMMAND LC_ALL LANG BASH_ENV ENV\n"
	const home = "PATH=/usr/local/bin:/usr/bin:/bin; cd \"$stress_dir\""
	run(t, s, "stress_dir=$PWD; stress_var='a  b'; stress_fn() { echo \"fn $1\"; }")
	ran, begin := 0, time.Now()
	for ; time.Since(begin) < *stressFor; ran++ {
		command := hostile[random.IntN(len(hostile))]
		switch random.IntN(6) {
		case 0:
			command += "\n" + hostile[random.IntN(len(hostile))]
		case 1:
			command += "; " + hostile[random.IntN(len(hostile))]
		case 2:
			command = agrees[random.IntN(len(agrees))].command
		}
		ctx, cancel := context.WithCancel(context.Background())
		if random.IntN(10) == 0 {
			time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, cancel)
		}
		_, err := s.Run(ctx, command, &RunOptions{Timeout: time.Duration(1+random.IntN(60)) * time.Millisecond})
		cancel()
		require.NoError(t, err, command)
		if random.IntN(4) == 0 {
			continue // one on top of the other
		}
		run(t, s, repair)
		run(t, s, home)
		r := run(t, s, "echo ok; pwd; echo \"$stress_var\"; stress_fn x; (exit 5)")
		require.Equal(t, "ok\n"+dir+"\na  b\nfn x\n", string(r.Stdout), "after %q (number %d): %+v", command, ran, r)
		require.Equal(t, 5, r.ExitCode, "after %q", command)
		require.Equal(t, "5\n", string(run(t, s, "echo $?").Stdout), "after %q", command)
	}
	t.Logf("%d commands", ran)
	run(t, s, repair)
	run(t, s, home)
	require.Equal(t, dir+"\na  b\nfn y\n", string(run(t, s, "pwd; echo \"$stress_var\"; stress_fn y").Stdout))
	run(t, s, "kill $(jobs -p) 2>/dev/null")
	require.Less(t, strings.Count(strings.Join(openFDs(t), " "), "pipe"), 400)
}
