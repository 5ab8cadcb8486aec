package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Bind makes kwargs of values that Go code or JSON has at hand, by the rules of
// a command line: aliases become the declared names, values get the declared
// types, and the same is refused with the same words. Strings are taken as words,
// "5" for an integer is one; other values are what they are: Go's own numbers,
// slices, maps and structs are taken as encoding/json would write them, but that nil
// slices and maps are empty, and []byte is text. kwargs are not changed. hasStdin is that of
// [Tool.Parse]. The error is a *UsageError and names every problem.
func (t *Tool) Bind(kwargs Kwargs, hasStdin bool) (Kwargs, error) {
	given := make(map[string]any, len(kwargs))
	var problems []string
	for _, key := range slices.Sorted(maps.Keys(kwargs)) {
		v, err := plainValue(kwargs[key])
		if err != nil {
			problems = append(problems, fmt.Sprintf("--%s: %v", key, err))
			continue
		}
		given[key] = v
	}
	bound, more := t.Params.readSchema().fitNamed("--", given, (*Param).fitWord)
	return bound, t.checkKwargs(bound, append(problems, more...), hasStdin)
}

// judge makes kwargs that words gave fit, and checks them. What comes later is left.
func (t *Tool) judge(kwargs Kwargs, problems []string, hasStdin bool) (Kwargs, error) {
	if !t.Foreign {
		ready := maps.Clone(kwargs)
		maps.DeleteFunc(ready, func(key string, _ any) bool { return isReserved(key) || kwargs.Pending(key) })
		maps.DeleteFunc(kwargs, func(key string, _ any) bool { _, ok := ready[key]; return ok })
		fitted, more := t.Params.readSchema().fitNamed("--", ready, (*Param).fitValue)
		maps.Copy(kwargs, fitted)
		problems = append(problems, more...)
	}
	return kwargs, t.checkKwargs(kwargs, problems, hasStdin)
}

