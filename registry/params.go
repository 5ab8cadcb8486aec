package registry

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// The JSON Schema types a parameter can have (JSON Schema 2020-12, section
// 6.1.1 of the validation vocabulary).
const (
	String  = "string"
	Integer = "integer"
	Number  = "number"
	Boolean = "boolean"
	Array   = "array"
	Object  = "object"
	Null    = "null"
)

// Param is one parameter of a tool.
type Param struct {
	Name        string // snake_case in our own tools; as declared in others'
	Type        string // a JSON Schema type; "" is undeclared, and guessed at
	Description string
	Required    bool
	Default     any      // as in Kwargs, or an int; nil: none
	Enum        []string // allowed values as literal text; nil: any
	Min, Max    *float64 // inclusive range of a number; nil: open
	Items       *Param   // element of an array; nil: undeclared
	Props       *Params  // members of an object; nil: undeclared
	AnyOf       []Param  // a union: tried in order, string last

	Short   string   // one letter: "i" accepts -i; "" has none
	Aliases []string // other names that are accepted, and not advertised
	Join    string   // of several values one text is made, with this between them
	Unless  string   // another parameter: when it is given, this one is not required, nor takes words without a key
	Stdin   bool     // it may come on stdin instead: the tool reads it by Call.Input

	// Alone is the value of the parameter on a command line where none follows it; "" is
	// true for a boolean, and a mistake for others.
	Alone string

	// Synonyms are other words for values on a command line.
	Synonyms map[string]string

	// Positional lets a word without a key fill the parameter though it is not
	// required.
	Positional bool

	// Pattern is a value in which * ? [ mean something to the tool, or are text: a
	// router passes them as they are typed, and bash does not expand them.
	Pattern bool

	// Role is what the value is to the file system, the network or a shell: a
	// string, and each string of an array, and of an object whose members have none.
	Role Role

	values []any // those of Enum, where they come from a schema

	// What else a schema says of the value, for the roles in it.
	first []Param // the first elements of an array; Items are those after them
	also  []Param // the value is all of these too
	lost  []Role  // it is not known of what in the value
}

// Params are a tool's parameters in schema order. A nil *Params has none.
// It is not changed after it was made and is safe for concurrent use.
type Params struct {
	list   []Param
	schema json.RawMessage
	source func() json.RawMessage // makes the schema; nil: it is there
	open   bool                   // keys beyond the declared ones are accepted, and guessed at

	rest *Param  // keys beyond the declared ones; nil: nothing is said of them
	also []Param // of a call: see Param
	lost []Role

	later sync.Once      // runs parse, at first use
	parse func() *Params // reads the schema; nil: it is read
}

// readSchema reads a schema at its first use: listing 500 tools must not cost the reading of 500 schemas.
func (p *Params) readSchema() *Params {
	if p != nil && p.parse != nil {
		p.later.Do(func() {
			q := p.parse()
			p.list, p.open, p.rest, p.also, p.lost = q.list, q.open, q.rest, q.also, q.lost
		})
	}
	return p
}

// NewParams makes the parameters of a tool written in Go; the JSON Schema is
// made from the list. It panics on a duplicate name, which is a programmer's error.
func NewParams(list ...Param) *Params {
	p := &Params{list: append([]Param(nil), list...)}
	seen := map[string]bool{}
	for _, q := range list {
		for _, name := range append([]string{q.Name}, q.Aliases...) {
			if seen[Fold(name)] {
				panic("registry: parameter " + name + " is declared twice")
			}
			seen[Fold(name)] = true
		}
	}
	p.schema = p.render()
	return p
}

// AnyParams are the parameters of a tool whose schema is not known: every key
// is accepted and every value is guessed at.
func AnyParams() *Params {
	return &Params{open: true, schema: json.RawMessage(`{"type":"object"}`)}
}

// List returns the parameters in schema order. The caller must not change it.
func (p *Params) List() []Param {
	if p == nil {
		return nil
	}
	return p.readSchema().list
}

