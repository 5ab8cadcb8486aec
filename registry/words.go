package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Words returns words that Parse makes these kwargs of: --name=value for each,
// in the order of the schema. Values may also be what Go code has at hand
// instead of a Kwargs' own types (an int, a []string); what JSON cannot hold is
// an error.
func (t *Tool) Words(kwargs Kwargs) ([]string, error) {
	var own, names []string
	if t.Own != nil {
		_, own = t.Own(kwargs)
	}
	kwargs = t.Arguments(kwargs)
	if p := t.Params.readSchema(); p != nil {
		for _, q := range p.List() {
			if _, ok := kwargs[q.Name]; ok {
				names = append(names, q.Name)
			}
		}
	}
	var others []string
	for name := range kwargs {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	var words []string
	for _, name := range append(names, others...) {
		v, err := plainValue(kwargs[name])
		text := ""
		if n, ok := v.(json.Number); ok && t.Params.Find(name).orAny().Type == Integer {
			v = wholeNumber(n)
		}
		if err == nil {
			text, err = wordOf(v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		words = append(words, "--"+name+"="+text)
	}
	return append(words, own...), nil
}

// wordOf is a value as it is typed: a string as it is, everything else as JSON.
func wordOf(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
