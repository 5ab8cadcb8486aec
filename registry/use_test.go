package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsesOf(t *testing.T) {
	file := Param{Name: "file", Type: String, Role: WritesFile, Aliases: []string{"path"}}
	rows := []struct {
		name  string
		tool  Tool
		words []string
		stdin bool
		want  []Use
		known bool
	}{
		{"a path", Tool{Kind: Write, Params: NewParams(file)}, []string{"--path=~/x"}, false, []Use{{WritesFile, "~/x"}}, true},
		{"a write without one", Tool{Kind: Write, Params: NewParams(file)}, nil, false, nil, false},
		{"a write that declares nothing", Tool{Kind: Write, Params: NewParams(Param{Name: "file", Type: String})}, []string{"x"}, false, nil, false},
		{"a write that only declares what it reads", Tool{Kind: Write, Params: NewParams(Param{Name: "from", Type: String, Role: ReadsFile})}, []string{"x"}, false, []Use{{ReadsFile, "x"}}, false},
		{"read-only", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "n", Type: Integer})}, []string{"1"}, false, nil, true},
		{"no kind", Tool{Params: NewParams(file)}, []string{"x"}, false, []Use{{WritesFile, "x"}}, false},
		{"a default", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "dir", Type: String, Role: ReadsTree, Default: "."})}, nil, false, []Use{{ReadsTree, "."}}, true},
		{"an array", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Type: Array, Role: ReadsFile})}, []string{`["a", "b"]`}, false, []Use{{ReadsFile, "a"}, {ReadsFile, "b"}}, true},
		{"members", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Type: Array, Items: &Param{Type: Object, Props: NewParams(Param{Name: "p", Type: String, Role: ReadsFile})}})},
			[]string{`[{"p": "a"}, {}]`}, false, []Use{{ReadsFile, "a"}}, true},
		{"a union", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Role: ReadsFile, AnyOf: []Param{{Type: Array, Items: &Param{Type: String}}, {Type: String}}})},
			[]string{"a"}, false, []Use{{ReadsFile, "a"}}, true},
		{"a name that looks like a number", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Role: ReadsFile})}, []string{"7"}, false, []Use{{ReadsFile, "7"}}, true},
		{"where without what", Tool{Kind: Execute, Params: NewParams(Param{Name: "in", Type: String, Role: RunsIn})}, []string{"d"}, false, []Use{{RunsIn, "d"}}, false},
		{"text from stdin", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Type: String, Role: ReadsFile, Required: true, Stdin: true})}, nil, true, nil, false},
		{"corrected", Tool{Kind: Write, Params: NewParams(file, Param{Name: "list", Type: Boolean}), Uses: func(k Kwargs, uses []Use, known bool) ([]Use, bool) {
			return uses, known || k["list"] == true
		}}, []string{"--list"}, false, nil, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			parsed, err := row.tool.Parse(row.words, row.stdin)
			require.NoError(t, err)
			uses, known := row.tool.UsesOf(parsed.Kwargs)
			require.Equal(t, row.want, uses)
			require.Equal(t, row.known, known)
		})
	}
}

func TestASchemaMayNameRoles(t *testing.T) {
	p, err := ParseSchema("t", json.RawMessage(`{"properties":{"path":{"type":"string","x-role":"write"},"link":{"type":"string","format":"uri"},
	  "odd":{"type":"string","x-role":"eat"},"many":{"type":"array","items":{"$ref":"#/$defs/f"}}},"$defs":{"f":{"type":["string","null"],"x-role":"read"}}}`))
	require.NoError(t, err)
	uses, known := (&Tool{Kind: Write, Params: p}).UsesOf(Kwargs{"path": "a", "link": "https://x.example", "odd": "o", "many": []any{"b", nil}})
	require.True(t, known)
	require.Equal(t, []Use{{WritesFile, "a"}, {Contacts, "https://x.example"}, {ReadsFile, "b"}}, uses)
}

func TestMayUse(t *testing.T) {
	from, at := Param{Name: "from", Type: String, Role: ReadsFile}, Param{Name: "at", Type: String, Role: Contacts}
	list := Param{Name: "list", Type: Array, Items: &Param{AnyOf: []Param{{Type: String, Role: ReadsTree}, {Type: Object, Props: NewParams(from)}}}}
	state := Param{Name: "state", Type: String, Role: KeepsState}
	for _, row := range []struct {
		kind   Kind
		params []Param
		want   []Role
	}{
		{ReadOnly, []Param{from, at, list}, []Role{ReadsFile, Contacts, ReadsTree, ReadsFile}},
		{Write, []Param{from}, []Role{ReadsFile, ReadsFile, WritesFile}},
		{Write, []Param{state}, nil},
		{Network, []Param{at}, []Role{Contacts}},
	} {
		tool := Tool{Kind: row.kind, Params: NewParams(row.params...)}
		require.Equal(t, row.want, tool.MayUse())
	}
}

func TestTakesNext(t *testing.T) {
	p := NewParams(Param{Name: "file", Type: String, Aliases: []string{"path"}}, Param{Name: "force", Type: Boolean}, Param{Name: "any", AnyOf: []Param{{Type: Boolean}, {Type: String}}})
	for word, want := range map[string]bool{"--file": true, "--path": true, "--force": false, "--any": true, "--other": false, "file": false, "--file=x": false} {
		require.Equal(t, want, p.TakesNext(word), word)
	}
}
