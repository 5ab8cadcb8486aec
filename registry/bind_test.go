package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checked keeps the kwargs that its Run was given.
func checked(ran *Kwargs) *Tool {
	return &Tool{
		Name: "take", Summary: "Takes values",
		Params: NewParams(
			Param{Name: "file_path", Type: String, Required: true, Aliases: []string{"filePath"}},
			Param{Name: "limit", Type: Integer, Min: Float(1), Max: Float(10), Default: 7},
			Param{Name: "mode", Type: String, Enum: []string{"a", "b"}},
			Param{Name: "ratio", Type: Number},
			Param{Name: "all", Type: Boolean},
			Param{Name: "tags", Type: Array, Items: &Param{Type: String}},
			Param{Name: "lines", Type: Array, Items: &Param{Type: Integer}},
			Param{Name: "edits", Type: Array, Items: &Param{Type: Object, Props: NewParams(
				Param{Name: "old", Type: String, Required: true, Aliases: []string{"old_str"}},
				Param{Name: "times", Type: Integer, Min: Float(1)})}},
			Param{Name: "either", AnyOf: []Param{{Type: Integer}, {Type: String}, {Type: Null}}},
			Param{Name: "any"},
		),
		Check: func(k Kwargs) []string {
			if k["mode"] == "b" && k["all"] == true {
				return []string{"--all and --mode b exclude each other: leave one out"}
			}
			return nil
		},
		Run: func(_ context.Context, c *Call) (ToolResult, error) {
			*ran = c.Kwargs
			return Success(c.String("file_path")), nil
		},
	}
}

func TestExecuteTakesValuesByTheRulesOfACommandLine(t *testing.T) {
	n := func(s string) json.Number { return json.Number(s) }
	rows := []struct {
		name         string
		kwargs, want Kwargs
	}{
		{"a float64 of encoding/json", Kwargs{"file_path": "a", "limit": float64(5)}, Kwargs{"file_path": "a", "limit": n("5")}},
		{"a Go int", Kwargs{"file_path": "a", "limit": 5}, Kwargs{"file_path": "a", "limit": n("5")}},
		{"a uint8", Kwargs{"file_path": "a", "limit": uint8(5)}, Kwargs{"file_path": "a", "limit": n("5")}},
		{"a json.Number", Kwargs{"file_path": "a", "ratio": n("9007199254740993.10")}, Kwargs{"file_path": "a", "ratio": n("9007199254740993.10")}},
		{"a word for a number", Kwargs{"file_path": "a", "limit": "5"}, Kwargs{"file_path": "a", "limit": n("5")}},
		{"a word for a boolean", Kwargs{"file_path": "a", "all": "no"}, Kwargs{"file_path": "a", "all": false}},
		{"an alias", Kwargs{"filePath": "b"}, Kwargs{"file_path": "b"}},
		{"dashes", Kwargs{"file-path": "b"}, Kwargs{"file_path": "b"}},
		{"text that looks like a number", Kwargs{"file_path": "007"}, Kwargs{"file_path": "007"}},
		{"text that looks like an option", Kwargs{"file_path": "--limit=3"}, Kwargs{"file_path": "--limit=3"}},
		{"bytes are text", Kwargs{"file_path": []byte("a")}, Kwargs{"file_path": "a"}},
		{"[]string", Kwargs{"file_path": "a", "tags": []string{"x", "1"}}, Kwargs{"file_path": "a", "tags": []any{"x", "1"}}},
		{"[]int", Kwargs{"file_path": "a", "lines": []int{1, 2}}, Kwargs{"file_path": "a", "lines": []any{n("1"), n("2")}}},
		{"names that are no UTF-8", Kwargs{"file_path": "\xff", "tags": []any{"\xff"}, "any": map[string]any{"a": []string{"\xff"}}},
			Kwargs{"file_path": "\xff", "tags": []any{"\xff"}, "any": map[string]any{"a": []any{"\xff"}}}},
		{"an empty slice", Kwargs{"file_path": "a", "tags": []string{}}, Kwargs{"file_path": "a", "tags": []any{}}},
		{"one word for an array", Kwargs{"file_path": "a", "tags": "x"}, Kwargs{"file_path": "a", "tags": []any{"x"}}},
		{"members and their aliases", Kwargs{"file_path": "a", "edits": []map[string]any{{"old_str": "x", "times": 2.0}}},
			Kwargs{"file_path": "a", "edits": []any{map[string]any{"old": "x", "times": n("2")}}}},
		{"text for a union is a word", Kwargs{"file_path": "a", "either": "5"}, Kwargs{"file_path": "a", "either": n("5")}},
		{"a union's null", Kwargs{"file_path": "a", "either": nil}, Kwargs{"file_path": "a", "either": nil}},
		{"text of no declared type is a word", Kwargs{"file_path": "a", "any": "5"}, Kwargs{"file_path": "a", "any": n("5")}},
		{"an integer with a fraction of nothing", Kwargs{"file_path": "a", "limit": n("5.0"), "lines": []any{n("1e3")}}, Kwargs{"file_path": "a", "limit": n("5"), "lines": []any{n("1000")}}},
		{"a nil []any", Kwargs{"file_path": "a", "tags": []any(nil)}, Kwargs{"file_path": "a", "tags": []any{}}},
		{"a nil []int", Kwargs{"file_path": "a", "lines": []int(nil)}, Kwargs{"file_path": "a", "lines": []any{}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var ran Kwargs
			r := New()
			require.NoError(t, r.Register(checked(&ran)))
			res := r.Execute(context.Background(), "take", row.kwargs)
			require.True(t, res.Success, res.Error)
			require.Equal(t, row.want, ran)
		})
	}
}

