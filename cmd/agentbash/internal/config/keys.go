package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
	"github.com/agentbash/agentbash/registry"
)

// key is one of an object, with the field that it goes to.
type key struct {
	name  string
	field reflect.StructField
	index []int
}

// keysOf are the keys of the objects that go to a type; none if it is no struct with keys.
func keysOf(t reflect.Type) (keys []key) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name != "" && name != "-":
			keys = append(keys, key{name, field, field.Index})
		case name == "" && field.IsExported():
			for _, k := range keysOf(field.Type) {
				keys = append(keys, key{k.name, k.field, append(field.Index[:1:1], k.index...)})
			}
		}
	}
	return keys
}

// keyNames are their names.
func keyNames(t reflect.Type) (names []string) {
	for _, k := range keysOf(t) {
		names = append(names, k.name)
	}
	return names
}

// checkKeys reports the keys of objects that the type they go to does not know. Those of entries
// that other programs define too are only wrong when they look mistyped.
func (s *source) checkKeys(v *value, path *jsonPath, t reflect.Type, ours bool) (errs []error) {
	switch t.Kind() {
	case reflect.Pointer:
		return s.checkKeys(v, path, t.Elem(), ours)
	case reflect.Slice:
		for i, item := range v.list {
			errs = append(errs, s.checkKeys(item, &jsonPath{up: path, item: true, index: i}, t.Elem(), ours)...)
		}
	case reflect.Map:
		for _, m := range v.members {
			errs = append(errs, s.checkKeys(m.value, &jsonPath{up: path, key: m.key}, t.Elem(), ours)...)
		}
	case reflect.Struct:
		errs = s.checkNames(v, path, keyNames(t), ours)
		for _, k := range keysOf(t) {
			m, here := v.find(k.name), &jsonPath{up: path, key: k.name}
			switch names := k.field.Tag.Get("keys"); {
			case m == nil, path == nil && (k.name == "mcpServers" || k.name == "functions"): // see decodeEntries
			case names != "":
				errs = append(errs, s.checkNames(m, here, strings.Fields(names), ours)...)
			default:
				errs = append(errs, s.checkKeys(m, here, k.field.Type, ours)...)
			}
		}
	}
	return errs
}

// checkNames reports the keys of one object that are not among those known; nil knows all.
func (s *source) checkNames(v *value, path *jsonPath, known []string, ours bool) (errs []error) {
	if v == nil || known == nil {
		return nil
	}
	for _, m := range v.members {
		near := registry.Closest(m.key, known, 2)
		switch {
		case slices.Contains(known, m.key):
		case len(near) > 0:
			errs = append(errs, s.errorAt(m.offset, joinKey(path.String(), m.key), "unknown key: did you mean "+strings.Join(near, " or ")+"?"))
		case ours:
			errs = append(errs, s.errorAt(m.offset, joinKey(path.String(), m.key), "unknown key: known are "+strings.Join(known, ", ")))
		}
	}
	return errs
}

// functionKeys are those of a definition, in all the forms that there are.
const functionKeys = "file type function name description parameters input_schema inputSchema parametersJsonSchema strict exec http auth timeout roles"

func (s *source) checkFunctionKeys(v *value, path *jsonPath) (errs []error) {
	for i, f := range v.list {
		path := &jsonPath{up: path, item: true, index: i}
		errs = append(errs, s.checkNames(f, path, strings.Fields(functionKeys), false)...)
		errs = append(errs, s.checkNames(f.find("exec"), &jsonPath{up: path, key: "exec"}, keyNames(reflect.TypeFor[fieldbash.Exec]()), false)...)
		errs = append(errs, s.checkNames(f.find("http"), &jsonPath{up: path, key: "http"}, keyNames(reflect.TypeFor[fieldbash.HTTP]()), false)...)
	}
	return errs
}
