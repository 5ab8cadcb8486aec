package router

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentbash/agentbash/registry"
	"github.com/stretchr/testify/require"
)

// explanation is an Explanation with the fields that most rows leave alone
// filled in.
func explanation(command string, more string) string {
	e := map[string]any{"command": command, "layer": "native", "name": "", "args": []any{}, "kwargs": map[string]any{}, "help": "", "in_process": false,
		"calls": []any{}, "script": "", "error": ""}
	if err := json.Unmarshal([]byte(more), &e); err != nil {
		panic(err)
	}
	b, _ := json.Marshal(e)
	return string(b)
}

func TestExplain(t *testing.T) {
	rows := []struct{ name, command, want string }{
		{"native", "ls -la", `{"name":"ls","script":"ls -la"}`},
		{"native, a path", "./run.sh x", `{"name":"./run.sh","script":"./run.sh x"}`},
		{"native, an assignment", "A=1 ls", `{"script":"A=1 ls"}`},
		{"native, no word first", "(ls)", `{"script":"(ls)"}`},
		{"agent, key and value", "read --file_path a.go --limit 5", `{"layer":"agent","name":"read","kwargs":{"file_path":"a.go","limit":5},"in_process":true}`},
		{"agent, key=value", "read --file-path=a.go", `{"layer":"agent","name":"read","kwargs":{"file_path":"a.go"},"in_process":true}`},
		{"agent, positionals", "glob a.go 7", `{"layer":"agent","name":"glob","args":["a.go","7"],"kwargs":{"pattern":"a.go","path":"7"},"in_process":true}`},
		{"agent, a number keeps its digits", "read a.go --offset 9007199254740993", `{"layer":"agent","name":"read","args":["a.go"],"kwargs":{"file_path":"a.go","offset":9007199254740993},"in_process":true}`},
		{"agent, a flag", "grep x --ignore_case", `{"layer":"agent","name":"grep","args":["x"],"kwargs":{"pattern":"x","ignore_case":true},"in_process":true}`},
		{"agent, a flag that is off", "grep x --no-ignore-case --path .", `{"layer":"agent","name":"grep","args":["x"],"kwargs":{"pattern":"x","ignore_case":false,"path":"."},"in_process":true}`},
		{"agent, quotes", `write x.txt 'a $b "c"'`, `{"layer":"agent","name":"write","args":["x.txt","a $b \"c\""],"kwargs":{"file_path":"x.txt","content":"a $b \"c\""},"in_process":true}`},
		{"agent, patterns are not globbed", "glob **/*.go", `{"layer":"agent","name":"glob","args":["**/*.go"],"kwargs":{"pattern":"**/*.go"},"in_process":true}`},
		{"agent, prefix", "agent:read line", `{"layer":"agent","name":"read","args":["line"],"kwargs":{"file_path":"line"},"in_process":true}`},
		{"agent, newlines around", "\n glob x \n", `{"layer":"agent","name":"glob","args":["x"],"kwargs":{"pattern":"x"},"in_process":true}`},
		{"field", "field:db:query --sql 'select 1'", `{"layer":"field","name":"field:db:query","kwargs":{"sql":"select 1"},"in_process":true}`},
		{"field, text stays text", "field:db:query 007", `{"layer":"field","name":"field:db:query","args":["007"],"kwargs":{"sql":"007"},"in_process":true}`},
		{"field, its group not loaded: guessed", "field:late:echo x --n 2 --on", `{"layer":"field","name":"field:late:echo","args":["x"],"kwargs":{"n":2,"on":true},"in_process":true}`},
		{"help, brief", "read -h", `{"layer":"agent","name":"read","help":"brief","in_process":true}`},
		{"help, verbose", "field:db:query --help", `{"layer":"field","name":"field:db:query","help":"verbose","in_process":true}`},
		{"help is a value", "field:db:query --sql --help", `{"layer":"field","name":"field:db:query","kwargs":{"sql":"--help"},"in_process":true}`},
		{"help, group not loaded", "field:late:echo --help", `{"layer":"field","name":"field:late:echo","help":"verbose","in_process":true}`},
		{"listing", "field:", `{"layer":"field","name":"field:","help":"brief","in_process":true}`},
		{"listing of a group", "field:late --help", `{"layer":"field","name":"field:late","help":"verbose","in_process":true}`},
		{"listing of the agent commands", "agent:", `{"layer":"agent","name":"","help":"brief","in_process":true}`},
		{"a command of a server's own", "field:late resources", `{"layer":"field","name":"field:late","args":["resources"],"in_process":true}`},
		{"calls", "read ./a | grep --pattern x > y", `{"name":"read","calls":[{"layer":"agent","name":"read","offset":0},{"layer":"agent","name":"grep","offset":11}],"script":"agent:read ./a | agent:grep --pattern x > y"}`},
		{"calls in a loop", `for f in $(glob x); do field:db:query "$f"; done`, `{"name":"for","calls":[{"layer":"agent","name":"glob","offset":11},{"layer":"field","name":"field:db:query","offset":23}],"script":"for f in $(agent:glob x); do field:db:query \"$f\"; done"}`},
		{"usage error", "edit --file_pat x", `{"layer":"agent","name":"edit","in_process":true,"error":"edit: unknown parameter --file_pat; did you mean --file_path? (its parameters: file_path, old_string, new_string, replace_all)\nedit: missing --file_path: write --file_path TEXT\nsee: edit --help"}`},
		{"no such agent command", "agent:raed x", `{"layer":"agent","name":"raed","in_process":true,"error":"agent:raed: no such command: did you mean read?"}`},
		{"no such server", "field:lat:echo x", "{\"layer\":\"field\",\"name\":\"field:lat:echo\",\"in_process\":true,\"error\":\"field:lat:echo: no such command: did you mean field:late?\"}"},
		{"empty", " \n", `{"error":"the command is empty: send one, such as ` + "`ls` or `read --file_path README.md`" + `"}`},
		{"NUL", "ls \x00", `{"name":"ls","error":"the command holds a NUL byte, which no bash command can: leave it out, or write it as printf '\\0'"}`},
		{"does not parse", "read ./x | 'a", `{"name":"read","script":"read ./x | 'a"}`},
	}
	r := newTest(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := r.Plan(row.command)
			got, err := json.Marshal(p.Explain())
			require.NoError(t, err)
			require.JSONEq(t, explanation(row.command, row.want), string(got))
		})
	}
}

