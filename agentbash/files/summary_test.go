//go:build linux

package files

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// What a person reads of a call, and what an embedder gets, is the same through
// Execute and through words.
func TestDisplayAndMetadata(t *testing.T) {
	text := strings.Repeat("line\n", 40)
	hash := hashOf([]byte(text))
	facts := func(s string, more map[string]any) map[string]any {
		out := map[string]any{"path": "F", "lines": countLines([]byte(s)), "bytes": len(s), "sha256": hashOf([]byte(s))}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	type m = map[string]any
	rows := []struct {
		words    []string
		display  string
		metadata m
	}{
		{[]string{"read", "f"}, "read f, 40 lines", m{"path": "F", "first_line": 1, "lines": 40, "total_lines": 40, "truncated": false, "sha256": hash}},
		{[]string{"read", "f", "--offset", "5", "--limit", "10"}, "read f, lines 5-14 of 40", m{"path": "F", "first_line": 5, "lines": 10, "total_lines": 40, "truncated": true, "sha256": hash}},
		{[]string{"read", "f", "--offset", "-1"}, "read f, line 40 of 40", m{"path": "F", "first_line": 40, "lines": 1, "total_lines": 40, "truncated": true, "sha256": hash}},
		{[]string{"read", "f", "--max_bytes", "3"}, "read f, line 1 of 40", m{"path": "F", "first_line": 1, "lines": 0, "total_lines": 40, "truncated": true, "sha256": hash}},
		{[]string{"read", "f", "--max_columns", "2"}, "read f, 40 lines", m{"path": "F", "first_line": 1, "lines": 40, "total_lines": 40, "truncated": true, "sha256": hash}},
		{[]string{"read", "empty"}, "read empty, empty", m{"path": "EMPTY", "first_line": 0, "lines": 0, "total_lines": 0, "truncated": false}},
		{[]string{"read", "-"}, "read stdin, 2 lines", m{"path": "stdin", "first_line": 1, "lines": 2, "total_lines": 2, "truncated": false}},
		{[]string{"write", "f", "x\n", "--force"}, "overwrote f, 1 line", facts("x\n", m{"created": false, "dry_run": false})},
		{[]string{"write", "f", "x\n", "--append", "--dry_run"}, "dry run: appended to f, 41 lines", facts(text+"x\n", m{"created": false, "dry_run": true})},
		{[]string{"write", "new", "x"}, "created new, 1 line", m{"path": "NEW", "lines": 1, "bytes": 1, "sha256": hashOf([]byte("x")), "created": true, "dry_run": false}},
		{[]string{"edit", "f", "line", "row", "--replace_all"}, "edited f, 40 replacements", facts(strings.ReplaceAll(text, "line", "row"), m{"replacements": 40, "dry_run": false})},
		{[]string{"grep", "two|three"}, "grep: 3 matches in 2 files", m{"path": "DIR", "matches": 3, "files": 2, "searched": 4, "printed": 3, "truncated": false}},
		{[]string{"grep", "two|three", "--head_limit", "1"}, "grep: 3 matches in 2 files", m{"path": "DIR", "matches": 3, "files": 2, "searched": 4, "printed": 1, "truncated": true}},
		{[]string{"grep", "two|three", "--head_limit", "0"}, "grep: 3 matches in 2 files", m{"path": "DIR", "matches": 3, "files": 2, "searched": 4, "printed": 3, "truncated": false}},
		{[]string{"grep", "two", "a", "--output_mode", "files"}, "grep: matches in 1 file", m{"path": "A", "matches": 1, "files": 1, "searched": 1, "printed": 1, "truncated": false}},
		{[]string{"grep", "nowhere"}, "grep: no matches", m{"path": "DIR", "matches": 0, "files": 0, "searched": 4, "printed": 0, "truncated": false}},
		{[]string{"glob", "*", "--limit", "2"}, "glob: 4 paths", m{"path": "DIR", "matches": 4, "printed": 2, "truncated": true}},
		{[]string{"undo", "a"}, "restored a, as before write 1", m{"path": "A", "change": 1, "removed": false, "dry_run": false}},
		{[]string{"undo", "--list"}, "1 change", m{"changes": 1}},
		{[]string{"read", "none"}, "", nil},
	}
	for _, row := range rows {
		t.Run(strings.Join(row.words, " "), func(t *testing.T) {
			s := newUndoShell(t)
			s.put("a", "one\n")
			s.ok("write", "a", "one\ntwo\n", "--force")
			s.put("b", "two\nthree\n")
			s.put("f", text)
			s.put("empty", "")
			var want m
			if row.metadata != nil {
				want = m{}
				for k, v := range row.metadata {
					want[k] = v
				}
				if path := want["path"]; path != nil && path != "stdin" {
					want["path"] = filepath.Join(s.dir, strings.TrimSuffix(strings.ToLower(path.(string)), "dir"))
				}
			}
			var out, notes bytes.Buffer
			var stdin io.Reader
			if row.words[0] == "read" {
				stdin = strings.NewReader("1\n2\n")
			}
			res := s.tools[row.words[0]].Command(context.Background(), row.words[1:],
				&registry.Call{Dir: s.dir, Stdin: stdin, Stdout: &out, Stderr: &notes})
			require.Equal(t, row.display, res.Display, notes.String())
			require.Equal(t, want, res.Metadata)
		})
	}
	s := newUndoShell(t)
	s.put("a.go", "1\n2\n")
	reg := registry.New()
	require.NoError(t, reg.Register(s.tools["read"]))
	res := reg.Execute(context.Background(), "read", registry.Kwargs{"path": "a.go"}, registry.InDir(s.dir))
	require.Equal(t, "read a.go, 2 lines", res.Display)
	require.Equal(t, 2, res.Metadata["lines"])
}
