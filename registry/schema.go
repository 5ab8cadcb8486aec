package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// maxDepth bounds how deep a schema from elsewhere is followed, $refs included.
const maxDepth = 12

// ParseSchema reads the JSON Schema of a tool that comes from elsewhere: the
// order of its properties, their types, enums, ranges and unions, with local
// references ("#/$defs/x") followed, and Roles: by the keyword x-role, and Contacts
// by the format uri. The schema itself is kept whole. What
// cannot be understood becomes a parameter of no declared type; only text that
// is no JSON object is an error.
func ParseSchema(name string, schema json.RawMessage) (*Params, error) {
	if len(bytes.TrimSpace(schema)) == 0 || string(bytes.TrimSpace(schema)) == "null" {
		return AnyParams(), nil
	}
	if text := bytes.TrimSpace(schema); text[0] != '{' {
		return nil, fmt.Errorf("schema of %s: not a JSON object", name)
	} else if !json.Valid(text) {
		return nil, fmt.Errorf("schema of %s: not JSON", name)
	}
	return &Params{schema: schema, parse: func() *Params {
		root, err := decodeObject(schema)
		if err != nil { // json.Valid has seen it
			return &Params{open: true}
		}
		d := schemaDoc{root: schema}
		return d.params(root, 0)
	}}, nil
}

type schemaDoc struct{ root json.RawMessage }

// params reads the members of an object schema.
func (d schemaDoc) params(o members, depth int) *Params {
	p := &Params{}
	required := map[string]bool{}
	var names []string
	if json.Unmarshal(o.at("required"), &names) == nil {
		for _, n := range names {
			required[n] = true
		}
	}
	props, _ := decodeObject(o.at("properties"))
	for _, m := range props {
		q := d.param(m.value, depth+1)
		q.Name, q.Required = m.key, required[m.key]
		p.list = append(p.list, q)
	}
	extra := string(bytes.TrimSpace(o.at("additionalProperties")))
	p.open = extra != "" && extra != "false" || extra == "" && len(p.list) == 0
	if depth > 0 { // what is in a value may have more; a key of the call is mistyped then
		p.open = p.open || extra == "" || o.at("patternProperties") != nil
	}
	p.schema = o.render()
	return p
}

// param reads one property's schema.
func (d schemaDoc) param(raw json.RawMessage, depth int) Param {
	o, err := decodeObject(raw)
	if err != nil || depth > maxDepth {
		return Param{}
	}
	if ref := decodeText(o.at("$ref")); ref != "" {
		q := d.param(d.resolve(ref), depth+1)
		if s := decodeText(o.at("description")); s != "" {
			q.Description = s
		}
		return q
	}
	q := Param{Description: decodeText(o.at("description")), Type: decodeText(o.at("type")), Role: schemaRole(o)}
	json.Unmarshal(o.at("minimum"), &q.Min)
	json.Unmarshal(o.at("maximum"), &q.Max)
	q.Enum = enumTexts(o.at("enum"))
	if c := o.at("const"); c != nil {
		q.Enum = enumTexts(append(append([]byte{'['}, c...), ']'))
	}
	if raw := o.at("default"); raw != nil {
		q.Default, _ = DecodeJSON(raw)
	}
	d.union(&q, o, depth)
	switch {
	case q.Type == "" && o.at("properties") != nil:
		q.Type = Object
	case q.Type == "" && o.at("items") != nil:
		q.Type = Array
	case q.Type == "" && len(q.Enum) > 0 && allStrings(o.at("enum"), o.at("const")):
		q.Type = String
	}
	if items := o.at("items"); items != nil {
		i := d.param(items, depth+1)
		q.Items = &i
	}
	if q.Type == Object {
		q.Props = d.params(o, depth+1)
	}
	return q
}

// schemaRole is what a schema says of a value by our keyword x-role. A value of the
// format uri is taken for an address; one that may be relative names no host.
func schemaRole(o members) Role {
	if r := Role(decodeText(o.at("x-role"))); slices.Contains(Roles(), r) {
		return r
	}
	if f := decodeText(o.at("format")); f == "uri" || f == "iri" || f == "url" {
		return Contacts
	}
	return ""
}

// union reads "type": [...], anyOf and oneOf; a union of one is that one.
func (d schemaDoc) union(q *Param, o members, depth int) {
	var types []string
	if json.Unmarshal(o.at("type"), &types) == nil {
		for _, t := range types {
			member := o.withValue("type", mustJSON(t))
			q.AnyOf = append(q.AnyOf, d.param(member.render(), depth+1))
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		var list []json.RawMessage
		if q.Type == "" && json.Unmarshal(o.at(key), &list) == nil {
			for _, raw := range list {
				q.AnyOf = append(q.AnyOf, d.param(raw, depth+1))
			}
		}
	}
	for i := range q.AnyOf {
		if u := &q.AnyOf[i]; u.Type == "" && len(u.AnyOf) == 0 { // anything goes
			q.AnyOf = nil
			return
		}
	}
	if len(q.AnyOf) == 1 {
		u := q.AnyOf[0]
		u.Description, u.Default = q.Description, q.Default
		if u.Role == "" {
			u.Role = q.Role
		}
		*q = u
	}
}

// resolve follows a local JSON Pointer (RFC 6901); anything else is empty.
func (d schemaDoc) resolve(ref string) json.RawMessage {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	raw := d.root
	for _, part := range strings.Split(path, "/")[1:] {
		o, err := decodeObject(raw)
		if err != nil {
			return nil
		}
		raw = o.at(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	return raw
}

// members are a JSON object's keys and values in the order they were written.
type members []member

type member struct {
	key   string
	value json.RawMessage
}

func (o members) at(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// withValue returns a copy in which key has another value and unions are gone.
func (o members) withValue(key string, value json.RawMessage) members {
	var out members
	for _, m := range o {
		switch m.key {
		case key:
			out = append(out, member{key, value})
		case "anyOf", "oneOf", "default":
		default:
			out = append(out, m)
		}
	}
	return out
}

func (o members) render() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(m.key))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// decodeObject decodes one JSON object and keeps the order of its keys.
func decodeObject(raw json.RawMessage) (members, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object")
	}
	var out members
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		out = append(out, member{k.(string), v})
	}
	_, err := d.Token()
	return out, err
}

func decodeText(raw json.RawMessage) string {
	var s string
	json.Unmarshal(raw, &s)
	return s
}

// enumTexts are an enum's values as a person types them.
func enumTexts(raw json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, v := range list {
		if s := decodeText(v); s != "" || string(v) == `""` {
			out = append(out, s)
		} else {
			out = append(out, string(v))
		}
	}
	return out
}

// allStrings reports whether an enum or a const holds only strings.
func allStrings(enum, constant json.RawMessage) bool {
	if constant != nil {
		return constant[0] == '"'
	}
	var list []string
	return json.Unmarshal(enum, &list) == nil
}