// TestExplainHasEveryField: other programs build on these names.
func TestExplainHasEveryField(t *testing.T) {
	b, err := json.Marshal((&Plan{}).Explain())
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(b, &m))
	var names []string
	for name, value := range m {
		names = append(names, name)
		require.NotNil(t, value, "%s is null", name)
	}
	sort.Strings(names)
	require.Equal(t, "args calls command error help in_process kwargs layer name script", strings.Join(names, " "))
}

func TestParsedCommand(t *testing.T) {
	r := newTest(t)
	require.Equal(t, ParsedCommand{Name: "read", Args: []string{"a.go"}, Kwargs: registry.Kwargs{"file_path": "a.go", "limit": json.Number("5")}, Raw: "read a.go --limit 5"},
		r.Plan("read a.go --limit 5").ParsedCommand)
	require.Equal(t, ParsedCommand{Name: "glob", Kwargs: registry.Kwargs{}, Raw: "glob --help", Help: true, Verbose: true}, r.Plan("glob --help").ParsedCommand)
	require.Equal(t, ParsedCommand{Name: "ls", Raw: "ls -l", Native: true}, r.Plan("ls -l").ParsedCommand)
}

func TestHelpAndListings(t *testing.T) {
	const elsewhere = "values from a file or stdin: --KEY@=FILE, --KEY@=-; all: --json @FILE, --json -\n"
	rows := []struct{ name, command, out string }{
		{"brief", "glob -h", "glob: Test glob\n"},
		{"verbose", "glob --help", "glob: Test glob\n\nusage: glob --pattern TEXT [--path TEXT]\n\nparameters:\n  --pattern (string, required)\n  --path (string)\n" + elsewhere},
		{"of a field command", "field:db:query -h", "field:db:query: Test field:db:query\n"},
		{"of a group that is not loaded", "field:late:echo -h", "field:late:echo: Test field:late:echo\n"},
		{"servers", "field:", "field:late: A server that has to be started\nlist a server's tools: field:late -h\n"},
		{"servers, in a pipe", "field: | head -n 1", "field:late: A server that has to be started\n"},
		{"tools of a server", "field:late", "field:late:echo: Test field:late:echo\nshow a tool's parameters: field:late:echo --help\n"},
		{"tools of a server, brief", "field:late -h", "field:late:echo: Test field:late:echo\nshow a tool's parameters: field:late:echo --help\n"},
		{"tools of a server, verbose", "field:late --help", "field:late:echo: Test field:late:echo\n\nusage: field:late:echo --word TEXT [--n N]\n\nparameters:\n  --word (string, required)\n  --n (integer)\n" + elsewhere},
		{"search", "field: search echo", "field:late:echo: Test field:late:echo\n"},
		{"search, nothing", "field: search zebra stripes", "no field tool matches \"zebra stripes\": field: lists the servers\n"},
		{"agent commands", "agent: | head -n 2", "edit: Test edit\nglob: Test glob\n"},
		{"a server's own command", "field:own greet a 'b c'", "own greet|a|b c\n"},
		{"a server's own command, in a pipe", "field:own greet x | tr a-z A-Z", "OWN GREET|X\n"},
	}
	r := newTest(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if strings.Contains(row.command, "field:own") {
				r = newTest(t)
				require.NoError(t, r.Registry().RegisterGroup(ownCommands()))
			}
			res := run(t, r, row.command)
			require.Equal(t, row.out, res.Stdout, "%s", res.Stderr)
			require.Zero(t, res.ExitCode)
		})
	}
}

