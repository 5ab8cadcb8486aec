package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	return LaterSchema(func() json.RawMessage { return schema }), nil
}

// LaterSchema is ParseSchema for a schema that is made when it is needed, and is known
// to be a JSON object.
func LaterSchema(schema func() json.RawMessage) *Params {
	source := sync.OnceValue(schema)
	return &Params{source: source, parse: func() *Params {
		schema := source()
		root, err := decodeObject(schema)
		if err != nil {
			return &Params{open: true}
		}
		d := schemaDoc{root: schema, left: maxNodes}
		d.roles = d.rolesIn(schema)
		p := d.params(root, 0, 0)
		call := Param{Props: p}
		d.readBeside(&call, root, 0)
		if r := schemaRole(root); r != "" {
			call.also = append(call.also, Param{Role: r})
		}
		p.also, p.lost = call.also, call.lost
		return p
	}}
}

// schemaDoc is a schema while it is read.
type schemaDoc struct {
	root  json.RawMessage
	roles []Role // all that stand in it
	left  int    // how many more schemas are looked at
}

// maxNodes bounds how much of a schema is looked at, which may refer to itself twice.
const maxNodes = 20_000

// params reads an object's members, its own and those of its parts. hops are the steps to parts of one object.
func (d *schemaDoc) params(o members, depth, hops int) *Params {
	p := &Params{}
	var required []string
	json.Unmarshal(o.at("required"), &required)
	props, propsErr := decodeObject(o.at("properties"))
	for _, m := range props {
		if depth == 0 && isReserved(m.key) {
			continue
		}
		q := d.param(m.value, depth+1)
		q.Name = m.key
		q.Required = slices.Contains(required, m.key) && !hasDefault(m.value)
		p.list = append(p.list, q)
	}
	extra := string(bytes.TrimSpace(o.at("additionalProperties")))
	p.open = extra != "" && extra != "false"
	if strings.HasPrefix(extra, "{") {
		q := d.param(o.at("additionalProperties"), depth+1)
		p.rest = &q
	}
	if hops < maxDepth {
		d.addParts(p, o, depth, hops+1)
	}
	for i := range p.list { // a part may require what another declares
		if q := &p.list[i]; slices.Contains(required, q.Name) && q.Default == nil && !slices.ContainsFunc(props, func(m member) bool { return m.key == q.Name }) {
			q.Required = true
		}
	}
	p.open = p.open || extra == "" && propsErr != nil && len(p.list) == 0
	if depth > 0 { // what is in a value may have more; a key of the call is mistyped then
		p.open = p.open || extra == "" || o.at("patternProperties") != nil
	}
	p.schema = o.render()
	return p
}

// addParts adds the parameters of the parts of an object: of all that it is made of,
// and of the variants among which a call chooses. One that not every variant requires
// is not required.
func (d *schemaDoc) addParts(p *Params, o members, depth, hops int) {
	read := func(raw json.RawMessage) *Params {
		part, err := decodeObject(raw)
		if d.left--; err != nil || d.left < 0 {
			return &Params{}
		}
		return d.params(part, depth, hops)
	}
	all := o.list("allOf")
	if ref := decodeText(o.at("$ref")); ref != "" {
		all = append(all, d.resolve(ref))
	}
	for _, raw := range all {
		p.addPart(read(raw).list)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		list := o.list(key)
		var names []string
		found := map[string][]*Param{}
		for _, raw := range list {
			for _, q := range read(raw).list {
				if found[q.Name] == nil {
					names = append(names, q.Name)
				}
				found[q.Name] = append(found[q.Name], &q)
			}
		}
		var variants []Param
		for _, name := range names {
			q := *anyOf(found[name])
			q.Required = len(found[name]) == len(list) && !slices.ContainsFunc(found[name], func(q *Param) bool { return !q.Required })
			variants = append(variants, q)
		}
		p.addPart(variants)
	}
}

// addPart adds parameters that are not declared yet.
func (p *Params) addPart(list []Param) {
	for _, q := range list {
		i := slices.IndexFunc(p.list, func(have Param) bool { return have.Name == q.Name })
		if i < 0 {
			p.list = append(p.list, q)
		} else {
			p.list[i].Required = p.list[i].Required || q.Required
		}
	}
}

// hasDefault reports a property that may be left out, whatever requires it: its server has a value for it.
func hasDefault(raw json.RawMessage) bool {
	o, err := decodeObject(raw)
	return err == nil && o.at("default") != nil
}

