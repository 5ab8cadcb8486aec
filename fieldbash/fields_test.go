package fieldbash_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

func TestConfigWarnings(t *testing.T) {
	cfg := config(t, `{
		"mcpServers": {
			"empty": {},
			"both": {"command": "x", "url": "http://x"},
			"odd": {"command": "x", "type": "carrier-pigeon"},
			"off": {"disabled": true},
			"my server": {"command": "x"},
			"db": {"command": "x"}
		},
		"functions": {
			"db": [],
			"fn": [{"name": "a b", "exec": {"argv": ["x"]}}, {"name": "a/b", "exec": {"argv": ["x"]}}, {"exec": {"argv": ["x"]}},
			       {"name": "c"}, {"name": "d", "exec": {"argv": []}}]
		}
	}`)
	var warnings []error
	f, err := fieldbash.New(cfg, &fieldbash.Options{Warn: func(err error) { warnings = append(warnings, err) }})
	require.NoError(t, err)
	defer f.Close()
	got := errors.Join(warnings...).Error()
	_, err = fieldbash.New(cfg, nil)
	require.EqualError(t, err, got, "with nobody to warn they are an error")
	for _, want := range []string{
		`mcpServers.empty: it has neither "command" nor "url"`,
		`mcpServers.both: it has both "command" and "url"`,
		`mcpServers.odd: unknown "type" "carrier-pigeon": write "stdio", "http" or "sse"`,
		`mcpServers.my server: the name is not fit for a command: it is field:my_server`,
		`functions.db: the name field:db belongs to mcpServers.db: it is left out`,
		`functions.fn: a b: the name is not fit for a command: it is field:fn:a_b`,
		`functions.fn: a/b: field:fn:a_b is already a b: it is left out`,
		`functions.fn: a definition has no "name"`,
		`functions.fn: c has neither "exec" nor "http"`,
		`functions.fn: d: "argv" is empty`,
	} {
		require.Contains(t, got, want)
	}
	require.Len(t, warnings, 10)
	var names []string
	for _, g := range f.Groups() {
		names = append(names, g.Name)
	}
	require.Equal(t, []string{"db", "my_server", "fn"}, names)
}

func TestRegisterOffersWhatItIsTold(t *testing.T) {
	b := layer(t, config(t, `{"functions": {"fn": [{"name": "a", "exec": {"argv": ["echo"]}}, {"name": "b", "exec": {"argv": ["echo"]}}]}}`),
		&fieldbash.Options{Offer: func(name string) bool { return name != "field:fn:b" }})
	_, known := b.reg.Lookup("field:fn:a")
	require.True(t, known, "a function is known before its group is loaded")
	tools, err := b.reg.LoadGroup(t.Context(), "fn")
	require.NoError(t, err)
	require.Len(t, tools, 1)
	_, known = b.reg.Lookup("field:fn:b")
	require.False(t, known)
}

func TestServerThatDoesNotStartIsOneMessage(t *testing.T) {
	b := layer(t, config(t, `{"mcpServers": {
		"missing": {"command": "no-such-mcp-server", "args": ["-y"]},
		"dies": {"command": "sh", "args": ["-c", "echo 'no API key' >&2; exit 3"]}
	}}`), nil)
	for i := range 2 { // the layer lives on, and tries again
		o := b.run(t, "field:missing:anything", "--x", "1")
		require.Equal(t, 3, o.status, i)
		require.Contains(t, o.stderr, "field:missing: start: no-such-mcp-server: not found on PATH: install it, or correct")
		o = b.run(t, "field:dies:anything")
		require.Equal(t, 3, o.status, i)
		require.Contains(t, o.stderr, "field:dies: start: the server ended before it answered (exit status 3)")
		require.Contains(t, o.stderr, "no API key")
	}
}

// check makes a function tool with the schema and checks kwargs given as JSON.
func check(t testing.TB, schema, kwargs string) []string {
	t.Helper()
	b := functions(t, execFunction(t, "f", "echo", schema))
	v, err := registry.DecodeJSON([]byte(kwargs))
	require.NoError(t, err)
	return b.Static()[0].Check(v.(map[string]any))
}

