package fieldbash

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
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
	schema  func() json.RawMessage
	logf    func(format string, args ...any)
	compile sync.Once
	root    *jsonschema.Schema   // for looking; nil: the server judges alone
	tree    any                  // for measuring
	dear    sync.Once            // says that a check would cost too much
	ready   *jsonschema.Resolved // for judging
}

func newValidator(tool string, schema func() json.RawMessage, logf func(string, ...any)) *validator {
	return &validator{tool: tool, schema: schema, logf: logf}
}

// check returns one line for each mistake in the arguments, with its path.
func (v *validator) check(kwargs registry.Kwargs) []string {
	v.compile.Do(func() {
		if err := v.prepare(); err != nil {
			v.logf("%s: its schema cannot be used, so its arguments are checked by the server alone: %v", v.tool, err)
		}
	})
	if v.ready == nil {
		return nil
	}
	args, _ := goNumbers(map[string]any(kwargs)).(map[string]any)
	problems, err := v.judge(args)
	switch {
	case errors.Is(err, errTooCostly):
		v.dear.Do(func() {
			v.logf("%s: its schema is too costly to check arguments by, so the server judges alone", v.tool)
		})
	case err != nil: // a keyword that needs the whole: not, if, unevaluated...
		return []string{plainReason(err) + ", which " + v.tool + " --schema prints"}
	}
	if n := len(problems); n > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	return problems
}

var errTooCostly = errors.New("the schema is too costly")

// judge returns one line for each mistake in a value, and an error if there is one of which
// the place is not known, or if nobody can say.
func (v *validator) judge(value any) (problems []string, err error) {
	if !isAffordable(v.tree, value) {
		return nil, errTooCostly
	}
	if err = v.ready.Validate(value); err == nil {
		return nil, nil
	}
	f := mistakeFinder{tree: v.tree, refs: map[string]*jsonschema.Schema{}}
	f.compareValue(v.root, value, nil, 0)
	if problems = f.lines(); len(problems) > 0 {
		err = nil
	}
	return problems, err
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

// prepare compiles the schema; one that says nothing leaves ready nil, and an error does.
func (v *validator) prepare() (err error) {
	text := v.schema()
	if len(text) == 0 || bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return nil
	}
	if v.tree, err = registry.DecodeJSON(text); err != nil { // numbers stay literal
		return err
	}
	root, err := makeSchema(v.tree)
	if err != nil {
		return err
	}
	// Without a Loader every reference that leaves the schema is an error: a
	// server must not make us read files or call addresses.
	ready, err := root.Resolve(nil)
	if err != nil {
		return err
	}
	if !knownDraft(root.Schema) {
		return fmt.Errorf("its draft is %s, not draft-07 or 2020-12", root.Schema)
	}
	if typ := wrongType(v.tree); typ != "" {
		return fmt.Errorf("there is no type %q", typ)
	}
	v.root, err = makeSchema(v.tree) // another, for what is resolved is not to be looked into
	v.ready = ready
	return err
}

// makeSchema makes a schema of its tree.
func makeSchema(tree any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(withoutDefaulted(tree))
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	err = json.Unmarshal(text, &s)
	return &s, err
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
