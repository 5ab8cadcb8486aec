package main

import (
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/internal/modelserver"
)

func TestScreenShowsWhatRuns(t *testing.T) {
	p := newPane(t, screenTest{width: 100, height: 30, replies: []modelserver.Reply{
		{ToolCalls: calls(`bash_start 'sleep 1000'; seq -f 'line %g' 9; printf '10%%\r20%%\n'; read x <go1; echo last; read x <go2`)}, {Text: "Done."}}})
	for _, name := range []string{"go1", "go2"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(p.dir, name), 0o600))
	}
	next := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte("\n"), 0)) }
	p.ready()
	p.say("go")
	p.matches(`\n    \.\.\. \d+ lines before: Ctrl-O shows more\n    line 7\n    line 8\n    line 9\n    20%\n. running \d+ s, Esc stops, 1 background shell: /jobs\n`)
	p.keys("C-o")
	p.matches(`\n    line 1\n    line 2\n(    line \d\n)+    20%\n. running \d+ s, Esc stops`)
	next("go1")
	p.matches(`\n    20%\n    last\n. running \d+ s, Esc stops`)
	p.keys("C-o")
	p.matches(`Ctrl-O shows more\n    line 8\n    line 9\n    20%\n    last\n. running`)
	next("go2")
	p.want("Done.")
	require.NotContains(t, p.ready(), "Ctrl-O")

	p.say("/jobs")
	list := p.matches(`\n\w+: running for \S+, pid \d+; 0 bytes not seen yet: sleep 1000\n`)
	id := regexp.MustCompile(`\n(\w+): running for`).FindStringSubmatch(list)[1]
	p.say("/jobs " + id)
	p.want("/jobs " + id)
	p.say("/jobs kill " + id)
	p.matches(`\n` + id + `: terminated by SIGTERM after `)
	p.say("/jobs kill")
	p.want("which one?")
	p.say("/jobs nothing")
	p.want(`there is no background shell "nothing"`)
}
