package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown runs a tool on words and returns its arguments as JSON, and its stderr.
func shown(t *testing.T, tool Tool, dir, stdin string, words ...string) (args, stderr string) {
	t.Helper()
	var out, notes bytes.Buffer
	call := &Call{Dir: dir, Stdout: &out, Stderr: &notes}
	if stdin != "" {
		call.Stdin = strings.NewReader(strings.TrimPrefix(stdin, "empty"))
	}
	tool.Run = func(_ context.Context, c *Call) (ToolResult, error) {
		b, err := c.JSON()
		return Success(string(b)), err
	}
	res := tool.Command(t.Context(), words, call)
	require.Equal(t, res.Success, notes.Len() == 0 || strings.Contains(notes.String(), "was not used"), notes.String())
	return out.String(), notes.String()
}

var elsewhere = Tool{Name: "take", Summary: "Takes values", Kind: Write, Params: NewParams(
	Param{Name: "file_path", Type: String, Required: true, Role: WritesFile, Aliases: []string{"path"}},
	Param{Name: "text", Type: String, Positional: true},
	Param{Name: "n", Type: Integer, Max: Float(9)},
	Param{Name: "on", Type: Boolean, Short: "o"},
	Param{Name: "maybe", AnyOf: []Param{{Type: Boolean}, {Type: Null}}},
	Param{Name: "any"},
	Param{Name: "names", Type: Array, Items: &Param{Type: String}},
	Param{Name: "edits", Type: Array, Items: &Param{Type: Object, Props: NewParams(Param{Name: "old", Type: String, Required: true}, Param{Name: "new", Type: String, Required: true})}},
	Param{Name: "opts", Type: Object, Props: NewParams(Param{Name: "label", Type: String}, Param{Name: "on", Type: Boolean}, Param{Name: "deep", Type: Object}, Param{Name: "z"}, Param{Name: "a"})},
)}

func TestValuesFromFilesAndStdin(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"text": "a\n\"b\"\n", "n": " 7\n", "path": "a.go\n", "opts.json": `{"z": 1, "a": {"y": 2, "b": 3}}`,
		"edits": `[{"old": "one", "new": "uno"}]`, "list": "a\nb\n", "all": `{"text": "t", "file_path": "p", "opts": {"z": 1, "label": "l"}}`, "-x": "odd",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, row := range []struct{ words, stdin, args, stderr string }{
		{"f|--text@=text", "", `{"file_path":"f","text":"a\n\"b\"\n"}`, ""},
		{"f|--text@=-", "in\n", `{"file_path":"f","text":"in\n"}`, ""},
		{"f|--text|-", "in", `{"file_path":"f","text":"-"}`, ""},
		{"f|--text|@text", "", `{"file_path":"f","text":"@text"}`, ""},
		{"f|-", "in", `{"file_path":"f","text":"-"}`, ""},
		{"f|--n@=n", "", `{"file_path":"f","n":7}`, ""},
		{"f|--any@=n", "", `{"file_path":"f","any":7}`, ""},
		{"f|--any@=text", "", `{"file_path":"f","any":"a\n\"b\"\n"}`, ""},
		{"f|--maybe@=-", "null", `{"file_path":"f","maybe":null}`, ""},
		{"--file_path@=path", "", `{"file_path":"a.go"}`, ""},
		{"f|--opts|@opts.json", "", `{"file_path":"f","opts":{"z":1,"a":{"y":2,"b":3}}}`, ""},
		{"f|--opts|-", `{"z":1,"a":2}`, `{"file_path":"f","opts":{"z":1,"a":2}}`, ""},
		{"f|--opts@=./-x", "", "", `--opts@=: "odd" is not a JSON object`},
		{"f|--opts=@opts.json", "", "", `"@opts.json" is not a JSON object`},
		{"f|--opts.deep|@opts.json|--opts.label@=path", "", `{"file_path":"f","opts":{"deep":{"z":1,"a":{"y":2,"b":3}},"label":"a.go\n"}}`, ""},
		{"f|--edits|-", `[{"old":"a","new":"b"}]`, `{"file_path":"f","edits":[{"old":"a","new":"b"}]}`, ""},
		{"f|--edits|@edits|--n|3", "", `{"file_path":"f","edits":[{"old":"one","new":"uno"}],"n":3}`, ""},
		{"f|--edits.0.old@=path|--edits.0.new|b", "", `{"file_path":"f","edits":[{"old":"a.go\n","new":"b"}]}`, ""},
		{"f|--edits.1.old@=path|--edits.1.new|b", "", "", "--edits.0 is not given, and later elements are"},
		{"f|--edits|-", `[{"old":"a"}]`, "", "missing --edits[0].new"},
		{"f|--names|@list", "", "", `--names@=: "a\nb" is not a JSON array`},
		{"--json|@all|--text|mine", "", `{"text":"mine","file_path":"p","opts":{"z":1,"label":"l"}}`, ""},
		{"--json|-|f|--n|1", `{"path":"p"}`, `{"file_path":"f","n":1}`, ""},
		{"--json@=all|--opts.label|mine|--opts.on|no", "", `{"text":"t","file_path":"p","opts":{"z":1,"label":"mine","on":false}}`, ""},
		{"--json|@all|--opts|{}", "", `{"text":"t","file_path":"p","opts":{}}`, ""},
		{"--json|-|--n|1", `{"file_path":"p"}`, `{"file_path":"p","n":1}`, ""},
		{"--json|-", `{"file_path":"p","n":10}`, "", "--n: 10 is above the greatest value, 9"},
		{"--json|-", `{"n":1}`, "", "missing --file_path"},
		{"--json|-", `{"file_path":"p","nn":1}`, "", "unknown parameter --nn"},
		{"--json|-", `[1]`, "", "--json: - is not a JSON object"},
		{`--json|{"file_path":"p","opts":{"z":1,"a":2}}`, "", `{"file_path":"p","opts":{"z":1,"a":2}}`, ""},
		{`--json|{"path":"p","file_path":"q"}`, "", "", "--json has file_path twice, once as path"},
		{"--json|{}|--json|-", "", "", "--json is given twice"},
		{"--text@=text", "", "", "missing --file_path"},
		{"f|--n@=text", "", "", "--n@=: \"a\\n\\\"b\\\"\" is not an integer"},
		{"f|--text@=nope", "", "", "no such file"},
		{"f|--text@=-", "", "", "there is nothing on stdin"},
		{"f|--text@=-|--any@=-", "in", "", "stdin is asked for twice"},
		{"f|--text@=text|--text|x", "", "", "--text is given twice, once from a file"},
		{"f|--opts@=opts.json|--opts.label|x", "", "", "--opts comes from a file as a whole"},
		{"f|--opts.label|x|--opts@=opts.json", "", "", "--opts comes from a file as a whole"},
		{"f", "ignored", `{"file_path":"f"}`, ""},
		{"", `{"file_path":"f"}`, `{"file_path":"f"}`, ""},
		{"", "no JSON", "", "what is on stdin is not a JSON object"},
		{"", "no JSON", "", "missing --file_path: write --file_path TEXT"},
	} {
		words := strings.Split(row.words, "|")
		if row.words == "" {
			words = nil
		}
		args, stderr := shown(t, elsewhere, dir, row.stdin, words...)
		require.Equal(t, row.args, args, "%q: %s", words, stderr)
		require.Contains(t, stderr, row.stderr, "%q", words)
	}
}

