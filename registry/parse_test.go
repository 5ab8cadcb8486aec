package registry

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func nothing(context.Context, *Call) (ToolResult, error) { return Success(""), nil }

var sample = &Tool{
	Name:     "sample",
	Summary:  "Does nothing",
	Examples: []string{"sample --file_path a.go"},
	Run:      nothing,
	Params: NewParams(
		Param{Name: "file_path", Type: String, Required: true, Aliases: []string{"path"}},
		Param{Name: "limit", Type: Integer, Min: Float(0), Max: Float(100)},
		Param{Name: "ratio", Type: Number, Positional: true},
		Param{Name: "source", Type: String, Role: ReadsFile},
		Param{Name: "show_line_numbers", Type: Boolean, Short: "n"},
		Param{Name: "mode", Type: String, Enum: []string{"fast", "slow"}},
		Param{Name: "tags", Type: Array, Items: &Param{Type: String}},
		Param{Name: "context", Type: Integer, Short: "C"},
		Param{Name: "extra", Type: Object, Props: NewParams(Param{Name: "n", Type: Integer}, Param{Name: "s", Type: String})},
		Param{Name: "guess"},
		Param{Name: "numbers", Type: Array, Items: &Param{Type: Integer}},
		Param{Name: "$filter", Type: String},
		Param{Name: "größe", Type: Integer},
		Param{Name: "either", AnyOf: []Param{{Type: String}, {Type: Integer}, {Type: Boolean}}},
	),
}

