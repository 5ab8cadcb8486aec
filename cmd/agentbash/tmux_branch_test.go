package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// again starts the program from the pane's shell.
func (p *pane) again(words string) {
	p.t.Helper()
	p.want("shell>")
	p.say("clear; " + os.Args[0] + " " + words + " --dir " + p.dir + " --base-url " + p.server.BaseURL + " -m m --api-key k --mode full")
}

func TestScreenRewindsTheConversationAndTheFiles(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 50, files: map[string]string{"a.txt": "as it was\n"}, replies: []modelserver.Reply{
		{Text: "Hello."},
		{ToolCalls: calls("echo changed > a.txt; echo made > b.txt")}, {Text: "Changed."},
		{Text: "Other way.", NewConversation: true, Expect: modelserver.Expectations{
			{Role: "assistant", Contains: []string{"Hello."}},
			{Role: "user", Contains: []string{"took the conversation back to here", "a.txt: restored", "b.txt: removed", "change it otherwise"}}}},
		{ToolCalls: calls("echo again > a.txt")}, {Text: "Third."},
		{Text: "Seen.", Expect: expect("files as they were before my prompt", "a.txt: restored", "what now")},
	}})
	p.ready()
	p.say("hello")
	p.want("Hello.")
	p.ready()
	p.say("change it")
	p.want("Changed.")
	p.ready()
	p.keys("Escape")
	p.keys("Escape")
	p.matches(`Back to before which prompt\?(.|\n)*\n  > +just now  change it\n +just now  hello\n  2 of 2`)
	p.typed("hel")
	p.matches(`\n  > +just now  hello\n  1 of 2`)
	p.keys("BSpace", "BSpace", "BSpace")
	p.want("2 of 2")
	p.keys("Enter")
	p.matches(`What goes back\?\n(.|\n)*a\.txt: would be restored\n +b\.txt: would be removed`)
	p.matches(`\[b\] both  \[c\] the conversation  \[f\] the files`)
	p.matches(`\nanswer b, c, f:`)
	p.keys("b")
	p.want("the conversation is back before that prompt")
	p.matches(`\n> change it\n$`)
	require.NoFileExists(t, filepath.Join(p.dir, "b.txt"))
	data, err := os.ReadFile(filepath.Join(p.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "as it was\n", string(data))
	p.say(" otherwise")
	p.want("Other way.")
	p.ready()
	p.say("/cost")
	cost := regexp.MustCompile(`last turn: (.*)\nsession: (.*)\n`).FindStringSubmatch(p.matches(`\nsession: .*\n`))
	require.NotEqual(t, cost[1], cost[2], "what was rewound has cost what it has")

	p.say("third")
	p.want("Third.")
	p.ready()
	p.say("/diff turn")
	p.matches(`\n-as it was\n\+again\n`)
	p.say("/rewind")
	p.want("3 of 3")
	p.keys("Enter")
	p.matches(`\nanswer b, c, f:`)
	p.keys("f")
	p.matches(`a\.txt: restored\n`)
	p.ready()
	p.say("what now")
	p.want("Seen.")
}