// A tool from elsewhere that got no arguments takes them from stdin.
func TestJSONOnStdin(t *testing.T) {
	for _, row := range []struct{ schema, words, stdin, args, stderr string }{
		{`{"properties":{"name":{"type":"string"}},"required":["name"]}`, "", `{"name":"r"}`, `{"name":"r"}`, ""},
		{`{"properties":{"z":{},"a":{}}}`, "", `{"z":1,"a":{"y":1,"b":2}}`, `{"z":1,"a":{"y":1,"b":2}}`, ""},
		{`{"properties":{"z":{}}}`, "", "just text", `{}`, "take: what is on stdin is not a JSON object (invalid character 'j' looking for beginning of value), and was not used"},
		{`{"properties":{"z":{}}}`, "", "[1]", `{}`, "take: what is on stdin is not a JSON object, and was not used"},
		{`{"properties":{"z":{}}}`, "", "empty", `{}`, ""},
		{`{"properties":{"z":{}}}`, "", "{\"z\":\"\xe9\"}", `{}`, "take: what is on stdin is not UTF-8, and JSON holds nothing else"},
		{`{"properties":{"z":{}}}`, "--json -", "{\"z\":\"\xe9\"}", "", "--json: - is not UTF-8"},
		{`{"properties":{"z":{}}}`, "--z@=-", "caf\xe9", "", "--z@=: is not UTF-8"},
		{`{"properties":{"z":{}}}`, "--z caf\xe9", "empty", "", `--z: "caf\xe9" is not UTF-8`},
		{`{"properties":{"z":{}}}`, "--z:=\"\xe9\"", "empty", "", `--z:= is not UTF-8`},
		{`{"properties":{"z":{}}}`, "--json {\"z\":\"\xe9\"}", "empty", "", `--json is not UTF-8`},
		{`{"properties":{"name":{"type":"string"}},"required":["name"]}`, "", "text", "", "missing --name: write --name TEXT\ntake: what is on stdin is not a JSON object (invalid character 'e' in literal true (expecting 'r')): write --json - and pipe one, or name the values"},
		{`{"properties":{"n":{},"rows":{"type":"array"}},"required":["rows"]}`, "", `[1]`, "", "missing --rows: write --rows '[...]'\ntake: what is on stdin is not a JSON object: write --rows - for an array"},
		{`{"properties":{"rows":{"type":"array"}},"required":["rows"]}`, "", `text`, "", "write --json - and pipe one, or name the values"},
		{`{"properties":{"name":{"type":"string"}},"required":["name"]}`, "", "empty", "", "missing --name: write --name TEXT"},
		{`{"properties":{"name":{"type":"string"},"n":{}},"required":["name"]}`, "--n 1", `{"name":"x"}`, "", "missing --name: write --name TEXT"},
		{`{"properties":{"z":{}}}`, "--z 1", `{"z":2}`, `{"z":1}`, ""},
		{`{"properties":{}}`, "", `{"z":2}`, `{}`, ""},
	} {
		params, err := ParseSchema("take", json.RawMessage(row.schema))
		require.NoError(t, err)
		args, stderr := shown(t, Tool{Name: "take", Params: params, Foreign: true}, t.TempDir(), row.stdin, strings.Fields(row.words)...)
		require.Equal(t, row.args, args, "%+v: %s", row, stderr)
		require.Contains(t, stderr, row.stderr, "%+v", row)
		require.Equal(t, row.stderr == "", stderr == "", stderr)
	}
}

