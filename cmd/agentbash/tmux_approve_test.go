package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// exists reports whether a file is in the program's directory.
func (p *pane) exists(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

func (p *pane) config() string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.home, ".config/agentbash/config.json"))
	require.NoError(p.t, err)
	return string(data)
}

// A chat asks by itself; once, no, and no with a reason that the model gets.
func TestScreenApprovesOnceAndRefuses(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, replies: []modelserver.Reply{
		{Text: "First.", ToolCalls: calls("ls; touch one")},
		{Text: "Second.", ToolCalls: calls("touch two"), Expect: expect("(no output)")},
		{Text: "Third.", ToolCalls: calls("touch three"), Expect: expect("denied by the user: do not try it another way")},
		{Text: "Well.", Expect: expect("denied by the user, who says: three is enough")}}})
	p.ready()
	p.say("go")
	p.want("May this run?")
	s := p.want("answer y,")
	require.Contains(t, s, "ls; touch one")
	require.Contains(t, s, "(mode ask)")
	require.Contains(t, s, "it reads, writes files")
	require.Contains(t, s, "- writes one")
	require.False(t, p.exists("one"))
	p.typed("y")
	p.want("Second.")
	p.matches(`touch two(.|\n)*answer y,.*\n$`)
	require.True(t, p.exists("one"))
	p.typed("n")
	p.want("Third.")
	p.matches(`touch three(.|\n)*answer y,.*\n$`)
	p.typed("b")
	p.want("no, because:")
	p.say("three is enough")
	p.want("Well.")
	require.False(t, p.exists("two"))
	require.False(t, p.exists("three"))
}

// A rule is shown before it counts: for the session, and saved.
func TestScreenApprovesByRule(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, files: map[string]string{
		"~/.config/agentbash/config.json": "{\n  \"rules\": [\"deny rm ...\"]\n}\n"}, replies: []modelserver.Reply{
		{Text: "One.", ToolCalls: calls("mkdir a")},
		{Text: "Two.", ToolCalls: calls("mkdir b")},
		{Text: "Three.", ToolCalls: calls("touch c")},
		{Text: "Four.", ToolCalls: calls("touch d")},
		{Text: "Done."}}})
	p.ready()
	p.say("go")
	s := p.want("answer y,")
	require.Contains(t, s, "a rule that would allow it:")
	require.Contains(t, s, "  allow mkdir ...")
	p.typed("s")
	s = p.matches(`touch c(.|\n)*answer y,.*\n$`)
	require.True(t, p.exists("b"), "the rule let it run")
	require.Contains(t, s, "  allow touch ...")
	require.NotContains(t, p.config(), "mkdir", "for the session only")
	p.typed("a")
	p.want("Done.")
	require.True(t, p.exists("d"))
	require.Contains(t, p.config(), `"deny rm ..."`)
	require.Contains(t, p.config(), `"allow touch ..."`)
}

// What is dangerous or cannot be known is asked about each time.
func TestScreenAsksAboutDangerEachTime(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, env: []string{"TMPDIR=~/tmp"}, files: map[string]string{"~/x/y": "", "~/tmp/x": ""}, replies: []modelserver.Reply{
		{Text: "One.", ToolCalls: calls("rm -r ~/x")},
		{Text: "Two.", ToolCalls: calls("rm -r ~/x")},
		{Text: "Done."}}})
	p.ready()
	p.say("go")
	s := p.want("answer o, n, b:")
	require.Contains(t, s, "this is asked about in every mode but full")
	require.NotContains(t, s, "a rule that would allow it")
	require.Contains(t, p.colours(), "rm -r")
	p.typed("n")
	p.matches(`Two\.(.|\n)*answer o, n, b:\n$`)
	require.FileExists(t, filepath.Join(p.home, "x/y"))
	p.typed("o")
	p.want("Done.")
	require.NoDirExists(t, filepath.Join(p.home, "x"))
}

