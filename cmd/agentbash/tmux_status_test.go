package main

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// wantStatus waits for a status line.
func (p *pane) wantStatus(text string) {
	p.t.Helper()
	p.until("status "+text, func(string) bool { return strings.Contains(p.status(), text) })
}

func TestScreenStatusAndModesDuringATurn(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 110, height: 120, files: map[string]string{
		"~/.config/agentbash/config.json": `{"models": {"m": {"window": 100000, "input": 1, "output": 2}}}`}, replies: []modelserver.Reply{
		{Text: "First.", ToolCalls: calls("read -r x < go")},
		{ToolCalls: calls("touch denied"), Expect: expect("(no output)")},
		{Text: "Second.", Expect: expect("plan")},
		{Text: "Third.", Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Mode plan: ", "and now"}}}}}})
	git := exec.Command("git", "init", "-q", "-b", "trunk")
	git.Dir = p.dir
	require.NoError(t, git.Run())
	require.NoError(t, syscall.Mkfifo(filepath.Join(p.dir, "go"), 0o600))
	p.ready()
	p.wantStatus("  ask \u00b7 m \u00b7 ")
	require.Regexp(t, "\\d+% context left \u00b7 /.* \\(trunk\\)$", p.status())
	p.say("start")
	p.want("running")

	// What leaves the turn alone is answered while it runs.
	p.say("/cost")
	p.matches(`\n> /cost\nlast turn: `)
	p.say("/help")
	p.want("> /help\n")
	p.say("/jobs")
	p.want("nothing runs in the background")
	p.say("/mode")
	p.matches(`\n\* ask: `)
	p.keys("BTab")
	p.wantStatus("  auto \u00b7 ")
	p.keys("BTab")
	p.wantStatus("  plan \u00b7 ")
	require.NotContains(t, p.screen(), "next: ")
	p.say("and now")
	p.wantStatus("1 queued")
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "go"), []byte("\n"), 0))
	p.want("Second.")
	require.False(t, p.exists("denied"), "what came after the switch followed it")
	p.want("Third.")
	p.want("answer y, a, f, n, b:")
	p.typed("n")
	p.wantStatus("$0.")
	p.ready()
	p.keys("BTab")
	p.wantStatus("  ask \u00b7 ")
	p.say("/mode full")
	p.wantStatus("  full \u00b7 ")
}

func TestScreenOwnStatusLine(t *testing.T) {
	p := newPane(t, screenTest{width: 100, env: []string{"MARK=x y"}, files: map[string]string{
		"~/.config/agentbash/config.json": `{"statusLine": {"type": "command", "command": "jq -r '\"<\" + .model.display_name + \"|\" + .mode + \"|\" + (.workspace.current_dir | sub(\".*/\"; \"\")) + \">\"'; printf \"$MARK\\\\033[2J\\n\""}}`},
		replies: []modelserver.Reply{{Text: "One."}}})
	p.until("their own", func(string) bool { return strings.Contains(p.whole(), "\n  <m|full|002>\n  x y\n") })
	p.keys("BTab")
	p.until("the new mode", func(string) bool { return strings.Contains(p.whole(), "\n  <m|ask|002>\n") })
	p.say("go")
	p.want("One.")
	require.NotContains(t, p.raw(), "\x1b[2J")
}

func TestScreenTitleAndNotification(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 100, height: 30, replies: []modelserver.Reply{
		{ToolCalls: calls("touch a")}, {Text: "Done."}, {Text: "Done again."}, {Text: "Looked away."}},
		files: map[string]string{"~/.config/agentbash/config.json": `{}`}})
	p.ready()
	title := func(text string) {
		p.t.Helper()
		p.until("title "+text, func(string) bool { return strings.TrimSpace(p.tmux("display-message", "-p", "#{pane_title}")) == text })
	}
	title("agentbash 002")
	p.say("go")
	title("? agentbash 002")
	p.want("answer y")
	require.NotContains(t, p.raw(), "\x07", "the window has the focus")
	p.typed("y")
	p.want("Done.")
	title("agentbash 002")
	p.ready()
	// What a terminal says when another window is chosen (tmux passes it on to nobody).
	p.typed("\x1b[O")
	p.say("again")
	p.want("Done again.")
	p.until("a bell", func(string) bool { return strings.Contains(p.raw(), "\x07\x1b]9;agentbash is done in 002\x1b\\") })
	p.typed("\x1b[I")
	p.ready()
	before := strings.Count(p.raw(), "\x07")
	p.say("third")
	p.want("Looked away.")
	p.ready()
	require.Equal(t, before, strings.Count(p.raw(), "\x07"))
}

