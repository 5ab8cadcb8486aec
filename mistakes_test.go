package agentbash_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash"
	"github.com/agentbash/agentbash/router/policy"
	"github.com/stretchr/testify/require"
)

// TestMistakesMoveForward: what weaker models send, and what of the answer leads on. None of
// them is silent, and none names a type of the program's own language.
func TestMistakesMoveForward(t *testing.T) {
	work := t.TempDir()
	put := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(work, name), []byte(content), 0o644))
	}
	put("a.go", "package a\n\nfunc foo() {}\n")
	put("src/b.go", "package b\n\nvar needle = foo\n")
	put("big.txt", strings.Repeat("a line of a file that is long enough\n", 5000))
	put("page.html", strings.Repeat("x", 9120)+"\nthe end\n")
	for i := range 4 {
		put("many/"+string(rune('a'+i))+"/f", strings.Repeat("hit\n", 100))
	}
	b, err := agentbash.New(&agentbash.Options{Dir: work, Mode: policy.FullMode})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for _, row := range []struct {
		command, says string
		status        int
	}{
		{"read_file --path a.go", "package a", 0},
		{"Read a.go", "package a", 0},
		{"agent:Read a.go", "package a", 0},
		{"Edit --file_path a.go --old_string 'foo()' --new_string 'bar()'", "+func bar() {}", 0},
		{"str_replace_based_edit_tool --command view --path a.go", "func bar()", 0},
		{"str_replace --path a.go --old_str 'bar()' --new_str 'foo()'", "+func foo() {}", 0},
		{"create_file --path new.txt --file_text x", "created new.txt", 0},
		{"write_file --path new2.txt --content x", "created new2.txt", 0},
		{"Glob --pattern '*.go'", "a.go", 0},
		{"list_dir src", "type ls -la src", 127},
		{"get_skill pdf", "there is no skill", 1},
		{"tavily --help", "usage: web_search", 0},
		{"mcp__st__hit --s x", "no such command: type `agent:` to list the commands, or `field:`", 127},
		{"execute_bash 'ls src'", "type what it is to run itself: ls src", 127},
		{"agent read a.go", "called as agent:NAME, without a blank", 127},
		{"raed a.go --limit 2", "did you mean read?", 127},
		{"agent:raed a.go", "did you mean read?", 127},
		{"TodoWrite x", "there is no list of tasks here: go on", 127},
		{"agent:helpme", "type `agent:` to list the commands", 127},

		{"read src", "src is a directory: list it with ls src", 1},
		{"read nothing", "there is no file nothing here: look for it with glob", 1},
		{"read --file_path src", "directory", 1},
		{"read --file_path nothing", "look with: glob", 1},
		{"read ./big.txt", "of 5,000: go on with read --file_path big.txt --offset ", 0},
		{"read ./big.txt --offset 3500", "go on with read --file_path big.txt --offset ", 0},
		{"read ./a.go --limit 1; read src/b.go --limit 1", "package a\n[stderr]\na.go: lines 1-1 of 3: go on with --offset 2\n[stdout]\npackage b\n[stderr]\nsrc/b.go: ", 0},
		{"cat page.html", "... [the line has 9120 characters]\nthe end\n<system_hint", 0},

		{"grep -l foo --path src", "src/b.go", 0},
		{"grep -c foo --path src", "src/b.go:1", 0},
		{"grep -v foo --path src", "command grep -rnv", 2},
		{"grep --pattern foo -o", "command grep -rno", 2},
		{"grep --pattern foo --output_mode files_with_matches", "src/b.go", 0},
		{"grep --pattern foo --path src --path a.go", "pass --glob '{DIR/**,FILE}', or use: command grep", 2},
		{`grep --pattern 'nosuch\|needle'`, "read as grep(1) does", 0},
		{`grep --pattern '\<needle\>'`, "src/b.go:3", 0},
		{`grep --pattern 'var\h+\Kneedle'`, "src/b.go:3", 0},
		{`grep --pattern '(?>foo)'`, "command grep -rnP", 2},
		{"grep --pattern hit --path many", "by directory: many/a 100, many/b 100, many/c 100, many/d 100", 0},
		{`write n.txt --content 'a\nb'`, `literal \n`, 0},
		{"edit a.go nosuch x", "edit: ", 1},
	} {
		res := b.Run(t.Context(), row.command, nil)
		require.Equal(t, row.status, res.ExitCode, "%s\n%.2000s", row.command, res.Output)
		require.Contains(t, res.Output, row.says, row.command)
		require.NotRegexp(t, `Go (value|struct)|jsonschema|map\[|execLine`, res.Output, row.command)
	}
}
