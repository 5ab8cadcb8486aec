package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// look is a screen whose picture is kept: what is shown when drive has returned.
type look struct {
	name  string
	test  screenTest
	drive func(p *pane)
}

const tableReply = "# Stock\n\nWhat is in the **shop**, by `prices.csv`:\n\n| Name | Price | Count | Note |\n|------|------:|------:|------|\n" +
	"| tea | 3 | 40 | green, from the new supplier, who delivers on Mondays only |\n| milk | 2 | 15 | |\n\n> Prices are in euros.\n\n" +
	"```go\n// total adds up.\nfunc total(rows []row) (sum int) {\n\tfor _, r := range rows {\n\t\tsum += r.price * r.count // not plus\n\t}\n\treturn sum\n}\n```\n\n---\n\n1. one\n2. two"

// looks are the pictures. A new one is a row here.
func looks() []look {
	ask := func(p *pane) { p.ready(); p.say("go") }
	until := func(text string) func(p *pane) {
		return func(p *pane) { ask(p); p.want(text) }
	}
	done := func(text string) func(p *pane) {
		return func(p *pane) { ask(p); p.want(text); p.ready() }
	}
	return []look{
		{"start", screenTest{mode: "ask"}, func(p *pane) { p.ready() }},
		{"streaming", screenTest{replies: []modelserver.Reply{{Reasoning: "They want the stock.", Text: tableReply[:len(tableReply)-20], Hold: true}}}, until("return sum")},
		{"output", screenTest{replies: []modelserver.Reply{{Text: "I look.", ToolCalls: calls("seq 1 200")}, {ToolCalls: calls("cat prices.csv | head -1\nls missing")}, {Text: "Seen."}}}, done("Seen.")},
		{"question", screenTest{mode: "ask", replies: []modelserver.Reply{{Text: "I tidy up.", ToolCalls: calls("mkdir -p old && mv prices.csv old/ && rm -rf build")}}},
			func(p *pane) { ask(p); p.want("answer y, s, a, o, O, n, b:") }},
		{"diff", screenTest{replies: []modelserver.Reply{{ToolCalls: calls("edit --file_path prices.csv --old_string 'tea,3' --new_string 'tea,4'")}, {Text: "Tea costs 4."}}}, done("Tea costs 4.")},
		{"table", screenTest{replies: []modelserver.Reply{{Text: tableReply}}}, done("session")},
		{"status", screenTest{mode: "plan", replies: []modelserver.Reply{{ToolCalls: calls("echo begun; read -r x < go")}}}, func(p *pane) {
			require.NoError(p.t, syscall.Mkfifo(filepath.Join(p.dir, "go"), 0o600))
			ask(p)
			p.want("    begun")
			p.say("and then the tests")
			p.wantStatus("1 queued")
			p.typed("half a prompt")
			p.want("> half a prompt")
		}},
		{"todo", screenTest{replies: []modelserver.Reply{
			{ToolCalls: calls(`todo --items '[{"content": "find the bug", "status": "completed"}, {"content": "write a test", "status": "in_progress"}, {"content": "mend it"}]'`)}, {Text: "On it."}}}, done("On it.")},
		{"picker", screenTest{replies: []modelserver.Reply{{Text: "Tea costs 3."}}}, func(p *pane) {
			done("Tea costs 3.")(p)
			for _, title := range []string{"Prices of the shop", "The same, dearer"} {
				p.say("/rename " + title)
				p.want("the session is called " + title)
				p.ready()
				p.say("/fork")
				p.want("goes on from here")
				p.ready()
			}
			p.say("/clear")
			p.ready()
			p.say("/resume")
			p.want("2 of 2")
			p.keys("Down")
			p.matches(`\n  > .*Prices of`)
		}},
		{"rewind", screenTest{replies: []modelserver.Reply{{ToolCalls: calls("edit --file_path prices.csv --old_string 'tea,3' --new_string 'tea,4'")}, {Text: "Tea costs 4."}}}, func(p *pane) {
			done("Tea costs 4.")(p)
			p.keys("Escape")
			p.keys("Escape")
			p.want("1 of 1")
			p.keys("Enter")
			p.want("answer b, c, f:")
		}},
	}
}

func TestLooks(t *testing.T) {
	for _, l := range looks() {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			name := fmt.Sprintf("%s-%dx%d", l.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				o := l.test
				o.width, o.height, o.short = size[0], size[1], true
				o.files = map[string]string{"prices.csv": "name,price\ntea,3\nmilk,2\n", "build/out": "",
					"~/.config/agentbash/config.json": `{"models": {"m": {"window": 100000}}}`}
				if o.replies == nil {
					o.replies = []modelserver.Reply{{Text: "Hello."}}
				}
				p := newPane(t, o)
				l.drive(p)
				p.comparePicture(filepath.Join("../../testdata/screens", name+".txt"))
				if l.test.replies == nil {
					p.say("go")
					p.want("Hello.")
				}
			})
		}
	}
}

// stable is what can be seen, without what differs from run to run.
func (p *pane) stable() string {
	s := p.whole()
	for _, r := range [][2]string{
		{regexp.QuoteMeta(p.home), "~"},
		{`127\.0\.0\.1:\d+`, "127.0.0.1:PORT"},
		{`[\d.]+ m?s\b`, "N ms"},
		{`[\d,]+ tokens in, [\d,]+ out`, "N tokens in, N out"},
		{`(?m)^[/\\|-] (\w)`, "| $1"},
		{`agentbash \S+ - `, "agentbash VERSION - "},
		{`\d{8}-\d{6}-[0-9a-f]{6}`, "YYYYMMDD-HHMMSS-RANDOM"},
		{` +(just now|\d+ min ago)`, " A TIME AGO"},
	} {
		s = regexp.MustCompile(r[0]).ReplaceAllString(s, r[1])
	}
	return s
}

// comparePicture waits for a screen that is as it is kept. UPDATE_SCREENS=1 keeps it as it is.
func (p *pane) comparePicture(path string) {
	p.t.Helper()
	if os.Getenv("UPDATE_SCREENS") != "" {
		p.wantStatus("context left")
		require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(p.t, os.WriteFile(path, []byte(p.stable()), 0o666))
		return
	}
	kept, err := os.ReadFile(path)
	require.NoError(p.t, err, "UPDATE_SCREENS=1 go test ./cmd/agentbash -run TestLooks makes it")
	p.until("the screen of "+path+" (if another look is meant: UPDATE_SCREENS=1 go test ./cmd/agentbash -run TestLooks)",
		func(string) bool { return p.stable() == string(kept) })
}
