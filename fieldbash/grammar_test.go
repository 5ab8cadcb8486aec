package fieldbash_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const nestedSchema = `{"type":"object","required":["name"],"additionalProperties":false,"properties":{
	"name":{"type":"string"},
	"n":{"type":"integer"},
	"flag":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":"string"}},
	"union":{"anyOf":[{"type":"integer"},{"type":"boolean"},{"type":"object","properties":{"x":{"type":"integer"}}},{"type":"string"}]},
	"opt":{"type":"object","properties":{"deep":{"type":"object","properties":{"n":{"type":"number"},"on":{"type":"boolean"},"list":{"type":"array","items":{"type":"integer"}}}},"s":{"type":"string"}}},
	"people":{"type":"array","items":{"$ref":"#/$defs/person"}}},
	"$defs":{"person":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"age":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}}}}}`

func TestGrammar(t *testing.T) {
	b := functions(t, execFunction(t, "f", "echo", nestedSchema), execFunction(t, "open", "echo", ""),
		execFunction(t, "own", "echo", `{"type":"object","properties":{"json":{"type":"string"}}}`))
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "text.txt"), []byte("a\n\"b\"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "n.txt"), []byte("9007199254740993\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "all.json"), []byte(`{"name":"file","n":1,"opt":{"s":"f"}}`), 0o600))
	for _, row := range []struct {
		name, words string // words are separated by |
		want        string
	}{
		{"member", "f|x|--opt.s|007", `{"name":"x","opt":{"s":"007"}}`},
		{"deeper, equals sign", "f|x|--opt.deep.n=1.50", `{"name":"x","opt":{"deep":{"n":1.50}}}`},
		{"nested flag", "f|--opt.deep.on|x", `{"name":"x","opt":{"deep":{"on":true}}}`},
		{"nested flag with its word", "f|--opt.deep.on|false|x", `{"name":"x","opt":{"deep":{"on":false}}}`},
		{"element", "f|x|--people.0.name|Ada|--people.0.age|36|--people.1.name=Bob", `{"name":"x","people":[{"name":"Ada","age":36},{"name":"Bob"}]}`},
		{"repetition in an element", "f|x|--people.0.name|A|--people.0.tags|u|--people.0.tags|v,w", `{"name":"x","people":[{"name":"A","tags":["u","v,w"]}]}`},
		{"repetition", "f|x|--tags|a,b|--tags|c", `{"name":"x","tags":["a,b","c"]}`},
		{"a number as it was written", "f|x|--opt.deep.list|9007199254740993", `{"name":"x","opt":{"deep":{"list":[9007199254740993]}}}`},
		{"json value", "f|x|--tags:=[\"a\"]|--n:=3", `{"name":"x","tags":["a"],"n":3}`},
		{"json value, nested", `f|x|--opt.deep:={"n":2}|--opt.s|t`, `{"name":"x","opt":{"deep":{"n":2},"s":"t"}}`},
		{"json value for the required one", `f|--name:="y"`, `{"name":"y"}`},
		{"place over a whole", `f|x|--opt|{"s":"a"}|--opt.deep.n|1`, `{"name":"x","opt":{"s":"a","deep":{"n":1}}}`},
		{"all at once", `f|--json|{"name":"b","n":1}`, `{"name":"b","n":1}`},
		{"flags override", `f|--json={"name":"b","n":1,"opt":{"s":"1"}}|--n|2|--opt.deep.n|3`, `{"name":"b","n":2,"opt":{"s":"1","deep":{"n":3}}}`},
		{"text from a file", "f|--name@=text.txt", `{"name":"a\n\"b\"\n"}`},
		{"number from a file", "f|x|--n@=n.txt", `{"name":"x","n":9007199254740993}`},
		{"all from a file", "f|--json|@all.json|--n|5", `{"name":"file","n":5,"opt":{"s":"f"}}`},
		{"all from stdin", "f|--json|-|--n|5", `{"name":"stdin","n":5}`},
		{"text from stdin", "f|--opt.s@=-|x", `{"name":"x","opt":{"s":"{\"name\":\"stdin\"}"}}`},
		{"values that look like ours", "f|--name|--zip.q|--tags|-o|--tags|--json", `{"name":"--zip.q","tags":["-o","--json"]}`},
		{"after --", "f|--|-o", `{"name":"-o"}`},
		{"union: integer first", "f|x|--union|5", `{"name":"x","union":5}`},
		{"union: boolean", "f|x|--union|true", `{"name":"x","union":true}`},
		{"union: object", `f|x|--union|{"x":1}`, `{"name":"x","union":{"x":1}}`},
		{"union: string last", "f|x|--union|07x", `{"name":"x","union":"07x"}`},
		{"union: a member of its object", "f|x|--union.x|4", `{"name":"x","union":{"x":4}}`},
		{"no schema", "open|--a.b|1|--c.0.d|x|--e|true", `{"a":{"b":1},"c":[{"d":"x"}],"e":true}`},
		{"a parameter called json", "own|--json|{}", `{"json":"{}"}`},
		{"-o is not sent", "f|x|-o|json", `{"name":"x"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			b.stdin = nil
			if strings.Contains(row.words, "-|") || strings.Contains(row.words, "@=-") {
				b.stdin = strings.NewReader(`{"name":"stdin"}`)
			}
			words := strings.Split(row.words, "|")
			words[0] = "field:fn:" + words[0]
			require.JSONEq(t, row.want, b.ok(t, words...))
			if strings.Contains(row.want, "9007199254740993") {
				b.stdin = nil
				require.Contains(t, b.ok(t, words...), "9007199254740993")
			}
		})
	}
	for _, row := range []struct{ name, words, want string }{
		{"unknown", "f|x|--optt.s|1", "unknown parameter --optt; did you mean --opt?"},
		{"unknown, json", "f|x|--peple:=1", "unknown parameter --peple; did you mean --people?"},
		{"wrong nested type", "f|x|--opt.deep.n|q", `--opt.deep.n: "q" is not a number`},
		{"bad json", "f|x|--n:=q", "--n:= is not JSON"},
		{"bad base", "f|--json|[1]", "--json is not a JSON object"},
		{"two bases", "f|--json|{}|--json|-", "--json is given twice"},
		{"no value", "f|x|--opt.s", "--opt.s needs a value"},
		{"a hole", "f|x|--people.1.name|B", "--people.0 is not given"},
		{"an index that is none", "f|x|--people|[]|--people.q|B", `"q" is no index of an array`},
		{"a positional does not fill what the base has", `f|--json|{"name":"b"}|7`, `a word too many: "7"`},
		{"format", "f|x|-o|yaml", "-o yaml: no such format: write -o text, -o json or -o raw"},
		{"format missing", "f|x|-o", "-o needs a format"},
		{"several at once", "f|--n|q|--opt.deep.n|q|--people.0.age|1", "missing --name"},
		{"several at once, nested", "f|--n|q|--opt.deep.n|q|--people.0.age|1", "--people[0].name is required (string)"},
		{"several at once, typed", "f|--n|q|--opt.deep.n|q|--people.0.age|1", `--n: "q" is not an integer`},
		{"missing in a file", `f|--json|-`, "missing --name: write --name TEXT"},
		{"no such file", `f|--json|@nope.json`, "no such file"},
		{"wrong in a file", `f|x|--n@=text.txt`, "is not an integer"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b.stdin = strings.NewReader("{}")
			words := strings.Split(row.words, "|")
			words[0] = "field:fn:" + words[0]
			o := b.run(t, words...)
			require.Equal(t, 2, o.status, "%s%s", o.stdout, o.stderr)
			require.Contains(t, o.stderr, row.want)
			require.Equal(t, 1, strings.Count(o.stderr, row.want), "said once: %s", o.stderr)
			require.Contains(t, o.stderr, "field:fn:f")
		})
	}
}

func TestResultForms(t *testing.T) {
	b := everything(t, nil)
	where := []string{"field:everything:get-structured-content", "--location", "Chicago"}
	require.JSONEq(t, `{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`, b.ok(t, append(where, "-o", "json")...))
	raw := b.ok(t, append(where, "-oraw")...)
	require.Contains(t, raw, `"structuredContent":{`)
	require.Contains(t, raw, `"content":[{`)
	require.JSONEq(t, `[{"type":"text","text":"Echo: x"}]`, b.ok(t, "field:everything:echo", "x", "-o=json"))
	require.Equal(t, "Echo: x\n", b.ok(t, "field:everything:echo", "x", "-o", "text"))
	require.Contains(t, b.ok(t, "field:everything:get-tiny-image", "-o", "json"), `"mimeType":"image/png"`)
}

// TestOwnArgumentsAreParsedBack: the words of a call say what Parse keeps for itself too.
func TestOwnArgumentsAreParsedBack(t *testing.T) {
	b := functions(t, execFunction(t, "run", "echo", `{"properties":{"path":{"type":"string"},"o":{"type":"object"}}}`))
	tool, err := b.reg.Resolve(t.Context(), "field:fn:run")
	require.NoError(t, err)
	for _, words := range [][]string{{"-o", "json", "--path=a"}, {"--path@=-f x", "-oraw"}, {"--json", "-", "--o.a.b@=f", "--path=@x"}, {"--json=@ f"}} {
		parsed, err := tool.Parse(words, true)
		require.NoError(t, err)
		said, err := tool.Words(parsed.Kwargs)
		require.NoError(t, err)
		again, err := tool.Parse(said, true)
		require.NoError(t, err, "%q", said)
		require.Equal(t, parsed.Kwargs, again.Kwargs, "%q %q", words, said)
		for key := range parsed.Kwargs.Arguments() {
			require.NotEqual(t, "-", key[:1])
		}
	}
}
