package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScreenTrust(t *testing.T) {
	p := newPane(t, screenTest{height: 40, width: 120, shell: true, files: map[string]string{
		".agentbash/config.json": `{"functions": {"g": [{"name": "f", "exec": {"argv": ["sh", "tools/f.sh"]}}]}}`,
		"tools/f.sh":             "echo made by f",
	}})
	p.want("shell>")
	trusted := func() int {
		records, _ := filepath.Glob(filepath.Join(p.home, ".local/state/agentbash/trusted/*"))
		return len(records)
	}
	p.say("cd " + p.dir + "; clear; " + os.Args[0] + " config trust")
	s := p.want("answer y, n (Enter: n):")
	require.Contains(t, s, "functions.g: ")
	require.Contains(t, s, "tools/f.sh, SHA-256 ")
	p.keys("Enter")
	p.want("nothing is trusted: you did not say yes")
	require.Zero(t, trusted())
	p.say("clear; echo again; " + os.Args[0] + " config trust; " + os.Args[0] + " field:g:f")
	p.matches(`^again\n(.|\n)*answer y, n \(Enter: n\):`)
	p.say("y")
	p.want("made by f\n")
	require.Equal(t, 3, trusted(), "the file, and what it runs: as it is, and at all")
}
