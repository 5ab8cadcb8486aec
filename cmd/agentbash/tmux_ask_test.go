package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// askingServer is an MCP server (2025-06-18, stdio) whose tool asks the person
// and returns what came of it. Its texts try to move the cursor.
const askingServer = `#!/bin/bash
while read -r line; do
  [[ $line =~ \"id\":\ *([0-9]+) ]] || continue
  id=${BASH_REMATCH[1]}
  case $line in
  *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"order","description":"Orders","inputSchema":{"type":"object"}}]}}';;
  *'"tools/call"'*)
    echo '{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"Which one?\u001b[2J\u202e","requestedSchema":{"type":"object","properties":{"size":{"type":"string","enum":["small","large"]},"count":{"type":"integer","description":"how many"}},"required":["size","count"]}}}'
    read -r answer
    answer=${answer//\"/\'}
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"got '"$answer"'"}]}}';;
  *) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

func askingFiles(keepAlive string) map[string]string {
	return map[string]string{"~/server.sh": askingServer,
		"~/.config/agentbash/config.json": `{"mcpServers": {"shop": {"command": "bash", "args": ["${HOME}/server.sh"], "keepAlive": ` + keepAlive + `}}}`}
}

func TestScreenAServersQuestionDuringATurn(t *testing.T) {
	for terminal, keepAlive := range map[string]string{"screen-256color": "false", "dumb": `"1s"`} {
		t.Run(terminal, func(t *testing.T) {
			p := newPane(t, screenTest{height: 40, width: 80, files: askingFiles(keepAlive), env: []string{"TERM=" + terminal}, replies: []modelserver.Reply{
				{Text: "Ordering.", ToolCalls: calls("field:shop:order")},
				{Text: "Ordered.", Expect: expect("'size':'large'", "'count':3")}}})
			enter := func(text string) {
				p.typed(text)
				if terminal == "dumb" {
					p.keys("Enter")
				}
			}
			p.ready()
			p.say("go")
			s := p.want("answer y, n (Enter: n):")
			require.Contains(t, s, "\n? field:shop asks something. Answer it?\n    Which one?\\x1b[2J\\u202e\n")
			require.Contains(t, s, "Ordering.\n", "the screen was not cleared")
			enter("y")
			p.want("answer small, large:")
			p.say("huge")
			p.want("type one of small, large")
			p.say("large")
			p.matches(`\? count\n    how many\n(.|\n)*answer:\n$`)
			p.say("3")
			p.want("Ordered.")
		})
	}
}

func TestScreenAServersQuestionInAShell(t *testing.T) {
	p := newPane(t, screenTest{height: 40, width: 80, shell: true, files: askingFiles(`"1s"`)})
	p.want("shell>")
	p.say(`"` + os.Args[0] + `" exec 'field:shop:order'`)
	p.want("answer y, n (Enter: n):")
	p.keys("Enter")
	p.want("'action':'decline'")
	p.say("clear; echo first''done")
	p.want("firstdone")
	p.say(`"` + os.Args[0] + `" field:shop:order`)
	p.want("answer y, n (Enter: n):")
	p.keys("C-d")
	p.want("'action':'decline'")
	p.say("clear; echo second''done")
	p.want("seconddone")
	p.say(`"` + os.Args[0] + `" field:shop:order < /dev/null`)
	p.want("'action':'decline'")
	require.NotContains(t, p.screen(), "Answer it?")
}

func TestScreenAHeadlessRunAsksNobody(t *testing.T) {
	p := newPane(t, screenTest{height: 40, shell: true, files: askingFiles("false"), replies: []modelserver.Reply{
		{ToolCalls: calls("field:shop:order")}, {Text: "Never asked.", Expect: expect("'action':'decline'")}}})
	p.want("shell>")
	p.say("clear; " + os.Args[0] + " --base-url " + p.server.BaseURL + " --model m --api-key k --mode full -p go")
	s := p.want("Never asked.\n")
	require.NotContains(t, s, "Answer it?")
}
