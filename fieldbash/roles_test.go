package fieldbash_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

const filesSchema = `{"type":"object","properties":{"path":{"type":"string","x-role":"read"},"to":{"type":"string"},"link":{"type":"string","format":"uri"},
  "more":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string","x-role":"write"}}}}}}`

func usesOf(t *testing.T, tool *registry.Tool, words ...string) ([]registry.Use, bool) {
	t.Helper()
	parsed, err := tool.Parse(words, true)
	require.NoError(t, err)
	return tool.UsesOf(parsed.Kwargs)
}

// Roles from a server's schema are for rules and questions; that a call is known
// is for the configuration to say.
func TestRolesOfAServersTools(t *testing.T) {
	const defs = `[{"name":"save/it","inputSchema":` + filesSchema + `},{"name":"look","inputSchema":` + filesSchema + `,"annotations":{"readOnlyHint":true}},
	  {"name":"burn","inputSchema":` + filesSchema + `,"annotations":{"destructiveHint":true}}]`
	words := []string{"--path", "a", "--to", "b", "--link", "https://x.example/", "--more", `[{"path": "c"}]`}
	inSchema := []registry.Use{{Role: registry.ReadsFile, Value: "a"}, {Role: registry.Contacts, Value: "https://x.example/"}, {Role: registry.WritesFile, Value: "c"}}
	rows := []struct {
		name  string
		tool  string
		trust bool
		roles map[string]fieldbash.Roles
		want  []registry.Use
		kind  registry.Kind
		known bool
	}{
		{"a schema", "save_it", false, nil, inSchema, "", false},
		{"a schema of a trusted server that does not say what the tool does", "save_it", true, nil, inSchema, "", false},
		{"a claim that nobody trusts", "look", false, nil, inSchema, "", false},
		{"a claim and a schema that are trusted", "look", true, nil, inSchema, registry.ReadOnly, true},
		{"the configuration", "save_it", false, map[string]fieldbash.Roles{"save/it": {"to": registry.WritesFile}},
			[]registry.Use{inSchema[0], {Role: registry.WritesFile, Value: "b"}, inSchema[1], inSchema[2]}, registry.Write, true},
		{"the configuration over the schema", "save_it", false, map[string]fieldbash.Roles{"save/it": {"path": registry.WritesTree}},
			[]registry.Use{{Role: registry.WritesTree, Value: "a"}, inSchema[1], inSchema[2]}, registry.Write, true},
		{"another tool's", "save_it", false, map[string]fieldbash.Roles{"look": {"path": registry.ReadsFile}}, inSchema, "", false},
		{"where, and not what", "save_it", false, map[string]fieldbash.Roles{"save/it": {"to": registry.RunsIn}},
			[]registry.Use{inSchema[0], {Role: registry.RunsIn, Value: "b"}, inSchema[1], inSchema[2]}, registry.Execute, false},
		{"harmless, against the server's word", "burn", false, map[string]fieldbash.Roles{"burn": {"path": registry.ReadsFile}}, inSchema, "", false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, _ := listed(t, defs)
			s.Trust, s.Roles = row.trust, row.roles
			b := layer(t, fieldbash.Config{MCPServers: map[string]fieldbash.Server{"s": s}}, nil)
			tool, err := b.reg.Resolve(context.Background(), "field:s:"+row.tool)
			require.NoError(t, err)
			want := slices.Clone(row.want)
			for i, u := range want {
				if u.Role != registry.Contacts { // paths are those of the server's directory
					want[i].Value = filepath.Join(b.dir, u.Value)
				}
			}
			uses, known := usesOf(t, tool, words...)
			require.Equal(t, want, uses)
			require.Equal(t, row.kind, tool.Kind)
			require.Equal(t, row.known, known)
		})
	}
}

func TestRolesOfFunctions(t *testing.T) {
	run := execFunction(t, "run", "echo", filesSchema)
	run.Roles = fieldbash.Roles{"to": registry.WritesFile}
	run.Exec.Argv = []string{"it's", "a b", "x=1"}
	ask := fieldbash.Function{Name: "ask", Parameters: json.RawMessage(`{"properties":{"city":{"type":"string"}},"required":["city"]}`),
		HTTP: &fieldbash.HTTP{URL: "https://api.example/{function}/{city}"}}
	b := functions(t, run, ask)
	tool := func(name string) *registry.Tool {
		found, err := b.reg.Resolve(context.Background(), "field:fn:"+name)
		require.NoError(t, err)
		return found
	}
	uses, known := usesOf(t, tool("run"), "--to", "b")
	require.True(t, known)
	require.Equal(t, registry.RunsIn, uses[0].Role)
	require.Equal(t, []registry.Use{{Role: registry.RunsText, Value: `'it'\''s' 'a b' 'x=1'`}, {Role: registry.WritesFile, Value: filepath.Join(b.dir, "b")}}, uses[1:])

	uses, known = usesOf(t, tool("ask"), "--city", "a/b")
	require.True(t, known)
	require.Equal(t, []registry.Use{{Role: registry.Contacts, Value: "https://api.example/ask/a%2Fb"}}, uses)
}

// Files that the grammar reads are read by the call, and what is in them may be
// anything that a parameter with a role takes.
func TestUsesOfValuesFromFiles(t *testing.T) {
	f := execFunction(t, "run", "echo", `{"properties":{"path":{"type":"string","x-role":"write"},"text":{"type":"string"}}}`)
	b := functions(t, f)
	tool, err := b.reg.Resolve(context.Background(), "field:fn:run")
	require.NoError(t, err)
	for _, row := range []struct {
		words []string
		reads string
		known bool
	}{
		{[]string{"--text@=~/f"}, "~/f", true},
		{[]string{"--text@=-"}, "", true},
		{[]string{"--path@=f"}, "f", false},
		{[]string{"--json", "@f"}, "f", false},
		{[]string{"--json", "-"}, "", false},
	} {
		uses, known := usesOf(t, tool, row.words...)
		require.Equal(t, row.known, known, "%q", row.words)
		var reads string
		for _, u := range uses {
			if u.Role == registry.ReadsFile {
				reads = u.Value
			}
		}
		require.Equal(t, row.reads, reads, "%q", row.words)
	}
}

func TestRolesThatThereAreNot(t *testing.T) {
	_, err := fieldbash.New(fieldbash.Config{
		MCPServers: map[string]fieldbash.Server{"s": {Command: "x", Roles: map[string]fieldbash.Roles{"save": {"path": "wirte"}}}},
		Functions: map[string][]fieldbash.Function{"fn": {
			{Name: "a", Exec: &fieldbash.Exec{Argv: []string{"x"}}, Roles: fieldbash.Roles{"p": "eat"}},
			{Name: "b", Exec: &fieldbash.Exec{Argv: []string{"x"}}, Parameters: json.RawMessage(`{"properties":{"q":{}}}`), Roles: fieldbash.Roles{"p": registry.ReadsFile}},
		}},
	}, nil)
	require.ErrorContains(t, err, `mcpServers.s: save: "roles": path has the role "wirte", which there is not: write read, read-tree, write, write-tree, directory, command, address, process, state`)
	require.ErrorContains(t, err, `functions.fn: a: "roles": p has the role "eat"`)
	require.ErrorContains(t, err, `functions.fn: b: "roles" names p, which it has no parameter of`)
}
