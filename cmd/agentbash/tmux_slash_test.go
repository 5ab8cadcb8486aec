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

func TestScreenSwitchesTheModelAndTheMode(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 40, env: []string{"DEEPSEEK_API_KEY=dk"}, files: map[string]string{
		"~/.config/agentbash/config.json": `{"models": {"m2": {"window": 100000, "input": 1, "output": 2}}}`}, replies: []modelserver.Reply{
		{Text: "One."}, {Text: "Two."}}})
	p.ready()
	p.say("first")
	p.want("One.")
	p.ready()
	p.say("/model")
	p.matches(`\n  deepseek\n  deepseek:deepseek-chat\n\* m\n  m2\n\nm at http://127.0.0.1:\d+/v1 answers\.`)
	p.typed("/model m")
	p.keys("Tab")
	p.matches(`\nm +m2\n> /model m\n$`)
	p.say("2")
	p.matches(`\nm2 at http://127.0.0.1:\d+/v1 answers from here on; the next start begins with what --model names\n`)
	p.say("second")
	p.want("Two.")
	p.ready()
	p.say("/cost")
	p.matches(`\[[\d,]+ tokens in, \d+ out, \$0\.\d+, [\d.]+ m?s; session [\d,]+ tokens in, \d+ out, \$0`)
	p.matches(`last turn: .*\$0\.`) // the price of the new one is known
	p.say("/model gemini")
	p.want("set GEMINI_API_KEY")
	p.say("/mode")
	p.matches(`\n\* full: everything`)
	p.typed("/mode p")
	p.keys("Tab", "Enter")
	p.want("mode plan from here on")
	p.say("/mode")
	p.matches(`\n\* plan: only what reads`)
	p.say("/mode never")
	p.want(`"never" is no mode: it is plan, ask, auto or full`)
	p.say("/quit")
	p.want("ended: 0")
	data := p.session()
	require.Contains(t, data, `"model":"m2"`)
}

// session is the text of the only session that is recorded.
func (p *pane) session() string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/sessions/*/*.jsonl"))
	require.NoError(p.t, err)
	require.Len(p.t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(p.t, err)
	return string(data)
}

func TestScreenSessionsResumeAndExport(t *testing.T) {
	p := newPane(t, screenTest{width: 160, height: 45, shell: true, files: map[string]string{"sub/x": ""}, replies: []modelserver.Reply{
		{ToolCalls: calls("cd sub; echo from the first")},
		{Text: "Answer one."},
		{Text: "Answer two.", NewConversation: true},
		{Text: "Answer three.", NewConversation: true, Expect: modelserver.Expectations{
			{Role: "assistant", Contains: []string{"Answer one."}}, {Role: "user", Contains: []string{"third prompt"}}}}}})
	s := p.server
	start := func() {
		p.want("shell>")
		p.say("clear; " + os.Args[0] + " --dir " + p.dir + " --base-url " + s.BaseURL + " --model m --api-key k")
		p.want(" - m at")
		p.ready()
	}
	start()
	p.say("/export")
	p.want("nothing was said yet")
	p.say("/resume")
	p.want("there is no other session of this project")
	p.say("first prompt")
	p.want("Answer one.")
	p.ready()
	p.keys("C-d")
	start()
	p.say("second prompt")
	p.want("Answer two.")
	p.ready()
	p.say("/sessions")
	list := p.matches(`Which session goes on\?(.|\n)*\n  > \S+ +just now  first prompt\n  1 of 1; type to search`)
	first := strings.Fields(list[strings.LastIndex(list, "  > ")+4:])[0]
	p.keys("Escape")
	p.ready()
	p.say("/export")
	p.matches(`\nwritten: \S+/agentbash-\S+\.md\n`)
	p.say("/resume nonsense")
	p.want("nonsense")
	p.ready()
	p.say("/resume " + first)
	p.matches(`\n> first prompt\n  \$ cd sub; echo from the first  \[ok, 1 line, [^]]+\]\n    from the first\nAnswer one\.\nsession ` + first + ` goes on\nthe shell is in .*/sub\n`)
	p.say("/resume " + first)
	p.want("that is this session")
	p.say("third prompt")
	p.want("Answer three.")
	p.ready()
	p.say("/export sh")
	p.matches(`\nwritten: \S+/sub/agentbash-` + first + `\.sh\n`)
	p.say("/export all.json")
	p.matches(`\nwritten: \S+/sub/all\.json\n`)
	p.say("/export all.json")
	p.want("name a file that is not there yet")
	p.say("/export pdf")
	p.want("/export md, json or sh")
	p.say("/cost")
	p.matches(`session: [\d,]+ tokens`)
	p.keys("C-d")
	p.want("go on with: agentbash -r " + first)
	data, err := os.ReadFile(filepath.Join(p.dir, "sub", "all.json"))
	require.NoError(t, err)
	require.Contains(t, string(data), "first prompt")
	require.Contains(t, string(data), "third prompt")
	require.NotContains(t, string(data), "second prompt")
	out, err := exec.Command("bash", "-n", filepath.Join(p.dir, "sub", "agentbash-"+first+".sh")).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestScreenShortensTheConversation(t *testing.T) {
	p := newPane(t, screenTest{width: 100, replies: []modelserver.Reply{
		{ToolCalls: calls("seq 1 3000")}, {Text: strings.Repeat("A long answer. ", 50)},
		{Text: "Summary of it all.", NewConversation: true},
		{Text: "Going on.", NewConversation: true, Expect: expect("next")}}})
	p.ready()
	p.say("first")
	p.want("session")
	p.ready()
	p.say("/compact")
	p.matches(`\[the conversation was shortened from about [\d,]+ to [\d,]+ tokens\]`)
	p.ready()
	p.say("next")
	p.want("Going on.")
}
