package registry

import (
	"bytes"
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
		value, _ := jsonText(v)
		switch word := "--" + name + "=" + text; {
		case t.says(word, name, v), q == nil && t.Params != nil && !t.Params.open:
			words = append(words, word)
		case t.says("--"+name+":="+value, name, v):
			words = append(words, "--"+name+":="+value)
		default:
			unnamed[name] = v
		}
	}
	if len(unnamed) > 0 {
		text, _ := jsonText(unnamed)
		words = append(words, "--json="+text)
	}
	return append(words, kwargs.words()...), nil
}

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
	return jsonText(v)
}

// jsonText encodes without escaping <, > and &.
func jsonText(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