// What a file or stdin holds is not known before the call runs, and the file is read.
func TestUsesOfPendingValues(t *testing.T) {
	writes := []Use{{WritesFile, "f"}}
	for _, row := range []struct {
		words string
		want  []Use
		known bool
	}{
		{"f --text@=t", append(writes, Use{ReadsFile, "t"}), true},
		{"f --text@=-", writes, true},
		{"f --edits @e", append(writes, Use{ReadsFile, "e"}), true},
		{"f --edits -", writes, true},
		{"f --opts.label@=t", append(writes, Use{ReadsFile, "t"}), true},
		{"--file_path@=t", []Use{{ReadsFile, "t"}}, false},
		{"--path@=-", nil, false},
		{"f --json @t", append(writes, Use{ReadsFile, "t"}), false},
		{"f --json -", writes, false},
	} {
		parsed, err := elsewhere.Parse(strings.Fields(row.words), true)
		require.NoError(t, err)
		uses, known := elsewhere.UsesOf(parsed.Kwargs)
		require.Equal(t, row.want, uses, row.words)
		require.Equal(t, row.known, known, row.words)
		words, err := elsewhere.Words(parsed.Kwargs)
		require.NoError(t, err)
		again, err := elsewhere.Parse(words, true)
		require.NoError(t, err)
		require.Equal(t, parsed.Kwargs, again.Kwargs, "%q", words)
	}
}

func TestBooleansTakeTheNextWord(t *testing.T) {
	for words, want := range map[string]Kwargs{
		"f --on no":                     {"file_path": "f", "on": false},
		"f --on NO":                     {"file_path": "f", "on": false},
		"--on 1 f":                      {"file_path": "f", "on": true},
		"-o off f":                      {"file_path": "f", "on": false},
		"-o f":                          {"file_path": "f", "on": true},
		"--on f":                        {"file_path": "f", "on": true},
		"--on -- 1":                     {"file_path": "1", "on": true},
		"f --opts.on no":                {"file_path": "f", "opts": map[string]any{"on": false}},
		"f --opts.on --on":              {"file_path": "f", "opts": map[string]any{"on": true}, "on": true},
		"f --maybe null":                {"file_path": "f", "maybe": nil},
		"f --maybe no":                  {"file_path": "f", "maybe": false},
		"f --maybe=off --on=yes":        {"file_path": "f", "maybe": false, "on": true},
		"f --on null":                   {"file_path": "f", "on": true, "text": "null"},
		"f --text no --on":              {"file_path": "f", "text": "no", "on": true},
		"--opts.on on --opts.label x f": {"file_path": "f", "opts": map[string]any{"on": true, "label": "x"}},
	} {
		parsed, err := elsewhere.Parse(strings.Fields(words), false)
		require.NoError(t, err, words)
		require.Equal(t, want, parsed.Kwargs, words)
	}
}

