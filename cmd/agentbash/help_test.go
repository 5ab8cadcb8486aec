package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHelpNamesEveryFlag reads the flags out of the sources and looks for each
// in the help of its subcommand.
func TestHelpNamesEveryFlag(t *testing.T) {
	files := map[string]string{"chat": "cmd_chat.go", "exec": "cmd_exec.go", "route": "cmd_route.go", "tools": "cmd_tools.go", "config": "cmd_config.go", "field": "cmd_field.go",
		"sessions": "cmd_sessions.go", "audit": "cmd_audit.go", "mcp": "cmd_mcp.go", "doctor": "cmd_doctor.go"}
	declared := regexp.MustCompile(`\b(?:Bool|String|Float64|Int)(?:Var)?P?\((?:&[\w.]+, )?"([a-z-]+)"`)
	for _, c := range allCommands() {
		require.True(t, strings.HasPrefix(c.help, "usage: agentbash "), c.name)
		require.Contains(t, c.help, "\nexit status", c.name)
		require.Contains(t, c.help, "\nexamples:\n", c.name)
		require.Contains(t, helpRoot, "\n  "+c.name, c.name)
		file, ok := files[c.name]
		if !ok {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		if c.name == "mcp" {
			more, err := os.ReadFile("cmd_install.go")
			require.NoError(t, err)
			source = append(source, more...)
		}
		names := declared.FindAllStringSubmatch(string(source), -1)
		require.NotEmpty(t, names, c.name)
		for _, m := range names {
			require.Contains(t, c.help, "--"+m[1], "agentbash %s --help does not name --%s", c.name, m[1])
		}
	}
}