func TestExecuteRefusesWhatACommandLineRefuses(t *testing.T) {
	rows := []struct {
		name   string
		kwargs Kwargs
		want   []string
	}{
		{"missing", Kwargs{"limit": 2}, []string{"take: missing --file_path: write --file_path TEXT"}},
		{"nothing at all", nil, []string{"missing --file_path"}},
		{"unknown", Kwargs{"file_path": "a", "lmit": 3}, []string{"unknown parameter --lmit; did you mean --limit?"}},
		{"no word for a number", Kwargs{"file_path": "a", "limit": "abc"}, []string{`--limit: "abc" is not an integer: write a whole number such as 5`}},
		{"a fraction", Kwargs{"file_path": "a", "limit": 1.5}, []string{"--limit: 1.5 is not an integer"}},
		{"below the range", Kwargs{"file_path": "a", "limit": 0}, []string{"--limit: 0 is below the least value, 1"}},
		{"above the range", Kwargs{"file_path": "a", "limit": float64(11)}, []string{"11 is above the greatest value, 10"}},
		{"not in the enum", Kwargs{"file_path": "a", "mode": "A"}, []string{`--mode: "A" is not one of a, b`}},
		{"a number for text", Kwargs{"file_path": 5}, []string{"--file_path: 5 is not text: put it in quotes"}},
		{"null for text", Kwargs{"file_path": nil}, []string{"--file_path: null is not text"}},
		{"an array for text", Kwargs{"file_path": []string{"a"}}, []string{`--file_path: ["a"] is not text`}},
		{"text for a boolean", Kwargs{"file_path": "a", "all": "maybe"}, []string{"is not a boolean"}},
		{"a number for a boolean", Kwargs{"file_path": "a", "all": 1}, []string{"1 is not a boolean"}},
		{"an object for an array", Kwargs{"file_path": "a", "tags": map[string]any{"a": 1}}, []string{"is not a JSON array"}},
		{"an item's type", Kwargs{"file_path": "a", "tags": []any{"x", 1}}, []string{"--tags[1]: 1 is not text"}},
		{"an item's word", Kwargs{"file_path": "a", "lines": []string{"1", "x"}}, []string{`--lines[1]: "x" is not an integer`}},
		{"a member", Kwargs{"file_path": "a", "edits": []any{map[string]any{"old": "x", "times": 0}, map[string]any{"odl": "y"}, 3}},
			[]string{"--edits[0].times: 0 is below", "unknown parameter --edits[1].odl; did you mean --edits[1].old?", "missing --edits[1].old", "--edits[2]: 3 is not a JSON object"}},
		{"a union", Kwargs{"file_path": "a", "either": true}, []string{"--either: true is not an integer"}},
		{"twice", Kwargs{"file_path": "a", "filePath": "b"}, []string{"--file_path is given twice, once as file_path: give it once"}},
		{"what JSON cannot hold", Kwargs{"file_path": "a", "ratio": math.NaN()}, []string{"--ratio: JSON cannot hold it"}},
		{"Check", Kwargs{"file_path": "a", "mode": "b", "all": true}, []string{"take: --all and --mode b exclude each other"}},
		{"all at once", Kwargs{"limit": "x", "mode": "y", "zzz": 1}, []string{"missing --file_path", "--limit:", "--mode:", "unknown parameter --zzz", "see: take --help"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var ran Kwargs
			tool := checked(&ran)
			r := New()
			require.NoError(t, r.Register(tool))
			res := r.Execute(context.Background(), "take", row.kwargs)
			require.Nil(t, ran)
			require.Equal(t, 2, res.ExitStatus)
			for _, want := range row.want {
				require.Contains(t, res.Error, want)
			}
			_, err := tool.Bind(row.kwargs, false)
			var usage *UsageError
			require.ErrorAs(t, err, &usage)
			require.Equal(t, res.Error, usage.Error())
		})
	}
}