func TestScreenStartsWithAPromptForksAndResumes(t *testing.T) {
	p := newPane(t, screenTest{width: 120, height: 45, shell: true, replies: []modelserver.Reply{
		{Text: "First answer.", Expect: expect("fix this")},
		{Text: "In the fork.", NewConversation: true, Expect: modelserver.Expectations{{Role: "assistant", Contains: []string{"First answer."}}, {Role: "user", Contains: []string{"in a copy of this session", "go on"}}}},
		{Text: "In the first.", NewConversation: true, Expect: modelserver.Expectations{{Role: "assistant", Contains: []string{"First answer."}}, {Role: "user", Contains: []string{"once more"}}}},
	}})
	p.again(`"fix this"`)
	p.matches(`\n> fix this\nFirst answer\.`)
	p.ready()
	p.say("/rename My work")
	p.want("the session is called My work")
	p.say("/fork")
	p.matches(`session \S+ goes on from here; \S+ stays as it is`)
	p.say("go on")
	p.want("In the fork.")
	p.ready()
	p.say("/rename The fork")
	p.want("called The fork")
	p.keys("C-d")
	p.matches(`\ngo on with: agentbash -r \S+\nshell>`)
	p.again("-r")
	p.matches(`\n  > \S+ +just now  The fork\n    \S+ +just now  My work\n  2 of 2`)
	p.typed("my")
	p.want("1 of 2")
	p.keys("Enter")
	p.matches(`\n> fix this\nFirst answer\.\nsession \S+ goes on\n`)
	p.say("once more")
	p.want("In the first.")
	p.ready()
	p.keys("C-d")
	p.matches(`\ngo on with: agentbash -r \S+\nshell>`)
	p.again("-c --fork")
	p.matches(`\n> fix this\nFirst answer\.\n> once more\nIn the first\.\n>`)
	p.keys("C-d")
	p.matches(`\ngo on with: agentbash -r \S+\nshell>`)
	files, err := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/sessions/*/*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 3)
}

func TestScreenListsSessionsOnAWindowThatGetsSmall(t *testing.T) {
	p := newPane(t, screenTest{shell: true, replies: []modelserver.Reply{{Text: "First."}, {Text: "Second.", NewConversation: true}}})
	for _, prompt := range []string{"find the bug", "mend the bug of the shop's prices"} {
		p.again(`"` + prompt + `"`)
		p.matches(`\n(First|Second)\.\n`)
		p.ready()
		p.keys("C-d")
		p.want("go on with: agentbash -r")
	}
	p.again("-r")
	p.want("2 of 2")
	p.tmux("resize-window", "-x", "40", "-y", "10")
	p.matches(`\n  > mend the bug of the shop's prices\n    find the bug\n  2 of 2`)
	p.matches(`waiting for your answer ([5-9]|\d\d)`)
	require.Equal(t, 1, strings.Count(p.whole(), "waiting for your answer"), "what is drawn is taken off again")
	p.keys("Escape")
	p.ready()
}

func TestScreenShowsFilesThatGitDoesNotKnow(t *testing.T) {
	p := newPane(t, screenTest{width: 200, height: 40, files: map[string]string{".gitignore": "*.log\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("git init -q; echo made > 'a b.txt'; echo x > x.log")}, {Text: "Made."}, {ToolCalls: calls("git add -A; git -c user.name=a -c user.email=b commit -qm x")}, {Text: "Committed."}}})
	p.ready()
	p.say("/diff")
	p.matches(`this is no git repository, so this is what the last turn changed:|no turn of this session changed a file`)
	p.say("make")
	p.want("Made.")
	p.ready()
	p.say("/diff")
	p.matches(`new file mode 100\d\d\d\n(.|\n)*\+\+\+ .?b/a b\.txt.*\n@@ -0,0 \+1 @@\n\+made\n`)
	require.NotContains(t, p.screen(), "x.log\n+++")
	p.say("commit")
	p.want("Committed.")
	p.ready()
	p.say("/diff")
	p.want("nothing has changed since the last commit; /diff turn shows what the last turn changed")
	p.say("/export")
	p.matches(`written: \S+[0-9a-f]\.md`)
	p.say("/export")
	p.matches(`written: \S+-2\.md`)
}

func TestScreenApprovesAPlan(t *testing.T) {
	p := newPane(t, screenTest{width: 100, mode: "plan", replies: []modelserver.Reply{
		{Text: "I would write a file."},
		{Text: "I would write two.", Expect: expect("one more")},
		{ToolCalls: calls("echo x > made.txt"), Expect: expect("The plan is approved", "Mode full")}, {Text: "Made."}}})
	p.ready()
	p.say("what would you do?")
	p.matches(`Approve this plan\?(.|\n)*\nanswer y, a, f, n, b:`)
	p.keys("b")
	p.matches(`\nno, because:`)
	p.say("one more")
	p.matches(`I would write two\.(.|\n)*\nanswer y, a, f, n, b:`)
	p.keys("f")
	p.want("Made.")
	p.ready()
	require.FileExists(t, filepath.Join(p.dir, "made.txt"))
	require.Equal(t, 2, strings.Count(p.raw(), "Approve this plan?"))
}
