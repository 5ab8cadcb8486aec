package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Words returns words that Parse makes these kwargs of: --name=value for each, or
// --name:=JSON where text would be read as another value, in the order of the schema.
// Values may also be what Go code has at hand instead of a Kwargs' own types (an int,
// a []string); what JSON cannot hold is an error.
func (t *Tool) Words(kwargs Kwargs) ([]string, error) {
	args := kwargs.Arguments()
	var names, words []string
	for _, q := range t.Params.List() {
		if _, ok := args[q.Name]; ok {
			names = append(names, q.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	unnamed := map[string]any{} // those that no key can name
	for _, name := range names {
		v, err := plainValue(args[name])
		q := t.Params.Find(name)
		if n, ok := v.(json.Number); ok && q.orAny().Type == Integer {
			v = wholeNumber(n)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text, _ := wordOf(v)
		value, _ := encodeJSON(v)
		switch word := "--" + name + "=" + text; {
		case t.says(word, name, v), q == nil && t.Params != nil && !t.Params.open && isName(name) && name != "json":
			words = append(words, word)
		case t.says("--"+name+":="+string(value), name, v):
			words = append(words, "--"+name+":="+string(value))
		default:
			unnamed[name] = v
		}
	}
	if len(unnamed) > 0 {
		text, _ := encodeJSON(unnamed)
		words = append(words, "--json="+string(text))
	}
	return append(words, kwargs.words()...), nil
}

// isName reports whether a name is no other syntax after --: key@ names a file, a.b and key: are further.
func isName(name string) bool { return !strings.ContainsAny(name, "@:=.") }

// says reports whether a word gives a parameter this value, and nothing else.
func (t *Tool) says(word, name string, v any) bool {
	p := newParser(t)
	return p.sortWords([]string{word}) == NoHelp && reflect.DeepEqual(p.makeKwargs(), Kwargs{name: v}) && p.problems == nil
}

// wordOf is a value as it is typed: a string as it is, everything else as JSON.
func wordOf(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	b, err := encodeJSON(v)
	return string(b), err
}
