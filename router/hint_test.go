package router

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHints is what is said where a tool was meant and bash or a program answered.
func TestHints(t *testing.T) {
	const (
		reads    = "hint: bash's own read fills variables: to see the file type read ./Makefile, or read --file_path Makefile\n"
		searches = "hint: grep had no file and nothing on its stdin"
		scripted = "hint: that was not the tool: where a program or a script's own text runs it, %s is called agent:%s\n"
		unread   = "hint: bash cannot read this text"
		paths    = "hint: tools are found by PATH, which is unset, empty or another there"
	)
	called := func(name string) string { return strings.ReplaceAll(scripted, "%s", name) }
	rows := []struct{ name, text, hint string }{ // "": none
		{"read a name", "read Makefile", reads},
		{"read a name, another status", "read Makefile; true", reads},
		{"read a name, twice", "read Makefile; read Makefile", reads},
		{"fill a variable of that name", "read Makefile <<< x", ""},
		{"no such file", "read nosuch; true", ""},
		{"grep without a file", "grep -i TODO; true", searches},
		{"grep with a file", "grep -i TODO Makefile", ""},
		{"a script's read", "bash s.sh read; true", called("read")},
		{"a script's grep", "sh s.sh grep | cat", called("grep")},
		{"a variable's text", `c='read --file_path Makefile'; eval "$c"; true`, called("read")},
		{"xargs without a key", "echo Makefile | xargs read; true", called("read")},
		{"find without a key", `find Makefile -exec read {} \;`, called("read")},
		{"timeout without a key", "timeout 9 read Makefile; true", called("read")},
		{"write's error", "write() { echo \"write: $1 is not logged in\" >&2; }; export -f write; echo Makefile | xargs -I{} bash -c 'write {} x'", called("write")},
		{"edit's error", "printf '%s\\n' 'Error: no \"edit\" mailcap rules found for type \"text/x-c\"' >&2", called("edit")},
		{"a program's child", `python3 -c 'import subprocess; subprocess.run(["read", "x"])'; true`, called("read")},
		{"grep's own error", "grep --nosuch x Makefile", ""},
		{"no such file of that name", "cat read; ls read", ""},
		{"a program without PATH", `env -i PATH=/usr/bin:/bin read --file_path Makefile`, paths},
		{"no PATH", "unset PATH; for i in 1; do read ./Makefile; done", paths},
		{"PATH is back", "PATH=/usr/bin:/bin; for i in 1; do read ./Makefile; done", ""},
		{"an argument that is too long", `write big --content "$(head -c 200000 /dev/zero | tr '\0' x)" | tail -1`, "hint: inside bash no argument of a command can be longer than 128 KiB"},
		{"and is not the last", `write big --content "$(head -c 200000 /dev/zero | tr '\0' x)"; read ./Makefile | cat`, "hint: inside bash no argument of a command can be longer than 128 KiB"},
		{"a quote that is missing", "edit --file_path Makefile --old_string 'a | cat", unread},
		{"a quote that is missing, natively", "echo read 'a", ""},
		{"a word too many", "if read --file_path Makefile; then echo x; fi fi", unread},
	}
	r := newTest(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "Makefile"), []byte("all:\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "s.sh"), []byte("case $1 in read) read --file_path Makefile;; grep) grep --pattern x;; esac\n"), 0o644))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			res := run(t, r, row.text)
			if row.hint == "" {
				require.NotContains(t, res.Stderr, "hint: ")
				return
			}
			require.Contains(t, res.Stderr, row.hint)
			require.Equal(t, 1, strings.Count(res.Stderr, "hint: "), "%s", res.Stderr)
		})
	}
}

// TestMeantByItsPlace is what a name means that could be bash's where bash's use of
// it would come to nothing.
func TestMeantByItsPlace(t *testing.T) {
	rows := []struct{ text, out string }{
		{"read LICENSE | head -1", "MIT\n"},
		{"x=$(read LICENSE); echo \"$x\"", "MIT\n"},
		{"for i in 1; do cat <(read LICENSE); done", "MIT\n"},
		{"echo other | read LICENSE | cat; x=$(read v <<< y; echo $v); echo $x", "y\n"},
		{"echo y | { read v; echo $v; } | cat; x=$(echo z | read v); echo $x", "y\n\n"},
		{"write b5 <<'X' && cat b5\ntext\nX\n", "wrote 5 bytes\ntext\n"},
		{"grep --help | grep -c -e --fixed-strings; grep --help > h; grep -c -e --fixed-strings h", "1\n1\n"},
		{"true; grep --help", "grep: Test grep"},
	}
	r := newTest(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir(), "LICENSE"), []byte("MIT\n"), 0o644))
	for _, row := range rows {
		res := run(t, r, row.text)
		if len(row.out) > 0 && !strings.HasSuffix(row.out, "\n") {
			res.Stdout = res.Stdout[:min(len(row.out), len(res.Stdout))]
		}
		require.Equal(t, row.out, res.Stdout, "%s\n%s", row.text, res.Output)
	}
}

// TestUnclosedHereDocument: nothing is run, or written, of a text with a
// here-document that has no end.
func TestUnclosedHereDocument(t *testing.T) {
	r := newTest(t)
	for _, text := range []string{
		"write --file_path n.txt <<'EOF'\nhello", "echo a > n.txt; write ./b <<EOF\nhello\nEOF 1\n", "write ./b <<-\"E\"OF\n\thello\n  EOF\n", "cat <<EOF > n.txt | edit x\nhello\n",
		"{ write n.txt <<\\EOF\nEOF2\n", "write n.txt <<A && cat <<EOF\n1\nA\n2",
	} {
		p := r.Plan(text)
		require.ErrorContains(t, p.Err, "the here-document has no end, nothing of this line ran: put a line after its text that holds EOF alone", "%q", text)
		res := run(t, r, text)
		require.Equal(t, 2, res.ExitCode, "%q: %s", text, res.Output)
		require.NoFileExists(t, filepath.Join(r.Dir(), "n.txt"))
		require.NoFileExists(t, filepath.Join(r.Dir(), "b"))
	}
	require.Empty(t, run(t, r, "cat <<EOF\nread").Stdout, "bash's own neither")
}
