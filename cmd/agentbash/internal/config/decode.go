package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/chat"
	"github.com/agentbash/agentbash/fieldbash"
)

// file is what one file said, checked and expanded.
type file struct {
	Settings
	path        string
	warnings    []error  // what was left out
	definitions []string // the files of functions that were read
}

// readSettings makes a file of its tree.
func (s *source) readSettings(v *value) (*file, []error) {
	f := &file{path: s.path}
	errs := s.decode(v, nil, reflect.ValueOf(&f.Settings).Elem())
	f.check(len(errs) == 0, func(text string, way ...any) { errs = append(errs, s.errorOn(v, text, way...)) })
	f.warnings = s.warnings
	for _, d := range s.defOrder {
		if d.path != "" {
			f.definitions = append(f.definitions, d.path)
		}
	}
	return f, errs
}

// check tells wrong of values that no key takes, with the way to them. Hooks, of which
// it makes up the names, count only if they are whole.
func (f *Settings) check(whole bool, wrong func(text string, way ...any)) {
	oneOf := func(value string, known []string, format string, way ...any) {
		if value != "" && !slices.Contains(known, value) {
			wrong(fmt.Sprintf(format, value, strings.Join(known, ", ")), way...)
		}
	}
	oneOf(f.Mode, modeNames(), "%q is no mode: use %s", "mode")
	oneOf(f.Terminal.Notify, []string{"unfocused", "always", "never"}, "%q: use %s", "notify")
	for name, m := range f.Models {
		oneOf(m.API, chat.APIs(), "%q is no protocol: use %s", "models", name, "api")
		oneOf(m.Effort, chat.Efforts(), "%q is no effort: use %s", "models", name, "effort")
	}
	if w := f.WebSearch; w != nil {
		if names := searchProviders(); !slices.Contains(names, w.Provider) {
			wrong(fmt.Sprintf("%q is not known: write one of %s", w.Provider, strings.Join(names, ", ")), "webSearch", "provider")
		} else if strings.ContainsAny(w.KeyVar, "= ") {
			wrong("it is the name of an environment variable, not the key itself", "webSearch", "keyVar")
		}
	}
	for when, list := range map[string][]Hook{"before": f.Hooks.Before, "after": f.Hooks.After} {
		for i := range list {
			if problem, way := list[i].check(); problem == "" {
				list[i] = list[i].named()
			} else if whole {
				wrong(problem, append([]any{"hooks", when, i}, way...)...)
			}
		}
	}
}

// errorOn makes an error at the value that a way of keys and indexes leads to, or at the
// last that is there.
func (s *source) errorOn(v *value, text string, way ...any) error {
	var path *jsonPath
	for _, step := range way {
		switch step := step.(type) {
		case string:
			path = &jsonPath{up: path, key: step}
			if m := v.find(step); m != nil {
				v = m
			}
		case int:
			path, v = &jsonPath{up: path, item: true, index: step}, v.list[step]
		}
	}
	return s.errorAt(v.offset, path.String(), text)
}

// decode fills in what a value says, key by key, so that each mistake is named by its
// place. null says nothing.
func (s *source) decode(v *value, path *jsonPath, into reflect.Value) (errs []error) {
	switch known := into.Addr().Interface().(type) {
	case *map[string]fieldbash.Server:
		*known = s.decodeServers(v)
		return nil
	case *map[string][]fieldbash.Function:
		*known = s.decodeFunctions(v)
		return nil
	case *[]Rules:
		*known = []Rules{{File: s.path, Raw: s.inPlace(v)}}
		return nil
	}
	switch keys, kind := keysOf(into.Type()), into.Kind(); {
	case v.isNull():
		return nil
	case kind == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return s.decode(v, path, into.Elem())
	case kind == reflect.Map:
		return s.decodeMap(v, path, into)
	case kind == reflect.Slice && v.isList && keysOf(into.Type().Elem()) != nil:
		into.Set(reflect.MakeSlice(into.Type(), len(v.list), len(v.list)))
		for i, item := range v.list {
			errs = append(errs, s.decode(item, &jsonPath{up: path, item: true, index: i}, into.Index(i))...)
		}
		return errs
	case keys != nil && v.object:
		for _, k := range keys {
			if m := v.find(k.name); m != nil {
				errs = append(errs, s.decodeKey(m, &jsonPath{up: path, key: k.name}, k, into.FieldByIndex(k.index))...)
			}
		}
		return errs
	}
	if err := s.decodeInto(v, path.String(), into.Addr().Interface()); err != nil {
		return []error{err}
	}
	if into.CanInt() && into.Int() < 0 || into.CanFloat() && into.Float() < 0 {
		return []error{s.errorAt(v.offset, path.String(), "it is below 0: leave it out for its default")}
	}
	return nil
}

func (s *source) decodeMap(v *value, path *jsonPath, into reflect.Value) (errs []error) {
	if !v.object {
		return []error{s.errorAt(v.offset, path.String(), "it is "+v.kind()+": write an object {...}")}
	}
	into.Set(reflect.MakeMap(into.Type()))
	for _, m := range v.members {
		one := reflect.New(into.Type().Elem()).Elem()
		errs = append(errs, s.decode(m.value, &jsonPath{up: path, key: m.key}, one)...)
		into.SetMapIndex(reflect.ValueOf(m.key), one)
	}
	return errs
}

