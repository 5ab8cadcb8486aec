package router

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// TestOtherProgramsTools: tools of other programs as commands work where their arguments
// map one to one, else it is said what to type; so is what a mistyped tool was meant to be.
func TestOtherProgramsTools(t *testing.T) {
	rows := []struct {
		command, stdout, says string
		status                int
	}{
		{"read_file --path a.go", "package a\n", "", 0},
		{"Read a.go", "package a\n", "", 0},
		{"agent:Read --file_path a.go", "package a\n", "", 0},
		{"x=$(readFile --target_file a.go); echo $x | wc -w", "2\n", "", 0},
		{"str_replace_based_edit_tool --command view --path a.go | head -1", "package a\n", "", 0},
		{"create_file --path new --content 'a b' >&2; cat new", "a b", "", 0},
		{"write_file new2 <<'EOF' && cat new2\ntext\nEOF", "wrote 5 bytes\ntext\n", "", 0},
		{"read_file() { echo mine; }; read_file x", "mine\n", "", 0},
		{"read_file --help", "", "usage: read --file_path", 0},
		{"read_file --path a.go --nope 1", "", "unknown parameter --nope", 2},
		{"list_dir src", "", "list_dir is no command here: type ls -la src", 127},
		{"LS --path src", "", "LS is no command here: type ls -la -- src", 127},
		{"Bash --command 'ls -l'", "", "type what it is to run itself: ls -l", 127},
		{"execute_bash ls", "", "type what it is to run itself: ls", 127},
		{"TodoWrite", "", "hint: there is no tool \"TodoWrite\": there is no list of tasks here", 127},
		{"agent read a.go", "", "hint: a tool is called as agent:NAME, without a blank", 127},
		{"raed a.go --limit 2", "", "raed: command not found\nhint: did you mean read? `agent:read --help`", 127},
		{"wirte a", "", "hint: did you mean write?", 127},
		{"agent:raed a.go", "", "did you mean read?", 127},
		{"noted a", "", "noted: command not found\n", 127},
		{"no_such_thing x", "", "no_such_thing: command not found\n", 127},
	}
	r := newTest(t)
	require.NoError(t, r.reg.Register(&registry.Tool{Name: "note", Summary: "note", Params: registry.NewParams(), Run: says("", "", "").Run}))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "a.go"), []byte("package a\n"), 0o644))
	for _, row := range rows {
		res := run(t, r, row.command)
		require.Equal(t, row.status, res.ExitCode, "%s: %s", row.command, res.Output)
		if row.says == "" {
			require.Equal(t, row.stdout, res.Stdout, "%s: %s", row.command, res.Output)
		}
		require.Contains(t, res.Output, row.says, "%s", row.command)
		run(t, r, "unset -f read_file")
	}
	require.NotContains(t, run(t, r, "noted a").Output, "hint:")
}
