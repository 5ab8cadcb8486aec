package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenResizedAndNarrow(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{
		{Text: "| Name | Meaning |\n|---|---|\n| alpha | the first of the letters |\n\nSome words that need more than one row of it.", ToolCalls: calls("echo a command that is longer than the row")},
		{Text: "Held text", Hold: true}}})
	p.ready()
	p.typed("some words that take more than one row of a narrow screen")
	p.want("narrow screen")
	p.resize(30)
	p.matches(`> some words that take more th\nan one row of a narrow screen\n$`)
	p.resize(100)
	p.matches(`\n> some words that take more than one row of a narrow screen\n$`)
	p.resize(24)
	p.keys("C-u")
	p.ready()
	p.say("go")
	s := p.want("Held text")
	require.Contains(t, s, "Some words that need\nmore than one row of\nit.\n")
	require.Contains(t, s, "Name   Meaning\n-----------------------\nalpha  the first of the\n       letters\n")
	require.Regexp(t, `  \$ echo a command that\n    is longer than the\n    row\n +\[ok, 1 line, \d+ m`, s)
	p.tmux("resize-window", "-x", "60")
	p.matches(`Held text\n[/\\|-] working \d+ s, Esc stops\n$`)
	p.keys("Escape")
	p.want("interrupted")
	p.ready()
}

