package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenPermissions(t *testing.T) {
	lines := "write --file_path %.txt --content $'one\\ntwo'"
	p := newPane(t, screenTest{width: 190, height: 50, mode: "ask", files: map[string]string{"old.txt": "old\n", ".agentbash/config.json": `{"rules": ["deny read secret.txt"]}`}, replies: []modelserver.Reply{
		{ToolCalls: calls("write --file_path old.txt --content new")},
		{ToolCalls: calls(strings.ReplaceAll(lines, "%", "a")), Expect: expect("write: old.txt exists (1 line) and was not read: read it first")},
		{ToolCalls: calls(strings.ReplaceAll(lines, "%", "b"))}, {Text: "Both."},
		{ToolCalls: calls(strings.ReplaceAll(lines, "%", "c")), Expect: expect("again")}, {Text: "Denied."}}})
	own := filepath.Join(p.home, ".config/agentbash/config.json")
	config := func() string {
		data, err := os.ReadFile(own)
		require.NoError(t, err)
		return string(data)
	}
	p.ready()
	p.say("write")
	p.matches(`\[y\] yes, once  \[s\] yes, and what the rule allows until the session ends`)
	p.matches(`\nanswer y, s, a, `)
	p.keys("a")
	p.want("Both.")
	p.ready()
	require.Equal(t, 1, strings.Count(p.raw(), "May this run?"), "what is known to fail is not asked about")
	require.Contains(t, config(), `"allow agent:write"`)
	p.say("/permissions")
	p.matches(`mode ask; what the rules say comes before what the mode says:\n 1  deny read secret\.txt   from .*/\.agentbash/config\.json:1:12\n 2  allow agent:write +from .*/\.config/agentbash/config\.json:3:5\n`)
	p.say("/config")
	p.matches(`\nmode +ask   from --mode\n(.|\n)*\nfiles .*/\.agentbash/config\.json .*/\.config/agentbash/config\.json\n(.|\n)*\nrule +deny read secret\.txt .*\nrule +allow agent:write`)
	p.say("/permissions remove 1")
	p.matches(`stands in .*config\.json:1:12: take it out there`)
	p.say("/permissions remove 2")
	p.matches(`is taken out of .*config\.json, and counts no more`)
	require.NotContains(t, config(), "agent:write")
	p.say("/permissions add forbid x")
	p.want(`"forbid x": `)
	p.say("/permissions add deny agent:write")
	p.matches(`kept in .*, and counts from here on`)
	require.Contains(t, config(), `"deny agent:write"`)
	p.say("/permissions")
	p.matches(`\n 2  deny agent:write +from .*/\.config/agentbash/config\.json:3:5\n`)
	p.ready()
	p.say("again")
	p.want("Denied.")
	require.NoFileExists(t, filepath.Join(p.dir, "c.txt"))
}
