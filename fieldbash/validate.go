package fieldbash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/agentbash/agentbash/registry"
)

// maxProblems bounds how many mistakes one call is told of.
const maxProblems = 20

// schemaURL is the name a schema has for the compiler; nothing is loaded from it.
const schemaURL = "field:///schema"

// validator checks arguments against a tool's whole JSON Schema. It is
// compiled at first use, and is safe for concurrent use.
type validator struct {
	tool    string
	schema  json.RawMessage
	logf    func(format string, args ...any)
	compile sync.Once
	doc     any                // the schema, decoded
	ready   *jsonschema.Schema // nil: the server judges alone
	printer *message.Printer
}

func newValidator(tool string, schema json.RawMessage, logf func(string, ...any)) *validator {
	return &validator{tool: tool, schema: schema, logf: logf}
}

// closedLoader refuses every reference that leaves the schema: a server must
// not make us read files or call addresses.
type closedLoader struct{}

func (closedLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s: only references within the schema are followed", url)
}

// check returns one line for each mistake in the arguments, with its path.
func (v *validator) check(kwargs registry.Kwargs) []string {
	v.compile.Do(v.prepare)
	if v.ready == nil {
		return nil
	}
	args := map[string]any(maps.Clone(kwargs))
	delete(args, formatKey)
	delete(args, laterKey)
	err := v.ready.Validate(args)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var problems []string
	for _, leaf := range leaves(invalid) {
		for _, line := range v.explain(leaf, args) {
			if !slices.Contains(problems, line) {
				problems = append(problems, line)
			}
		}
	}
	if n := len(problems); n > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", n-maxProblems))
	}
	return problems
}

func (v *validator) prepare() {
	if len(v.schema) == 0 || bytes.Equal(bytes.TrimSpace(v.schema), []byte("null")) {
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.schema))
	if err == nil {
		c := jsonschema.NewCompiler()
		c.UseLoader(closedLoader{})
		if err = c.AddResource(schemaURL, doc); err == nil {
			v.ready, err = c.Compile(schemaURL)
		}
	}
	if err != nil {
		v.logf("%s: its schema cannot be used, so its arguments are checked by the server alone: %v", v.tool, err)
		v.ready = nil
		return
	}
	v.doc = doc
	v.printer = message.NewPrinter(language.English)
}

// leaves are the mistakes themselves. Of a union's branches the one is taken
// that was followed deepest into the value, which is the one that was meant.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return bestBranch(e)
	}
	var out []*jsonschema.ValidationError
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	return out
}

func bestBranch(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var best []*jsonschema.ValidationError
	bestDepth := -1
	var types []string
	for _, c := range e.Causes {
		ls := leaves(c)
		depth := 0
		for _, l := range ls {
			if t, ok := l.ErrorKind.(*kind.Type); ok && len(l.InstanceLocation) == len(e.InstanceLocation) {
				types = append(types, t.Want...)
				continue
			}
			depth = max(depth, len(l.InstanceLocation)+1)
		}
		if depth > bestDepth {
			best, bestDepth = ls, depth
		}
	}
	if bestDepth == 0 { // the value is of no type that any branch takes
		merged := *e.Causes[0]
		merged.Causes, merged.InstanceLocation = nil, e.InstanceLocation
		got := ""
		if t, ok := best[0].ErrorKind.(*kind.Type); ok {
			got = t.Got
		}
		slices.Sort(types)
		merged.ErrorKind = &kind.Type{Got: got, Want: slices.Compact(types)}
		return []*jsonschema.ValidationError{&merged}
	}
	return best
}

// explain says what is wrong at one place, in the words of a command line.
func (v *validator) explain(e *jsonschema.ValidationError, args map[string]any) []string {
	at := flagPath(e.InstanceLocation, args)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		var out []string
		for _, name := range k.Missing {
			path := flagPath(append(slices.Clone(e.InstanceLocation), name), args)
			out = append(out, fmt.Sprintf("%s is required%s", path, v.typeOf(e.SchemaURL, name)))
		}
		return out
	case *kind.AdditionalProperties:
		var out []string
		for _, name := range k.Properties {
			path := flagPath(append(slices.Clone(e.InstanceLocation), name), args)
			out = append(out, path+" is not known"+v.knownAt(e.SchemaURL, name))
		}
		return out
	case *kind.Type:
		return []string{fmt.Sprintf("%s must be %s, not %s", at, strings.Join(k.Want, " or "), k.Got)}
	case *kind.Enum:
		var want []string
		for _, w := range k.Want {
			want = append(want, fmt.Sprint(w))
		}
		return []string{fmt.Sprintf("%s must be one of %s, not %v", at, strings.Join(want, ", "), k.Got)}
	case *kind.DependentRequired:
		return []string{fmt.Sprintf("%s: %s needs %s beside it", at, k.Prop, strings.Join(k.Missing, ", "))}
	}
	return []string{at + ": " + strings.ReplaceAll(e.ErrorKind.LocalizedString(v.printer), "'", "")}
}

// flagPath writes a place in the arguments as one would name it: --list[0].name.
func flagPath(location []string, args any) string {
	if len(location) == 0 {
		return "the arguments"
	}
	var b strings.Builder
	b.WriteString("--")
	for i, part := range location {
		switch at := args.(type) {
		case []any:
			fmt.Fprintf(&b, "[%s]", part)
			n, err := strconv.Atoi(part)
			args = nil
			if err == nil && n < len(at) {
				args = at[n]
			}
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(part)
			m, _ := at.(map[string]any)
			args = m[part]
		}
	}
	return b.String()
}

// typeOf is " (type)" of a property of the object schema at a URL, or "".
func (v *validator) typeOf(url, property string) string {
	prop, _ := v.properties(url)[property].(map[string]any)
	if ref, ok := prop["$ref"].(string); ok {
		prop, _ = v.at(ref).(map[string]any)
	}
	switch t := prop["type"].(type) {
	case string:
		return " (" + t + ")"
	case []any:
		var names []string
		for _, n := range t {
			names = append(names, fmt.Sprint(n))
		}
		return " (" + strings.Join(names, " or ") + ")"
	}
	return ""
}

// knownAt lists the properties of the object schema at a URL.
func (v *validator) knownAt(url, typed string) string {
	var names []string
	for name := range v.properties(url) {
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	hint := ""
	if near := registry.Closest(typed, names, 1); near != nil {
		hint = "; did you mean " + near[0] + "?"
	}
	return hint + " (it takes: " + strings.Join(names, ", ") + ")"
}

func (v *validator) properties(url string) map[string]any {
	o, _ := v.at(url).(map[string]any)
	props, _ := o["properties"].(map[string]any)
	return props
}

// at follows the JSON Pointer (RFC 6901) in a URL's fragment.
func (v *validator) at(url string) any {
	_, pointer, _ := strings.Cut(url, "#")
	node := v.doc
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(part)
		switch n := node.(type) {
		case map[string]any:
			node = n[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n) {
				return nil
			}
			node = n[i]
		default:
			return nil
		}
	}
	return node
}
