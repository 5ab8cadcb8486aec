package registry

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// HelpLevel says which help was asked for.
type HelpLevel int

// What -h and --help ask for.
const (
	NoHelp      HelpLevel = iota
	BriefHelp             // -h
	VerboseHelp           // --help
)

// String is "", "brief" or "verbose".
func (h HelpLevel) String() string { return [...]string{"", "brief", "verbose"}[h] }

// Parsed is what the words after a command's name mean.
type Parsed struct {
	Kwargs      Kwargs    // coerced, positionals included; empty, never nil
	Positionals []string  // the words that stood without a key, as they were
	Help        HelpLevel // when set, Kwargs is not complete and nothing was checked
}

// Parse turns the words after the tool's name into kwargs. The grammar is one
// for all tools, left to right:
//
//   - --key=value splits at the first "="; --key value takes the next word
//     even when it starts with "-", unless that word is "--" plus a declared key;
//   - --flag, --flag true|false and --no-flag set a boolean;
//   - dashes in a key are underscores; a repeated key builds an array, and is
//     an error for anything else; --key.member value sets a member of an object;
//   - "--" ends options; "-" and negative numbers are positional; a letter that
//     the tool declares (-i) is its parameter, any other -x is an error;
//   - positionals fill the required parameters that are not set, then the
//     optional ones, in schema order;
//   - -h and --help count where a flag may stand, never as a value.
//
// Values are coerced by their declared type. hasStdin says that a parameter
// with Stdin set may be absent. Errors are *UsageError and name every problem.
// A tool with a Grammar has its own.
func (t *Tool) Parse(words []string, hasStdin bool) (Parsed, error) {
	if t.Grammar != nil {
		return t.Grammar(t, words, hasStdin)
	}
	out, problems := t.Params.Coerce(words, hasStdin)
	if out.Help != NoHelp {
		return out, nil
	}
	for i := range t.Params.List() {
		q := &t.Params.list[i]
		switch v := out.Kwargs[q.Name].(type) {
		case []any, map[string]any: // everything else was judged as a word
			fitted, more := q.fitValue("--"+q.Name, v)
			out.Kwargs[q.Name] = fitted
			problems = append(problems, more...)
		}
	}
	return out, t.checkKwargs(out.Kwargs, problems)
}

// Coerce is the first half of [Tool.Parse], for a Grammar that goes beyond it:
// words become kwargs of the declared types, and what is in a JSON value is not
// looked at. The problems are a line each.
func (p *Params) Coerce(words []string, hasStdin bool) (out Parsed, problems []string) {
	r := parser{params: p.readSchema(), raw: map[string][]string{}}
	if r.params == nil {
		r.params = NewParams()
	}
	if help := r.sortWords(words); help != NoHelp {
		return Parsed{Kwargs: Kwargs{}, Help: help}, nil
	}
	r.fillPositionals()
	kwargs := r.coerceRaw(hasStdin)
	return Parsed{Kwargs: kwargs, Positionals: r.positionals}, r.problems
}

type parser struct {
	params      *Params
	raw         map[string][]string // by declared name; members as "name.member"
	order       []string            // keys of raw in the order they came
	positionals []string
	problems    []string
}

