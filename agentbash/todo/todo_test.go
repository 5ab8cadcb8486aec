package todo

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
)

func TestTodo(t *testing.T) {
	var l List
	tool := l.Tool()
	for _, row := range []struct {
		words []string
		out   string
		err   string // a part of it
		exit  int
	}{
		{nil, "", "there are no steps: todo add TEXT", 0},
		{[]string{"--items", `[{"content": "find the bug", "status": "in_progress"}, {"content": "write\na test"}]`}, "[>] 1. find the bug\n[ ] 2. write a test\n", "", 0},
		{[]string{"add", "update the docs", "tell"}, "[>] 1. find the bug\n[ ] 2. write a test\n[ ] 3. update the docs\n[ ] 4. tell\n", "", 0},
		{[]string{"done", "1", "4"}, "[x] 1. find the bug\n[ ] 2. write a test\n[ ] 3. update the docs\n[x] 4. tell\n", "", 0},
		{[]string{"start", "5"}, "", `there is no step "5"`, 1},
		{[]string{"done", "2", "x"}, "", `there is no step "x"`, 1},
		{[]string{"--items", `[{"content": "x", "status": "half"}]`}, "", "half", 2},
		{[]string{"--items", `[{"status": "pending"}]`}, "", "content", 2},
		{[]string{"finish", "1"}, "", "finish", 2},
		{[]string{"start", "2"}, "[x] 1. find the bug\n[>] 2. write a test\n[ ] 3. update the docs\n[x] 4. tell\n", "", 0},
		{[]string{"remove", "1", "3"}, "[>] 1. write a test\n[x] 2. tell\n", "", 0},
		{[]string{"list"}, "[>] 1. write a test\n[x] 2. tell\n", "", 0},
		{[]string{"clear"}, "", "there are no steps", 0},
	} {
		var out, notes bytes.Buffer
		res := tool.Command(t.Context(), row.words, &registry.Call{Dir: t.TempDir(), Stdout: &out, Stderr: &notes})
		require.Equal(t, row.exit, res.ExitStatus, "%q: %s", row.words, notes.String())
		require.Equal(t, row.out, out.String(), "%q", row.words)
		require.Contains(t, notes.String(), row.err, "%q", row.words)
	}
	require.Equal(t, 1, Progress([]Item{{"a", completed}, {"b", pending}}))
}