func TestCoercionKeepsWhatWasWritten(t *testing.T) {
	text := Param{Type: String}
	number, array := Param{Type: Number}, Param{Type: Array, Items: &text}
	tool := &Tool{Name: "any", Run: nothing, Params: NewParams(Param{Name: "x"}, Param{Name: "l", Type: Array}, Param{Name: "i", Type: Integer},
		Param{Name: "sn", AnyOf: []Param{text, number}}, Param{Name: "u", AnyOf: []Param{text, array}}, Param{Name: "o", Type: Object}, Param{Name: "names", Type: Array, Items: &text},
		Param{Name: "bi", AnyOf: []Param{{Type: Boolean}, {Type: Integer}}}, Param{Name: "na", AnyOf: []Param{array, {Type: Null}}})}
	for _, row := range []struct{ words, want, err string }{
		{"--sn|00123", `{"sn":"00123"}`, ""},
		{"--sn|+4917", `{"sn":"+4917"}`, ""},
		{"--sn|1.50", `{"sn":1.50}`, ""},
		{"--sn|1e3", `{"sn":1e3}`, ""},
		{"--x|{\"a\": 1}", `{"x":{"a":1}}`, ""},
		{"--x|[1, 2]", `{"x":[1,2]}`, ""},
		{"--x|[1", `{"x":"[1"}`, ""},
		{"--l|{\"z\":1,\"a\":2}|--l|[2]", `{"l":[{"z":1,"a":2},[2]]}`, ""},
		{"--l|{\"z\":1", "", "is not a JSON array"},
		{"--u|abc", `{"u":"abc"}`, ""},
		{"--u|[\"a\"]", `{"u":["a"]}`, ""},
		{"--u|a|--u|b", `{"u":["a","b"]}`, ""},
		{"--i|5.0", `{"i":5}`, ""},
		{"--i|1e3", `{"i":1000}`, ""},
		{"--i|1.5", "", "is not an integer"},
		{"--i|1e-3", "", "is not an integer"},
		{"--o|{\"z\":1,\"a\":{\"y\":1,\"b\":2}}", `{"o":{"z":1,"a":{"y":1,"b":2}}}`, ""},
		{"--o:={\"z\":1,\"a\":2}|--i|1", `{"o":{"z":1,"a":2},"i":1}`, ""},
		{"--o.z|1|--o.a|2", `{"o":{"z":1,"a":2}}`, ""},
		{"--o.m|1|--o|{\"z\":1,\"a\":2}", `{"o":{"m":1,"z":1,"a":2}}`, ""},
		{"--json|{\"o\":{\"z\":1,\"a\":2},\"i\":1}|--o.b|3", `{"o":{"z":1,"a":2,"b":3},"i":1}`, ""},
		{"--names|[\"Harbor\"", "", `--names: "[\"Harbor\"" is not a JSON array (unexpected EOF): write '[...]', or repeat the parameter`},
		{"--names|{\"names\":[\"Harbor\"]}", "", `is not a JSON array: write '["...", "..."]', also for text that begins with [ or {`},
		{"--names|a|--names|[b", "", "is not a JSON array"},
		{"--bi|1", `{"bi":1}`, ""},
		{"--bi|no", `{"bi":false}`, ""},
		{"--na|null", `{"na":null}`, ""},
		{"--na|x", `{"na":["x"]}`, ""},
	} {
		args, stderr := shown(t, *tool, t.TempDir(), "", strings.Split(row.words, "|")...)
		require.Equal(t, row.want, args, "%s: %s", row.words, stderr)
		require.Contains(t, stderr, row.err, row.words)
	}
}

func TestHelpShowsWhatCanBeWritten(t *testing.T) {
	help := elsewhere.Help(true)
	for _, want := range []string{"      --opts.label TEXT (string)\n", "      --edits.0.old TEXT (string, required)\n",
		"values from a file or stdin: --KEY@=FILE, --KEY@=-; --names @FILE, --names -; all: --json @FILE, --json -\n"} {
		require.Contains(t, help, want)
	}
	none, err := ParseSchema("none", json.RawMessage(`{"type":"object","properties":{}}`))
	require.NoError(t, err)
	require.Contains(t, (&Tool{Name: "none", Params: none}).Help(true), "\ntakes no parameters\n")
	require.Contains(t, (&Tool{Name: "none", Params: AnyParams()}).Help(true), "\nparameters: any --key value\n")
}

// A preview sets dry_run, whatever the words take it from.
func TestWhatIsSetStandsOverWhatIsPending(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "no"), []byte(`no`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "all"), []byte(`{"on": false}`), 0o600))
	for _, words := range []string{"f --on@=no", "f --json @all"} {
		tool := elsewhere
		parsed, err := tool.Parse(strings.Fields(words), false)
		require.NoError(t, err)
		parsed.Kwargs["on"] = true
		var got Kwargs
		tool.Run = func(_ context.Context, c *Call) (ToolResult, error) {
			got = c.Kwargs
			return Success(""), nil
		}
		require.True(t, tool.Invoke(t.Context(), &Call{Kwargs: parsed.Kwargs, Dir: dir}).Success)
		require.Equal(t, Kwargs{"file_path": "f", "on": true}, got, words)
	}
}
