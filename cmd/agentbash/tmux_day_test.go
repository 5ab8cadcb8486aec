package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// TestScreenADaysWork goes the way of a day: ask, plan, approve, edit, test, take back, leave and
// come back, try otherwise in a copy, commit, review.
func TestScreenADaysWork(t *testing.T) {
	edit := func(from, to string) []modelserver.ToolCall {
		return append(calls("edit --file_path sum.sh --old_string '"+from+"' --new_string '"+to+"'"), calls("bash sum.sh 2 3")...)
	}
	says := func(role, text string) modelserver.Expectations {
		return modelserver.Expectations{{Role: role, Contains: []string{text}}}
	}
	p := newPane(t, screenTest{width: 120, height: 50, shell: true, files: map[string]string{"sum.sh": "echo $(($1 - $2))\n"}, replies: []modelserver.Reply{
		{ToolCalls: calls("cat sum.sh"), Expect: expect("What is wrong with sum.sh?")}, {Text: "It subtracts. I would add."},
		{ToolCalls: edit("$1 -", "$1 "+"*"), Expect: expect("The plan is approved", "Mode full")}, {Text: "It says 6.", Expect: says("tool", "6")},
		{ToolCalls: edit("$1 -", "$1 "+"+"), NewConversation: true, Expect: modelserver.Expectations{{Role: "assistant", Contains: []string{"I would add."}}, {Role: "user", Contains: []string{"took the conversation back", "sum.sh: restored", "add, and do not multiply"}}}},
		{Text: "It says 5."},
		{ToolCalls: calls("git add -A && git -c user.name=a -c user.email=b commit -qm 'Sums' && git log --oneline"), NewConversation: true, Expect: modelserver.Expectations{{Role: "assistant", Contains: []string{"It says 5."}}, {Role: "user", Contains: []string{"bash is a new one", "Commit it."}}}},
		{Text: "Committed.", Expect: says("tool", "Sums")},
		{ToolCalls: calls("git show --stat --format=%s"), Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Review", "HEAD"}}}}, {Text: "Good.", Expect: says("tool", "sum.sh")},
	}})
	require.NoError(t, exec.Command("git", "init", "-q", p.dir).Run())
	p.want("shell>")
	start := func(words string) {
		p.say("clear; " + os.Args[0] + " " + words + " --dir " + p.dir + " --base-url " + p.server.BaseURL + " -m m --api-key k")
	}
	start(`"What is wrong with sum.sh?" --mode plan`)
	p.matches(`I would add\.(.|\n)*Approve this plan\?(.|\n)*\nanswer y, a, f, n, b:`)
	p.keys("f")
	p.want("It says 6.")
	p.ready()
	p.keys("Escape", "Escape")
	p.matches(`\n  > +just now  The plan is approved: carry it out\.\n`)
	p.keys("Enter")
	p.matches(`sum\.sh: would be restored\n(.|\n)*\nanswer b, c, f:`)
	p.keys("b")
	p.matches(`\n> The plan is approved: carry it out\.\n$`)
	p.keys("C-u")
	p.ready()
	p.say("Now add, and do not multiply.")
	p.want("It says 5.")
	p.ready()
	p.say("/rename Sums")
	p.want("called Sums")
	p.keys("C-d")
	p.want("go on with: agentbash -r ")
	start("-r --fork --mode full")
	p.matches(`\n  > \S+ +just now  Sums\n`)
	p.keys("Enter")
	p.matches(`It says 5\.\nsession \S+ goes on\n>`)
	p.say("Commit it.")
	p.want("Committed.")
	p.ready()
	p.say("/review HEAD")
	p.want("Good.")
	p.ready()
	p.keys("C-d")
	p.want("go on with: agentbash -r ")
	data, err := os.ReadFile(filepath.Join(p.dir, "sum.sh"))
	require.NoError(t, err)
	require.Equal(t, "echo $(($1 + $2))\n", string(data))
	files, err := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/sessions/*/*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 2, "the copy is one of its own")
	out, err := exec.Command("git", "-C", p.dir, "log", "--format=%s").Output()
	require.NoError(t, err)
	require.Equal(t, "Sums\n", string(out))
}

// The same on a terminal that can only print: everything is a line, and no escape is written.
func TestScreenADayInLines(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 150, mode: "ask", env: []string{"TERM=dumb", "NO_COLOR=1"}, replies: []modelserver.Reply{
		{Text: "Hello **there**.", Reasoning: "thought"},
		{ToolCalls: calls("echo x > n.txt; cat n.txt")}, {Text: "Ran."},
		{ToolCalls: calls("write --file_path q.txt --content a")}, {Text: "Not written.", Expect: expect("use another name")},
		{ToolCalls: calls("todo add one two")}, {Text: "Listed."},
		{Text: "Otherwise.", NewConversation: true, Expect: expect("took the conversation back to here", "What I named with @", "x")},
	}})
	p.matches(`\n>\n$`)
	p.say("hello")
	p.want("Hello **there**.")
	p.say("run")
	p.matches(`May this run\?(.|\n)*\nanswer y, .*:`)
	p.say("y")
	p.matches(`\[ok, 1 line, .*\]\n    x\nRan\.`)
	p.say("write")
	p.matches(`would create q\.txt(.|\n)*\nanswer y, .*:`)
	p.say("b")
	p.want("no, because:")
	p.say("use another name")
	p.matches(`\[denied, .*\]\n    denied by the user, who says: use another name\nNot written\.`)
	p.say("list")
	p.matches(`\n    \[ \] 1\. one\n    \[ \] 2\. two\nListed\.`)
	p.say("/copy")
	p.want("this terminal is not known to have a clipboard: /export writes the session to a file")
	p.say("/mode plan")
	p.want("mode plan from here on")
	p.say("/mode ask")
	p.want("mode ask from here on")
	p.say("/rewind")
	p.matches(`\n    1  just now  list\n(.|\n)*\nanswer 1, 2, 3, 4:`)
	p.say("3")
	p.matches(`\nanswer b, c, f:`)
	p.say("c")
	p.matches(`which can be edited and sent again\nrun\n>`)
	p.say("see @n.txt")
	p.matches(`\n  \[@n\.txt: 1 line\]\nOtherwise\.`)
	p.keys("C-d")
	p.want("ended: 0")
	require.NoFileExists(t, filepath.Join(p.dir, "q.txt"))
	require.NotContains(t, p.raw(), "\x1b")
}
