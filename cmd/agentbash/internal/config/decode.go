package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentbash/agentbash/fieldbash"
)

// decode fills a file from its checked and expanded tree.
func (s *source) decode(v *value, lookup func(string) (string, bool)) (*file, []error) {
	f := &file{path: s.path}
	var errs []error
	take := func(key string, into any) {
		if m := v.find(key); m != nil {
			if err := s.decodeInto(m, key, into); err != nil {
				errs = append(errs, err)
			}
		}
	}
	take("provider", &f.provider)
	take("model", &f.model)
	take("baseURL", &f.baseURL)
	take("apiKey", &f.apiKey)
	take("mode", &f.mode)
	if m := v.find("rules"); m != nil {
		f.rules = m.encodeInPlace(s.data)
	}
	take("limits", &f.limits)
	take("snapshots", &f.snapshots)
	decodeConfine(take, &f.confine)
	errs = append(errs, s.decodeShell(v, take, &f.shell)...)
	if f.mode != "" && !listContains(modeNames(), f.mode) {
		errs = append(errs, s.errorAt(v.find("mode").offset, "mode", fmt.Sprintf("%q is no mode: use %s", f.mode, strings.Join(modeNames(), ", "))))
	}
	if f.limits.below() {
		errs = append(errs, s.errorAt(v.find("limits").offset, "limits", "a limit is below 0: leave it out for none"))
	}
	errs = append(errs, decodeMap(s, v.find("models"), "models", &f.models)...)
	errs = append(errs, s.checkModels(v.find("models"), f)...)
	errs = append(errs, decodeMap(s, v.find("tools"), "tools", &f.tools)...)
	errs = append(errs, s.decodeHooks(v.find("hooks"), f)...)
	errs = append(errs, s.decodeWeb(v, f)...)
	s.decodeServers(v.find("mcpServers"), f, lookup)
	s.decodeFunctions(v.find("functions"), f, lookup)
	for _, d := range s.defOrder {
		if d.path != "" {
			f.definitions = append(f.definitions, d.path)
		}
	}
	return f, errs
}

// checkModels wants a protocol that there is, and no number below 0.
func (s *source) checkModels(v *value, f *file) (errs []error) {
	for name, m := range f.models {
		if m.API != "" && m.API != "chat" && m.API != "responses" {
			errs = append(errs, s.errorAt(v.find(name).offset, "models."+name+".api", fmt.Sprintf("%q is no protocol: use chat or responses", m.API)))
		}
		if m.Window < 0 || m.Input < 0 || m.Cached < 0 || m.Output < 0 {
			errs = append(errs, s.errorAt(v.find(name).offset, "models."+name, "a number is below 0: leave it out where it is not known"))
		}
	}
	return errs
}

// decodeServers decodes servers. One that is wrong is left out, with a warning: it
// must not keep bash and the others from working.
func (s *source) decodeServers(v *value, f *file, lookup func(string) (string, bool)) {
	f.fields.MCPServers = map[string]fieldbash.Server{}
	s.decodeEntries(v, "mcpServers", "this server is left out", f, func(m *value, path *jsonPath) (errs []error) {
		if !s.shared {
			errs = s.checkServerKeys(m, path)
		}
		var one fieldbash.Server
		if errs = append(errs, s.expand(m, path, lookup)...); len(errs) == 0 {
			if err := s.decodeInto(m, path.String(), &one); err != nil {
				return []error{err}
			}
			f.fields.MCPServers[path.key] = one
		}
		return errs
	})
}

// decodeFunctions decodes groups of functions. A group with a mistake is left out, and
// of a file of definitions what is wrong.
func (s *source) decodeFunctions(v *value, f *file, lookup func(string) (string, bool)) {
	f.fields.Functions = map[string][]fieldbash.Function{}
	s.decodeEntries(v, "functions", "these functions are left out", f, func(m *value, path *jsonPath) []error {
		if !m.isList {
			return []error{s.errorAt(m.offset, path.String(), "it is "+m.kind()+": write a list [...] of definitions")}
		}
		errs := append(s.checkFunctionKeys(m, path), s.expandFunctions(m, path, lookup)...)
		list := make([]fieldbash.Function, 0, len(m.list))
		for i, entry := range m.list {
			at := (&jsonPath{up: path, item: true, index: i}).String()
			if s.defs[entry] != nil {
				more, err := s.fromFile(entry, at, lookup)
				if err != nil {
					f.warnings = append(f.warnings, fmt.Errorf("%w; these functions are left out", err))
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
			f.fields.Functions[path.key] = list
		}
		return errs
	})
}

// decodeEntries decodes the entries of an object one by one, each for itself.
func (s *source) decodeEntries(v *value, key, leftOut string, f *file, decode func(*value, *jsonPath) []error) {
	var errs []error
	if v != nil && !v.object {
		errs = []error{s.errorAt(v.offset, key, "it is "+v.kind()+": write an object {...}")}
		v = nil
	}
	if v != nil {
		for _, m := range v.members {
			if all := decode(m.value, &jsonPath{up: &jsonPath{key: key}, key: m.key}); len(all) > 0 {
				errs = append(errs, all[0])
			}
		}
	}
	for _, err := range errs {
		f.warnings = append(f.warnings, fmt.Errorf("%w; %s", err, leftOut))
	}
}

// decodeMap decodes an object member by member, since the decoder's own errors
// do not name the keys of a map.
func decodeMap[T any](s *source, v *value, key string, into *map[string]T) (errs []error) {
	if v == nil {
		return nil
	}
	if !v.object {
		return []error{s.errorAt(v.offset, key, "it is "+v.kind()+": write an object {...}")}
	}
	*into = make(map[string]T, len(v.members))
	for _, m := range v.members {
		var one T
		if err := s.decodeInto(m.value, joinKey(key, m.key), &one); err != nil {
			errs = append(errs, err)
			continue
		}
		(*into)[m.key] = one
	}
	return errs
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
