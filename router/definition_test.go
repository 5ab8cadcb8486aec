package router

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func TestTheOneToolHasADefinition(t *testing.T) {
	for _, format := range registry.Formats() {
		raw, err := Definition(registry.New()).In(format)
		require.NoError(t, err)
		require.True(t, json.Valid(raw))
		require.Contains(t, string(raw), `"name":"bash"`)
		require.Contains(t, string(raw), ToolParameters)
	}
}

// TestTheDescriptionNamesWhatIsRegistered: the built-in tools by the text that
// models know, others by their names, and nothing that is not there.
func TestTheDescriptionNamesWhatIsRegistered(t *testing.T) {
	own := func(name, category string) *registry.Tool {
		return &registry.Tool{Name: name, Summary: "does " + name, Params: registry.NewParams(), Category: category, Examples: []string{name + " --loud"},
			Run: func(context.Context, *registry.Call) (registry.ToolResult, error) { return registry.Success(""), nil }}
	}
	for _, row := range []struct {
		name  string
		tools []*registry.Tool
		kinds string
		line  string
	}{
		{"the built-in ones", append(files.Tools(nil), own("web_fetch", "web")), "Three", "- agent commands: read, write, edit, grep, glob. Example: read --file_path main.go --limit 50; " +
			"edit --file_path a.go --old_string 'x' --new_string 'y'. Long text: write --file_path f <<'EOF'\n"},
		{"one beside them", append(files.Tools(nil), own("greet", "")), "Three", "- agent commands: read, write, edit, grep, glob, greet. Example: read"},
		{"own ones", []*registry.Tool{own("wave", ""), own("greet", "")}, "Three", "- agent commands: greet, wave. Example: greet --loud\n"},
		{"an own read", []*registry.Tool{own("read", "")}, "Three", "- agent commands: read\n"},
		{"in categories", []*registry.Tool{own("greet", "people")}, "Three", "- agent commands: agent: lists them\n"},
		{"fields", []*registry.Tool{own("field:a:b", "")}, "Two", ""},
		{"none", nil, "Two", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			reg := registry.New()
			require.NoError(t, reg.Register(row.tools...))
			text := Definition(reg).Description
			require.Equal(t, text, Definition(reg).Description)
			require.Contains(t, text, " carry over. "+row.kinds+" kinds of commands, freely mixed in pipes and loops:\n- anything bash can run\n"+row.line)
			require.Contains(t, text, "\n- field commands: ")
			require.Equal(t, row.line != "", strings.Contains(text, "agent commands"))
			require.NotContains(t, text, "web_fetch")
		})
	}
}

func TestCommandForCallsTheTool(t *testing.T) {
	r := withHooks(t)
	tool, _ := r.Registry().Lookup("write")
	content := "it's $HOME `x` \\n\n--help\r\n"
	command, err := CommandFor(tool, registry.Kwargs{"file_path": "./a b", "content": content})
	require.NoError(t, err)
	p := r.Plan(command)
	require.True(t, p.InProcess)
	require.Equal(t, registry.Kwargs{"file_path": "./a b", "content": content}, p.Kwargs)
	require.Zero(t, run(t, r, command).ExitCode)
	require.Equal(t, content, run(t, r, "cat 'a b'").Stdout)
}
