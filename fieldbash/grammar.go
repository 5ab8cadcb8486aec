package fieldbash

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// Keys of kwargs that are ours and not arguments of the tool. No parameter can
// be named like them on a command line.
const (
	formatKey = "-o" // the form of the result: text, json or raw
	laterKey  = "-@" // []any of what has to be read when the command runs
)

// ownArguments are the kwargs that are ours, and the words for them.
func ownArguments(kwargs registry.Kwargs) (keys, words []string) {
	if format, ok := kwargs[formatKey].(string); ok {
		words = append(words, "-o", format)
	}
	later, _ := kwargs[laterKey].([]any)
	for _, one := range later {
		want, _ := one.(map[string]any)
		file, _ := want["file"].(string)
		list, isSet := want["set"].([]any)
		switch {
		case isSet:
			path := make([]string, len(list))
			for i := range list {
				path[i], _ = list[i].(string)
			}
			words = append(words, "--"+strings.Join(path, ".")+"@="+file)
		case file == "-":
			words = append(words, "--json=-")
		default:
			words = append(words, "--json=@"+file)
		}
	}
	return []string{formatKey, laterKey}, words
}

// formats are what -o takes.
var formats = []string{"text", "json", "raw"}

// Parse turns a field command's words into kwargs. It is the grammar of
// [registry.Tool.Parse] and, beyond it:
//
//   - --a.b.c value and --list.0.name value set a place in a nested value;
//   - --key:=JSON sets a parameter, or a nested place, to a JSON value;
//   - --key@=FILE takes the value from a file ("-" is stdin);
//   - --json '{...}', --json - and --json @FILE give all arguments at once;
//     what else is given overrides them, member by member;
//   - -o text|json|raw chooses the form of the result.
//
// A parameter of the tool that is itself called json keeps its meaning.
// Parse does no I/O: files and stdin are read, and then checked, when the
// command runs. Errors are *registry.UsageError and name every problem.
func Parse(t *registry.Tool, words []string, hasStdin bool) (registry.Parsed, error) {
	s := scanner{tool: t, params: t.Params, set: map[string]bool{}, plainSet: map[string]bool{}}
	s.scan(words)
	parsed, problems := s.innerParams().Coerce(s.rest, hasStdin)
	if parsed.Help != registry.NoHelp {
		return parsed, nil
	}
	s.problems = append(s.problems, problems...)
	for _, one := range s.later {
		if set, _ := one.(map[string]any)["set"].([]any); len(set) == 1 && s.plainSet[set[0].(string)] {
			s.problems = append(s.problems, fmt.Sprintf("--%s is given twice, once from a file: give it once", set[0]))
		}
	}
	kwargs := s.mergeKwargs(parsed.Kwargs)
	parsed.Kwargs = kwargs
	if kwargs[laterKey] == nil && t.Check != nil {
		s.problems = append(s.problems, unsaidLines(s.problems, t.Check(kwargs))...)
	}
	if len(s.problems) > 0 {
		return parsed, &registry.UsageError{Tool: t.Name, Problems: s.problems, Next: t.Advice()}
	}
	return parsed, nil
}

// named finds the parameters that a problem is about.
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`--([A-Za-z0-9_-]+)`) })

// unsaidLines leaves out what was said already: a parameter that is missing or has
// no right value is missing for the schema too.
func unsaidLines(said, more []string) []string {
	var out []string
	for _, problem := range more {
		m := named().FindStringSubmatch(problem)
		if m != nil && strings.HasPrefix(problem, m[0]+" is required") && slices.ContainsFunc(said, func(s string) bool {
			n := named().FindStringSubmatch(s)
			return n != nil && registry.Fold(n[1]) == registry.Fold(m[1])
		}) {
			continue
		}
		out = append(out, problem)
	}
	return out
}

// scanner sorts a command's words: what only this grammar knows is taken,
// everything else is left to the registry's.
type scanner struct {
	tool     *registry.Tool
	params   *registry.Params
	rest     []string
	base     registry.Kwargs // of --json; nil: not given
	deep     []assignment
	later    []any // see laterKey
	format   string
	set      map[string]bool // parameters that get a value here
	plainSet map[string]bool // parameters that the words left over name
	open     bool            // the base is read later: what is missing shows then
	problems []string
}

// assignment sets one place in the arguments.
type assignment struct {
	path   []string
	words  []string // text, coerced by the schema; nil: value
	value  any
	isText bool
}

