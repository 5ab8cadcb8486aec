package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func expect(contains ...string) modelserver.Expectations {
	return modelserver.Expectations{{Contains: contains}}
}

func calls(command string) []modelserver.ToolCall { return []modelserver.ToolCall{{Command: command}} }

const richReply = "# Plan\n\nSome **bold** and `code` words, see [the page](http://example.com/a).\n\n" +
	"- first item of the list that is long enough to be broken into two rows of the screen\n- second\n\n" +
	"```go\nfunc main() {}\n```\n\n| Name | Size |\n|------|------|\n| a.go | 12 |\n\nEnd."

const richScreen = `Plan

Some bold and code words, see the page (http://example.com/a).

• first item of the list that is long enough to be broken into two rows of the
  screen
• second

  func main() {}

Name  Size
----------
a.go  12

End.
`

func TestScreenRendersMarkdown(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{Text: richReply, Chunk: 3}}})
	p.ready()
	p.say("go")
	p.want("session")
	require.Contains(t, p.ready(), richScreen)
	styles := p.colours()
	require.Regexp(t, `\x1b\[[0-9;]*1m.*bold`, styles)
	require.Regexp(t, `\x1b\[36m.*code`, styles, "code is cyan")
}

func TestScreenWithoutColours(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{Text: richReply}}, env: []string{"NO_COLOR=1"}})
	p.ready()
	p.say("go")
	p.want("session")
	require.Contains(t, p.ready(), richScreen)
	require.NotRegexp(t, `\x1b\[([0-9]+;)*[349][0-7]m`, p.colours())
}

func TestScreenOfADumbTerminalAndAScreenReader(t *testing.T) {
	for _, env := range []string{"TERM=dumb", "ACCESSIBLE=1"} {
		t.Run(env, func(t *testing.T) {
			p := newPane(t, screenTest{env: []string{env}, replies: []modelserver.Reply{{Text: "# A\n\n**b**\n", ToolCalls: calls("seq 1 30")}, {Text: "done", Expect: expect("30")}}})
			p.ready()
			p.say("go")
			s := p.want("session")
			require.Contains(t, s, "# A\n\n**b**\n  $ seq 1 30  [ok, 30 lines, ")
			require.Contains(t, s, "    3\n    ... 24 lines more: /output shows all\n    28\n")
			p.say("/help")
			p.want("/quit")
			p.say("/quit")
			p.until("all that was written", func(string) bool { return strings.Contains(p.raw(), "ended: 0") })
			require.NotContains(t, p.raw(), "\x1b")
		})
	}
}

func TestScreenShowsCallsDiffsAndFoldedOutput(t *testing.T) {
	p := newPane(t, screenTest{width: 80, height: 40, files: map[string]string{"a.txt": "one\ntwo\nthree\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("seq 1 200")},
		{ToolCalls: calls("edit --file_path a.txt --old_string two --new_string 2")},
		{ToolCalls: calls("grep --fixed two --path .")},
		{ToolCalls: calls("exit_with() { return 3; }; exit_with")},
		{Text: "Changed."}}})
	p.ready()
	p.say("go")
	s := p.want("Changed.")
	require.Regexp(t, `  \$ seq 1 200  \[ok, 200 lines, .*\]\n    1\n    2\n    3\n    \.\.\. 194 lines more: /output shows all\n    198\n    199\n    200\n`, s)
	require.Regexp(t, `  \$ edit --file_path a.txt --old_string two --new_string 2\n    \[edited a\.txt, 1 replacement, [^]]*\]\n    --- a.txt\n    \+\+\+ a.txt\n    @@ .*\n     one\n    -two\n    \+2\n     three\n`, s)
	require.Regexp(t, `\[exit 3, 1 line, `, s)
	require.Regexp(t, `  \$ grep --fixed two --path \.  \[exit 1, grep: no matches, `, s, "a tool says what it did")
	styles := p.colours()
	require.Contains(t, styles, "\x1b[31m-two")
	require.Contains(t, styles, "\x1b[32m+2")
	p.ready()
	p.say("/output 4")
	s = p.matches(`\n199\n200\n>`)
	require.Contains(t, s, "\n190\n191\n")
	p.keys("C-o")
	p.matches(`  \$ exit_with\(\) \{ return 3; \}; exit_with\n\[exit code: 3\]\n>`)
}

