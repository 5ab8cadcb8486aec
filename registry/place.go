package registry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxIndex bounds the arrays that --list.N builds.
const maxIndex = 9999

// given is one place in the arguments, and what is put there.
type given struct {
	path  []string // names as declared
	param *Param   // what the schema declares there; nil: nothing
	words []string // coerced by the declared type; an array may have several
	text  string   // of --key:=JSON, which is value
	value any
	file  bool // it is read later
	at    int  // of the word
}

// findPlace is the place that a key names: the names as declared, and what the schema
// declares there. known is false where the tool has no such parameter.
func (p *parser) findPlace(key string) (path []string, q *Param, known bool) {
	parts := strings.Split(key, ".")
	n := longest(parts, func(name string) bool { return p.params.Find(name) != nil })
	head := strings.Join(parts[:n], ".")
	q = p.params.Find(head)
	switch known = q != nil; {
	case slices.Contains(parts[n:], ""):
		return []string{Fold(key)}, nil, false
	case known:
		path = []string{q.Name}
	default:
		q, path = p.params.rest, []string{Fold(head)}
	}
	for rest := parts[n:]; len(rest) > 0; rest = rest[n:] {
		n = longest(rest, func(name string) bool { return q.declaredMember(name) != nil })
		m, name := q.member(strings.Join(rest[:n], "."))
		q, path = m, append(path, name)
	}
	return path, q, known
}

// longest is how many parts of a key are one name, which may hold dots; it is at least 1.
func longest(parts []string, declared func(name string) bool) int {
	for n := len(parts); n > 1; n-- {
		if declared(strings.Join(parts[:n], ".")) {
			return n
		}
	}
	return 1
}

// member is what the schema declares for a member or element, and its declared name.
func (q *Param) member(part string) (*Param, string) {
	if m := q.declaredMember(part); m != nil {
		return m, cmp.Or(m.Name, part)
	}
	if q != nil {
		for _, u := range q.branches() {
			if u.Props != nil && u.Props.rest != nil {
				return u.Props.rest, part
			}
		}
	}
	return nil, part
}

func (q *Param) declaredMember(part string) *Param {
	if q == nil {
		return nil
	}
	var list []*Param
	for _, u := range q.branches() {
		if m := u.Props.Find(part); m != nil {
			list = append(list, m)
		} else if n, err := strconv.Atoi(part); err == nil && n >= 0 && u.Type == Array && (u.Items != nil || n < len(u.first)) {
			list = append(list, u.element(n))
		}
	}
	if list == nil {
		return nil
	}
	return anyOf(list)
}

// add keeps a value; only arrays, what is joined, and what no schema declares may have
// several. For a tool that has a Unix program's options the last one counts, as there.
func (p *parser) add(g given) {
	name := strings.Join(g.path, ".")
	for i := range p.given {
		h := &p.given[i]
		n := min(len(h.path), len(g.path))
		if !slices.Equal(h.path[:n], g.path[:n]) {
			continue
		}
		switch same := len(h.path) == len(g.path); {
		case same && h.words != nil && g.words != nil && (g.param == nil || g.param.holds(Array)):
			h.words = append(h.words, g.words...)
			return
		case same && h.words != nil && g.words != nil && g.param.Join != "":
			h.words[0] = strings.TrimSuffix(h.words[0], g.param.Join) + g.param.Join + g.words[0]
			return
		case same && h.words != nil && g.words != nil && p.tool != nil && p.tool.Unix != nil:
			h.words, h.at = g.words, p.at
			return
		case same && (h.file || g.file):
			p.addProblem("--%s is given twice, once from a file: give it once", name)
			return
		case same && h.words != nil && g.words != nil:
			p.addProblem("--%s is given twice (%s, then %s): give it once", name, quoteCut(h.words[0]), quoteCut(g.words[0]))
			return
		case same:
			p.addProblem("--%s is given twice: give it once", name)
			return
		case h.file && len(h.path) == n || g.file && len(g.path) == n:
			p.addProblem("--%s comes from a file as a whole: give no part of it besides", strings.Join(g.path[:n], "."))
			return
		}
	}
	g.at = p.at
	p.given = append(p.given, g)
}