// checkKwargs names what is missing, has Check look at kwargs, and makes one error of all problems.
func (t *Tool) checkKwargs(kwargs Kwargs, problems []string, hasStdin bool) error {
	if hasStdin && t.WithStdin != nil && !kwargs.takeStdin() {
		t.WithStdin(kwargs)
	}
	for i := range t.Params.List() {
		q := &t.Params.list[i]
		v, given := kwargs[q.Name]
		if n, ok := v.(json.Number); ok && q.Type == Integer && !t.Foreign { // see Call.Int
			if _, err := n.Int64(); err != nil {
				problems = append(problems, fmt.Sprintf("--%s: %s is out of range: write a whole number of at most 18 digits", q.Name, n))
			}
		}
		if q.Required && !given && !kwargs.has(q.Unless) && !(q.Stdin && hasStdin) && !kwargs.Pending(q.Name) && !isSaid(problems, "--"+q.Name) {
			problems = append(problems, q.missingProblem("--"))
		}
	}
	if t.Check != nil && kwargs.later() == nil && (t.Foreign || len(problems) == 0) && findHoles(map[string]any(kwargs), nil) == nil {
		said := slices.Clone(problems)
		for _, line := range t.Check(kwargs.Arguments()) {
			place, _, missing := strings.Cut(line, " is required")
			q := t.Params.Find(strings.TrimPrefix(place, "--"))
			follows := len(said) > 0 && q != nil && !q.Required // another variant may be meant once that is right
			if !missing || !follows && !isSaid(said, place) {
				problems = append(problems, line)
			}
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &UsageError{Tool: t.Name, Problems: problems, Next: t.Advice()}
}

// isSaid reports whether a problem is about a place: what has no right value is missing for the schema, too.
func isSaid(problems []string, place string) bool {
	return slices.ContainsFunc(problems, func(problem string) bool {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(problem, "missing "), place)
		return ok && (rest == "" || rest[0] == '.' || !isKey("_"+rest[:1]))
	})
}

// plainValue makes a Go value one of those that Kwargs hold.
func plainValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, string, bool:
		return v, nil
	case json.Number:
		if !number().MatchString(v.String()) {
			return nil, fmt.Errorf("%s is no number: give one such as 5 or 0.25", quoteCut(v.String()))
		}
		return json.Number(jsonNumber(v.String())), nil
	case []byte:
		return string(v), nil
	case []string:
		return plainList(v)
	case []any:
		return plainList(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			var err error
			if out[name], err = plainValue(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.IsNil() && r.Type().Elem().Kind() != reflect.Uint8 {
		return []any{}, nil
	} else if r.Kind() == reflect.Map && r.IsNil() {
		return map[string]any{}, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("JSON cannot hold it: %w", err)
	}
	return DecodeJSON(b)
}

func plainList[T any](list []T) (any, error) {
	out := make([]any, len(list))
	for i := range list {
		var err error
		if out[i], err = plainValue(list[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fitNamed makes named values fit. prefix stands before names in problems: "--", or the place of an object.
func (p *Params) fitNamed(prefix string, given map[string]any, fit func(*Param, string, any) (any, []string)) (fitted map[string]any, problems []string) {
	fitted = map[string]any{}
	top := prefix == "--"
	for _, key := range slices.Sorted(maps.Keys(given)) {
		q := p.Find(key)
		if q == nil {
			if p == nil || !p.open || top && !isKey(key) {
				problems = append(problems, p.unknownProblem(prefix, key))
			} else if top {
				fitted[Fold(key)], _ = fit(anyParam, "", given[key])
			} else {
				fitted[key] = given[key]
			}
			continue
		}
		if _, twice := fitted[q.Name]; twice {
			problems = append(problems, fmt.Sprintf("%s%s is given twice, once as %s: give it once", prefix, q.Name, key))
			continue
		}
		v, more := fit(q, prefix+q.Name, given[key])
		problems = append(problems, more...)
		fitted[q.Name] = v
	}
	return fitted, problems
}

// fitMembers makes an object's members fit, and names those that are missing.
func (p *Params) fitMembers(at string, given map[string]any) (any, []string) {
	fitted, problems := p.fitNamed(at+".", given, (*Param).fitValue)
	for i := range p.List() {
		if q := &p.list[i]; q.Required {
			if _, ok := fitted[q.Name]; !ok {
				problems = append(problems, q.missingProblem(at+"."))
			}
		}
	}
	return fitted, problems
}

// fitWord is fitValue for a value of a call, of which text is a word.
func (q *Param) fitWord(at string, v any) (any, []string) {
	if s, ok := v.(string); ok {
		var err error
		if v, err = q.coerceWords([]string{s}); err != nil {
			return s, []string{at + ": " + err.Error()}
		}
		switch v.(type) {
		case []any, map[string]any: // everything else was judged as a word
		default:
			return v, nil
		}
	}
	return q.fitValue(at, v)
}

// fitValue makes a value, and what is in it, of the declared type. at is its place, as problems name it.
func (q *Param) fitValue(at string, v any) (any, []string) {
	if len(q.AnyOf) > 0 {
		return q.fitUnion(at, v)
	}
	if s, ok := v.(string); ok && q.Type != String && q.Type != "" {
		coerced, err := q.coerceWords([]string{s})
		if err != nil {
			return v, []string{at + ": " + err.Error()}
		}
		v = coerced
	}
	if n, ok := v.(json.Number); ok && q.Type == Integer {
		v = wholeNumber(n)
	}
	if !q.isOfType(v) {
		return v, []string{at + ": " + q.wrongType(showValue(v)).Error()}
	}
	if err := q.allows(v); err != nil {
		return v, []string{at + ": " + err.Error()}
	}
	switch v := v.(type) {
	case []any:
		var problems []string
		out := make([]any, len(v))
		for i := range v {
			var more []string
			out[i], more = q.element(i).fitValue(fmt.Sprintf("%s[%d]", at, i), v[i])
			problems = append(problems, more...)
		}
		return out, problems
	case map[string]any:
		if q.Props != nil {
			return q.Props.readSchema().fitMembers(at, v)
		}
	}
	return v, nil
}

// fitUnion takes the first member that the value is of, as it is before text as a word.
func (q *Param) fitUnion(at string, v any) (any, []string) {
	var problems []string
	for _, exact := range []bool{true, false} {
		for _, u := range q.branches() {
			if exact != u.isOfType(v) {
				continue
			}
			out, more := u.fitValue(at, v)
			if len(more) == 0 {
				return out, nil
			}
			problems = append(problems, more...)
		}
	}
	return v, problems
}

// isOfType reports whether a value is one of the declared type.
func (q *Param) isOfType(v any) bool {
	switch q.Type {
	case String:
		_, ok := v.(string)
		return ok
	case Boolean:
		_, ok := v.(bool)
		return ok
	case Integer, Number:
		n, ok := v.(json.Number)
		return ok && (q.Type == Number || integer().MatchString(n.String()))
	case Array:
		_, ok := v.([]any)
		return ok
	case Object:
		_, ok := v.(map[string]any)
		return ok
	case Null:
		return v == nil
	}
	return true
}

// showValue is a value as it was given: text in quotes, everything else as JSON.
func showValue(v any) string {
	if s, ok := v.(string); ok {
		return quoteCut(s)
	}
	s := string(mustJSON(v))
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}