func TestValidation(t *testing.T) {
	for _, row := range []struct {
		name, schema, kwargs string
		want                 []string
	}{
		{"right", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":9007199254740993}`, nil},
		{"local ref", `{"type":"object","properties":{"a":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"object","required":["x"],"properties":{"x":{"type":"number"}}}}}`,
			`{"a":{}}`, []string{"--a.x is required (number)"}},
		{"unknown member", `{"type":"object","properties":{"a":{"type":"object","properties":{"name":{}},"additionalProperties":false}}}`,
			`{"a":{"nmae":1}}`, []string{"--a.nmae is not known; did you mean name? (it takes: name)"}},
		{"two mistakes", `{"type":"object","properties":{"a":{"type":"array","items":{"enum":["x","y"]}},"b":{"type":"string","minLength":3}}}`,
			`{"a":["x","z"],"b":"q"}`, []string{"--a[1] must be one of x, y, not z", "--b must have at least 3 characters"}},
		{"union by type", `{"type":"object","properties":{"a":{"type":"object","properties":{"v":{"anyOf":[{"type":"string"},{"type":"array"}]}}}}}`,
			`{"a":{"v":1}}`, []string{"--a.v must be array or string, not number"}},
		{"union, the branch that was meant", `{"type":"object","properties":{"a":{"type":"object","properties":{"v":{"oneOf":[{"type":"string"},{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}]}}}}}`,
			`{"a":{"v":{"id":"x"}}}`, []string{"--a.v.id must be integer, not string"}},
		{"range", `{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9}}}`, `{"n":12}`, []string{"--n must be at most 9"}},
		{"nothing but not", `{"type":"object","properties":{"n":{"not":{"const":1}}}}`, `{"n":1}`, []string{`--n must not fit {"const":1}`}},
		{"all of", `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{"--a is required", "--b is required"}},
		{"elements by place", `{"properties":{"p":{"prefixItems":[{"type":"string"},{"type":"integer"}]}}}`, `{"p":["x","y"]}`, []string{"--p[1] must be integer, not string"}},
		{"reference to itself", `{"type":"object","properties":{"next":{"$ref":"#"},"v":{"type":"string"}}}`, `{"next":{"next":{"v":1}}}`, []string{"--next.next.v must be string, not number"}},
		{"a property called type", `{"type":"object","properties":{"type":{"type":"string"}},"required":["type"]}`, `{}`, []string{"--type is required (string)"}},
		{"root keyword", `{"type":"object","properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{"--a or --b is required"}},
		{"property names that need escapes", `{"type":"object","properties":{"a/b":{"type":"object","required":["c~d"],"properties":{"c~d":{"type":"string"}}}}}`,
			`{"a/b":{}}`, []string{"--a/b.c~d is required (string)"}},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, check(t, row.schema, row.kwargs)) })
	}
	many := check(t, `{"type":"object","properties":{"a":{"items":{"type":"string"}}}}`, `{"a":[`+strings.TrimSuffix(strings.Repeat("1,", 100), ",")+`]}`)
	require.Len(t, many, 21)
	require.Equal(t, "and 80 more", many[20])
}

func TestUnusableSchemasLeaveItToTheServer(t *testing.T) {
	for name, schema := range map[string]string{
		"file":          `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"url":           `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x.json"}}}`,
		"wrong keyword": `{"type":"object","properties":{"a":{"type":"strnig"}}}`,
		"not a schema":  `[1]`,
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			b := layer(t, fieldbash.Config{Functions: map[string][]fieldbash.Function{"fn": {execFunction(t, "f", "echo", schema)}}},
				&fieldbash.Options{Log: func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }})
			require.JSONEq(t, `{"a":"x"}`, b.ok(t, "field:fn:f", "--a", "x"))
			require.Len(t, log, 1)
			require.Contains(t, log[0], "field:fn:f: its schema")
		})
	}
}

func TestDescriptionsAreTamed(t *testing.T) {
	f := execFunction(t, "f", "echo", "")
	f.Description = "Reads \u202etxt.exe\u202c a\x1b[31m file.\x00 Then\u200b more\n" + strings.Repeat("x", 9000)
	tool := functions(t, f).Static()[0]
	require.Equal(t, "Reads txt.exe a file", tool.Summary)
	require.LessOrEqual(t, len(tool.Detail), 4010)
	require.NotContains(t, tool.Detail, "\u202e")
	require.NotContains(t, tool.Detail, "\x1b")
}