// param reads one property's schema.
func (d *schemaDoc) param(raw json.RawMessage, depth int) Param {
	o, err := decodeObject(raw)
	if d.left--; depth > maxDepth || d.left < 0 || raw == nil {
		return Param{lost: d.roles}
	} else if err != nil { // true or false
		return Param{}
	}
	if ref := decodeText(o.at("$ref")); ref != "" {
		q := d.param(d.resolve(ref), depth+1)
		if s := decodeText(o.at("description")); s != "" {
			q.Description = s
		}
		if raw := o.without("$ref").render(); d.rolesIn(raw) != nil {
			q.also = append(q.also, d.param(raw, depth+1))
		}
		return q
	}
	q := Param{Description: decodeText(o.at("description")), Type: decodeText(o.at("type")), Role: schemaRole(o)}
	json.Unmarshal(o.at("minimum"), &q.Min)
	json.Unmarshal(o.at("maximum"), &q.Max)
	enum := o.at("enum")
	if c := o.at("const"); c != nil {
		enum = slices.Concat([]byte{'['}, c, []byte{']'})
	}
	if v, err := DecodeJSON(enum); err == nil {
		q.values, _ = v.([]any)
	}
	for _, v := range q.values {
		text, _ := wordOf(v)
		q.Enum = append(q.Enum, text)
	}
	if raw := o.at("default"); raw != nil {
		q.Default, _ = DecodeJSON(raw)
	}
	d.union(&q, o, depth)
	d.typeOfParts(&q, o, depth)
	switch {
	case q.Type == "" && o.at("properties") != nil:
		q.Type = Object
	case q.Type == "" && o.at("items") != nil:
		q.Type = Array
	case q.Type == "" && len(q.values) > 0 && !slices.ContainsFunc(q.values, func(v any) bool { _, isText := v.(string); return !isText }):
		q.Type = String
	}
	items, first := o.at("items"), o.list("prefixItems")
	if first == nil && strings.HasPrefix(string(items), "[") { // up to draft 2019-09
		items, first = o.at("additionalItems"), o.list("items")
	}
	for _, raw := range first {
		q.first = append(q.first, d.param(raw, depth+1))
	}
	if items != nil {
		i := d.param(items, depth+1)
		q.Items = &i
	}
	if q.Type == Object && (q.Props == nil || o.at("properties") != nil) { // a union of one has brought them
		q.Props = d.params(o, depth+1, 0)
	}
	d.readBeside(&q, o, depth)
	return q
}

// readBeside keeps the roles in what a schema says besides; those in keywords that are not followed are lost.
func (d *schemaDoc) readBeside(q *Param, o members, depth int) {
	var parts []json.RawMessage
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if key == "allOf" || q.AnyOf == nil {
			parts = append(parts, o.list(key)...)
		}
	}
	if q.Props == nil {
		parts = append(parts, append(o.only("properties", "additionalProperties"), member{"type", mustJSON(Object)}).render())
	} else if depth == 0 { // of the call
		parts = append(parts, o.only("$ref").render())
	}
	for _, raw := range append(parts, o.at("if"), o.at("then"), o.at("else")) {
		if d.rolesIn(raw) != nil {
			q.also = append(q.also, d.param(raw, depth+1))
		}
	}
	q.lost = append(q.lost, d.rolesIn(o.only("patternProperties", "propertyNames", "dependentSchemas", "dependencies", "contains",
		"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef").render())...)
}

// rolesIn are the roles that stand in a schema. A reference in it may lead to any.
func (d *schemaDoc) rolesIn(raw json.RawMessage) (roles []Role) {
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			role, _ := v["x-role"].(string)
			format, _ := v["format"].(string)
			if r := roleOf(role, format); r != "" && !slices.Contains(roles, r) {
				roles = append(roles, r)
			}
			for key, e := range v {
				if _, ok := e.(string); ok && slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef"}, key) {
					roles = append(roles, d.roles...)
				}
				look(e)
			}
		}
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		look(v)
	}
	return roles
}

// schemaRole is what a schema says by x-role. The format uri is an address; one that may be relative names no host.
func schemaRole(o members) Role {
	return roleOf(decodeText(o.at("x-role")), decodeText(o.at("format")))
}

func roleOf(role, format string) Role {
	switch {
	case slices.Contains(Roles(), Role(role)):
		return Role(role)
	case format == "uri", format == "iri", format == "url":
		return Contacts
	}
	return ""
}

// union reads "type": [...], anyOf and oneOf; a union of one is that one.
func (d *schemaDoc) union(q *Param, o members, depth int) {
	var types []string
	if json.Unmarshal(o.at("type"), &types) == nil {
		for _, t := range types {
			q.AnyOf = append(q.AnyOf, d.param(o.withValue("type", mustJSON(t)).render(), depth+1))
		}
	}
	if q.Type == "" {
		for _, raw := range append(o.list("anyOf"), o.list("oneOf")...) {
			q.AnyOf = append(q.AnyOf, d.param(raw, depth+1))
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

// typeOfParts takes the type from allOf where there is no other: of one part, or object if one of several is.
func (d *schemaDoc) typeOfParts(q *Param, o members, depth int) {
	list := o.list("allOf")
	if q.Type != "" || q.AnyOf != nil || o.at("properties") != nil {
		return
	}
	for _, raw := range list {
		part := d.param(raw, depth+1)
		if len(list) == 1 {
			part.Description, part.Default, part.Role = cmp.Or(q.Description, part.Description), cmp.Or(q.Default, part.Default), cmp.Or(q.Role, part.Role)
			*q = part
		} else if part.Type == Object {
			q.Type = Object
		}
	}
}

// resolve follows a local JSON Pointer (RFC 6901); anything else is empty.
func (d *schemaDoc) resolve(ref string) json.RawMessage {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' { // an anchor
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
