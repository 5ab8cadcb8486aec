package router

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/router/internal/protocol"
	"github.com/stretchr/testify/require"
)

// TestInnerCalls is where a tool is called from the arguments of another command.
func TestInnerCalls(t *testing.T) {
	rows := []struct{ name, text, script string }{ // "": the text stays
		{"xargs", "ls | xargs read --file_path", "ls | xargs agent:read --file_path"},
		{"xargs, options", "ls | xargs -0 -I {} -n 1 -P4 read --file_path {} --limit 3", "ls | xargs -0 -I {} -n 1 -P4 agent:read --file_path {} --limit 3"},
		{"xargs, long options", "ls | xargs --max-args 1 --null -- grep --pattern x --path", "ls | xargs --max-args 1 --null -- agent:grep --pattern x --path"},
		{"find", `find . -name f -exec read --file_path {} \;`, `find . -name f -exec agent:read --file_path {} \;`},
		{"find, twice", `find . -exec grep -q x {} \; -execdir edit --file_path {} --old_string a* ';'`, `find . -exec grep -q x {} \; -execdir agent:edit --file_path {} --old_string a\* ';'`},
		{"find, a key of what follows", `find . -exec grep x {} + -name --pattern`, ""},
		{"timeout", "timeout -s KILL -k5 5 grep --pattern x", "timeout -s KILL -k5 5 agent:grep --pattern x"},
		{"env", "env -u A B=1 C=$x grep --pattern x | cat", "env -u A B=1 C=$x agent:grep --pattern x | cat"},
		{"nested", "nohup nice -n 5 ionice -c3 stdbuf -oL setsid -w timeout 5 env A=1 write --file_path x", "nohup nice -n 5 ionice -c3 stdbuf -oL setsid -w timeout 5 env A=1 agent:write --file_path x"},
		{"by a path", "/usr/bin/env read --file_path x", "/usr/bin/env agent:read --file_path x"},
		{"command", "command grep --pattern x", "command agent:grep --pattern x"},
		{"command -v", "command -v grep --pattern", ""},
		{"exec", "exec read --file_path x", "exec agent:read --file_path x"},
		{"time", "time -p read --file_path x", "time -p agent:read --file_path x"},
		{"parallel", "parallel -j4 read --file_path ::: a b", "parallel -j4 agent:read --file_path ::: a b"},
		{"flock", "flock /tmp/l write --file_path x --content y", "flock /tmp/l agent:write --file_path x --content y"},
		{"eval", "eval 'read --file_path x'", "eval 'agent:read --file_path x'"},
		{"eval, words", "eval read --file_path '$f'", "eval agent:read --file_path '$f'"},
		{"eval, words that are no other program's", "eval glob 'a b' | cat; eval read x; eval 'read x' '| cat'", "eval agent:glob 'a b' | cat; eval read x; eval 'agent:read x' '| cat'"},
		{"eval, a pattern", "eval glob **/*.go; eval glob \\*.go", `eval agent:glob \\\*\\\*/\\\*.go; eval agent:glob \\\*.go`},
		{"eval, a pattern in each kind of quotes", `eval 'glob '"*.go"; eval glob\ --pattern\ [ab].go; eval "eval 'glob *.go'"; eval "eval \"glob *.go\""; eval eval glob *.go`,
			`eval 'agent:glob '"\*.go"; eval agent:glob\ --pattern\ \\\[ab].go; eval "eval 'agent:glob \*.go'"; eval "eval \"agent:glob \*.go\""; eval eval agent:glob ` + strings.Repeat(`\`, 7) + `*.go`},
		{"eval, an expansion", `eval "read --file_path \"$f\" --limit 2; echo read --limit"`, `eval "agent:read --file_path \"$f\" --limit 2; echo read --limit"`},
		{"eval, what an expansion may be", `eval "$c read --file_path f"`, ""},
		{"bash -c", "bash -c 'read --file_path f | head -1 && cat g'", "bash -c 'agent:read --file_path f | head -1 && cat g'"},
		{"bash, options", `bash -euo pipefail -c "for f in *; do grep --pattern x --path \$f; done" name arg`, `bash -euo pipefail -c "for f in *; do agent:grep --pattern x --path \$f; done" name arg`},
		{"bash -lc, in xargs", `ls | xargs -I{} bash -lc 'edit --file_path "$0" --old_string a?b' {}`, `ls | xargs -I{} bash -lc '$AGENTBASH_LINKS/agent:edit --file_path "$0" --old_string a\?b' {}`},
		{"a login shell, of a field command", `bash --login -c "sh -c 'field:db:query --sql a'"; field:db:query --sql b | cat`, `bash --login -c "sh -c '$AGENTBASH_LINKS/field:db:query --sql a'"; field:db:query --sql b | cat`},
		{"a name that no Unix program has", "bash -c 'web_fetch x'; echo x | xargs web_fetch", "bash -c 'agent:web_fetch x'; echo x | xargs agent:web_fetch"},
		{"texts in texts", `sh -c "bash -c 'eval \"read --file_path f\"'"`, `sh -c "bash -c 'eval \"agent:read --file_path f\"'"`},
		{"several parts", `bash -c 'read --file_path '"$f"' --limit 2'`, `bash -c 'agent:read --file_path '"$f"' --limit 2'`},
		{"trap", "trap 'write --file_path log --content done' EXIT INT", "trap 'agent:write --file_path log --content done' EXIT INT"},
		{"trap --", "trap -- 'read --file_path x' EXIT", "trap -- 'agent:read --file_path x' EXIT"},
		{"patterns of a field command", "ls | xargs field:db:query --sql a*b", `ls | xargs field:db:query --sql a\*b`},
		{"a pattern in a text", "bash -c 'glob --pattern **/*.go' | cat", `bash -c 'agent:glob --pattern \*\*/\*.go' | cat`},

		{"a text's own function", "bash -c 'read() { :; }; read --file_path x'", ""},
		{"no key", "ls | xargs read; ls | xargs grep x; eval 'read x'; bash -c 'grep TODO; write root'", ""},
		{"an option of grep", "ls | xargs grep --regexp x --include '*.go'", ""},
		{"a value", "xargs -I read grep -e --pattern x; env -u read printenv --limit", ""},
		{"behind --", "ls | xargs write -- --file_path", ""},
		{"not a command", "echo read --file_path x; man grep --pattern; printf '%s' edit --file_path", ""},
		{"another command", "xargs echo read --file_path; timeout 5 man write --content; env -i echo grep --pattern x; bash s.sh -c 'read --file_path x'", ""},
		{"a script's name", "bash read --file_path x; sh -x read --limit", ""},
		{"builtin and backslash", `builtin read --file_path x; \read --file_path x`, ""},
		{"a quoted name", "xargs 'read' --file_path", ""},
		{"ANSI-C quotes", `bash -c $'read --file_path x\n'`, ""},
		{"no text of bash", "bash -c 'read --file_path x )'", ""},
		{"a comment", "bash -c 'true # ; read --file_path x'", ""},
		{"a here-document in a text", "bash -c 'cat <<E\nread --file_path x\nE\n'", ""},
		{"sudo", "sudo read --file_path x", ""},
	}
	r := newTest(t, text("web_fetch", stringParam("url", true)))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if row.script == "" {
				row.script = row.text
				require.Empty(t, r.Plan(row.text).Calls)
			}
			require.Equal(t, row.script, r.Plan(row.text).Script)
			if !strings.Contains(row.script, protocol.LinksVar) { // a path is no name that is found again
				requireSound(t, r, row.text)
			}
		})
	}
}

// TestInnerCallsRun: real bash and real programs reach the tools.
func TestInnerCallsRun(t *testing.T) {
	rows := []struct{ name, text, out string }{
		{"xargs", "printf 'f.txt\n' | xargs read --file_path", "one\n"},
		{"find", `find . -name f.txt -exec read --file_path {} \;`, "one\n"},
		{"timeout", "timeout 60 grep --pattern x --path f.txt", "found x\n"},
		{"env", "env A=1 read --file_path f.txt", "one\n"},
		{"nohup, nice, setsid, stdbuf", "nohup nice setsid -w stdbuf -oL read --file_path f.txt 2>/dev/null", "one\n"},
		{"command", "command grep --pattern x --path f.txt", "found x\n"},
		{"eval", `f=f.txt; eval "read --file_path \"$f\""`, "one\n"},
		{"bash -c", `bash -c 'read --file_path "$1" | cat' - f.txt`, "one\n"},
		{"bash -lc", `bash -lc 'read --file_path "$1" | cat' - f.txt; bash -lc "sh -c 'agent:read --file_path f.txt'"`, "one\none\n"},
		{"sh -c, in find", `find . -name f.txt -exec sh -c 'read --file_path "$0"' {} \;`, "one\n"},
		{"trap", `(trap 'read --file_path f.txt' EXIT; echo first)`, "first\none\n"},
		{"a pattern", `bash -c 'glob --pattern *.txt'; printf 'x\n' | xargs glob --path . --pattern *.txt`, "pattern=*.txt\n"},
	}
	r := newTest(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "f.txt"), []byte("one\n"), 0o644))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			res := run(t, r, row.text)
			require.Equal(t, row.out, res.Stdout, "%s", res.Output)
		})
	}
}
