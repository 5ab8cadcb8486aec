package fieldbash_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentbash/agentbash/registry"
)

// schemas are parameters as servers declare them.
var schemas = map[string]string{
	"shot":     `{"type":"object","required":["scale","deep"],"properties":{"scale":{"type":"string","enum":["css","device"],"default":"css"},"deep":{"type":"object","default":{},"required":["n"],"properties":{"n":{"type":"integer","default":1}}}}}`,
	"shape":    `{"type":"object","required":["shape"],"properties":{"shape":{"oneOf":[{"type":"object","required":["type","r"],"properties":{"type":{"const":"circle"},"r":{"type":"number"}}},{"type":"object","required":["type","w","h"],"properties":{"type":{"const":"rect"},"w":{"type":"number"},"h":{"type":"number"},"label":{"type":"string"}}}]}}}`,
	"kind":     `{"oneOf":[{"type":"object","required":["kind","x"],"properties":{"kind":{"const":"x"},"x":{"type":"integer"}}},{"type":"object","required":["kind","y"],"properties":{"kind":{"const":"y"},"y":{"type":"string"}}}]}`,
	"both":     `{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}},{"$ref":"#/$defs/b"}],"$defs":{"b":{"type":"object","properties":{"b":{"type":"integer"}}}}}`,
	"ref":      `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","required":["q"],"properties":{"q":{"type":"string","description":"what to ask"}}}}}`,
	"either":   `{"type":"object","properties":{"url":{"type":"string"},"file":{"type":"string"}},"anyOf":[{"required":["url"]},{"required":["file"]}]}`,
	"map":      `{"type":"object","properties":{"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`,
	"mixed":    `{"type":"object","properties":{"mixed":{"enum":["a",1,true,null]}}}`,
	"objs":     `{"type":"object","properties":{"objs":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
	"help":     `{"type":"object","properties":{"help":{"type":"boolean"},"schema":{"type":"string"}}}`,
	"needhelp": `{"type":"object","required":["help"],"properties":{"help":{"type":"string"}}}`,
	"filter":   `{"type":"object","required":["$filter"],"properties":{"$filter":{"type":"string"},"$top":{"type":"integer"}}}`,
	"not":      `{"type":"object","properties":{"a":{"type":"string"}},"not":{"required":["a"]}}`,
	"if":       `{"type":"object","properties":{"how":{"type":"string"},"n":{"type":"integer"}},"if":{"properties":{"how":{"const":"exact"}},"required":["how"]},"then":{"required":["n"]}}`,
	"nullable": `{"type":"object","required":["n"],"properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}}}`,
	"tree":     `{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"}}}}}`,
}

func schemaBench(t *testing.T) bench {
	cfg := map[string]any{}
	var list []map[string]any
	for name, schema := range schemas {
		list = append(list, map[string]any{"name": name, "parameters": json.RawMessage(schema), "exec": map[string]any{"argv": []string{"cat"}}})
	}
	cfg["functions"] = map[string]any{"s": list}
	text, err := json.Marshal(cfg)
	require.NoError(t, err)
	return layer(t, config(t, string(text)), nil)
}

// TestSchemas calls tools whose schemas are more than a list of properties.
func TestSchemas(t *testing.T) {
	b := schemaBench(t)
	for _, row := range []struct {
		name, words string // words are separated by |
		want        string // what is sent; or, if it begins with "!", lines of the error
	}{
		{"required with a default", `shot`, `{}`},
		{"required with a default, as JSON", `shot|--json|{}`, `{}`},
		{"required with a default, in an object", `shot|--deep|{}`, `{"deep":{}}`},
		{"required with the default null", `nullable`, `{}`},
		{"the second variant by dotted keys", `shape|--shape.type|rect|--shape.w|2|--shape.h|3`, `{"shape":{"type":"rect","w":2,"h":3}}`},
		{"the first", `shape|--shape.type=circle|--shape.r=1.5`, `{"shape":{"type":"circle","r":1.5}}`},
		{"a member that one variant has", `shape|--shape.type|rect|--shape.w|2|--shape.h|3|--shape.label|7`, `{"shape":{"type":"rect","w":2,"h":3,"label":"7"}}`},
		{"what the variant that was meant misses", `shape|--json|{"shape":{"type":"rect","w":2}}`, `!--shape.h is required (number)`},
		{"the same by keys", `shape|--shape.type|rect|--shape.w|2`, `!--shape.h is required (number)`},
		{"a wrong member of it", `shape|--json|{"shape":{"type":"circle","r":"big"}}`, `!--shape.r must be number, not string`},
		{"no variant", `shape|--json|{"shape":{"type":"line"}}`, `!--shape.type must be one of circle, rect, not line`},
		{"a root of variants", `kind|--kind|y|--y|5`, `{"kind":"y","y":"5"}`},
		{"the other", `kind|--kind|x|--x|5`, `{"kind":"x","x":5}`},
		{"what it misses", `kind|--kind|x`, `!--x is required (integer)`},
		{"what no variant has", `kind|--kind|z`, `!"z" is not one of x, y`},
		{"a key that no variant has", `kind|--kind|x|--xx|5`, `!unknown parameter --xx`},
		{"a root of parts", `both|--a|7|--b|7`, `{"a":"7","b":7}`},
		{"what a part requires", `both|--b|7`, `!missing --a`},
		{"a root that is a reference", `ref|--q|7`, `{"q":"7"}`},
		{"positional of a reference", `ref|7`, `{"q":"7"}`},
		{"one of two", `either|--url|u`, `{"url":"u"}`},
		{"neither of two", `either`, `!--url or --file is required`},
		{"a map of strings", `map|--labels.PORT|8080`, `{"labels":{"PORT":"8080"}}`},
		{"a map of strings, as JSON", `map|--labels|{"PORT":8080}`, `!--labels.PORT must be string, not number`},
		{"null of an enum", `mixed|--mixed|null`, `{"mixed":null}`},
		{"a number of it", `mixed|--mixed|1`, `{"mixed":1}`},
		{"true of it", `mixed|--mixed|true`, `{"mixed":true}`},
		{"text of it", `mixed|--mixed|a`, `{"mixed":"a"}`},
		{"none of it", `mixed|--mixed|b`, `!"b" is not one of a, 1, true, null`},
		{"none of it, as JSON", `mixed|--json|{"mixed":2}`, `!--mixed must be one of a, 1, true, null, not 2`},
		{"an array with a hole", `objs|--objs.1.a|y`, `!--objs.0 is not given, and later elements are: number them from 0`},
		{"a parameter called help", `help|--help=true`, `{"help":true}`},
		{"a parameter called schema", `help|--schema|x`, `{"schema":"x"}`},
		{"a required help", `needhelp`, `!missing --help: write --help=TEXT`},
		{"a required help that is given", `needhelp|--help=me`, `{"help":"me"}`},
		{"a name that bash would expand", `filter|--$filter|x eq 1`, `{"$filter":"x eq 1"}`},
		{"a name that bash would expand is missing", `filter`, `!missing '--$filter': write '--$filter' TEXT`},
		{"a keyword that says nothing of a place", `not|--a|x`, `!the arguments must not fit {"required":["a"]}`},
		{"a condition", `if|--how|exact`, `!--n is required`},
		{"a condition that does not hold", `if|--how|about`, `{"how":"about"}`},
		{"references in a circle", `tree|--node.next.v|2|--node.v|1`, `{"node":{"next":{"v":2},"v":1}}`},
		{"references in a circle, deep", `tree|--json|{"node":{"v":1,"next":{"next":{"v":3}}}}`, `!--node.next.v is required (integer)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := b.run(t, strings.Split("field:s:"+row.words, "|")...)
			require.NotContains(t, o.stderr, "validating")
			require.NotContains(t, o.stderr, "http")
			if want, wrong := strings.CutPrefix(row.want, "!"); wrong {
				require.Equal(t, 2, o.status, o.stdout)
				require.Contains(t, o.stderr, want)
				problems := strings.Split(strings.TrimSpace(o.stderr), "\n")
				require.Len(t, problems, 2, "one problem and an example: %s", o.stderr)
				return
			}
			require.Zero(t, o.status, o.stderr)
			require.Equal(t, row.want, strings.TrimSpace(o.stdout))
		})
	}
}

// TestSchemaHelp: --help and --schema tell of every parameter, and call nothing.
func TestSchemaHelp(t *testing.T) {
	b := schemaBench(t)
	for name, want := range map[string][]string{
		"shot":     {`--scale (css|device, default "css")`, "usage: field:s:shot [--scale css|device]"},
		"shape":    {"--shape ({type: circle, r} or {type: rect, w, h, label?}, required)"},
		"kind":     {"--kind (x|y, required)", "--x (integer)", "--y (string)"},
		"both":     {"--a (string, required)", "--b (integer)"},
		"ref":      {"--q (string, required): what to ask", "example"},
		"map":      {"--labels ({NAME: string})"},
		"mixed":    {"--mixed (a|1|true|null)"},
		"help":     {"--help=true|false", "--schema (string)"},
		"needhelp": {"field:s:needhelp --help=TEXT", "field:s:needhelp --help=text"},
		"filter":   {"usage: field:s:filter '--$filter' TEXT ['--$top' N]", "'--$filter' (string, required)", "field:s:filter '--$filter' text"},
	} {
		tool, err := b.reg.Resolve(t.Context(), "field:s:"+name)
		require.NoError(t, err)
		for _, word := range []string{"--help", "--schema"} {
			if name == "help" && word == "--schema" {
				continue // it has a parameter of that name
			}
			parsed, err := tool.Parse([]string{word}, false)
			require.NoError(t, err)
			require.NotEqual(t, registry.NoHelp, parsed.Help, name)
			var out bytes.Buffer
			require.True(t, tool.RunParsed(t.Context(), parsed, &registry.Call{Stdout: &out}).Success)
			if word == "--schema" {
				require.JSONEq(t, schemas[name], out.String())
				continue
			}
			for _, text := range want {
				require.Contains(t, out.String(), text)
			}
		}
	}
}
