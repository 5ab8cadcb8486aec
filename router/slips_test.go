package router

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// TestWhatModelsWriteInPlaceOfBash: one line of hint each, or it does not run at all.
func TestWhatModelsWriteInPlaceOfBash(t *testing.T) {
	r, err := New(registry.New(), &Options{Dir: t.TempDir(), StateDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	require.Zero(t, run(t, r, "mkdir src; echo alpha > a.txt; echo 'x = 1' > src/m.py").ExitCode)
	for _, row := range []struct{ command, says string }{
		{"cat > n.py <<'EOF'\nprint(1)\nEOF && python3 n.py", "the here-document has no end, nothing of this line ran"},
		{"cat > n.py <<EOF\nprint(1)\n  EOF\n", "holds EOF alone"},
		{"cat > n.py <<EOF\nprint(1)", "holds EOF alone"},
		{"cat a.txt &gt; out.txt", "HTML escapes"},
		{"echo a &amp;&amp; echo b", "HTML escapes"},
		{"import os\nprint(os.listdir(\".\"))", "python3 - <<'EOF'"},
		{"print(1)", "python3 - <<'EOF'"},
		{`python3 -c "import os\nprint(1)"`, `is a backslash and an n`},
		{`echo one\necho two`, "outside quotes is the letter n"},
		{"grep “beta” a.txt", "are letters to bash"},
		{"# I will list the files", "only a comment: nothing ran"},
		{"# one\n\n# two\n", "only a comment: nothing ran"},
		{"Here is the command:\nls -la", "the first line is prose"},
		{"vim a.txt", "vim needs a terminal, and there is none here; nothing ran: change files with edit or write"},
		{"cd src && nano m.py", "nano needs a terminal"},
		{"top", "top -bn1"},
		{"cd src; cat src/m.py; cd ..", ""},
	} {
		res := run(t, r, row.command)
		require.Contains(t, res.Stderr, row.says, row.command)
		require.LessOrEqual(t, len(res.Stderr), 600, row.command)
	}
	for command, refused := range map[string]bool{
		"vim -c '%s/a/b/g' -c wq a.txt": false, "nvim --headless +PlugInstall +qall": false, "vim -c ':%s/a/b/|wq!' a": false, "vim -es a": false, "nvim -l a.lua": false,
		"emacs --script a.el": false, "emacs -Q --batch -l a.el": false, "mc ls minio/x": false, "mc alias set a b": false, "top -l 1": false, "top -b": false,
		"lazygit --print-config-dir": false, "git commit -m top; which vim": false, "EDITOR=vim git rebase --continue": false,
		"vim +12 a.txt": true, "git log | vim -": true, "top -n1 | head": true, "mc": true, "mc /tmp": true, "emacs -nw a": true, "(tig)": true, "htop -d 5": true, "vim query.q": true,
	} {
		require.Equal(t, refused, r.Plan(command).Err != nil, command)
	}
	require.NoFileExists(t, filepath.Join(r.Dir(), "n.py"))
	require.NoFileExists(t, filepath.Join(r.Dir(), ".a.txt.swp"))
	for _, command := range []string{
		"echo '&gt; “x” \\nls '", `printf "a\nb\n"`, `printf 'a\nb c\n'`, "cat <<'EOF'\n&gt; “x” import os\na\\nb c\nEOF", "echo hi # a comment", "top -bn1 >/dev/null || true",
		"echo vim; type vim || true", "grep alpha a.txt", `tr '\n' ' ' < a.txt`, "sed -e 's/a/b\\nc/' a.txt", "x=“y”; echo $x",
		"cat <<-EOF\n\tx\n\tEOF\n", "echo $((1<<3))", "cat <<A <<B\nx\nA\ny\nB\n",
	} {
		res := run(t, r, command)
		require.NotContains(t, res.Output, "hint:", command)
		require.Zero(t, res.ExitCode, "%s: %s", command, res.Output)
	}
	require.Contains(t, run(t, r, "cd src").Dir, "src")
	res := run(t, r, "cat src/m.py")
	require.Contains(t, res.Stderr, "hint: this bash is in "+filepath.Join(r.opts.Dir, "src")+" now; there is a src/m.py below "+r.opts.Dir)
	require.NotContains(t, run(t, r, "cat nothing.py").Stderr, "hint:")
	_, err = os.Stat(filepath.Join(r.opts.Dir, "src", "m.py"))
	require.NoError(t, err)
}
