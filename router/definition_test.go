package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

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
		{"the built-in ones", append(files.Tools(nil), own("web_fetch", "web")), " Two kinds", "- agent commands: read, write, edit, grep, glob, and what agent: lists (files, web), with --key value:\nread --file_path main.go"},
		{"one beside them", append(files.Tools(nil), own("greet", "")), " Two kinds", "- agent commands: read, write, edit, grep, glob, greet, and what agent: lists (files), with --key value:\nread"},
		{"own ones", []*registry.Tool{own("wave", ""), own("greet", "")}, " Two kinds", "- agent commands: greet, wave, with --key value:\ngreet --loud\n"},
		{"an own read", []*registry.Tool{own("read", "")}, " Two kinds", "- agent commands: read\n"},
		{"in categories", []*registry.Tool{own("greet", "people")}, " Two kinds", "- agent commands: and what agent: lists (people)\n"},
		{"both", []*registry.Tool{own("greet", ""), own("field:a:b", "")}, " Three kinds", "- agent commands: greet"},
		{"fields", []*registry.Tool{own("field:a:b", "")}, " Two kinds", "- field commands, of servers: field:SERVER -h"},
		{"none", nil, " The output", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			reg := registry.New()
			require.NoError(t, reg.Register(row.tools...))
			text := Definition(reg).Description
			require.Equal(t, text, Definition(reg).Description)
			require.Contains(t, text, " carry over."+row.kinds)
			require.Contains(t, text, row.line)
			require.Equal(t, strings.Contains(row.line, "agent commands"), strings.Contains(text, "agent commands"))
			require.NotContains(t, text, "web_fetch")
		})
	}
}

// TestTheDescriptionNamesServers: 30 with a line each, then a count, in at most 2 KB.
func TestTheDescriptionNamesServers(t *testing.T) {
	reg := registry.New()
	none := len(Definition(reg).Description)
	for i := range 200 {
		g := registry.Group{Name: fmt.Sprintf("server%03d", i), Summary: strings.Repeat("é talks of many things ", 8),
			Load: func(context.Context) ([]*registry.Tool, error) { return nil, errors.New("nothing is started for it") }}
		require.NoError(t, reg.RegisterGroup(g))
		text := Definition(reg).Description
		require.Contains(t, text, "field:server000: é talks")
		require.Equal(t, i >= 29, strings.Contains(text, "field:server029: "))
		require.Less(t, len(text)-none, 2048)
		require.True(t, utf8.ValidString(text))
	}
	require.Contains(t, Definition(reg).Description, "\nand 170 more: field: lists them\n")
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
