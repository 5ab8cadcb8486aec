package router

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCallsInsideBash(t *testing.T) {
	rows := []struct {
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
		{"timeout", `timeout 5 agent:read ./a.go`, "one\ntwo\n", 0},
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
		{"time limit from outside", `timeout 0.2 agent:hang; echo $?`, "waiting\n124\n", 0},
		{"quoted name is bash's", `"agent:read" ./a.go | cat`, "one\ntwo\n", 0},
		{"a thousand arguments", `agent:glob $(seq -f 'x%g' 1000) | cat; echo "${PIPESTATUS[0]}"`, "2\n", 0},
		{"a large argument", `x=$(head -c 100000 /dev/zero | tr '\0' x); field:db:query --sql "$x" | wc -c`, "100005\n", 0},
		{"native bash is not in the way", `nosuchcommand; echo $?`, "127\n", 0},
		{"own function wins", `edit() { echo mine; }; edit x; unset -f edit`, "mine\n", 0},
	}
	r := newTest(t)
	dir := r.Dir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("one\ntwo\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "q.sql"), []byte("select 1\n"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "b.go"), []byte("bee\n"), 0o644))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			res := run(t, r, row.command)
			require.Equal(t, row.stdout, res.Stdout, "%s\nstderr: %s", row.command, res.Stderr)
			require.Equal(t, row.status, res.ExitCode, "%s\nstderr: %s", row.command, res.Stderr)
		})
	}
}