func TestParse(t *testing.T) {
	n := func(s string) json.Number { return json.Number(s) }
	rows := []struct {
		name  string
		words []string
		want  Kwargs
		help  HelpLevel
	}{
		{name: "key value", words: []string{"--file_path", "a.go"}, want: Kwargs{"file_path": "a.go"}},
		{name: "key=value", words: []string{"--file_path=a=b"}, want: Kwargs{"file_path": "a=b"}},
		{name: "empty value", words: []string{"--file_path="}, want: Kwargs{"file_path": ""}},
		{name: "dashes fold", words: []string{"--file-path", "a"}, want: Kwargs{"file_path": "a"}},
		{name: "alias", words: []string{"--path", "a"}, want: Kwargs{"file_path": "a"}},
		{name: "positional required first", words: []string{"a", "5"}, want: Kwargs{"file_path": "a", "ratio": n("5")}},
		{name: "positional after key", words: []string{"--limit", "5", "a"}, want: Kwargs{"file_path": "a", "limit": n("5")}},
		{name: "value starting with a dash", words: []string{"--file_path", "-x"}, want: Kwargs{"file_path": "-x"}},
		{name: "value is an undeclared option", words: []string{"--file_path", "--zzz"}, want: Kwargs{"file_path": "--zzz"}},
		{name: "value is -h", words: []string{"--file_path", "-h"}, want: Kwargs{"file_path": "-h"}},
		{name: "value is --help", words: []string{"--file_path", "--help"}, want: Kwargs{"file_path": "--help"}},
		{name: "value with newline", words: []string{"--file_path=a\nb"}, want: Kwargs{"file_path": "a\nb"}},
		{name: "flag", words: []string{"a", "--show-line-numbers"}, want: Kwargs{"file_path": "a", "show_line_numbers": true}},
		{name: "flag true", words: []string{"--show_line_numbers", "TRUE", "a"}, want: Kwargs{"file_path": "a", "show_line_numbers": true}},
		{name: "flag false", words: []string{"--show_line_numbers", "false", "a"}, want: Kwargs{"file_path": "a", "show_line_numbers": false}},
		{name: "flag then positional", words: []string{"--show_line_numbers", "a"}, want: Kwargs{"file_path": "a", "show_line_numbers": true}},
		{name: "flag=off", words: []string{"a", "--show_line_numbers=off"}, want: Kwargs{"file_path": "a", "show_line_numbers": false}},
		{name: "no-flag", words: []string{"a", "--no-show-line-numbers"}, want: Kwargs{"file_path": "a", "show_line_numbers": false}},
		{name: "letter", words: []string{"-n", "a"}, want: Kwargs{"file_path": "a", "show_line_numbers": true}},
		{name: "letters joined with value", words: []string{"-nC3", "a"}, want: Kwargs{"file_path": "a", "show_line_numbers": true, "context": n("3")}},
		{name: "letter value apart", words: []string{"-C", "3", "a"}, want: Kwargs{"file_path": "a", "context": n("3")}},
		{name: "text stays text", words: []string{"007"}, want: Kwargs{"file_path": "007"}},
		{name: "number is literal", words: []string{"a", "--ratio", "9007199254740993.10"}, want: Kwargs{"file_path": "a", "ratio": n("9007199254740993.10")}},
		{name: "number spelled for JSON", words: []string{"a", "--ratio", "+.5"}, want: Kwargs{"file_path": "a", "ratio": n("0.5")}},
		{name: "negative positional", words: []string{"--", "-5"}, want: Kwargs{"file_path": "-5"}},
		{name: "negative number as a positional", words: []string{"-5"}, want: Kwargs{"file_path": "-5"}},
		{name: "dash alone", words: []string{"-"}, want: Kwargs{"file_path": "-"}},
		{name: "end of options", words: []string{"--", "--limit"}, want: Kwargs{"file_path": "--limit"}},
		{name: "enum", words: []string{"a", "--mode", "slow"}, want: Kwargs{"file_path": "a", "mode": "slow"}},
		{name: "array repeated", words: []string{"a", "--tags", "x,y", "--tags", "z"}, want: Kwargs{"file_path": "a", "tags": []any{"x,y", "z"}}},
		{name: "array JSON", words: []string{"a", "--tags", `["x","y"]`}, want: Kwargs{"file_path": "a", "tags": []any{"x", "y"}}},
		{name: "array of text that looks like JSON", words: []string{"a", "--tags", `["[x"]`}, want: Kwargs{"file_path": "a", "tags": []any{"[x"}}},
		{name: "object JSON", words: []string{"a", "--extra", `{"n":9007199254740993}`}, want: Kwargs{"file_path": "a", "extra": map[string]any{"n": n("9007199254740993")}}},
		{name: "object members", words: []string{"a", "--extra.n", "1", "--extra.s=2"}, want: Kwargs{"file_path": "a", "extra": map[string]any{"n": n("1"), "s": "2"}}},
		{name: "undeclared type guessed", words: []string{"a", "--guess", "1.5"}, want: Kwargs{"file_path": "a", "guess": n("1.5")}},
		{name: "guess is lossless", words: []string{"a", "--guess", "1.50x"}, want: Kwargs{"file_path": "a", "guess": "1.50x"}},
		{name: "guess keeps leading zeros", words: []string{"a", "--guess", "007"}, want: Kwargs{"file_path": "a", "guess": "007"}},
		{name: "guess keeps yes", words: []string{"a", "--guess", "yes"}, want: Kwargs{"file_path": "a", "guess": "yes"}},
		{name: "union takes the first that fits", words: []string{"a", "--either", "12"}, want: Kwargs{"file_path": "a", "either": n("12")}},
		{name: "union text last", words: []string{"a", "--either", "twelve"}, want: Kwargs{"file_path": "a", "either": "twelve"}},
		{name: "a key that only its schema knows", words: []string{"a", "--$filter=x eq 1", "--größe", "5"}, want: Kwargs{"file_path": "a", "$filter": "x eq 1", "größe": n("5")}},
		{name: "brief help", words: []string{"-h"}, help: BriefHelp},
		{name: "verbose help", words: []string{"--limit", "nonsense", "--help"}, help: VerboseHelp},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := sample.Parse(row.words, false)
			require.NoError(t, err, "%q", row.words)
			require.Equal(t, row.help, got.Help, "%q", row.words)
			if row.help == NoHelp {
				require.Equal(t, row.want, got.Kwargs, "%q", row.words)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	rows := []struct {
		name  string
		words []string
		want  []string
	}{
		{"missing", nil, []string{"sample: missing --file_path: write --file_path TEXT", "example: sample --file_path a.go"}},
		{"value is a declared key", []string{"--file_path", "--limit"}, []string{"--file_path needs a value", "write --file_path=--limit"}},
		{"no value", []string{"a", "--limit"}, []string{"--limit needs a value"}},
		{"not an integer", []string{"a", "--limit", "1.5"}, []string{`--limit: "1.5" is not an integer`}},
		{"below the range", []string{"a", "--limit=-1"}, []string{"-1 is below the least value, 0"}},
		{"above the range", []string{"a", "--limit=101"}, []string{"101 is above the greatest value, 100"}},
		{"not a number", []string{"a", "--ratio", "NaN"}, []string{`"NaN" is not a number`}},
		{"hex is not a number", []string{"a", "--ratio", "0x10"}, []string{"is not a number"}},
		{"not a boolean", []string{"a", "--show_line_numbers=maybe"}, []string{`"maybe" is not a boolean: write true or false`}},
		{"not in the enum", []string{"a", "--mode", "Fast"}, []string{`"Fast" is not one of fast, slow`}},
		{"twice", []string{"a", "--limit", "1", "--limit", "2"}, []string{`--limit is given twice ("1", then "2")`}},
		{"twice by alias", []string{"--path", "a", "--file_path", "b"}, []string{"--file_path is given twice"}},
		{"unknown with a near name", []string{"a", "--show_line_number"}, []string{"unknown parameter --show_line_number; did you mean --show_line_numbers?", "its parameters: file_path, limit"}},
		{"no abbreviations", []string{"--file", "a"}, []string{"unknown parameter --file; did you mean --file_path?"}},
		{"unknown letter", []string{"a", "-x"}, []string{"unknown option -x: a value that starts with - goes after --"}},
		{"a word too many", []string{"a", "1", "2", "more"}, []string{`sample: a word too many: "2": quote values of several words: --ratio '1 2 more'`}},
		{"after an option", []string{"--ratio=1", "a", "--mode", "fast", "and", "furious", "-n"}, []string{`a word too many: "and": quote values of several words: --mode 'fast and furious'`}},
		{"after a flag", []string{"--ratio=1", "a", "-n", "2"}, []string{`a word too many: "2": quote a value of several words, or name its parameter: --key VALUE`}},
		{"several of an array", []string{"--ratio=1", "a", "--tags", "x", "y z"}, []string{`quote values of several words: --tags 'x y z', or repeat it for more values: --tags x --tags 'y z'`}},
		{"several files", []string{"--ratio=1", "a", "--source", "b", "c"}, []string{`quote values of several words: --source 'b c', or call it once for each`}},
		{"after --", []string{"a", "--ratio=1", "--", "b"}, []string{`a word too many: "b": quote`}},
		{"no- with a value", []string{"a", "--no-show-line-numbers=true"}, []string{"takes no value"}},
		{"bad object", []string{"a", "--extra", "[1]"}, []string{"is not a JSON object: write '{"}},
		{"broken object", []string{"a", "--extra", "{1"}, []string{`--extra: "{1" is not a JSON object (`, "write '{"}},
		{"broken array", []string{"a", "--numbers", "[1,"}, []string{`--numbers: "[1," is not a JSON array (`, "repeat the parameter"}},
		{"bad element", []string{"a", "--numbers", "1", "--numbers", "x"}, []string{`--numbers: element 2: "x" is not an integer`}},
		{"a key that nobody declares", []string{"a", "--größer", "5"}, []string{"unknown option --größer"}},
		{"a place without a name", []string{"a", "--extra.", "5"}, []string{"sample: --extra.: a name is missing at a dot: write --extra.MEMBER, or --extra.0 for an element"}},
		{"a file without a name", []string{"--file_path@="}, []string{"--file_path@= names no file: write --file_path@=FILE, or --file_path@=- for stdin"}},
		{"all at once", []string{"--limit", "x", "--mode", "y", "--zzz", "1"}, []string{"--limit:", "--mode:", "unknown parameter --zzz", "missing --file_path"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := sample.Parse(row.words, false)
			var usage *UsageError
			require.ErrorAs(t, err, &usage, "%q", row.words)
			require.Equal(t, 2, ExitStatus(err))
			for _, want := range row.want {
				require.Contains(t, err.Error(), want, "%q", row.words)
			}
		})
	}
}

// A schema from elsewhere may declare keys that fold to one.
func TestKeysThatDifferInADashOnly(t *testing.T) {
	params, err := ParseSchema("t", json.RawMessage(`{"properties":{"a-b":{"type":"integer"},"a_b":{"type":"integer"},"c-d":{"type":"string"}}}`))
	require.NoError(t, err)
	got, err := (&Tool{Name: "t", Params: params, Run: nothing}).Parse([]string{"--a-b", "1", "--a_b", "2", "--c_d", "x"}, false)
	require.NoError(t, err)
	require.Equal(t, Kwargs{"a-b": json.Number("1"), "a_b": json.Number("2"), "c-d": "x"}, got.Kwargs)
}

func TestParseStdin(t *testing.T) {
	tool := &Tool{Name: "put", Run: nothing, Params: NewParams(
		Param{Name: "to", Type: String, Required: true},
		Param{Name: "content", Type: String, Required: true, Stdin: true})}
	_, err := tool.Parse([]string{"f"}, true)
	require.NoError(t, err)
	_, err = tool.Parse([]string{"f"}, false)
	require.ErrorContains(t, err, "missing --content: write --content TEXT, or give it on stdin")
}

func TestParseOpenSchema(t *testing.T) {
	tool := &Tool{Name: "any", Run: nothing, Params: AnyParams()}
	got, err := tool.Parse([]string{"--a", "1", "--b-c", "x y", "--flag", "--d=true"}, false)
	require.NoError(t, err)
	require.Equal(t, Kwargs{"a": json.Number("1"), "b_c": "x y", "flag": true, "d": true}, got.Kwargs)
}

func TestCheckRunsOnGoodWordsOnly(t *testing.T) {
	tool := &Tool{Name: "c", Run: nothing, Params: NewParams(Param{Name: "n", Type: Integer}),
		Check: func(k Kwargs) []string { return []string{"n is never right: do not give it"} }}
	_, err := tool.Parse([]string{"--n", "1"}, false)
	require.ErrorContains(t, err, "c: n is never right")
	_, err = tool.Parse([]string{"--n", "x"}, false)
	require.NotContains(t, err.Error(), "never right")
}

func FuzzParseKeepsText(f *testing.F) {
	f.Add("a b")
	f.Add("--limit")
	f.Add("-h")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := sample.Parse([]string{"--file_path=" + s}, false)
		require.NoError(t, err)
		require.Equal(t, s, got.Kwargs["file_path"])
		got, err = sample.Parse([]string{"--", s}, false)
		require.NoError(t, err)
		require.Equal(t, s, got.Kwargs["file_path"])
	})
}

// A parameter with a value for standing alone takes the next word if that is one of its values.
func TestParseAlone(t *testing.T) {
	tool := &Tool{Name: "c", Run: nothing, Params: NewParams(
		Param{Name: "file", Type: String, Positional: true}, Param{Name: "turn", Type: Integer, Min: Float(0), Alone: "0", Short: "t"}, Param{Name: "v", Type: Boolean, Short: "v"})}
	n := func(s string) json.Number { return json.Number(s) }
	for words, want := range map[string]Kwargs{
		"--turn": {"turn": n("0")}, "--turn 1": {"turn": n("1")}, "--turn=3": {"turn": n("3")}, "--turn f": {"turn": n("0"), "file": "f"},
		"--turn 2 f": {"turn": n("2"), "file": "f"}, "--turn --v": {"turn": n("0"), "v": true}, "-tv": {"turn": n("0"), "v": true}, "-t 4": {"turn": n("4")},
	} {
		got, err := tool.Parse(strings.Fields(words), false)
		require.NoError(t, err, words)
		require.Equal(t, want, got.Kwargs, words)
	}
	require.Equal(t, "c [--file TEXT] [--turn [N]] [--v]", tool.Usage())
}