// TestBindAgreesWithParse: the same values as kwargs and as words.
func TestBindAgreesWithParse(t *testing.T) {
	n := func(s string) json.Number { return json.Number(s) }
	var ran Kwargs
	tool := checked(&ran)
	declared := append([]Param{}, tool.Params.List()...)
	tool.Params = NewParams(append(declared[1:], Param{Name: "file_path", Type: String}, Param{Name: "count", Type: Integer}, Param{Name: "map", Type: Object},
		Param{Name: "yes", AnyOf: []Param{{Type: Boolean}, {Type: Array, Items: &Param{Type: Integer}}}})...)
	open := &Tool{Name: "open", Params: AnyParams()}
	values := []any{"", "5", "5.0", "5.5", "+5", "007", "-1", "1e3", "1e-3", "1e999999999", "99999999999999999999", "-99999999999999999999.0", "true", "yes", "null", "a", "b", " ", "[", "[]", "[1, 2]", `["1"]`, `[1.0]`, `["x"]`, `[{"old":"x"}]`,
		"{}", `{"a":1}`, `{"a": 1}`, `{"a":1}]`, "\xff", "--all", "-", n("5"), n("5.0"), n("1e3"), n("5.5"), n("-0"), n("99999999999999999999"), 5, 5.0, 5.5, int64(math.MaxInt64), uint64(math.MaxUint64), true, false,
		[]any{}, []any(nil), []string(nil), []int(nil), map[string]any(nil), []any{"x"}, []any{1, n("2.0")}, []string{"5"}, []map[string]any{{"old_str": "x", "times": 2.0}}, []any{map[string]any{"old": 5}}, map[string]any{"a": []any{nil, "5"}}}
	for _, tool := range []*Tool{tool, open} {
		names := []string{"any", "a-b"}
		for _, q := range tool.Params.List() {
			names = append(names, q.Name)
		}
		for _, name := range names {
			if tool.Params.Find(name) == nil && tool != open {
				continue
			}
			for _, v := range values {
				bound, bindErr := tool.Bind(Kwargs{name: v}, false)
				words, err := tool.Words(Kwargs{name: v})
				require.NoError(t, err)
				if text, isText := v.(string); isText { // which Bind takes for a word
					words = []string{"--" + name + "=" + text}
				}
				parsed, parseErr := tool.Parse(words, false)
				require.Equal(t, parseErr, bindErr, "%s %#v %q", name, v, words)
				if bindErr == nil {
					require.Equal(t, parsed.Kwargs, bound, "%s %#v", name, v)
				}
			}
		}
	}
	_, err := tool.Bind(Kwargs{"count": n("99999999999999999999")}, false)
	require.ErrorContains(t, err, "--count: 99999999999999999999 is out of range: write a whole number of at most 18 digits")
}

// What is in a JSON value is looked at on a command line too.
func TestParseLooksIntoJSON(t *testing.T) {
	var ran Kwargs
	tool := checked(&ran)
	_, err := tool.Parse([]string{"a", "--lines", "[1, 1.5]", "--edits", `[{"times": 0}]`, "--limit", "x"}, false)
	for _, want := range []string{"--lines[1]: 1.5 is not an integer", "--edits[0].times: 0 is below", "missing --edits[0].old", `--limit: "x"`} {
		require.ErrorContains(t, err, want)
	}
	got, err := tool.Parse([]string{"a", "--edits", `[{"old_str": "x"}]`}, false)
	require.NoError(t, err)
	require.Equal(t, []any{map[string]any{"old": "x"}}, got.Kwargs["edits"])
}

