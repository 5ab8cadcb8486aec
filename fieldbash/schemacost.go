package fieldbash

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A schema comes from elsewhere, and can be made so that judging by it never
// ends or overflows the stack, which no recover catches: references in a circle,
// unions that double at each of forty levels. So what it will cost is measured
// before.
const (
	maxNesting = 128     // brackets of a schema within each other
	maxWalk    = 400     // schemas that are followed within each other
	baseSteps  = 100_000 // schemas that are compared with values, in one check
	stepsEach  = 50      // and as many more for each value in the arguments
)

// costMeter counts how many schemas a value is compared with, at the most.
type costMeter struct {
	root  any
	left  int
	found map[string]any // by reference
}

// isAffordable reports whether judging the value ends within a bounded time.
func isAffordable(root, value any) bool {
	m := costMeter{root: root, left: baseSteps + stepsEach*countValues(value), found: map[string]any{}}
	return m.walk(root, value, 0)
}

// countValues counts a value and all in it.
func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += countValues(e)
		}
	case []any:
		for _, e := range v {
			n += countValues(e)
		}
	}
	return n
}

// walk follows every keyword that applies a schema, whether a judge would get
// as far or not.
func (m *costMeter) walk(node, v any, depth int) bool {
	s, ok := node.(map[string]any)
	if !ok {
		return true
	}
	if m.left--; m.left < 0 || depth > maxWalk {
		return false
	}
	for _, word := range []string{"$dynamicRef", "$recursiveRef"} {
		if _, is := s[word]; is {
			return false // where it leads depends on the way there
		}
	}
	if ref, is := s["$ref"].(string); is {
		target, known := m.find(ref)
		if !known || !m.walk(target, v, depth+1) {
			return false
		}
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"} {
		if !m.each(s[word], v, depth) {
			return false
		}
	}
	for _, word := range []string{"not", "if", "then", "else"} {
		if !m.walk(s[word], v, depth+1) {
			return false
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return m.members(s, v, depth)
	case []any:
		return m.elements(s, v, depth)
	}
	return true
}

// each compares the value with each of several schemas.
func (m *costMeter) each(schemas, v any, depth int) bool {
	switch list := schemas.(type) {
	case []any:
		for _, one := range list {
			if !m.walk(one, v, depth+1) {
				return false
			}
		}
	case map[string]any:
		for _, one := range list {
			if !m.walk(one, v, depth+1) {
				return false
			}
		}
	}
	return true
}

func (m *costMeter) members(s, v map[string]any, depth int) bool {
	props, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, e := range v {
		if !m.walk(props[name], e, depth+1) || !m.walk(s["propertyNames"], name, depth+1) ||
			!m.walk(s["additionalProperties"], e, depth+1) || !m.walk(s["unevaluatedProperties"], e, depth+1) {
			return false
		}
		for _, one := range patterns {
			if !m.walk(one, e, depth+1) {
				return false
			}
		}
	}
	return true
}

func (m *costMeter) elements(s map[string]any, v []any, depth int) bool {
	for i, e := range v {
		for _, word := range []string{"items", "prefixItems"} {
			at := s[word]
			if list, is := at.([]any); is {
				at = nil
				if i < len(list) {
					at = list[i]
				}
			}
			if !m.walk(at, e, depth+1) {
				return false
			}
		}
		for _, word := range []string{"additionalItems", "unevaluatedItems", "contains"} {
			if !m.walk(s[word], e, depth+1) {
				return false
			}
		}
	}
	return true
}

// find is pointAt, each reference followed once.
func (m *costMeter) find(ref string) (node any, ok bool) {
	if node, ok = m.found[ref]; !ok {
		if node, ok = pointAt(m.root, ref); ok {
			m.found[ref] = node
		}
	}
	return node, ok
}

// pointAt follows a reference within a schema: a JSON Pointer (RFC 6901). What has a name
// of its own ($anchor, $id) is not known.
func pointAt(node any, ref string) (_ any, ok bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch n := node.(type) {
		case map[string]any:
			node, ok = n[part]
		case []any:
			i, err := strconv.Atoi(part)
			if ok = err == nil && i >= 0 && i < len(n); ok {
				node = n[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return node, true
}

// nestingDepth reports how deep brackets stand within each other in a JSON text.
func nestingDepth(text json.RawMessage) int {
	deep, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			deep++
			deepest = max(deepest, deep)
		case c == '}' || c == ']':
			deep--
		}
	}
	return deepest
}