// ownCommands is a group with a command of its own and no tools.
func ownCommands() registry.Group {
	return registry.Group{Name: "own", Load: func(context.Context) ([]*registry.Tool, error) { return nil, nil },
		Command: func(_ context.Context, words []string, c *registry.Call) (registry.ToolResult, bool) {
			if words[0] != "greet" {
				return registry.ToolResult{}, false
			}
			c.Stdout.Write([]byte("own " + strings.Join(words, "|") + "\n"))
			return registry.Success(""), true
		}}
}

func TestListingErrors(t *testing.T) {
	rows := []struct {
		name, command, notes string
		status               int
	}{
		{"a word after field:", "field: nonsense", `field:: "nonsense" is not understood here: a tool is called as field:SERVER:TOOL --key value`, 2},
		{"a word after a server", "field:late nonsense", `field:late: "nonsense" is not understood here`, 2},
		{"a word after a server with commands of its own", "field:own nonsense", `field:own: "nonsense" is not understood here`, 2},
		{"a word after agent:", "agent: read x", `"read" is not understood here: a command is called as agent:NAME, without a blank`, 2},
		{"no such server", "field:lste", "field:lste: no such command: did you mean field:late?", 127},
		{"no such tool of a server", "field:late:eco x", "field:late:eco: no such command: did you mean field:late:echo?", 127},
		{"no such tool, in a pipe", "field:late:eco x | cat; exit ${PIPESTATUS[0]}", "field:late:eco: no such command: did you mean field:late:echo?", 127},
		{"no such agent command, in a pipe", "agent:gloob x | cat; exit ${PIPESTATUS[0]}", "agent:gloob: no such command: did you mean glob?", 127},
		{"a group that cannot be loaded", "field:broken:x", "field:broken: connect: nobody there", 1},
	}
	r := newTest(t)
	require.NoError(t, r.Registry().RegisterGroup(ownCommands()))
	require.NoError(t, r.Registry().RegisterGroup(registry.Group{Name: "broken", Load: func(context.Context) ([]*registry.Tool, error) {
		return nil, errors.New("connect: nobody there")
	}}))
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			res := run(t, r, row.command)
			require.Contains(t, res.Stderr, row.notes)
			require.Equal(t, row.status, res.ExitCode)
		})
	}
}

