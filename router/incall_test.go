package router

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var insideBash = []struct {
	name, command, stdout string
	status                int
}{
	{"pipe", `read --file_path a.go | tr a-z A-Z`, "ONE\nTWO\n", 0},
	{"substitution", `x=$(read ./a.go); echo "<$x>"`, "<one\ntwo>\n", 0},
	{"loop over a substitution", `for f in $(glob '**/*.go'); do echo "$f"; done`, "pattern=**/*.go\n", 0},
	{"heredoc is the content", "write out.txt <<'EOF'\na $b\n\\c\nEOF\ncat out.txt", "wrote 8 bytes\na $b\n\\c\n", 0},
	{"heredoc in an argument", "edit --file_path a --old_string \"$(cat <<'EOF'\nx $y\nEOF\n)\" --new_string ''", "file_path=a\nold_string=x $y\nnew_string=\n", 0},
	{"and list", `read ./a.go && grep --pattern foo`, "one\ntwo\nfound foo\n", 0},
	{"xargs", `ls *.go | xargs -n1 agent:read`, "one\ntwo\n", 0},
	{"find -exec", `find . -name a.go -exec agent:read --file_path {} \;`, "one\ntwo\n", 0},
	{"timeout", `timeout 500 agent:read ./a.go`, "one\ntwo\n", 0},
	{"field command with a substitution", `field:db:query --sql "$(cat q.sql)" | tr a-z A-Z`, "SQL=SELECT 1\n", 0},
	{"redirections", `field:db:query --sql x > o.json 2> e.txt; cat o.json`, "sql=x\n", 0},
	{"if, found", `if grep --pattern x --path src; then echo yes; else echo no; fi`, "found x\nyes\n", 0},
	{"if, not found", `if grep --pattern absent --path src; then echo yes; else echo no; fi`, "no\n", 0},
	{"set -e", `(set -e; grep --pattern absent; echo not reached)`, "", 1},
	{"pipefail", `(set -o pipefail; grep --pattern absent | cat)`, "", 1},
	{"PIPESTATUS", `grep --pattern absent | true; echo "${PIPESTATUS[0]}"`, "1\n", 0},
	{"background and wait", `read ./a.go > bg.txt & wait $!; cat bg.txt`, "one\ntwo\n", 0},
	{"eval", `eval "glob '*.go'"`, "pattern=*.go\n", 0},
	{"function", `f() { field:db:query --sql "$1"; }; f abc`, "sql=abc\n", 0},
	{"function in a group that is not loaded", `g() { field:late:echo "$1" --n 2; }; g hi`, "word=hi\nn=2\n", 0},
	{"sourced file", `echo 'field:db:query --sql s' > s.sh; . ./s.sh`, "sql=s\n", 0},
	{"unset handler does not matter to a text", `unset -f command_not_found_handle; field:late:echo x | cat`, "word=x\n", 0},
	{"a hundred at once", `seq 100 | xargs -P 16 -n1 field:db:query --sql | sort | uniq | wc -l`, "100\n", 0},
	{"usage error", `agent:read --nope | cat; echo "${PIPESTATUS[0]}"`, "2\n", 0},
	{"unknown tool", `agent:nope | cat; echo "${PIPESTATUS[0]}"`, "127\n", 0},
	{"help in a pipe", `read --help | head -n1`, "read: Test read\n", 0},
	{"reader goes first", `yell | head -n1; echo "${PIPESTATUS[0]}"`, "y\n141\n", 0},
	{"closed stdout", `read ./a.go >&-; echo ok`, "ok\n", 0},
	{"directory is the caller's", `cd sub && read ./b.go; cd ..`, "bee\n", 0},
	{"subshell directory", `(cd sub; read ./b.go | cat)`, "bee\n", 0},
	{"empty stdin is no content", `write empty.txt; echo $?; test -e empty.txt || echo kept out`, "2\nkept out\n", 0},
	{"binary content", `printf 'a\0b\377\r\n' | write ./bin; cmp bin <(printf 'a\0b\377\r\n') && echo same`, "wrote 6 bytes\nsame\n", 0},
	{"time limit from outside", `n=1; until x=$(timeout $n agent:hang; echo $?); [[ $x == waiting* ]]; do ((n *= 2)); done; echo "$x"`, "waiting\n124\n", 0},
	{"quoted name is bash's", `"agent:read" ./a.go | cat`, "one\ntwo\n", 0},
	{"a thousand arguments", `agent:glob $(seq -f 'x%g' 1000) | cat; echo "${PIPESTATUS[0]}"`, "2\n", 0},
	{"a large argument", `x=$(head -c 100000 /dev/zero | tr '\0' x); field:db:query --sql "$x" | wc -c`, "100005\n", 0},
	{"native bash is not in the way", `nosuchcommand; echo $?`, "127\n", 0},
	{"own function wins", `edit() { echo mine; }; edit x; unset -f edit`, "mine\n", 0},
	{"own function with a pipe wins", `glob() { echo mine; }; glob x | cat; unset -f glob`, "mine\n", 0},
	{"process substitution", `cat <(read ./a.go) <(grep --pattern x)`, "one\ntwo\nfound x\n", 0},
	{"into a process substitution", `read ./a.go > >(tr a-z A-Z > up.txt); until [ -s up.txt ]; do :; done; cat up.txt`, "ONE\nTWO\n", 0},
	{"exec", `(exec agent:read ./a.go)`, "one\ntwo\n", 0},
	{"nohup, nice and env", `nohup nice env agent:read ./a.go 2>/dev/null`, "one\ntwo\n", 0},
	{"a path as the name", `"$(type -P agent:read)" ./a.go`, "one\ntwo\n", 0},
	{"bash -c", `bash -c 'agent:read ./a.go; glob x'`, "one\ntwo\npattern=x\n", 0},
	{"a script", `printf '#!/bin/bash\nglob "$1"\nagent:read ./a.go\n' > s; chmod +x s; ./s y`, "pattern=y\none\ntwo\n", 0},
	{"agent:call", `agent:call read ./a.go; agent:call agent:read ./a.go`, "one\ntwo\none\ntwo\n", 0},
	{"agent:call without a name", `agent:call 2>&1; echo $?`, "agent:call: no command was named: type agent:call NAME, or agent:NAME\n2\n", 0},
	{"xargs with a field command of a group that is not loaded", `echo hi | xargs -n1 field:late:echo`, "word=hi\n", 0},
	{"find with two calls", `find . -name '*.go' -exec agent:glob {} \; -exec field:db:query {} \; | sort | head -n 2`, "pattern=./a.go\npattern=./sub/b.go\n", 0},
	{"coproc", `coproc { read -r go; read ./a.go; }; exec 7<&"${COPROC[0]}"; echo >&"${COPROC[1]}"; cat <&7; exec 7<&-; wait`, "one\ntwo\n", 0},
	{"a loop that reads", `while IFS= read -r f; do read "$f" | head -n 1; done < <(ls *.go)`, "one\n", 0},
	{"a case and a function", `show() { case $1 in *.go) read "$1" ;; *) echo no ;; esac; }; show a.go; show x`, "one\ntwo\nno\n", 0},
	{"assignments before a call", `A=1 B=2 read ./a.go | wc -l`, "2\n", 0},
	{"time and !", `TIMEFORMAT=; time read ./a.go >/dev/null; ! grep --pattern absent && echo not`, "not\n", 0},
	{"stderr alone is piped", `edit --nope 2>&1 >/dev/null | grep -c 'unknown parameter'`, "1\n", 0},
	{"stderr and stdout together", `read ./nosuch |& grep -c 'no such file'`, "1\n", 0},
	{"or list", `read ./nosuch 2>/dev/null || echo missing`, "missing\n", 0},
	{"status of a substitution", `x=$(read ./nosuch 2>/dev/null); echo $?`, "1\n", 0},
	{"a trap", `trap 'agent:glob bye' EXIT; exit 3`, "pattern=bye\n", 3},
	{"after the shell has ended", `glob again | cat`, "pattern=again\n", 0},
	{"a directory that is gone", `mkdir gone && cd gone && rmdir ../gone; glob x 2>&1 | cat; cd ..`, "agent:glob: the present directory is gone: cd to one that exists\n", 0},
	{"a name that is not ASCII", `field:db:工具 x 2>&1 | grep -c '^field:db:工具: no such command: '`, "1\n", 0},
	{"kill $! kills the call", `agent:hang > h.txt & until [ -s h.txt ]; do :; done; kill $!; wait $!; echo $?`, "143\n", 0},
	{"closed stdin is none", `write none.txt <&-; echo $?`, "2\n", 0},
	{"all three closed", `(agent:glob x <&- >&- 2>&-); echo $?`, "0\n", 0},
	{"stdin of a loop is shared", `printf '1\n2\n3\n' | { read -r a; write rest.txt >/dev/null; cat rest.txt; }`, "2\n3\n", 0},
	{"position in a file is shared", `printf '1\n2\n3\n' > n; { head -c 2 >/dev/null; write rest.txt >/dev/null; } < n; cat rest.txt`, "2\n3\n", 0},
	{"appending", `read ./a.go >> app.txt; read ./a.go >> app.txt; wc -l < app.txt`, "4\n", 0},
	{"an odd directory", `mkdir -p $'o dd\n日' && cd $'o dd\n日' && echo here > f && read ./f | cat; cd ../..; cd ..`, "here\n", 0},
	{"odd arguments", `field:db:query --sql $'a\n"b" $c \\ \x01\xff日' | od -An -tx1 -w99`, " 73 71 6c 3d 61 0a 22 62 22 20 24 63 20 5c 20 01 ff e6 97 a5 0a\n", 0},
	{"an empty argument", `field:db:query --sql '' | cat`, "sql=\n", 0},
	{"ten thousand arguments", `agent:glob $(seq 10000) 2>&1 | head -c 49`, "glob: a word too many: \"3\": quote values of sever", 0},
}

func TestCallsInsideBash(t *testing.T) {
	bothClients(t, func(t *testing.T, small bool) {
		r := newTestRouter(t, small)
		dir := r.Dir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("one\ntwo\n"), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "q.sql"), []byte("select 1\n"), 0o644))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "b.go"), []byte("bee\n"), 0o644))
		for _, row := range insideBash {
			t.Run(row.name, func(t *testing.T) {
				run(t, r, "cd "+dir)
				res := run(t, r, row.command)
				require.Equal(t, row.stdout, res.Stdout, "%s\nstderr: %s", row.command, res.Stderr)
				require.Equal(t, row.status, res.ExitCode, "%s\nstderr: %s", row.command, res.Stderr)
			})
		}
	})
}