// A diff is shown for what edits a file, also where bash calls the tool.
func TestScreenShowsTheDiff(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, files: map[string]string{"a.txt": "one\ntwo\n"}, replies: []modelserver.Reply{
		{Text: "One.", ToolCalls: calls("edit --file_path a.txt --old_string two --new_string 2")},
		{Text: "Done."}}})
	p.ready()
	p.say("go")
	s := p.want("answer y,")
	require.Contains(t, s, "-two")
	require.Contains(t, s, "+2")
	text, err := os.ReadFile(filepath.Join(p.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", string(text), "a preview changes nothing")
	p.typed("y")
	p.want("Done.")
	text, err = os.ReadFile(filepath.Join(p.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n2\n", string(text))
}

// Nothing that was typed ahead answers a question, and nothing is lost of it.
// What the command would do to the screen is shown, not done.
func TestScreenApprovesWithTypedAheadText(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, replies: []modelserver.Reply{
		{Text: "Waiting.", ToolCalls: calls("until test -e go; do :; done")},
		{Text: "Working.", ToolCalls: calls("touch 'x\x1b[2J\u202ey'")},
		{Text: "Made."},
		{Text: "Answered the next.", Expect: expect("yes")}}})
	p.ready()
	p.say("start")
	p.want("until test")
	p.say("yes")
	p.typed("y")
	p.write("go", "")
	s := p.matches(`May this run(.|\n)*answer y,`)
	require.Contains(t, s, `\x1b[2J\u202ey`)
	require.Contains(t, s, "Waiting.", "the screen was not cleared")
	require.NotContains(t, p.raw(), "\x1b[2J\u202e")
	require.False(t, p.exists("x\x1b[2J\u202ey"))
	p.typed("y")
	p.want("Answered the next.")
	require.True(t, p.exists("x\x1b[2J\u202ey"))
}

// What the person runs among the model's commands needs no question.
func TestScreenAPersonsOwnCommandRuns(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, replies: []modelserver.Reply{{Text: "Fine."}}})
	p.ready()
	p.say("!touch mine; rm -rf mine2; agent:write third x")
	p.ready()
	p.until("the files", func(string) bool { return p.exists("mine") && p.exists("third") })
	p.say("!rm -rf ~")
	p.want("blocked in every mode")
	p.say("go")
	p.want("Fine.")
}

// Esc leaves the question: the command does not run, and the turn stops.
func TestScreenLeavesAQuestion(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 45, replies: []modelserver.Reply{
		{Text: "Working.", ToolCalls: calls("touch one")}}})
	p.ready()
	p.say("go")
	p.want("answer y,")
	p.keys("Escape")
	p.ready()
	require.False(t, p.exists("one"))
}

// What needs more than the profile gives has no plain yes: o runs it outside,
// once, and O saves a rule that says so.
func TestScreenRunsOutside(t *testing.T) {
	route := exec.Command(os.Args[0], "route", "--mode", "ask", "touch a")
	route.Env = []string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	if out, err := route.Output(); err != nil || !strings.Contains(string(out), "in the workspace profile") {
		require.NoError(t, err)
		t.Skip("SKIPPED: nothing on this machine holds the workspace profile, so everything runs free")
	}
	p := newPane(t, screenTest{mode: "none", width: 110, height: 45, env: []string{"TMPDIR=~/tmp"}, files: map[string]string{"~/other/f": "one\n", "~/tmp/x": ""}, replies: []modelserver.Reply{
		{Text: "One.", ToolCalls: calls("touch a")},
		{Text: "Two.", ToolCalls: calls("cp ~/other/f ~/other/g")},
		{Text: "Three.", ToolCalls: calls("cp ~/other/f ~/other/h")},
		{Text: "Done."}}})
	p.ready()
	p.say("go")
	s := p.want("answer y,")
	require.Contains(t, s, "yes runs it in the workspace profile")
	require.Contains(t, s, "answer y, s, a, o, O, n, b:")
	p.typed("y")
	s = p.want("answer o, O, n, b:")
	require.True(t, p.exists("a"))
	require.Contains(t, s, "outside runs it free: nothing holds it, so it has all your files, the network and your keys")
	p.typed("o")
	p.matches(`other/h(.|\n)*answer o, O, n, b:\n$`)
	require.FileExists(t, filepath.Join(p.home, "other/g"))
	require.NoFileExists(t, filepath.Join(p.home, ".config/agentbash/config.json"))
	p.typed("O")
	p.want("Done.")
	require.FileExists(t, filepath.Join(p.home, "other/h"))
	require.Contains(t, p.config(), `"outside": true`)
}
