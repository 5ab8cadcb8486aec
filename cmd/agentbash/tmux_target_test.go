package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

// Commands go to another target and back; questions are asked here.
func TestScreenGoesToTarget(t *testing.T) {
	far := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(far, "AGENTS.md"), []byte("Say please."), 0o600))
	p := newPane(t, screenTest{mode: "none", width: 120, height: 45, files: map[string]string{
		"~/.config/agentbash/config.json": `{"targets": {"web1": "exec:env ` + asProgram + `=1 HOME=` + far + `"}}`}, replies: []modelserver.Reply{
		{Text: "There.", ToolCalls: calls("touch there")},
		{Text: "Again.", ToolCalls: calls("touch here"), Expect: expect("(no output)")},
		{Text: "Well.", Expect: expect("denied by the user")}}})
	p.ready()
	p.say("/on")
	p.want("commands run on this machine")
	p.say("/on web1")
	p.want("commands run on web1 (linux/amd64), in " + far)
	p.say("go")
	s := p.want("answer y,")
	require.Contains(t, s, "touch there")
	require.Contains(t, s, far+" on web1 (mode ask)")
	require.NotContains(t, s, "and always")
	p.typed("y")
	p.matches(`touch here(.|\n)*answer y,.*\n$`)
	require.FileExists(t, filepath.Join(far, "there"))
	require.False(t, p.exists("there"))
	p.typed("n")
	p.want("Well.")
	p.say("/mode auto")
	p.want("mode auto from here on")
	p.say("!pwd")
	p.want("\n" + far)
	p.say("/jobs")
	p.want("nothing runs in the background")
	p.say("/on local")
	p.want("commands run on this machine, in " + p.dir)
	p.say("/on nowhere:x")
	p.want("or one of web1")
	var sent strings.Builder
	for _, r := range p.server.Requests() {
		sent.Write(r.Body)
	}
	require.Contains(t, sent.String(), "/on web1")
}