// Members that a schema says nothing of may be there, as JSON Schema has it; keys
// of the call itself may not.
func TestBindBySchema(t *testing.T) {
	p, err := ParseSchema("t", json.RawMessage(`{"properties":{"o":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},
	  "closed":{"type":"object","properties":{},"additionalProperties":false},"named":{"type":"object","patternProperties":{"^x":{}},"additionalProperties":false}}}`))
	require.NoError(t, err)
	tool := &Tool{Name: "t", Params: p}
	got, err := tool.Bind(Kwargs{"o": map[string]any{"n": 1, "more": true}, "named": map[string]any{"x1": "a"}}, false)
	require.NoError(t, err)
	require.Equal(t, Kwargs{"o": map[string]any{"n": json.Number("1"), "more": true}, "named": map[string]any{"x1": "a"}}, got)
	_, err = tool.Bind(Kwargs{"o": map[string]any{}, "closed": map[string]any{"a": 1}, "p": 1}, false)
	for _, want := range []string{"missing --o.n", "unknown parameter --closed.a", "unknown parameter --p"} {
		require.ErrorContains(t, err, want)
	}
}

func TestExecuteOpenSchema(t *testing.T) {
	var ran Kwargs
	r := New()
	require.NoError(t, r.Register(&Tool{Name: "any", Summary: "Takes anything", Params: AnyParams(), Run: func(_ context.Context, c *Call) (ToolResult, error) {
		ran = c.Kwargs
		return Success(""), nil
	}}))
	require.True(t, r.Execute(context.Background(), "any", Kwargs{"a": 1.5, "b": []any{"x"}}).Success)
	require.Equal(t, Kwargs{"a": json.Number("1.5"), "b": []any{"x"}}, ran)
	res := r.Execute(context.Background(), "any", Kwargs{"-@": 1})
	require.Contains(t, res.Error, "unknown parameter ---@", "no command line can say it")
}

func TestExecuteRunsInADirectory(t *testing.T) {
	r, dir := New(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("A"), 0o600))
	require.NoError(t, r.Register(&Tool{Name: "where", Summary: "Tells the directory", Params: NewParams(), Run: func(_ context.Context, c *Call) (ToolResult, error) {
		return Success(c.Path("a")), nil
	}}))
	require.Equal(t, filepath.Join(dir, "a"), r.Execute(context.Background(), "where", nil, InDir(dir)).Output)
	own, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(own, "a"), r.Execute(context.Background(), "where", nil).Output)
}

func TestRegisterSaysWhatIsLacking(t *testing.T) {
	r := New()
	for _, row := range []struct {
		name string
		tool *Tool
		want []string
	}{
		{"name", &Tool{Summary: "s", Params: NewParams(), Run: nothing}, []string{"add a Name"}},
		{"summary", &Tool{Name: "t", Summary: " ", Params: NewParams(), Run: nothing}, []string{`register tool "t": add a Summary`}},
		{"parameters", &Tool{Name: "t", Summary: "s", Run: nothing}, []string{"add Params (registry.NewParams() takes none)"}},
		{"run", &Tool{Name: "t", Summary: "s", Params: NewParams()}, []string{"add a Run function"}},
		{"all", &Tool{}, []string{"a Name", "a Summary", "Params", "a Run function"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := r.Register(row.tool)
			for _, want := range row.want {
				require.ErrorContains(t, err, want)
			}
			require.Empty(t, r.All())
		})
	}
}

func TestRegisterRefusesNamesThatCannotBeCalled(t *testing.T) {
	words, err := exec.Command("bash", "-c", "compgen -k").Output()
	require.NoError(t, err)
	r := New()
	for _, name := range append(strings.Fields(string(words)), "agent:x", "agent:", "a b", "a\nb", "a;b", "a/b", "..", "-x", "a'b", "x=1", "field:", "field:x", "field::x", "field:x:", "bash", "export", "let") {
		err := r.Register(&Tool{Name: name, Summary: "s", Params: NewParams(), Run: nothing})
		require.ErrorContains(t, err, fmt.Sprintf("register tool %q: ", name))
		require.ErrorContains(t, err, ": choose another name")
	}
	for _, name := range []string{"x", "a-b", "a.b", "ns:x", "größe", "field:a:b:c", "iffy", "2x"} {
		require.NoError(t, r.Register(&Tool{Name: name, Summary: "s", Params: NewParams(), Run: nothing}))
	}
}
