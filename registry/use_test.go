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
		{"a write that declares nothing", Tool{Kind: Write, Params: NewParams(Param{Name: "file", Type: String})}, []string{"--file=x"}, false, nil, false},
		{"a write that only declares what it reads", Tool{Kind: Write, Params: NewParams(Param{Name: "from", Type: String, Role: ReadsFile})}, []string{"--from=x"}, false, []Use{{ReadsFile, "x"}}, false},
		{"read-only", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "n", Type: Integer})}, []string{"--n=1"}, false, nil, true},
		{"no kind", Tool{Params: NewParams(file)}, []string{"--file=x"}, false, []Use{{WritesFile, "x"}}, false},
		{"a default", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "dir", Type: String, Role: ReadsTree, Default: "."})}, nil, false, []Use{{ReadsTree, "."}}, true},
		{"an array", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Type: Array, Role: ReadsFile})}, []string{`--f=["a", "b"]`}, false, []Use{{ReadsFile, "a"}, {ReadsFile, "b"}}, true},
		{"members", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Type: Array, Items: &Param{Type: Object, Props: NewParams(Param{Name: "p", Type: String, Role: ReadsFile})}})},
			[]string{`--f=[{"p": "a"}, {}]`}, false, []Use{{ReadsFile, "a"}}, true},
		{"a union", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Role: ReadsFile, AnyOf: []Param{{Type: Array, Items: &Param{Type: String}}, {Type: String}}})},
			[]string{"--f=a"}, false, []Use{{ReadsFile, "a"}}, true},
		{"a name that looks like a number", Tool{Kind: ReadOnly, Params: NewParams(Param{Name: "f", Role: ReadsFile})}, []string{"--f=7"}, false, []Use{{ReadsFile, "7"}}, true},
		{"where without what", Tool{Kind: Execute, Params: NewParams(Param{Name: "in", Type: String, Role: RunsIn})}, []string{"--in=d"}, false, []Use{{RunsIn, "d"}}, false},
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