var negative = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$`) })

// cutOption cuts --key and --key=value. A key is a word of letters, digits, _ . and
// -, or whatever the schema declares (--$filter, --größe).
func (p *parser) cutOption(word string) (key, value string, hasValue, ok bool) {
	rest, ok := strings.CutPrefix(word, "--")
	if !ok {
		return "", "", false, false
	}
	key, value, hasValue = strings.Cut(rest, "=")
	return key, value, hasValue, isKey(key) || key != "" && p.params.Find(key) != nil
}

func isKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '.' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

func (p *parser) addProblem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

// sortWords sorts the words into raw values and positionals; it stops at a request for help.
func (p *parser) sortWords(words []string) HelpLevel {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			p.positionals = append(p.positionals, words[i+1:]...)
			return NoHelp
		}
		if key, value, hasValue, ok := p.cutOption(w); ok {
			used, help := p.takeLong(key, value, hasValue, words[i+1:])
			if help != NoHelp {
				return help
			}
			i += used
			continue
		}
		if w == "-h" && p.params.findShort("h") == nil {
			return BriefHelp
		}
		if len(w) < 2 || w[0] != '-' || negative().MatchString(w) && p.params.findShort(w[1:2]) == nil {
			p.positionals = append(p.positionals, w)
			continue
		}
		i += p.takeLetters(w, words[i+1:])
	}
	return NoHelp
}

// takeLong takes --key, --key=value or --key value and returns how many of the
// following words it used.
func (p *parser) takeLong(key, value string, hasValue bool, rest []string) (used int, help HelpLevel) {
	q, name := p.findParam(key)
	switch {
	case q == nil && key == "help" && !hasValue:
		return 0, VerboseHelp
	case q == nil && p.takeNegated(key, hasValue):
		return 0, NoHelp
	case q == nil && !p.params.open:
		p.problems = append(p.problems, p.params.unknownProblem("--", key))
		if !hasValue && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			used = 1 // its value, most likely: not one more problem
		}
		return used, NoHelp
	}
	if hasValue {
		p.addRaw(name, q, value)
		return 0, NoHelp
	}
	return p.takeValue("--"+key, name, q, rest), NoHelp
}

// TakesNext reports whether a word is --key of a parameter whose value is the
// next word, whatever that begins with.
func (p *Params) TakesNext(word string) bool {
	key, ok := strings.CutPrefix(word, "--")
	q := p.Find(key)
	return ok && q != nil && !q.isFlag()
}

// findParam returns the parameter a key names and the key's canonical form; for an
// object's member the parameter is the member.
func (p *parser) findParam(key string) (*Param, string) {
	if q := p.params.Find(key); q != nil {
		return q, q.Name
	}
	head, member, dotted := strings.Cut(key, ".")
	if q := p.params.Find(head); dotted && q != nil && member != "" && q.holds(Object) {
		return q.Props.Find(member).orAny(), q.Name + "." + q.Props.canonical(member)
	}
	return nil, Fold(key)
}

// takeNegated takes --no-flag.
func (p *parser) takeNegated(key string, hasValue bool) bool {
	rest, ok := strings.CutPrefix(Fold(key), "no_")
	if !ok {
		return false
	}
	q := p.params.Find(rest)
	if q == nil || !q.holds(Boolean) {
		return false
	}
	if hasValue {
		p.addProblem("--%s takes no value: write --%s=true or --%s=false", key, rest, rest)
		return true
	}
	p.addRaw(q.Name, q, "false")
	return true
}

// takeValue takes the value of an option from the following words.
func (p *parser) takeValue(shown, name string, q *Param, rest []string) (used int) {
	if q != nil && q.isFlag() {
		if len(rest) > 0 && (strings.EqualFold(rest[0], "true") || strings.EqualFold(rest[0], "false")) {
			p.addRaw(name, q, rest[0])
			return 1
		}
		p.addRaw(name, q, "true")
		return 0
	}
	if q == nil && (len(rest) == 0 || strings.HasPrefix(rest[0], "--")) { // an open schema: as the seed does, a flag
		p.addRaw(name, q, "true")
		return 0
	}
	if len(rest) == 0 {
		p.addProblem("%s needs a value: write %s VALUE", shown, shown)
		return 0
	}
	if key, _, _, ok := p.cutOption(rest[0]); ok {
		if k, _ := p.findParam(key); k != nil {
			p.addProblem("%s needs a value, and the next word is %s: write %s=%s if that is the value", shown, rest[0], shown, rest[0])
			return 0
		}
	}
	p.addRaw(name, q, rest[0])
	return 1
}

// takeLetters takes -x: a declared letter, with its value joined or following.
func (p *parser) takeLetters(w string, rest []string) (used int) {
	for i := 1; i < len(w); i++ {
		q := p.params.findShort(w[i : i+1])
		if q == nil {
			p.addProblem("unknown option %s: a value that starts with - goes after --", w)
			return 0
		}
		if q.isFlag() {
			p.addRaw(q.Name, q, "true")
			continue
		}
		if i+1 < len(w) {
			p.addRaw(q.Name, q, w[i+1:])
			return 0
		}
		return p.takeValue("-"+q.Short, q.Name, q, rest)
	}
	return 0
}

// addRaw keeps one raw value; only arrays may have several.
func (p *parser) addRaw(name string, q *Param, value string) {
	if len(p.raw[name]) > 0 && (q == nil || !q.holds(Array)) {
		p.addProblem("--%s is given twice (%s, then %s): give it once", name, quoteCut(p.raw[name][0]), quoteCut(value))
		return
	}
	if len(p.raw[name]) == 0 {
		p.order = append(p.order, name)
	}
	p.raw[name] = append(p.raw[name], value)
}

// fillPositionals gives the positionals to the parameters that are not set.
func (p *parser) fillPositionals() {
	left := p.positionals
	for _, required := range []bool{true, false} {
		for i := range p.params.list {
			q := &p.params.list[i]
			if len(left) == 0 || q.Required != required || p.isSet(q.Name) {
				continue
			}
			p.addRaw(q.Name, q, left[0])
			left = left[1:]
		}
	}
	if len(left) > 0 {
		p.addProblem("too many values, the first extra one is %s: quote a value that holds spaces, or name it with --key", quoteCut(left[0]))
	}
}

func (p *parser) isSet(name string) bool {
	return slices.ContainsFunc(p.order, func(k string) bool { return k == name || strings.HasPrefix(k, name+".") })
}

// coerceRaw makes the kwargs from the raw values and names what is missing.
func (p *parser) coerceRaw(hasStdin bool) Kwargs {
	kwargs := Kwargs{}
	for _, key := range p.order {
		q, _ := p.findParam(key)
		v, err := q.orAny().coerceWords(p.raw[key])
		if err != nil {
			p.addProblem("--%s: %v", key, err)
			continue
		}
		if err := kwargs.setMember(key, v, p.params.Find(key) == nil && q != nil); err != nil {
			p.addProblem("--%s: %v", key, err)
		}
	}
	for i := range p.params.list {
		q := &p.params.list[i]
		if !q.Required || p.isSet(q.Name) || q.Stdin && hasStdin {
			continue
		}
		p.problems = append(p.problems, q.missingProblem("--"))
	}
	return kwargs
}

// setMember stores a value, or a member of an object under a dotted key.
func (k Kwargs) setMember(key string, v any, dotted bool) error {
	if !dotted {
		k[key] = v
		return nil
	}
	parts := strings.Split(key, ".")
	m := map[string]any(k)
	for _, part := range parts[:len(parts)-1] {
		next, ok := m[part].(map[string]any)
		if !ok && m[part] != nil {
			return errors.New("its parent is set as a whole: set it there")
		}
		if !ok {
			next = map[string]any{}
			m[part] = next
		}
		m = next
	}
	m[parts[len(parts)-1]] = v
	return nil
}
