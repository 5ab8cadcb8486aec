package registry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheTableOfForeignTools: a name stands in one row, as it is looked for, and a row says
// what there is here, or what to do.
func TestTheTableOfForeignTools(t *testing.T) {
	row := map[string]int{}
	for i, f := range foreignTools {
		for _, name := range append(strings.Fields(f.names), strings.Fields(viewers)...) {
			require.Equal(t, FoldForeign(name), name)
			other, taken := row[name]
			require.True(t, !taken || strings.Contains(viewers, name), "%s stands in rows %d and %d", name, other, i)
			row[name] = i
		}
		require.NotEmpty(t, f.words+f.say)
		for _, pair := range strings.Fields(f.args) {
			theirs, _, ok := strings.Cut(pair, "=")
			require.True(t, ok && FoldForeign(theirs) == theirs, pair)
		}
	}
}

func TestForeign(t *testing.T) {
	for _, row := range []struct {
		name, args, want string
	}{
		{"Bash", `{"command": "ls"}`, "bash"},
		{"run_my_shell", `{"command": "ls"}`, "bash"},
		{"run_my_shell", `{"x": "ls"}`, ""},
		{"ReadFile", `{"absolutePath": "a", "limit": 3}`, "agent:read|--file_path=a|--limit=3"},
		{"read_file", `{"target_file": "a", "start_line_one_indexed": 3, "end_line_one_indexed_inclusive": 5, "should_read_entire_file": false}`, "agent:read|--file_path=a|--limit=3|--offset=3"},
		{"read_file", `{"path": "a", "end_line": 5}`, "agent:read|--file_path=a|--limit=5"},
		{"view", `{"path": "a", "view_range": [4, -1]}`, "agent:read|--file_path=a|--limit=0|--offset=4"},
		{"read_file", `{"path": "a", "start_line": 5, "end_line": 2}`, "error: the last line is 2"},
		{"view", `{"path": "a", "view_range": 4}`, "error: not two numbers"},
		{"MultiEdit", `{"file_path": "a", "edits": [{"old_string": "x", "new_string": ""}]}`, `agent:edit|--edits=[{"new_string":"","old_string":"x"}]|--file_path=a`},
		{"str_replace_editor", `{"command": "insert", "path": "a", "insert_line": 3, "insert_text": "x"}`, "agent:edit|--file_path=a|--insert_line=3|--new_string=x"},
		{"str_replace_editor", `{"command": "undo_edit", "path": "a"}`, "agent:undo|--file_path=a"},
		{"apply_patch", `{"input": "*** Begin Patch"}`, "agent:apply_patch|*** Begin Patch"},
		{"move_file", `{"destination": "b", "source": "-a"}`, "mv|--|-a|b"},
		{"LS", `{"path": "/x y"}`, "ls|-la|--|/x y"},
		{"ls", `{}`, "ls|-la"},
		{"rm", `{}`, ""},
		{"delete_file", `{"path": ["a", "b"]}`, "error: there is no argument path"},
		{"read", `{"path": "a", "file_path": "b"}`, "error: file_path is given twice"},
		{"delete_file", `{"path": "a", "force": true}`, "error: there is no argument force"},
		{"mcp__db__run__all", `{"sql": "x", "n": 3}`, "field:db:run__all|--n=3|--sql=x"},
		{"field__db__query", `{}`, "field:db:query"},
		{"field:db:query", `{"a": {"b": [1]}}`, `field:db:query|--a={"b":[1]}`},
		{"agent:read", `{"path": "a"}`, "agent:read|--file_path=a"},
		{"update_plan", `{"plan": []}`, "error: go on with the next step"},
		{"nobody_knows", `{"a": 1}`, ""},
	} {
		args, err := DecodeJSON([]byte(row.args))
		require.NoError(t, err)
		words, err := Foreign(row.name, args.(map[string]any))
		if say, isErr := strings.CutPrefix(row.want, "error: "); isErr {
			require.ErrorContains(t, err, say)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, row.want, strings.Join(words, "|"), row.name)
	}
}
