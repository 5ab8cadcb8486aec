package fieldbash

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agentbash/agentbash/registry"
)

// maxProblems bounds how many mistakes one call is told of.
const maxProblems = 20

// validator checks arguments against a tool's whole JSON Schema. It is
// compiled at first use, and is safe for concurrent use.
//
// Whether the arguments are right is the library's verdict. It stops at the
// first mistake and names no place, so what is wrong is then looked for here,
// node by node. (santhosh-tekuri/jsonschema finds it all by itself, but
// compiles the meta-schemas of every draft when the program starts, which is
// more than everything else that happens before main.)
type validator struct {
	tool    string
	schema  json.RawMessage
	logf    func(format string, args ...any)
	compile sync.Once
	root    *jsonschema.Schema   // for looking; nil: the server judges alone
	tree    any                  // for measuring
	dear    sync.Once            // says that a check would cost too much
	ready   *jsonschema.Resolved // for judging
}

func newValidator(tool string, schema json.RawMessage, logf func(string, ...any)) *validator {
	return &validator{tool: tool, schema: schema, logf: logf}
}

// check returns one line for each mistake in the arguments, with its path.
func (v *validator) check(kwargs registry.Kwargs) []string {
	v.compile.Do(v.prepare)
	if v.ready == nil {
		return nil
	}
	args, _ := goNumbers(map[string]any(kwargs)).(map[string]any)
	if !isAffordable(v.tree, args) {
		v.dear.Do(func() {
			v.logf("%s: its schema is too costly to check arguments by, so the server judges alone", v.tool)
		})
		return nil
	}
	err := v.ready.Validate(args)
	if err == nil {
		return nil
	}
	f := mistakeFinder{root: v.root, refs: map[string]*jsonschema.Schema{}}
	f.compareValue(v.root, args, nil, 0)
	problems := f.lines()
	if len(problems) == 0 { // a keyword that needs the whole: not, if, unevaluated...
		problems = []string{plainReason(err) + ", which " + v.tool + " --schema prints"}
	}
	if n := len(problems); n > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	return problems
}

// plainReason says which place breaks which keyword of the schema; the library says how it came there.
func plainReason(err error) string {
	place, text := "", err.Error()
	for strings.HasPrefix(text, "validating ") {
		at, rest, ok := strings.Cut(text[len("validating "):], ": ")
		if !ok {
			break
		}
		place, text = "", rest
		if strings.HasPrefix(at, "/properties/") {
			place = "--" + strings.ReplaceAll(at[len("/properties/"):], "/properties/", ".")
		}
	}
	keyword, _, _ := strings.Cut(text, ":")
	return fmt.Sprintf("%s breaks %q of the schema", cmp.Or(place, "it"), keyword)
}

func (v *validator) prepare() {
	if len(v.schema) == 0 || bytes.Equal(bytes.TrimSpace(v.schema), []byte("null")) {
		return
	}
	schema, root, err := v.parse()
	if err == nil {
		// Without a Loader every reference that leaves the schema is an error: a
		// server must not make us read files or call addresses.
		if v.ready, err = root.Resolve(nil); err == nil {
			v.root, err = parseSchema(schema)
		}
		if err == nil && !knownDraft(root.Schema) {
			err = fmt.Errorf("its draft is %s, not draft-07 or 2020-12", root.Schema)
		}
		if typ := wrongType(v.tree); err == nil && typ != "" {
			err = fmt.Errorf("there is no type %q", typ)
		}
	}
	if err != nil {
		v.logf("%s: its schema cannot be used, so its arguments are checked by the server alone: %v", v.tool, err)
		v.ready = nil
	}
}

// parse reads the schema, of which numbers stay literal.
func (v *validator) parse() (schema json.RawMessage, root *jsonschema.Schema, err error) {
	if v.tree, err = registry.DecodeJSON(v.schema); err != nil {
		return nil, nil, err
	}
	if schema, err = json.Marshal(withoutDefaulted(v.tree)); err != nil {
		return nil, nil, err
	}
	root, err = parseSchema(schema)
	return schema, root, err
}

// withoutDefaulted is a schema that does not require what has a default: the server
// fills that in.
func withoutDefaulted(node any) any {
	switch n := node.(type) {
	case []any:
		out := make([]any, len(n))
		for i := range n {
			out[i] = withoutDefaulted(n[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(n))
		props, _ := n["properties"].(map[string]any)
		for key, e := range n {
			if slices.Contains(verbatim, key) {
				out[key] = e
				continue
			}
			if list, is := e.([]any); is && key == "required" {
				e = slices.DeleteFunc(slices.Clone(list), func(name any) bool {
					property, _ := props[fmt.Sprint(name)].(map[string]any)
					_, defaulted := property["default"]
					return defaulted
				})
			}
			out[key] = withoutDefaulted(e)
		}
		return out
	}
	return node
}

// verbatim are keywords whose values are no schemas.
var verbatim = []string{"enum", "const", "default", "examples"}

func parseSchema(schema json.RawMessage) (*jsonschema.Schema, error) {
	var s jsonschema.Schema
	err := json.Unmarshal(schema, &s)
	return &s, err
}

// knownDraft reports a draft that the library judges by.
func knownDraft(uri string) bool {
	return slices.Contains([]string{"", "https://json-schema.org/draft/2020-12/schema",
		"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema",
		"https://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"}, uri)
}

// wrongType returns a type that the schema names and JSON Schema does not have,
// or "". The library would find that no value is of it.
func wrongType(node any) string {
	switch n := node.(type) {
	case []any:
		for _, e := range n {
			if t := wrongType(e); t != "" {
				return t
			}
		}
	case map[string]any:
		if t, ok := n["type"].(string); ok && !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t) {
			return t
		}
		for key, e := range n {
			if slices.Contains(verbatim, key) {
				continue
			}
			if t := wrongType(e); t != "" {
				return t
			}
		}
	}
	return ""
}

// goNumbers copies a JSON value with its literal numbers as Go's, which are the
// ones that the library takes for numbers. Digits that get lost here are only
// lost for the comparison: what is sent stays literal.
func goNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = goNumbers(e)
		}
		return m
	case []any:
		a := make([]any, len(v))
		for i, e := range v {
			a[i] = goNumbers(e)
		}
		return a
	}
	return v
}
