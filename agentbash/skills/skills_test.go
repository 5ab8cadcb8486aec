package skills

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// tree makes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return root
}

func TestFind(t *testing.T) {
	for _, row := range []struct{ name, file, skill, about, body, problem string }{
		{"plain", "---\nname: pdf\ndescription: Reads PDF files.\n---\n# How\n", "pdf", "Reads PDF files.", "# How\n", ""},
		{"without a name", "---\ndescription: It has a colon\n---\nx", "folder", "It has a colon", "x", ""},
		{"quoted", "---\nname: \"pdf\"\ndescription: 'Reads: PDF''s'\n---\n", "pdf", "Reads: PDF's", "", ""},
		{"a colon that is not quoted", "---\nname: \"pdf\"\ndescription: Reads PDF: all of it.\n---\n", "pdf", "Reads PDF: all of it.", "", ""},
		{"folded", "---\nname: pdf\ndescription: >-\n  Reads\n  files.\n---\n", "pdf", "Reads files.", "", ""},
		{"literal", "---\ndescription: |\n  one\n  two\n---\n", "folder", "one two", "", ""},
		{"other keys", "---\nname: pdf\ndescription: d\nlicense: MIT\nmetadata:\n  a: [1, 2]\nallowed-tools: Read, Bash\n---\n\n\nbody\n", "pdf", "d", "body\n", ""},
		{"carriage returns", "---\r\nname: pdf\r\ndescription: d\r\n---\r\nbody\r\n", "pdf", "d", "body\n", ""},
		{"a byte order mark", "\ufeff---\nname: pdf\ndescription: d\n---\n", "pdf", "d", "", ""},
		{"a rule in the body", "---\nname: pdf\ndescription: d\n---\na\n---\nb\n", "pdf", "d", "a\n---\nb\n", ""},
		{"no front matter", "# How\n", "folder", "", "# How\n", "it has no front matter: begin it with a line ---"},
		{"one that does not end", "---\nname: pdf\n", "folder", "", "---\nname: pdf\n", "it has no front matter"},
		{"no description", "---\nname: pdf\n---\nbody", "pdf", "", "body", "its front matter has no description"},
		{"no YAML", "---\nname: [\n---\nbody", "folder", "", "body", "its front matter is no YAML"},
		{"empty", "", "folder", "", "", "it has no front matter"},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := tree(t, map[string]string{"folder/SKILL.md": row.file})
			found, problems := Find([]string{root})
			require.Len(t, found, 1)
			require.Equal(t, Skill{Name: row.skill, Description: row.about, Dir: filepath.Join(root, "folder"), body: found[0].body}, found[0])
			require.Equal(t, row.body, string(found[0].body))
			if row.problem == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.ErrorContains(t, problems[0], row.problem)
			require.ErrorContains(t, problems[0], filepath.Join(root, "folder", "SKILL.md"))
		})
	}
}

func TestTheNearestWins(t *testing.T) {
	far := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: far\n---\n", "b/SKILL.md": "---\nname: b\ndescription: far\n---\n", "note.txt": "no skill", "empty/x": ""})
	near := tree(t, map[string]string{"z/SKILL.md": "---\nname: a\ndescription: near\n---\n"})
	require.NoError(t, os.Mkdir(filepath.Join(near, "d"), 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(near, "d", "SKILL.md"), 0o777))
	found, problems := Find([]string{far, near, filepath.Join(near, "nothing")})
	require.Len(t, found, 2)
	require.Equal(t, "near", found[0].Description)
	require.Equal(t, "far", found[1].Description)
	require.Len(t, problems, 1)
	require.ErrorContains(t, problems[0], "it is no file")
}

func TestTool(t *testing.T) {
	root := tree(t, map[string]string{
		"pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF.\n---\nRun scripts/x.sh\xff.", "pdf/scripts/x.sh": "", "pdf/.git/y": "",
		"bare/SKILL.md": "no front matter",
	})
	run := func(dirs []string, words ...string) (string, string, int) {
		var out, notes bytes.Buffer
		tool := Tool(&Options{Dirs: func(dir string) []string {
			require.Equal(t, "/work", dir)
			return dirs
		}})
		res := tool.Command(t.Context(), words, &registry.Call{Dir: "/work", Stdout: &out, Stderr: &notes})
		return out.String(), notes.String(), res.ExitStatus
	}
	out, notes, exit := run([]string{root}, "pdf")
	require.Equal(t, "Skill pdf. Paths in it start from its folder: "+root+"/pdf\n\nRun scripts/x.sh\ufffd.\n", out)
	require.Equal(t, "with it come: scripts/x.sh\n", notes)
	require.Zero(t, exit)
	linked := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(root, "pdf"), filepath.Join(linked, "linked")))
	_, notes, exit = run([]string{linked}, "linked")
	require.Equal(t, "with it come: scripts/x.sh\n", notes)
	require.Zero(t, exit)
	out, notes, _ = run([]string{root})
	require.Equal(t, "bare: \npdf: Reads PDF.\n", out)
	require.Contains(t, notes, "bare/SKILL.md: it has no front matter")
	out, _, exit = run([]string{root}, "bare")
	require.Zero(t, exit)
	require.True(t, strings.HasSuffix(out, "\n\nno front matter\n"))
	_, notes, exit = run([]string{root}, "pfd")
	require.Equal(t, 1, exit)
	require.Equal(t, "skill: there is no skill \"pfd\": did you mean pdf? There are: bare, pdf\n", notes)
	_, notes, _ = run([]string{root}, "something")
	require.Equal(t, "skill: there is no skill \"something\": there are bare, pdf\n", notes)
	_, notes, exit = run(nil, "pdf")
	require.Equal(t, 1, exit)
	require.Contains(t, notes, `there is no skill "pdf", and no other`)
	out, notes, exit = run(nil)
	require.Zero(t, exit)
	require.Empty(t, out)
	require.Contains(t, notes, "there are no skills")
}
