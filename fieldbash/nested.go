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

	"github.com/agentbash/agentbash/registry"
)

// maxIndex bounds the arrays that --list.N builds.
const maxIndex = 9999

// resolveKey reads a dotted key: the names as declared, and the parameter at its
// end if the schema declares it.
func (s *scanner) resolveKey(key string) (path []string, leaf *registry.Param) {
	parts := strings.Split(key, ".")
	leaf = s.params.Find(parts[0])
	if leaf == nil {
		parts[0] = registry.Fold(parts[0])
		return parts, nil
	}
	path = []string{leaf.Name}
	for _, part := range parts[1:] {
		var name string
		leaf, name = memberOf(leaf, part)
		path = append(path, name)
	}
	return path, leaf
}

// memberOf is what the schema declares for a member or element, and its name
// as declared; nil where it declares nothing.
func memberOf(p *registry.Param, part string) (*registry.Param, string) {
	if p == nil {
		return nil, part
	}
	if q := p.Props.Find(part); q != nil {
		return q, q.Name
	}
	if _, err := strconv.Atoi(part); err == nil && p.Items != nil {
		return p.Items, part
	}
	for i := range p.AnyOf {
		if q, name := memberOf(&p.AnyOf[i], part); q != nil {
			return q, name
		}
	}
	return nil, part
}

// mergeKwargs puts together the base, the registry's kwargs and the nested places,
// each over the one before.
func (s *scanner) mergeKwargs(flags registry.Kwargs) registry.Kwargs {
	kwargs := registry.Kwargs{}
	maps.Copy(kwargs, s.base)
	maps.Copy(kwargs, flags)
	for _, a := range s.deep {
		v := a.value
		if a.isText {
			var err error
			if v, err = s.coerceNested(a.path, a.words); err != nil {
				s.problems = append(s.problems, fmt.Sprintf("--%s: %v", strings.Join(a.path, "."), err))
				continue
			}
		}
		if err := setPlace(kwargs, a.path, v, s.params); err != nil {
			s.problems = append(s.problems, fmt.Sprintf("--%s: %v", strings.Join(a.path, "."), err))
		}
	}
	s.problems = append(s.problems, findHoles(map[string]any(kwargs), nil)...)
	if s.later != nil {
		kwargs[laterKey] = s.later
	}
	if s.format != "" && s.format != formats[0] {
		kwargs[formatKey] = s.format
	}
	return kwargs
}

// coerceNested makes the value of a nested place from the words given for it, by the
// type that the schema declares there.
func (s *scanner) coerceNested(path, words []string) (any, error) {
	leaf := s.params.Find(path[0])
	for _, part := range path[1:] {
		leaf, _ = memberOf(leaf, part)
	}
	return coerceWords(leaf, words)
}

// coerceWords asks the registry's grammar for one value.
func coerceWords(p *registry.Param, words []string) (any, error) {
	var one registry.Param
	if p != nil {
		one = *p
	} else if len(words) > 1 {
		one.Type = registry.Array
	}
	one.Name, one.Required, one.Short, one.Aliases = "v", false, "", nil
	var options []string
	for _, w := range words {
		options = append(options, "--v="+w)
	}
	parsed, problems := registry.NewParams(one).Coerce(options, false)
	if problems != nil {
		return nil, errors.New(strings.TrimPrefix(problems[0], "--v: "))
	}
	return parsed.Kwargs["v"], nil
}

// hole stands in an array for an element that was not given.
type hole struct{}

// setPlace sets a nested place, making the objects and arrays on the way: an
// array where the schema says so, or where it says nothing and the name is 0.
func setPlace(kwargs registry.Kwargs, path []string, v any, params *registry.Params) error {
	p := params.Find(path[0])
	next, err := setIn(kwargs[path[0]], path[1:], v, p)
	if err != nil {
		return err
	}
	kwargs[path[0]] = next
	return nil
}

func setIn(at any, path []string, v any, p *registry.Param) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	member, _ := memberOf(p, path[0])
	n, err := strconv.Atoi(path[0])
	isIndex := err == nil && n >= 0
	switch have := at.(type) {
	case map[string]any:
		have = maps.Clone(have)
		next, err := setIn(have[path[0]], path[1:], v, member)
		if err != nil {
			return nil, err
		}
		have[path[0]] = next
		return have, nil
	case []any:
		if !isIndex || n > maxIndex {
			return nil, fmt.Errorf("%q is no index of an array: write a number from 0", path[0])
		}
		have = slices.Clone(have)
		for len(have) <= n {
			have = append(have, hole{})
		}
		elem := have[n]
		if elem == (hole{}) {
			elem = nil
		}
		have[n], err = setIn(elem, path[1:], v, member)
		return have, err
	case nil:
		if isIndex && (wantsArray(p) || p == nil && n == 0) {
			return setIn([]any{}, path, v, p)
		}
		return setIn(map[string]any{}, path, v, p)
	}
	return nil, fmt.Errorf("its parent is set to %v: set it there", at)
}

func wantsArray(p *registry.Param) bool {
	if p == nil {
		return false
	}
	return p.Type == registry.Array || slices.ContainsFunc(p.AnyOf, func(u registry.Param) bool { return wantsArray(&u) })
}

// findHoles finds array elements that were not given.
func findHoles(v any, path []string) (problems []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			problems = append(problems, findHoles(v[k], append(slices.Clone(path), k))...)
		}
	case []any:
		for i, e := range v {
			at := append(slices.Clone(path), strconv.Itoa(i))
			if e == (hole{}) {
				return append(problems, "--"+strings.Join(at, ".")+" is not given, and later elements are: number them from 0")
			}
			problems = append(problems, findHoles(e, at)...)
		}
	}
	return problems
}

// acceptsMore reports whether the schema takes parameters that it does not declare.
func acceptsMore(p *registry.Params) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Additional json.RawMessage            `json:"additionalProperties"`
	}
	if json.Unmarshal(p.Schema(), &s) != nil {
		return true
	}
	extra := string(bytes.TrimSpace(s.Additional))
	return extra != "" && extra != "false" || extra == "" && len(s.Properties) == 0
}

// innerParams are the parameters that are left to the registry's grammar: not
// those that only --json or a nested place sets (positionals must not fill
// them), and those set in both ways are no longer missing.
func (s *scanner) innerParams() *registry.Params {
	if len(s.set) == 0 && !s.open {
		return s.params
	}
	var schema object
	if json.Unmarshal(s.params.Schema(), &schema) != nil {
		return s.params
	}
	var required []string
	json.Unmarshal(schema.at("required"), &required)
	required = slices.DeleteFunc(required, func(name string) bool { return s.open || s.set[name] })
	b, _ := json.Marshal(append([]string{}, required...))
	schema.put("required", b)
	if !acceptsMore(s.params) { // dropping all properties must not open the schema
		schema.put("additionalProperties", json.RawMessage("false"))
	}
	var props object
	if json.Unmarshal(schema.at("properties"), &props) == nil {
		props = slices.DeleteFunc(props, func(m member) bool { return s.set[m.key] && !s.plainSet[m.key] })
		if b, err := json.Marshal(props); err == nil {
			schema.put("properties", b)
		}
	}
	b, err := json.Marshal(schema)
	if err != nil {
		return s.params
	}
	inner, err := registry.ParseSchema(s.tool.Name, b)
	if err != nil {
		return s.params
	}
	return inner
}
