package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenPromptsThatAreBuiltInAndOthers(t *testing.T) {
	p := newPane(t, screenTest{width: 110, height: 40, files: map[string]string{".claude/commands/explain.md": "Explain $1 to $2.", "~/.agents/commands/mine.md": "Mine: $ARGUMENTS"}, replies: []modelserver.Reply{
		{Text: "Written.", Expect: modelserver.Expectations{{Contains: []string{"Write AGENTS.md in the root of this repository", "in German"}}}},
		{Text: "Reviewed.", Expect: modelserver.Expectations{{Contains: []string{"What to review: HEAD~1"}}}},
		{Text: "Explained.", Expect: modelserver.Expectations{{Equals: ptr("Explain a.go to me.")}}},
		{Text: "Mine.", Expect: modelserver.Expectations{{Equals: ptr("Mine: x")}}}}})
	for _, row := range [][2]string{{"/init in German", "Written."}, {"/review HEAD~1", "Reviewed."}, {"/explain a.go me now", "/explain comes from this project"}, {"/explain a.go me now", "Explained."}, {"/mine x", "Mine."}} {
		p.ready()
		p.say(row[0])
		p.want(row[1])
	}
	p.ready()
	p.say("/help")
	p.matches(`/review +Reviews the changes in the working tree`)
}

func TestScreenServersAndTheirState(t *testing.T) {
	p := newPane(t, screenTest{width: 110, height: 40, files: map[string]string{"~/server.sh": askingServer,
		"~/.config/agentbash/config.json": `{"mcpServers": {"shop": {"command": "bash", "args": ["${HOME}/server.sh"]}, "gone": {"command": "/nowhere/server"}, "far": {"url": "http://127.0.0.1:9/mcp"}}}`},
		replies: []modelserver.Reply{{Text: "Hi."}}})
	p.ready()
	p.say("/mcp")
	p.matches(`field:far: not started, not signed in: .*\nfield:gone: not started: .*\nfield:shop: not started: `)
	p.say("/mcp restart shop")
	p.matches(`field:shop runs: 1 tools?, started in `)
	p.say("/field restart gone")
	p.want("/nowhere/server")
	p.ready()
	p.say("/field")
	p.matches(`field:gone: failed: .*\n +.*nowhere(.|\n)*field:shop: running, 1 tool: `)
	p.say("/field shop")
	p.want("order")
	p.say("/field logout shop")
	p.want("no login that is kept here")
	p.say("/field login")
	p.want("which server?")
	p.ready()
	p.say("hi")
	p.want("Hi.")
}

func TestScreenAgentsAreShownAndStopped(t *testing.T) {
	p := newPane(t, screenTest{width: 110, height: 40, replies: []modelserver.Reply{
		{ToolCalls: calls("agent_start 'Wait for it.'; until test -e begun; do sleep 0.05; done")},
		{NewConversation: true, Expect: modelserver.Expectations{{Role: "user", Contains: []string{"Wait for it."}}}, ToolCalls: calls("touch begun; sleep 300")},
		{NewConversation: true, Text: "It works."},
	}})
	p.ready()
	p.say("go")
	p.want("It works.")
	p.ready()
	p.say("/jobs")
	p.matches(`\na1: running, .*: Wait for it\.\n`)
	p.say("/jobs kill a1")
	p.matches(`\na1: terminated, `)
	p.ready()
	p.say("/jobs a1")
	p.matches(`\na1: terminated, .*\n\$ touch begun; sleep 300`)
	p.say("/effort much")
	p.want(`effort "much": it is none, minimal`)
	p.ready()
	p.say("/effort low")
	p.want("effort: low, from the next request on")
	found, err := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/agents/*/*.jsonl"))
	require.NoError(t, err)
	require.Len(t, found, 1, "its transcript is kept")
}
