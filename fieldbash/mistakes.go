package fieldbash

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// maxDepth bounds how deep a value and a chain of references are followed.
const maxDepth = 64

// mistake is one thing that is wrong at one place in the arguments.
type mistake struct {
	at   []string // the way to it: property names and element numbers
	text string   // what is wrong, said of the place
	want []string // the types that were wanted there; for merging unions
	got  string

	values  []any // those that were wanted there
	missing bool  // it is required
}

// mistakeFinder looks for every mistake in a value that is known to have one.
type mistakeFinder struct {
	tree  any // the whole schema, in which references are followed
	args  any
	refs  map[string]*jsonschema.Schema // that were followed; shared by all that look
	found []mistake
}

// lines are the mistakes as a person reads them, in the order of the schema.
func (f *mistakeFinder) lines() []string {
	var out []string
	for _, m := range f.found {
		line := flagPath(m.at, f.args) + m.text
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

func (f *mistakeFinder) add(at []string, format string, a ...any) {
	f.found = append(f.found, mistake{at: slices.Clone(at), text: fmt.Sprintf(format, a...)})
}

// compareValue compares one value with one schema.
func (f *mistakeFinder) compareValue(s *jsonschema.Schema, v any, at []string, depth int) {
	if depth == 0 {
		f.args = v
	}
	if s == nil || depth > maxDepth {
		return
	}
	if s.Ref != "" {
		f.compareValue(f.resolve(s.Ref), v, at, depth+1)
	}
	if !f.lookType(s, v, at) {
		return
	}
	for _, part := range s.AllOf {
		f.compareValue(part, v, at, depth+1)
	}
	if one, err := resolved(s.If); err == nil {
		next := s.Else
		if one.Validate(v) == nil {
			next = s.Then
		}
		f.compareValue(next, v, at, depth+1)
	}
	f.compareUnion(s.AnyOf, v, at, depth)
	f.compareUnion(s.OneOf, v, at, depth)
	switch v := v.(type) {
	case map[string]any:
		f.lookObject(s, v, at, depth)
	case []any:
		for i, e := range v {
			f.compareValue(elementSchema(s, i), e, append(at[:len(at):len(at)], strconv.Itoa(i)), depth+1)
		}
	}
	f.lookRest(s, v, at)
}

// resolved is a schema that stands for itself: one that refers to others is an error,
// and so is none.
func resolved(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
	if s == nil {
		return nil, errors.New("no schema")
	}
	return s.CloneSchemas().Resolve(nil)
}

// lookType checks type, enum and const; when they do not fit, nothing else at
// the place is worth saying.
func (f *mistakeFinder) lookType(s *jsonschema.Schema, v any, at []string) bool {
	want := s.Types
	if s.Type != "" {
		want = []string{s.Type}
	}
	got := jsonType(v)
	if len(want) > 0 && !slices.Contains(want, got) && !(got == "integer" && slices.Contains(want, "number")) {
		if got == "integer" {
			got = "number"
		}
		f.found = append(f.found, mistake{at: slices.Clone(at), text: typeText(want, got), want: want, got: got})
		return false
	}
	values := s.Enum
	if s.Const != nil {
		values = []any{*s.Const}
	}
	if values != nil && !slices.ContainsFunc(values, func(w any) bool { return jsonschema.Equal(w, v) }) {
		f.found = append(f.found, mistake{at: slices.Clone(at), text: valueText(values, v), values: values})
		return false
	}
	return true
}

func typeText(want []string, got string) string {
	return fmt.Sprintf(" must be %s, not %s", strings.Join(want, " or "), got)
}

func valueText(values []any, got any) string {
	var texts []string
	for _, w := range append(slices.Clone(values), got) {
		text, isText := w.(string)
		if b, err := json.Marshal(w); !isText && err == nil {
			text = string(b)
		}
		texts = append(texts, text)
	}
	last := len(texts) - 1
	return fmt.Sprintf(" must be one of %s, not %s", strings.Join(texts[:last], ", "), texts[last])
}

// lookObject checks the members of an object.
func (f *mistakeFinder) lookObject(s *jsonschema.Schema, v map[string]any, at []string, depth int) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			way := append(slices.Clone(at), name)
			f.found = append(f.found, mistake{at: way, text: " is required" + f.typeOf(s.Properties[name]), missing: true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		way := append(at[:len(at):len(at)], name)
		if p := s.Properties[name]; p != nil {
			f.compareValue(p, v[name], way, depth+1)
			continue
		}
		switch extra := s.AdditionalProperties; {
		case extra == nil || len(s.PatternProperties) > 0: // left to the rest
		case isFalse(extra):
			f.add(way, " is not known%s", knownProperties(s, name))
		default:
			f.compareValue(extra, v[name], way, depth+1)
		}
	}
}

// elementSchema is the schema of element i of an array; nil is any.
func elementSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	switch {
	case i < len(s.PrefixItems):
		return s.PrefixItems[i]
	case i < len(s.ItemsArray):
		return s.ItemsArray[i]
	case len(s.ItemsArray) > 0:
		return s.AdditionalItems
	}
	return s.Items
}

// resolve follows a reference within the schema; nil if that leads nowhere.
func (f *mistakeFinder) resolve(ref string) *jsonschema.Schema {
	s, known := f.refs[ref]
	if node, ok := pointAt(f.tree, ref); ok && !known {
		s, _ = makeSchema(node) // the whole schema is one
		f.refs[ref] = s
	}
	return s
}

// typeOf is " (type)" of a property, or "".
func (f *mistakeFinder) typeOf(p *jsonschema.Schema) string {
	if p != nil && p.Ref != "" {
		p = f.resolve(p.Ref)
	}
	switch {
	case p == nil:
		return ""
	case p.Type != "":
		return " (" + p.Type + ")"
	case len(p.Types) > 0:
		return " (" + strings.Join(p.Types, " or ") + ")"
	}
	return ""
}

// knownProperties lists the properties of an object schema.
func knownProperties(s *jsonschema.Schema, typed string) string {
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(names) == 0 {
		return ""
	}
	hint := ""
	if near := registry.Closest(typed, names, 1); near != nil {
		hint = "; did you mean " + near[0] + "?"
	}
	return hint + " (it takes: " + strings.Join(names, ", ") + ")"
}

// isFalse reports the schema "false", which nothing fits.
func isFalse(s *jsonschema.Schema) bool {
	b, err := json.Marshal(s)
	return err == nil && string(b) == "false"
}

// jsonType is a value's type (JSON Schema 2020-12 validation, section 6.1.1).
func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case int64:
		return "integer"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// flagPath writes a place in the arguments as one would name it: --list[0].name.
func flagPath(location []string, args any) string {
	if len(location) == 0 {
		return "the arguments"
	}
	var b strings.Builder
	for i, part := range location {
		if at, ok := args.([]any); ok {
			fmt.Fprintf(&b, "[%s]", part)
			n, err := strconv.Atoi(part)
			args = nil
			if err == nil && n < len(at) {
				args = at[n]
			}
			continue
		}
		if i > 0 {
			b.WriteString("." + part)
		} else {
			b.WriteString(quote.Word("--" + part))
		}
		m, _ := args.(map[string]any)
		args = m[part]
	}
	return b.String()
}