func TestScreenHistoryIsKeptForTheProject(t *testing.T) {
	p := newPane(t, screenTest{shell: true})
	start := func() {
		p.want("shell>")
		p.say("clear; " + os.Args[0] + " --dir " + p.dir)
		p.want("no model")
		p.ready()
	}
	start()
	p.say("echo first one")
	p.want("\nfirst one\n")
	p.say("echo second")
	p.want("\nsecond\n")
	p.say(" echo secret")
	p.want("\nsecret\n")
	p.keys("C-d")
	start()
	p.keys("Up")
	p.matches(`\n\$ echo second\n$`)
	p.keys("C-u", "C-r")
	p.typed("fir")
	p.matches(`\n\(search 'fir'\) echo first one\n$`)
	p.keys("Enter")
	p.want("\nfirst one\n")
	p.ready()
	files, err := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/history/*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	st, err := os.Stat(files[0])
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NotContains(t, string(data), "secret")
}

func TestScreenSeveralLinesPasteAndEditor(t *testing.T) {
	p := newPane(t, screenTest{
		replies: []modelserver.Reply{
			{Text: "Got it.", Expect: modelserver.Expectations{{Contains: []string{"line one\nline two\nline three"}}}},
			{Text: "Edited.", Expect: modelserver.Expectations{{Contains: []string{"draft and more\nsecond line"}}}}},
		files: map[string]string{"~/ed": "#!/bin/sh\nstty -a | grep -q ' icanon' || exit 9\nprintf ' and more\\nsecond line\\n' >> \"$1\"\n"},
		env:   []string{`VISUAL=sh "$HOME/ed"`}})
	p.ready()
	p.typed("line one")
	p.keys("M-Enter")
	p.tmux("set-buffer", "line two\nline three")
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`> line one\n  line two\n  line three\n$`)
	p.keys("Enter")
	p.want("Got it.")
	p.ready()
	p.typed("draft")
	p.keys("C-x", "C-e")
	p.matches(`> draft and more\n  second line\n$`)
	p.keys("Enter")
	p.want("Edited.")
}

func TestScreenCompletes(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{Text: "Read.", Expect: expect("look at @docs/guide.md please\n\nWhat I named with @:\n$ read --file_path /", "the guide's words")}},
		files: map[string]string{"docs/guide.md": "the guide's words\n", "docs/other.md": "y", "data.txt": "z", "guide\nx": "", "built/x": "", ".gitignore": "built\n"}})
	p.ready()
	p.typed("/he")
	p.matches(`\n> /he\n  /help\n`)
	p.keys("Tab")
	p.matches(`\n> /help\n$`)
	p.keys("C-u")
	p.typed("gre")
	p.keys("Tab")
	p.matches(`\n> grep\n$`)
	p.keys("C-u")
	p.typed("look at @gui") // and not the halves of a name with a line end
	p.matches(`\n> look at @gui\n  docs/guide.md\n$`)
	p.keys("C-u")
	p.typed("look at @d")
	p.matches(`\n> look at @d\n(  .*\n)*  docs/guide.md\n`)
	require.NotContains(t, p.whole(), "built")
	p.keys("C-u")
	p.typed("look at @dmd")
	p.matches(`\n> look at @dmd\n  docs/(guide|other).md\n  docs/(guide|other).md\n$`)
	p.keys("Down", "Up", "Up")
	p.matches(`\n> docs/`)
	p.keys("C-u")
	p.typed("look at @gui")
	p.want("  docs/guide.md")
	p.keys("Tab")
	p.matches(`\n> look at @docs/guide.md\n$`)
	p.say("please")
	s := p.want("Read.")
	require.Contains(t, s, "\n  [@docs/guide.md: 1 line]\n")
	p.ready()
	p.typed("!cat da")
	p.keys("Tab")
	p.matches(`\n> !cat data.txt\n$`)
}

func TestScreenShellCommandsAndSlashCommands(t *testing.T) {
	still := "and now?"
	p := newPane(t, screenTest{width: 100, height: 50, files: map[string]string{"a.txt": "one\n"}, replies: []modelserver.Reply{
		{Text: "I see.", Expect: modelserver.Expectations{{Role: "user", Contains: []string{"I ran in your shell:\n$ x=5; echo out $x", "out 5", "what was that"}}}},
		{ToolCalls: calls("echo x is $x; edit --file_path a.txt --old_string one --new_string two; sleep 300 &")},
		{Text: "Done.", Expect: expect("x is 5")},
		{Text: "Planning.", Expect: modelserver.Expectations{{Role: "user", Contains: []string{"$ undo a.txt\n", "the user changed the mode. Mode plan: what only reads runs", "and so?"}}}},
		{Text: "Still.", Expect: modelserver.Expectations{{Role: "user", Equals: &still}}},
		{Text: "Anew.", NewConversation: true, Expect: modelserver.Expectations{{Role: "system", Contains: []string{"Mode full: "}}, {Role: "user", Contains: []string{"Mode plan: ", "fresh"}}}},
	}})
	git := exec.Command("bash", "-c", "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x")
	git.Dir = p.dir
	out, err := git.CombinedOutput()
	require.NoError(t, err, "%s", out)
	p.ready()
	p.say("!x=5; echo out $x; sleep 0.2; echo end")
	p.matches(`\nout 5\nend\n>`)
	p.say("what was that")
	p.want("I see.")
	p.ready()
	p.say("go")
	p.want("Done.")
	p.ready()
	p.say("/jobs")
	p.matches(`Running +sleep 300`)
	p.say("/diff")
	p.matches(`\n-one\n\+two\n>`)
	require.Contains(t, p.colours(), "\x1b[32m+two")
	p.write("fresh.txt", "of today\n")
	p.say("/diff")
	p.matches(`\n\+\+\+ b/fresh.txt\n@@ .*\n\+of today\n>`)
	p.say("/diff .gitignore")
	p.want("nothing has changed since the last commit")
	p.say("/undo a.txt")
	p.until("one is back", func(string) bool {
		data, err := os.ReadFile(filepath.Join(p.dir, "a.txt"))
		return err == nil && string(data) == "one\n"
	})
	p.say("/cost")
	p.matches(`\nlast turn: [\d,]+ tokens in, .*\nsession: `)
	p.say("/model")
	p.matches(`\n\* m\n\nm at http://127.0.0.1:`)
	p.say("/tools undo")
	p.want("take back writes, edits and patches, or all")
	p.say("/field")
	p.matches(`> /field\n.+\n`)
	p.say("/config")
	p.matches(`baseURL +http`)
	p.say("/nonsense")
	p.want("there is no command /nonsense: /help")
	p.ready()
	p.say("/mode plan")
	p.want("mode plan from here on")
	p.say("and so?")
	p.want("Planning.")
	p.matches(`\nanswer y, a, f, n, b:`)
	p.keys("n")
	p.ready()
	p.say(still)
	p.want("Still.")
	p.matches(`Still\.(.|\n)*\nanswer y, a, f, n, b:`)
	p.keys("n")
	p.ready()
	p.say("/clear")
	p.want("the conversation is forgotten")
	p.say("fresh")
	p.matches(`Anew\.(.|\n)*\nanswer y, a, f, n, b:`)
	p.keys("n")
	p.ready()
	p.say("/quit")
	p.want("ended: 0")
}

func TestScreenOwnCommands(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 40, files: map[string]string{".agentbash/commands/proj.md": "Project prompt for $ARGUMENTS."}, replies: []modelserver.Reply{
		{Text: "Reviewed.", Expect: modelserver.Expectations{{Equals: ptr("Review main.go carefully.")}}},
		{Text: "Projected.", Expect: modelserver.Expectations{{Equals: ptr("Project prompt for it.")}}},
		{ToolCalls: calls("skill ship"), Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Skill ship. Paths in it start from its folder: /", "\n\nShip the north side by /"}}}},
		{Text: "Shipped.", Expect: expect("only the person starts the skill ship: with /ship in the chat")}}})
	p.write(".agents/skills/ship/SKILL.md", "---\nname: ship\ndescription: Ships it\ndisable-model-invocation: true\n---\nShip $ARGUMENTS by ${CLAUDE_SKILL_DIR}/ship.sh.\n")
	p.write(filepath.Join(p.home, ".config/agentbash/commands/review.md"), "---\ndescription: Reviews a file\n---\nReview $ARGUMENTS carefully.\n")
	p.ready()
	p.say("/help")
	p.matches(`/review +Reviews a file`)
	p.say("/review main.go")
	p.want("Reviewed.")
	p.ready()
	p.say("/proj it")
	p.matches(`Project prompt for \$ARGUMENTS\.\nagentbash: /proj comes from this project`)
	p.ready()
	p.say("/proj it")
	p.want("Projected.")
	p.ready()
	p.say("/help")
	p.matches(`/ship +Ships it`)
	p.say("/ship the north side")
	p.want("Shipped.")
}

func TestScreenTakesBackATurn(t *testing.T) {
	p := newPane(t, screenTest{width: 100, files: map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("echo x >> a.txt; rm b.txt")}, {Text: "Done."},
		{Text: "I see.", Expect: modelserver.Expectations{{Role: "user", Contains: []string{"$ undo --turn\n", "a.txt: restored\nb.txt: brought back\n"}}}}}})
	p.ready()
	p.say("go")
	p.want("Done.")
	p.ready()
	p.say("/undo --turn")
	p.want("b.txt: brought back")
	for name, want := range map[string]string{"a.txt": "one\n", "b.txt": "two\n"} {
		data, err := os.ReadFile(filepath.Join(p.dir, name))
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	p.say("and now?")
	p.want("I see.")
	p.ready()
	p.say("/undo --turn --redo")
	p.want("b.txt: removed")
}

func ptr(s string) *string { return &s }

func TestScreenShowsTypedCommandsAsTheyRun(t *testing.T) {
	p := newPane(t, screenTest{height: 100})
	p.ready()
	p.say("echo begun; until [ -e go ]; do read -t 0.05 < <(:) || :; done; echo ended; (exit 4)")
	p.matches(`\nbegun\n[/\\|-] running \d+ s, Esc stops`)
	p.write("go", "")
	p.matches(`\nbegun\nended\n\[exit code: 4\]\n\$\n$`)
	p.say("true")
	p.matches(`\n\(no output\)\n\$\n$`)
	p.say("/help")
	p.want("/output [N]")
}
