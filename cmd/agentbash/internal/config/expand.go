package config

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// expand replaces ${V} and ${V:-default} in every string below v, keys
// excepted, and returns what could not be replaced. As in bash, the default also
// stands in for an empty variable; ${env:V}, as other clients write it, is ${V}. $${ is a literal ${; any other dollar is itself.
// Nothing is run.
func (s *source) expand(v *value, path *jsonPath, lookup func(string) (string, bool)) []error {
	var errs []error
	if text, ok := v.scalar.(string); ok && strings.Contains(text, "${") {
		out, err := expandText(text, lookup)
		if err != nil {
			return []error{s.errorAt(v.offset, path.String(), err.Error())}
		}
		v.scalar, v.text = out, nil
	}
	for _, m := range v.members {
		errs = append(errs, s.expand(m.value, &jsonPath{up: path, key: m.key}, lookup)...)
	}
	for i, m := range v.list {
		errs = append(errs, s.expand(m, &jsonPath{up: path, item: true, index: i}, lookup)...)
	}
	return errs
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

func expandText(text string, lookup func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			b.WriteString(text)
			return b.String(), nil
		}
		if strings.HasSuffix(before, "$") {
			b.WriteString(before + "{")
			text = rest
			continue
		}
		b.WriteString(before)
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("${ is not closed: write ${NAME}, or $${ for the characters themselves")
		}
		name, def, hasDefault := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
		if !variable().MatchString(name) {
			return "", fmt.Errorf("${%s} names no variable: write ${NAME} or ${NAME:-default}, or $${ for the characters themselves", inner)
		}
		val, set := lookup(name)
		switch {
		case hasDefault && val == "":
			val = def
		case !set:
			return "", fmt.Errorf("the variable %s is not set: export it, or write ${%s:-default}", name, name)
		}
		b.WriteString(val)
		text = after
	}
}
