package router

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

func TestTheOneToolHasADefinition(t *testing.T) {
	for _, format := range registry.Formats() {
		raw, err := Definition().In(format)
		require.NoError(t, err)
		require.True(t, json.Valid(raw))
		require.Contains(t, string(raw), `"name":"bash"`)
		require.Contains(t, string(raw), ToolParameters)
	}
}

func TestParseArguments(t *testing.T) {
	for _, row := range []struct {
		json string
		want Arguments
		err  string
	}{
		{`{"command":"ls"}`, Arguments{Command: "ls"}, ""},
		{`{"command":"","timeout":null}`, Arguments{}, ""},
		{`{"command":"ls","timeout":1.5}`, Arguments{"ls", 1500 * time.Millisecond}, ""},
		{`{"command":"ls","timeout":"60"}`, Arguments{"ls", time.Minute}, ""},
		{`{"command":"ls","other":1}`, Arguments{Command: "ls"}, ""},
		{`["ls"]`, Arguments{}, "not a JSON object"},
		{``, Arguments{}, "not a JSON object"},
		{`{}`, Arguments{}, "have no command"},
		{`{"command":5}`, Arguments{}, "command is not a string"},
		{`{"command":null}`, Arguments{}, "command is not a string"},
		{`{"command":"ls","timeout":0}`, Arguments{}, "timeout is 0"},
		{`{"command":"ls","timeout":601}`, Arguments{}, "at most 600"},
		{`{"command":"ls","timeout":"NaN"}`, Arguments{}, "timeout is"},
		{`{"command":"ls","timeout":[1]}`, Arguments{}, "timeout is"},
	} {
		got, err := ParseArguments([]byte(row.json))
		if row.err != "" {
			require.ErrorContains(t, err, row.err, row.json)
			continue
		}
		require.NoError(t, err, row.json)
		require.Equal(t, row.want, got, row.json)
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