// Schema returns the whole JSON Schema, as it was given where it came from elsewhere.
func (p *Params) Schema() json.RawMessage {
	if p == nil {
		return json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	if p.source != nil {
		return p.source()
	}
	return p.schema
}

// Fold makes keys comparable: dashes become underscores.
func Fold(key string) string { return strings.ReplaceAll(key, "-", "_") }

// Find returns the parameter of that name, else of that name or alias with
// dashes folded, else the only one of that name in another spelling (--dry-run for
// dryRun), or nil.
func (p *Params) Find(name string) *Param {
	if p.readSchema() == nil {
		return nil
	}
	for i := range p.list {
		if p.list[i].Name == name {
			return &p.list[i]
		}
	}
	name = Fold(name)
	for i := range p.list {
		if Fold(p.list[i].Name) == name {
			return &p.list[i]
		}
	}
	for i := range p.list {
		for _, a := range p.list[i].Aliases {
			if Fold(a) == name {
				return &p.list[i]
			}
		}
	}
	var found *Param
	anyCase := func(key string) string { return strings.ToLower(strings.ReplaceAll(Fold(key), "_", "")) }
	for i := range p.list {
		if len(name) > 1 && anyCase(p.list[i].Name) == anyCase(name) {
			if found != nil {
				return nil
			}
			found = &p.list[i]
		}
	}
	return found
}

// findOrRest is Find, or what is said of all other keys.
func (p *Params) findOrRest(name string) *Param {
	if q := p.Find(name); q != nil || p == nil {
		return q
	}
	return p.rest
}

// findShort returns the parameter that -c stands for, or nil.
func (p *Params) findShort(c string) *Param {
	for i := range p.List() {
		if p.list[i].Short == c {
			return &p.list[i]
		}
	}
	return nil
}

// element is the parameter of an array's element.
func (q *Param) element(i int) *Param {
	if i < len(q.first) {
		return &q.first[i]
	}
	return q.Items.orAny()
}

// WithRoles returns the parameters with other roles, by their declared names: the
// ones of what is in such a parameter's arrays and unions are gone.
func (p *Params) WithRoles(roles map[string]Role) *Params {
	out := &Params{list: slices.Clone(p.List()), schema: p.Schema()}
	if p != nil {
		out.open, out.rest, out.also, out.lost = p.open, p.rest, p.also, p.lost
	}
	for i := range out.list {
		if role, ok := roles[out.list[i].Name]; ok {
			out.list[i] = out.list[i].withoutRoles()
			out.list[i].Role = role
		}
	}
	return out
}

// withoutRoles is a copy of a parameter in which no string has a role.
func (q Param) withoutRoles() Param {
	q.Role, q.first, q.also, q.lost = "", nil, nil, nil
	if q.Items != nil {
		item := q.Items.withoutRoles()
		q.Items = &item
	}
	q.AnyOf = slices.Clone(q.AnyOf)
	for i := range q.AnyOf {
		q.AnyOf[i] = q.AnyOf[i].withoutRoles()
	}
	return q
}

// render writes the JSON Schema of a hand-made list, keys in order.
func (p *Params) render() json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, q := range p.list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(q.Name))
		b.WriteByte(':')
		b.Write(q.render())
		if q.Required && !q.Stdin {
			required = append(required, q.Name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":`)
		b.Write(mustJSON(required))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

func (q *Param) render() []byte {
	if q.Props != nil && q.Type == Object {
		return q.Props.schema
	}
	m := struct {
		Type        string            `json:"type,omitempty"`
		Description string            `json:"description,omitempty"`
		Default     any               `json:"default,omitempty"`
		Enum        []string          `json:"enum,omitempty"`
		Min         *float64          `json:"minimum,omitempty"`
		Max         *float64          `json:"maximum,omitempty"`
		Items       json.RawMessage   `json:"items,omitempty"`
		AnyOf       []json.RawMessage `json:"anyOf,omitempty"`
	}{Type: q.Type, Description: q.Description, Default: q.Default, Enum: q.Enum, Min: q.Min, Max: q.Max}
	if q.Items != nil {
		m.Items = q.Items.render()
	}
	for i := range q.AnyOf {
		m.AnyOf = append(m.AnyOf, q.AnyOf[i].render())
	}
	return mustJSON(m)
}

// Float returns a pointer to f, for Param.Min and Param.Max.
func Float(f float64) *float64 { return &f }