// TestUsageErrorsCostNothing: the tool does not run, directly or from bash, and
// the message is the same.
func TestUsageErrorsCostNothing(t *testing.T) {
	var ran atomic.Int32
	counts := &registry.Tool{Name: "count", Summary: "Count", Params: registry.NewParams(stringParam("file", true), registry.Param{Name: "n", Type: registry.Integer}, registry.Param{Name: "on", Type: registry.Boolean},
		registry.Param{Name: "list", Type: registry.Array, Items: &registry.Param{Type: registry.Integer}}, registry.Param{Name: "mode", Type: registry.String, Enum: []string{"a", "b"}}),
		Run: func(context.Context, *registry.Call) (registry.ToolResult, error) {
			ran.Add(1)
			return registry.Success(""), nil
		}}
	rows := []struct{ words, want string }{
		{"", "count: missing --file: write --file TEXT"},
		{"--file", "count: --file needs a value: write --file VALUE"},
		{"--file --n", "count: --file needs a value, and the next word is --n: write --file=--n if that is the value"},
		{"f --n x", `count: --n: "x" is not an integer: write a whole number such as 5`},
		{"f --n 1.5", `count: --n: "1.5" is not an integer`},
		{"f --n 1 --n 2", `count: --n is given twice ("1", then "2"): give it once`},
		{"f --on=maybe", `count: --on: "maybe" is not a boolean: write true or false`},
		{"f --no-on=true", "count: --no-on takes no value: write --on=true or --on=false"},
		{"f --mode c", `count: --mode: "c" is not one of a, b`},
		{"f --list 1 --list x", `count: --list: element 2: "x" is not an integer`},
		{"f --fil g", "count: unknown parameter --fil; did you mean --file? (its parameters: file, n, on, list, mode)"},
		{"f -x", "count: unknown option -x: a value that starts with - goes after --"},
		{"f 1 true 2 a b", `count: a word too many: "1": quote values of several words: --file 'f 1 true 2 a b'`},
	}
	r := newTest(t, counts)
	for _, row := range rows {
		t.Run(row.words, func(t *testing.T) {
			direct := run(t, r, "count "+row.words)
			require.Equal(t, 2, direct.ExitCode)
			require.Contains(t, direct.Stderr, row.want)
			require.Contains(t, direct.Stderr, "see: count --help")
			require.Equal(t, strings.TrimSpace(direct.Stderr), direct.Error)
			inBash := run(t, r, "count "+row.words+" | cat; exit ${PIPESTATUS[0]}")
			require.Equal(t, 2, inBash.ExitCode)
			require.Equal(t, direct.Stderr, inBash.Stderr)
		})
	}
	require.Zero(t, ran.Load())
	require.Zero(t, run(t, r, "count f --no-on --list 1 --list 2 -- ").ExitCode)
	require.EqualValues(t, 1, ran.Load())
}

// TestStatusGoesOn: $? of an in-process command is the next command's.
func TestStatusGoesOn(t *testing.T) {
	r := newTest(t)
	run(t, r, "grep --pattern absent")
	require.Equal(t, "1\n", run(t, r, "echo $?").Stdout, "before the shell had started")
	run(t, r, "edit --nope")
	require.Equal(t, "2\n", run(t, r, "echo $?").Stdout)
	run(t, r, "glob x")
	require.Equal(t, "0\n", run(t, r, "echo $?").Stdout)
	run(t, r, "cd /; false")
	run(t, r, "agent:nope")
	require.Equal(t, "127 /\n", run(t, r, "echo $? $PWD").Stdout)
	require.Equal(t, "/", run(t, r, "glob x").Dir)
}
