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
		{"what is no text", "---\nname: \"p\\e[31mdf\\0\"\ndescription: \"Reads\\e]0;x\\a \\u202efiles\"\n---\n", "pdf", "Reads files", "", ""},
		{"the longest name", "---\nname: " + strings.Repeat("é", 64) + "\ndescription: d\n---\n", strings.Repeat("é", 64), "d", "", ""},
		{"a longer one", "---\nname: " + strings.Repeat("n", 65) + "\ndescription: d\n---\n", "", "", "", "its name has more than 64 characters"},
		{"no front matter", "# How\n", "", "", "", "it has no front matter: begin it with a line ---"},
		{"one that does not end", "---\nname: pdf\n", "", "", "", "it has no front matter"},
		{"no description", "---\nname: pdf\n---\nbody", "", "", "", "its front matter has no description"},
		{"no YAML", "---\nname: [\n---\nbody", "", "", "", "its front matter is no YAML"},
		{"empty", "", "", "", "", "it has no front matter"},
	} {
		t.Run(row.name, func(t *testing.T) {
			root := tree(t, map[string]string{"folder/SKILL.md": row.file})
			found, problems := Find([]string{root})
			if row.problem == "" {
				require.Empty(t, problems)
				require.Len(t, found, 1)
				s := found[0]
				require.Equal(t, []string{row.skill, row.about, filepath.Join(root, "folder"), row.body}, []string{s.Name, s.Description, s.Dir, string(s.body)})
				return
			}
			require.Empty(t, found)
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
	require.Equal(t, "pdf: Reads PDF.\n", out)
	require.Contains(t, notes, "bare/SKILL.md: it has no front matter")
	_, notes, exit = run([]string{root}, "bare")
	require.Equal(t, 1, exit)
	require.Contains(t, notes, "bare/SKILL.md: it has no front matter")
	_, notes, exit = run([]string{root}, "pfd")
	require.Equal(t, 1, exit)
	require.Equal(t, "skill: there is no skill \"pfd\": did you mean pdf? There are: pdf\n", notes)
	_, notes, _ = run([]string{root}, "something")
	require.Equal(t, "skill: there is no skill \"something\": there are pdf\n", notes)
	_, notes, exit = run(nil, "pdf")
	require.Equal(t, 1, exit)
	require.Contains(t, notes, `there is no skill "pdf", and no other`)
	out, notes, exit = run(nil)
	require.Zero(t, exit)
	require.Empty(t, out)
	require.Contains(t, notes, "there are no skills")
}

// What the standard and its users write beside name and description.
func TestStandard(t *testing.T) {
	root := tree(t, map[string]string{
		".agents/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\nallowed-tools: Read Bash(git:*)\n---\nReview $ARGUMENTS by ${CLAUDE_SKILL_DIR}/check.sh; $HOME stays.",
		".claude/skills/plain/SKILL.md":  "---\nname: plain\ndescription: Plain.\nallowed-tools: [Read, Grep]\n---\nDo it.",
		".agents/skills/plain/SKILL.md":  "---\nname: plain\ndescription: Farther.\n---\n",
		".agents/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys.\ndisable-model-invocation: true\n---\nDeploy.",
		".agents/skills/odd/SKILL.md":    "---\nname: odd\ndescription: It: has a colon.\ndisable-model-invocation: true\nallowed-tools: Read\n---\n",
		".agents/skills/bad/SKILL.md":    "---\nname: bad\n---\n",
	})
	for _, person := range []bool{false, true} {
		tool := Tool(&Options{Person: person})
		run := func(words ...string) (string, string, int) {
			var out, notes bytes.Buffer
			res := tool.Command(t.Context(), words, &registry.Call{Dir: root, Stdout: &out, Stderr: &notes})
			return out.String(), notes.String(), res.ExitStatus
		}
		out, notes, _ := run()
		require.Contains(t, notes, "bad/SKILL.md: its front matter has no description")
		_, notes, _ = run()
		require.Empty(t, notes, "it is reported once")
		forPerson, denied := "deploy: Deploys.\nodd: It: has a colon.\n", 0
		if !person {
			forPerson, denied = "", 1
		}
		require.Equal(t, forPerson+"plain: Plain.\nreview: Reviews.\n", out)
		for _, name := range []string{"deploy", "odd"} {
			_, notes, exit := run(name)
			require.Equal(t, denied, exit)
			require.Equal(t, !person, strings.Contains(notes, "only the person starts the skill "+name+": with /"+name+" in the chat"))
		}
		out, notes, _ = run("review", "the last $ARGUMENTS")
		require.Contains(t, out, "\n\nReview the last $ARGUMENTS by "+root+"/.agents/skills/review/check.sh; $HOME stays.\n")
		require.Equal(t, "its author wants these tools to be allowed, which rules of the person do: Read Bash(git:*)\n", notes)
		out, _, _ = run("review")
		require.Contains(t, out, "\n\nReview  by ")
		out, notes, _ = run("plain", "a b")
		require.Contains(t, out, "\n\nDo it.\n\nARGUMENTS: a b\n")
		require.Contains(t, notes, ": Read Grep\n")
	}
}