func TestScreenEscStopsAndTypedTextWaits(t *testing.T) {
	for _, key := range []string{"Escape", "C-c"} {
		t.Run(key, func(t *testing.T) {
			p := newPane(t, screenTest{replies: []modelserver.Reply{
				{Text: "Thinking of it", Hold: true},
				{Text: "First", ToolCalls: calls("echo half; : > begun; sleep 1000")},
				{Text: "Three it is.", Expect: modelserver.Expectations{{Role: "tool", Contains: []string{"half", "[interrupted by the user]"}}, {Role: "assistant"}, {Role: "user", Contains: []string{"three"}}}},
			}})
			p.ready()
			p.say("one")
			p.want("Thinking of it")
			p.matches(`[/\\|-] working \d+ s, Esc stops`)
			p.typed("typed ahead")
			p.matches(`Esc stops\n> typed ahead`)
			p.keys(key)
			p.want("interrupted: the conversation is kept")
			p.matches(`\n> typed ahead\n$`) // what was typed is at the prompt
			p.keys("C-u")
			p.ready()
			p.say("two")
			p.matches(`First\n  \$ echo half; : > begun; sleep 1000\n[/\\|-] running \d+ s, Esc stops`)
			p.until("the command has begun", func(string) bool { return p.exists("begun") })
			p.say("three")
			p.matches(`Esc stops\n  next: three`)
			p.keys(key)
			p.want("[interrupted, ")
			p.matches(`\n> three\n$`) // after a stop nothing is sent unasked
			p.keys("Enter")
			p.want("Three it is.")
			p.ready()
			p.keys("C-d")
			p.want("ended: 0")
		})
	}
}

func TestScreenSendsWhatWasTypedMeanwhile(t *testing.T) {
	p := newPane(t, screenTest{replies: []modelserver.Reply{{ToolCalls: calls("until [ -e go ]; do read -t 0.05 < <(:) || :; done")}, {Text: "One."}, {Text: "Two.", Expect: expect("next please")}}})
	p.ready()
	p.say("first")
	p.want("running")
	p.say("next please")
	p.want("  next: next please")
	p.typed("half")
	p.want("> half")
	p.write("go", "")
	p.matches(`One\.(.|\n)*\n> next please\nTwo\.(.|\n)*\n> half\n$`)
}

func TestScreenRestoresTheTerminal(t *testing.T) {
	ends := map[string]func(p *pane){
		"Ctrl-D": func(p *pane) { p.keys("C-d") },
		"quit":   func(p *pane) { p.say("/quit") },
		"SIGTERM": func(p *pane) {
			p.say("sleep 1000")
			p.want("running")
			p.terminate()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			p := newPane(t, screenTest{shell: true})
			p.want("shell>")
			p.say("cd " + p.dir + "; stty -a > before; PS1='again> '; " + os.Args[0] + " --dir " + p.dir)
			p.want("no model")
			p.ready()
			end(p)
			p.want("\nagain>")
			p.say("stty -a > after; cmp before after && echo same=$?")
			p.want("same=0")
		})
	}
}

func TestScreenFoldsWhatFollowsADiff(t *testing.T) {
	p := newPane(t, screenTest{height: 50, files: map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("for f in a.txt b.txt; do edit $f one two; done; seq 100")}, {Text: "Done."}}})
	p.ready()
	p.say("go")
	s := p.want("Done.")
	require.Regexp(t, `-one\n    \+two\n    --- b.txt\n    \+\+\+ b.txt\n    @@ .*\n    -one\n    \+two\n    1\n    2\n    3\n    \.\.\. 94 lines more: /output shows all\n    98\n`, s)
	require.Equal(t, 2, strings.Count(p.colours(), "\x1b[31m-one"))
}

func TestScreenPlaysARecording(t *testing.T) {
	demo, err := filepath.Abs("../../testdata/demo/session.json")
	require.NoError(t, err)
	p := newPane(t, screenTest{width: 100, height: 200, shell: true})
	p.want("shell>")
	p.say("cd " + p.dir + "; " + os.Args[0] + " --no-session --mode full --replay " + demo)
	p.matches(`\n> The stock t[^\n]*\n$`) // it is typed
	s := p.matches(`awk says 182(.|\n)*\nshell>`)
	require.Contains(t, s, "agentbash 0.1.0-dev - replay at a recording - ")
	require.Contains(t, s, "\n> The stock total is wrong. Find out why and fix it.\nI look around first.\n  $ mkdir -p shop && cd shop && write prices.csv <<'END'\n    name,price,count\n")
	require.Regexp(t, `\n    -    total=.*\n    \+    total=`, s)
}