func TestScreenPasteCopyVimAndKeys(t *testing.T) {
	lines := strings.Repeat("a pasted line\n", 59) + "the end"
	prompt := "see " + lines + "!"
	p := newPane(t, screenTest{width: 100, height: 30, files: map[string]string{
		"~/.config/agentbash/config.json": `{"keys": {"ctrl-s": "submit", "f5": "newline"}}`},
		replies: []modelserver.Reply{{Text: "First words.", ToolCalls: calls("true")}, {Text: "The **answer**\nin two lines."}, {Text: "Vi."}, {Text: "Edited."}}})
	p.ready()
	p.typed("see ")
	p.tmux("set-buffer", lines)
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`\n> see \[pasted 60 lines\]\n$`)
	p.tmux("paste-buffer", "-p", "-r")
	p.matches(`\n> see \[pasted 60 lines\]\[pasted 60 lines \(2\)\]\n$`)
	p.keys("BSpace")
	p.matches(`\n> see \[pasted 60 lines\]\n$`)
	p.typed("!")
	p.keys("C-s")
	p.want("in two lines.")
	p.ready()
	require.Contains(t, string(p.server.Requests()[0].Body), strings.ReplaceAll(prompt, "\n", `\n`))
	p.say("/copy")
	p.want("2 lines sent to the terminal's clipboard")
	require.Contains(t, p.raw(), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte("The **answer**\nin two lines."))+"\x1b\\")
	p.say("/vim")
	p.wantStatus("INSERT")
	p.typed("one two three")
	p.keys("Escape")
	p.wantStatus("NORMAL")
	p.typed("bdwA done")
	p.keys("f5")
	p.typed("end")
	p.matches(`\n> one two  done\n  end\n$`)
	p.keys("Escape")
	p.wantStatus("NORMAL")
	p.typed("uu0cwthe")
	p.keys("Enter")
	p.want("Vi.")
	require.Contains(t, string(p.server.Requests()[2].Body), `"the two `)
	p.say("/vim")
	p.want("the keys are the usual ones")
	p.say("/theme dark")
	p.want(`the theme is dark; "theme": "dark" in your configuration keeps it`)
	p.ready()
	p.typed("some")
	p.matches(`\n> some\n$`)
	p.typed(" words")
	p.matches(`\n> some words\n$`)
	p.keys("C-_")
	p.matches(`\n> some\n$`)
	p.keys("Enter")
	p.want("Edited.")
	require.Regexp(t, `48;5;237m> some\n`, p.colours())
}

func TestScreenSaysWhatIsWrongWithTheTerminalsConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		`{"keys": {"ctrl-s": "sumbit"}}`:  `keys.ctrl-s: "sumbit" is no action: known are submit,`,
		`{"keys": {"hyper-s": "submit"}}`: `keys.hyper-s: no such key`,
		`{"theme": "neon"}`:               `there is no theme "neon": it is terminal, dark, light, mono`,
	} {
		t.Run(text, func(t *testing.T) {
			p := newPane(t, screenTest{width: 250, files: map[string]string{"~/.config/agentbash/config.json": text}, shell: true})
			p.want("shell>")
			p.say(os.Args[0] + " --model m --base-url http://127.0.0.1:1/v1; echo ended: $?")
			p.want("\nended: 2")
			require.Contains(t, p.screen(), want)
		})
	}
}

func TestScreenTodo(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 30, mode: "plan", replies: []modelserver.Reply{
		{ToolCalls: calls(`todo --items '[{"content": "find the bug", "status": "in_progress"}, {"content": "write a test"}]'`)},
		{ToolCalls: calls("x=$(todo done 1); todo start 2 | head -1"), Expect: expect("[>] 1. find the bug")},
		{Text: "Half.", Expect: expect("[x] 1. find the bug")}}})
	p.ready()
	p.say("go")
	s := p.want("Half.")
	require.Regexp(t, `\n  \$ todo --items .*\.\.\.  \[0 of 2 done, .*\]\n    \[>\] 1\. find the bug\n    \[ \] 2\. write a test\n`, s)
	require.Regexp(t, `\n    \[x\] 1\. find the bug\n    \[>\] 2\. write a test\nHalf\.`, s)
	p.wantStatus("1/2 steps")
}

func TestScreenCommandsAndDenialsAreWhole(t *testing.T) {
	p := newPane(t, screenTest{mode: "none", width: 60, height: 60, files: map[string]string{"a.txt": "one\ntwo\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("cat > x.py <<'EOF'\nimport os\nfor i in range(3):\n    print(i)\nEOF")},
		{ToolCalls: calls("edit --file_path a.txt --old_string two --new_string 2")},
		{Text: "Done."}}})
	p.ready()
	p.say("go")
	s := p.want("answer y")
	require.Contains(t, s, "  $ cat > x.py <<'EOF'\n    import os\n    for i in range(3):\n        print(i)\n    EOF\n")
	p.typed("b")
	p.want("no, because:")
	p.say("use a file that is called main.py, as every other one that is started by hand")
	p.until("the next question", func(s string) bool { return strings.Count(s, "May this run?") == 2 && strings.Contains(s, "answer y") })
	s = p.screen()
	require.Regexp(t, `\n +\[denied, [^]]*\]\n    denied by the user, who says: use a file that is called\n    main\.py, as every other one that is started by hand\n    \(nothing of this line ran\)\n`, s)
	require.NotContains(t, s, "[stderr]")
	p.typed("y")
	s = p.want("Done.")
	require.Equal(t, 1, strings.Count(s, "-two\n"), "a change is shown once: %s", s)
	require.Contains(t, s, "(the change that you saw in the question)")
	p.say("/hlep")
	p.want("there is no command /hlep: did you mean /help?")
}