func (p *parser) addWord(path []string, q *Param, word string) {
	if err := p.tool.checkText(word); err != nil {
		p.addProblem("--%s: %s %v", strings.Join(path, "."), quoteCut(word), err)
	}
	if q != nil && q.Synonyms[word] != "" {
		word = q.Synonyms[word]
	}
	p.add(given{path: path, param: q, words: []string{word}})
}

// addFile has the value read when the call runs.
func (p *parser) addFile(path []string, q *Param, name string) {
	if name == "" {
		p.addProblem("--%s@= names no file: write --%[1]s@=FILE, or --%[1]s@=- for stdin", strings.Join(path, "."))
		return
	}
	p.add(given{path: path, param: q, file: true})
	p.later = append(p.later, source{File: name, Set: path})
}

// coerce makes the value of the words by the type that is declared.
func (g given) coerce() (any, error) {
	if g.param == nil && len(g.words) > 1 {
		return (&Param{Type: Array}).coerceWords(g.words)
	}
	return g.param.orAny().coerceWords(g.words)
}

// makeKwargs puts together the base and what is given, a place after what it is in.
func (p *parser) makeKwargs() Kwargs {
	kwargs := Kwargs{}
	maps.Copy(kwargs, p.base)
	slices.SortStableFunc(p.given, func(a, b given) int { return a.at - b.at }) // clustered letters share one word
	for _, g := range p.given {
		p.order.at(g.path)
	}
	slices.SortStableFunc(p.given, func(a, b given) int { return len(a.path) - len(b.path) })
	var members [][]string // the places that do not stand for the whole parameter
	for _, g := range p.given {
		if g.file {
			continue
		}
		v, err := g.value, error(nil)
		if g.words != nil {
			v, err = g.coerce()
			p.order.at(g.path).mergeWords(v, g.words)
		} else {
			p.order.at(g.path).merge(OrderOf(g.text))
		}
		if err == nil {
			err = p.params.setPlace(kwargs, g.path, v)
		}
		if err != nil {
			p.addProblem("--%s: %v", strings.Join(g.path, "."), err)
		}
		if len(g.path) > 1 && !slices.ContainsFunc(p.given, func(o given) bool { return len(o.path) == 1 && o.path[0] == g.path[0] }) {
			members = append(members, g.path)
		}
	}
	if p.later == nil {
		p.problems = append(p.problems, findHoles(map[string]any(kwargs), nil)...)
	} else {
		if p.later[0].Set == nil {
			p.later[0].Members = members
		}
		kwargs[laterKey] = p.later
	}
	if p.format != "" && p.format != p.tool.Formats[0] {
		kwargs[formatKey] = p.format
	}
	return kwargs
}

// hole stands in an array for an element that was not given.
type hole struct{}

// setPlace sets a place in kwargs, making the objects and arrays on the way: an
// array where the schema says so, or where it says nothing and the name is 0.
// What is on the way is copied.
func (p *Params) setPlace(kwargs Kwargs, path []string, v any) error {
	next, err := p.findOrRest(path[0]).setIn(kwargs[path[0]], path[1:], v)
	if err == nil {
		kwargs[path[0]] = next
	}
	return err
}

// setIn returns at, which is of this parameter, with a place in it set.
func (q *Param) setIn(at any, path []string, v any) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	member, _ := q.member(path[0])
	n, err := strconv.Atoi(path[0])
	isIndex := err == nil && n >= 0
	switch have := at.(type) {
	case map[string]any:
		next, err := member.setIn(have[path[0]], path[1:], v)
		if err != nil {
			return nil, err
		}
		have = maps.Clone(have)
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
		have[n], err = member.setIn(elem, path[1:], v)
		return have, err
	case nil:
		unsaid := q == nil || q.Type == "" && q.AnyOf == nil
		if isIndex && (unsaid && n == 0 || !unsaid && q.holds(Array)) {
			return q.setIn([]any{}, path, v)
		}
		return q.setIn(map[string]any{}, path, v)
	}
	return nil, fmt.Errorf("its parent is set to %v: set it there", showValue(at))
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