// A role is found wherever a schema may put it. Where it cannot be told whose it is,
// nobody can judge a call that gives a value there.
func TestRolesInSchemas(t *testing.T) {
	const defs = `,"$defs":{"p":{"type":"string","x-role":"read"},"plain":{"type":"string"},"o":{"properties":{"path":{"$ref":"#/$defs/p"}}},
	  "tree":{"type":"object","properties":{"path":{"$ref":"#/$defs/p"},"below":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}`
	deep := `{"path":"c"}`
	for range maxDepth {
		deep = `{"below":[` + deep + `]}`
	}
	rows := []struct {
		name, schema, kwargs string
		want                 []string
		known                bool
	}{
		{"beside $ref", `"properties":{"v":{"$ref":"#/$defs/plain","x-role":"read"}}`, `{"v":"a"}`, []string{"a"}, true},
		{"members beside $ref", `"properties":{"v":{"$ref":"#/$defs/plain","properties":{"path":{"x-role":"read"}}}}`, `{"v":{"path":"a"}}`, []string{"a"}, true},
		{"allOf one", `"properties":{"v":{"allOf":[{"$ref":"#/$defs/p"}],"description":"d"}}`, `{"v":"a"}`, []string{"a"}, true},
		{"allOf several", `"properties":{"v":{"type":"string","allOf":[{"minLength":1},{"$ref":"#/$defs/p"}]}}`, `{"v":"a"}`, []string{"a"}, true},
		{"members in allOf", `"properties":{"v":{"type":"object","allOf":[{"$ref":"#/$defs/o"},{"properties":{"to":{"x-role":"read"}}}]}}`, `{"v":{"path":"a","to":"b"}}`, []string{"a", "b"}, true},
		{"anyOf beside a type", `"properties":{"v":{"type":"object","anyOf":[{"properties":{"path":{"x-role":"read"}}},{"required":["x"]}]}}`, `{"v":{"path":"a"}}`, []string{"a"}, true},
		{"two branches that fit", `"properties":{"v":{"anyOf":[{"type":"object","properties":{"path":{"x-role":"read"}}},{"type":"object","properties":{"to":{"x-role":"read"}}}]}}`, `{"v":{"path":"a","to":"b"}}`, []string{"a", "b"}, true},
		{"a branch of any type", `"properties":{"v":{"oneOf":[{"x-role":"read"},{"minLength":3}]}}`, `{"v":"a"}`, []string{"a"}, true},
		{"then", `"properties":{"v":{"type":"string","if":{"minLength":3},"then":{"x-role":"read"}}}`, `{"v":"abc"}`, []string{"abc"}, true},
		{"additionalProperties", `"properties":{"v":{"type":"object","additionalProperties":{"$ref":"#/$defs/p"}}}`, `{"v":{"x":"a","y":"b"}}`, []string{"a", "b"}, true},
		{"additionalProperties without a type", `"properties":{"v":{"additionalProperties":{"$ref":"#/$defs/p"}}}`, `{"v":{"x":"a"}}`, []string{"a"}, true},
		{"declared ones are not additional", `"properties":{"v":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":{"$ref":"#/$defs/p"}}}`, `{"v":{"x":"a"}}`, nil, true},
		{"prefixItems", `"properties":{"v":{"type":"array","prefixItems":[{"type":"string"},{"$ref":"#/$defs/p"}],"items":{"type":"string","x-role":"read"}}}`, `{"v":["t","a","b"]}`, []string{"a", "b"}, true},
		{"a list of items", `"properties":{"v":{"type":"array","items":[{"type":"string"},{"$ref":"#/$defs/p"}],"additionalItems":{"$ref":"#/$defs/p"}}}`, `{"v":["t","a","b"]}`, []string{"a", "b"}, true},
		{"an object's own", `"properties":{"v":{"type":"object","x-role":"read"}}`, `{"v":{"x":"a","y":["b"]}}`, []string{"x", "a", "y", "b"}, true},
		{"an array's, of objects", `"properties":{"v":{"type":"array","x-role":"read","items":{"type":"object"}}}`, `{"v":[{"x":"a"}]}`, []string{"x", "a"}, true},
		{"a member's default", `"properties":{"v":{"type":"object","properties":{"x":{"type":"string"},"path":{"default":"a","x-role":"read"}}}}`, `{"v":{"x":"t"}}`, []string{"a"}, true},
		{"a value that no branch takes", `"properties":{"v":{"anyOf":[{"type":"string","x-role":"read"},{"type":"null"}]}}`, `{"v":5}`, []string{"5"}, true},
		{"a name like a boolean", `"properties":{"v":{"x-role":"read"}}`, `{"v":true}`, []string{"true"}, true},
		{"the call's $ref", `"$ref":"#/$defs/o"`, `{"path":"a"}`, []string{"a"}, true},
		{"the call's allOf", `"properties":{"x":{"type":"string"}},"allOf":[{"$ref":"#/$defs/o"}]`, `{"x":"t","path":"a"}`, []string{"a"}, true},
		{"the call's additionalProperties", `"additionalProperties":{"$ref":"#/$defs/p"}`, `{"x":"a"}`, []string{"a"}, true},
		{"the call's own", `"x-role":"read"`, `{"x":"a"}`, []string{"x", "a"}, true},
		{"a tree", `"properties":{"v":{"$ref":"#/$defs/tree"}}`, `{"v":{"path":"a","below":[{"path":"b"}]}}`, []string{"a", "b"}, true},

		{"a tree that is too deep", `"properties":{"v":{"$ref":"#/$defs/tree"}}`, `{"v":` + deep + `}`, nil, false},
		{"patternProperties", `"properties":{"v":{"type":"object","patternProperties":{"^x":{"$ref":"#/$defs/p"}}}}`, `{"v":{"x":"a"}}`, nil, false},
		{"names of members", `"properties":{"v":{"type":"object","propertyNames":{"x-role":"read"}}}`, `{"v":{"a":1}}`, nil, false},
		{"dependentSchemas of the call", `"dependentSchemas":{"x":{"properties":{"path":{"x-role":"read"}}}}`, `{"x":1,"path":"a"}`, nil, false},
		{"a reference elsewhere", `"properties":{"v":{"$ref":"https://x.example/schema"}}`, `{"v":"a"}`, nil, false},
		{"a reference to an anchor", `"properties":{"v":{"$ref":"#p"}}`, `{"v":"a"}`, nil, false},
		{"a reference into a list", `"properties":{"v":{"$ref":"#/allOf/0"}},"allOf":[{"maxProperties":9}]`, `{"v":"a"}`, nil, false},
		{"a dynamic reference", `"properties":{"v":{"$dynamicRef":"#p"}}`, `{"v":"a"}`, nil, false},
		{"what is not given", `"properties":{"w":{"type":"string"},"v":{"$ref":"https://x.example/schema"}}`, `{"w":"a"}`, nil, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p, err := ParseSchema("t", json.RawMessage(`{"type":"object",`+row.schema+defs+`}`))
			require.NoError(t, err)
			kwargs, err := DecodeJSON([]byte(row.kwargs))
			require.NoError(t, err)
			uses, known := (&Tool{Kind: ReadOnly, Params: p}).UsesOf(kwargs.(map[string]any))
			var want []Use
			for _, path := range row.want {
				want = append(want, Use{ReadsFile, path})
			}
			require.Equal(t, want, uses)
			require.Equal(t, row.known, known)
			require.Equal(t, []Role{ReadsFile}, p.Roles(""))
		})
	}
}

// A schema that doubles at every level does not hold up the program.
func TestRolesInHugeSchemas(t *testing.T) {
	p, err := ParseSchema("t", json.RawMessage(`{"properties":{"v":{"$ref":"#/$defs/a"}},"$defs":{"a":{"x-role":"read","allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}`))
	require.NoError(t, err)
	uses, known := (&Tool{Kind: ReadOnly, Params: p}).UsesOf(Kwargs{"v": "a"})
	require.Equal(t, []Use{{ReadsFile, "a"}}, uses)
	require.False(t, known)
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
		{ReadOnly, []Param{from, at, list}, []Role{Contacts, ReadsFile, ReadsTree}},
		{Write, []Param{from}, []Role{ReadsFile, ReadsFile, WritesFile}},
		{Write, []Param{state}, nil},
		{Network, []Param{at}, []Role{Contacts}},
	} {
		tool := Tool{Kind: row.kind, Params: NewParams(row.params...)}
		require.ElementsMatch(t, row.want, tool.MayUse())
	}
}

func TestTakesNext(t *testing.T) {
	p := NewParams(Param{Name: "file", Type: String, Aliases: []string{"path"}}, Param{Name: "force", Type: Boolean}, Param{Name: "any", AnyOf: []Param{{Type: Boolean}, {Type: String}}})
	for word, want := range map[string]bool{"--file": true, "--path": true, "--force": false, "--any": true, "--other": false, "file": false, "--file=x": false} {
		require.Equal(t, want, p.TakesNext(word), word)
	}
}