// decodeKey fills in what a key says, its variables expanded if they are to be.
func (s *source) decodeKey(v *value, path *jsonPath, k key, into reflect.Value) []error {
	if k.field.Tag.Get("expand") != "" {
		lookup := s.lookup
		if path.String() == "apiKey" {
			lookup = func(name string) (string, bool) {
				s.keyVars = append(s.keyVars, name)
				return s.lookup(name)
			}
		}
		if errs := s.expand(v, path, lookup); len(errs) > 0 {
			return errs
		}
	}
	return s.decode(v, path, into)
}

// decodeServers decodes servers. One that is wrong is left out, with a warning: it
// must not keep bash and the others from working.
func (s *source) decodeServers(v *value) map[string]fieldbash.Server {
	servers := map[string]fieldbash.Server{}
	s.decodeEntries(v, "mcpServers", "this server is left out", func(m *value, path *jsonPath) (errs []error) {
		if !s.shared {
			errs = s.checkKeys(m, path, reflect.TypeFor[fieldbash.Server](), false)
		}
		var one fieldbash.Server
		if errs = append(errs, s.expand(m, path, s.lookup)...); len(errs) == 0 {
			if err := s.decodeInto(m, path.String(), &one); err != nil {
				return []error{err}
			}
			servers[path.key] = one
		}
		return errs
	})
	return servers
}

// decodeFunctions decodes groups of functions. A group with a mistake is left out, and
// of a file of definitions what is wrong.
func (s *source) decodeFunctions(v *value) map[string][]fieldbash.Function {
	groups := map[string][]fieldbash.Function{}
	s.decodeEntries(v, "functions", "these functions are left out", func(m *value, path *jsonPath) []error {
		if !m.isList {
			return []error{s.errorAt(m.offset, path.String(), "it is "+m.kind()+": write a list [...] of definitions")}
		}
		errs := append(s.checkFunctionKeys(m, path), s.expandFunctions(m, path)...)
		list := make([]fieldbash.Function, 0, len(m.list))
		for i, entry := range m.list {
			at := (&jsonPath{up: path, item: true, index: i}).String()
			if s.defs[entry] != nil {
				more, err := s.fromFile(entry, at)
				if err != nil {
					s.warnings = append(s.warnings, fmt.Errorf("%w; these functions are left out", err))
				}
				list = append(list, more...)
				continue
			}
			var one fieldbash.Function
			if err := s.decodeInto(entry, at, &one); err != nil {
				errs = append(errs, err)
			}
			list = append(list, one)
		}
		if len(errs) == 0 {
			groups[path.key] = list
		}
		return errs
	})
	return groups
}

// expandFunctions expands variables in a group of functions, but not in the texts of
// a schema and a description: they are the model's to read, not ours.
func (s *source) expandFunctions(v *value, path *jsonPath) (errs []error) {
	for i, f := range v.list {
		path := &jsonPath{up: path, item: true, index: i}
		for _, at := range []*value{f, f.find("function")} {
			for _, key := range []string{"exec", "http", "auth"} {
				if m := at.find(key); m != nil {
					errs = append(errs, s.expand(m, &jsonPath{up: path, key: key}, s.lookup)...)
				}
			}
		}
	}
	return errs
}

// decodeEntries decodes the entries of an object one by one, each for itself.
func (s *source) decodeEntries(v *value, key, leftOut string, decode func(*value, *jsonPath) []error) {
	leave := func(err error) { s.warnings = append(s.warnings, fmt.Errorf("%w; %s", err, leftOut)) }
	if !v.object {
		leave(s.errorAt(v.offset, key, "it is "+v.kind()+": write an object {...}"))
	}
	for _, m := range v.members {
		if errs := decode(m.value, &jsonPath{up: &jsonPath{key: key}, key: m.key}); len(errs) > 0 {
			leave(errs[0])
		}
	}
}

// decodeInto decodes one value; a wrong type is an error that names its key.
func (s *source) decodeInto(v *value, key string, into any) error {
	var err error
	if own, ok := into.(json.Unmarshaler); ok && v.object {
		err = own.UnmarshalJSON(v.encode()) // the text is known to be JSON
	} else {
		err = json.Unmarshal(v.encode(), into)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		// Field is the path below this value; it names embedded structs as well,
		// which the file does not know.
		at := v
		for part := range strings.SplitSeq(wrong.Field, ".") {
			if m := at.find(part); m != nil {
				at, key = m, joinKey(key, part)
			}
		}
		return s.errorAt(at.offset, key, fmt.Sprintf("%s stands where %s is wanted", haveKind(wrong.Value), wantKind(wrong.Type.Kind().String())))
	}
	return s.errorAt(v.offset, key, err.Error())
}

// haveKind names what the decoder found: "string", "number 5", "array".
func haveKind(kind string) string {
	switch kind, _, _ = strings.Cut(kind, " "); kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

func wantKind(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice":
		return "a list [...]"
	case "map", "struct":
		return "an object {...}"
	case "int":
		return "a whole number"
	}
	return "a number"
}