var (
	longOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--([A-Za-z_][A-Za-z0-9_.-]*)(?:=((?s:.*)))?$`) })
	jsonOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--([A-Za-z_][A-Za-z0-9_.-]*):=((?s:.*))$`) })
	fileOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--([A-Za-z_][A-Za-z0-9_.-]*)@=((?s:.*))$`) })
)

func (s *scanner) scan(words []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			s.rest = append(s.rest, words[i:]...)
			return
		case w == "-o" || strings.HasPrefix(w, "-o=") || slices.Contains(formats, strings.TrimPrefix(w, "-o")) && strings.HasPrefix(w, "-o"):
			i += s.takeOutput(w, words[i+1:])
		case jsonOption().MatchString(w):
			m := jsonOption().FindStringSubmatch(w)
			s.takeJSON(m[1], m[2])
		case fileOption().MatchString(w):
			m := fileOption().FindStringSubmatch(w)
			s.takeFile(m[1], m[2])
		case longOption().MatchString(w):
			m := longOption().FindStringSubmatch(w)
			i += s.takeOption(w, m[1], m[2], strings.Contains(w, "="), words[i+1:])
		default:
			s.rest = append(s.rest, w)
		}
	}
}

// takeOutput takes -o FORMAT, -oFORMAT or -o=FORMAT and returns how many of the
// following words it used.
func (s *scanner) takeOutput(w string, rest []string) (used int) {
	value := strings.TrimPrefix(strings.TrimPrefix(w, "-o"), "=")
	if w == "-o" {
		if len(rest) == 0 {
			s.problems = append(s.problems, "-o needs a format: write -o json, -o raw or -o text")
			return 0
		}
		value, used = rest[0], 1
	}
	if !slices.Contains(formats, value) {
		s.problems = append(s.problems, "-o "+value+": no such format: write -o json, -o raw or -o text")
	}
	s.format = value
	return used
}

// takeOption takes an option if it is ours, or passes it on with its value.
func (s *scanner) takeOption(w, key, value string, hasValue bool, rest []string) (used int) {
	p := s.params.Find(key)
	if p == nil && key == "json" {
		return s.allAtOnce(value, hasValue, rest)
	}
	path, leaf := s.resolveKey(key)
	if p == nil && len(path) > 1 {
		if leaf != nil && isFlag(leaf) && !hasValue {
			value, hasValue = "true", true
			if len(rest) > 0 && (strings.EqualFold(rest[0], "true") || strings.EqualFold(rest[0], "false")) {
				value, used = rest[0], 1
			}
		}
		if !hasValue {
			if len(rest) == 0 {
				s.problems = append(s.problems, w+" needs a value: write "+w+" VALUE")
				return 0
			}
			value, used = rest[0], 1
		}
		s.takeText(path, value)
		return used
	}
	s.rest = append(s.rest, w)
	if p != nil {
		s.plainSet[p.Name] = true
	}
	if hasValue || len(rest) == 0 || w == "--help" {
		return 0
	}
	if takesNext(p, rest[0]) {
		s.rest = append(s.rest, rest[0])
		return 1
	}
	return 0
}

// takesNext reports whether the registry's grammar will take the next word as
// the value of an option: then it is not ours to read.
func takesNext(p *registry.Param, next string) bool {
	switch {
	case p == nil:
		return !strings.HasPrefix(next, "-")
	case isFlag(p):
		return strings.EqualFold(next, "true") || strings.EqualFold(next, "false")
	}
	return true // another option there is its problem to report
}

// isFlag reports whether a parameter needs no value.
func isFlag(p *registry.Param) bool {
	for i := range p.AnyOf {
		if u := &p.AnyOf[i]; u.Type != registry.Null && !isFlag(u) {
			return false
		}
	}
	return p.Type == registry.Boolean || len(p.AnyOf) > 0
}

// allAtOnce takes --json.
func (s *scanner) allAtOnce(value string, hasValue bool, rest []string) (used int) {
	if !hasValue {
		if len(rest) == 0 {
			s.problems = append(s.problems, "--json needs a value: write --json '{...}', --json - or --json @FILE")
			return 0
		}
		value, used = rest[0], 1
	}
	if s.base != nil || s.open {
		s.problems = append(s.problems, "--json is given twice: give it once")
		return used
	}
	if name, ok := strings.CutPrefix(value, "@"); ok || value == "-" {
		if value == "-" {
			name = "-"
		}
		s.open = true
		s.later = append([]any{map[string]any{"file": name, "as": "json"}}, s.later...)
		return used
	}
	v, err := registry.DecodeJSON([]byte(value))
	base, ok := v.(map[string]any)
	if err != nil || !ok {
		s.problems = append(s.problems, "--json is not a JSON object: write --json '{\"key\": \"value\"}', --json - or --json @FILE")
		return used
	}
	s.base = base
	for key := range base {
		s.set[key] = true
		if key == formatKey || key == laterKey {
			s.problems = append(s.problems, "--json: no parameter can be called "+key)
		}
	}
	return used
}

// takeJSON takes --key:=JSON.
func (s *scanner) takeJSON(key, text string) {
	v, err := registry.DecodeJSON([]byte(text))
	if err != nil {
		s.problems = append(s.problems, "--"+key+":= is not JSON: "+err.Error()+": text is set with --"+key+"=")
		return
	}
	path, _ := s.resolveKey(key)
	s.addAssignment(assignment{path: path, value: v})
}

// takeText takes --a.b value; several of them for one place are its elements.
func (s *scanner) takeText(path []string, value string) {
	for i := range s.deep {
		if d := &s.deep[i]; d.isText && slices.Equal(d.path, path) {
			d.words = append(d.words, value)
			return
		}
	}
	s.addAssignment(assignment{path: path, words: []string{value}, isText: true})
}

// takeFile takes --key@=FILE.
func (s *scanner) takeFile(key, name string) {
	path, _ := s.resolveKey(key)
	if !s.checkKnown(path) {
		return
	}
	s.set[path[0]] = true
	list := make([]any, len(path))
	for i, part := range path {
		list[i] = part
	}
	s.later = append(s.later, map[string]any{"file": name, "set": list})
}

func (s *scanner) addAssignment(a assignment) {
	if s.checkKnown(a.path) {
		s.set[a.path[0]] = true
		s.deep = append(s.deep, a)
	}
}

// checkKnown reports, as a problem, a parameter that the tool does not have.
func (s *scanner) checkKnown(path []string) bool {
	if s.params.Find(path[0]) != nil || acceptsMore(s.params) {
		return true
	}
	var names []string
	for _, p := range s.params.List() {
		names = append(names, p.Name)
	}
	hint := ""
	if near := registry.Closest(path[0], names, 1); near != nil {
		hint = "; did you mean --" + near[0] + "?"
	}
	s.problems = append(s.problems, "unknown parameter --"+path[0]+hint+" (its parameters: "+strings.Join(names, ", ")+")")
	return false
}
