package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agentbash/agentbash/internal/jsonpos"
)

// Rules are one file's rules. They are not changed after they were parsed and
// are safe for concurrent use.
type Rules struct {
	// Warnings are rules that were left out, each with its place: a project's
	// file may only tighten.
	Warnings []error

	// Source is what they were parsed from.
	Source RulesSource

	list []rule
}

// Listed is a rule as a person sees it.
type Listed struct {
	Rule    string `json:"rule"`
	At      string `json:"at"` // FILE:LINE:COLUMN
	Outside bool   `json:"outside,omitempty"`
	Reads   bool   `json:"reads,omitempty"`
}

// List returns the rules in their order.
func (r *Rules) List() (out []Listed) {
	for _, one := range r.list {
		out = append(out, Listed{one.text, one.at, one.outside, one.reads})
	}
	return out
}

// Without returns the rules but for one that was listed.
func (r *Rules) Without(l Listed) *Rules {
	list := slices.DeleteFunc(slices.Clone(r.list), func(one rule) bool { return one.text == l.Rule && one.at == l.At })
	return &Rules{Warnings: r.Warnings, list: list}
}

// RulesSource are the arguments of ParseRules.
type RulesSource struct {
	File    string
	Raw     json.RawMessage
	Project bool
}

// rule is one of them: a token rule, or a path rule where paths are set.
type rule struct {
	answer  Answer
	text    string // as it was written
	at      string // FILE:LINE:COLUMN
	tool    bool   // it is about an agent or field tool
	words   []token
	paths   []pathPattern
	write   bool // the path rule is about files that are written
	reads   bool // what it allows only reads: it runs in plan mode too
	outside bool // what it allows runs free in the modes ask and auto
}

// RuleError is why a rule cannot be used. Its exit status is 2.
type RuleError struct {
	File      string
	Line, Col int // from 1, columns in characters
	Rule      string
	Text      string // what is wrong, and what to type
}

func (e *RuleError) Error() string {
	rule := ""
	if e.Rule != "" {
		rule = fmt.Sprintf("%q: ", e.Rule)
	}
	return fmt.Sprintf("config %s: line %d, column %d: rules: %s%s", e.File, e.Line, e.Col, rule, e.Text)
}

// ExitStatus is that of a usage error.
func (e *RuleError) ExitStatus() int { return 2 }

// ParseRules reads a file's rules: a JSON list of texts and of objects
// {"rule": TEXT, "match": [LINE...], "not": [LINE...], "reads": true, "outside":
// true}, as docs/safety.md describes them. Lines and columns in what it says are those of
// raw. The examples in match and not are checked. A rule that loosens is left
// out of a project's file, and named in Warnings. An error is one or more
// [*RuleError], joined; no rules come with it.
func ParseRules(file string, raw json.RawMessage, project bool) (*Rules, error) {
	p := ruleFile{file: file, raw: raw, project: project, rules: Rules{Source: RulesSource{file, raw, project}}}
	all, err := jsonpos.Parse(raw)
	if err != nil {
		at, _ := jsonpos.ErrorOffset(raw, err)
		p.fail(at, "", "it is not valid JSON: "+err.Error())
	} else if all.Value != nil { // null is no rules
		p.read(all)
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return &p.rules, nil
}

// ruleFile is a file's rules while they are read.
type ruleFile struct {
	file    string
	raw     []byte
	project bool
	rules   Rules
	errs    []error
}

// fail notes what is wrong at a byte of raw.
func (p *ruleFile) fail(at int, rule, text string) {
	p.errs = append(p.errs, p.problem(at, rule, text))
}

func (p *ruleFile) problem(at int, rule, text string) *RuleError {
	line, col := jsonpos.LineColumn(p.raw, at)
	return &RuleError{File: p.file, Line: line, Col: col, Rule: rule, Text: text}
}

// want returns a value of the type that it must have.
func want[T any](p *ruleFile, n jsonpos.Node, wrong string) T {
	v, ok := n.Value.(T)
	if !ok {
		p.fail(n.At, "", wrong)
	}
	return v
}

func (p *ruleFile) read(all jsonpos.Node) {
	for _, n := range want[[]jsonpos.Node](p, all, `a list is wanted: write ["deny read ~/.ssh/**", "allow git log ..."]`) {
		switch v := n.Value.(type) {
		case string:
			p.add(n, v, rule{}, nil)
		case jsonpos.Object:
			p.object(n, v)
		case []jsonpos.Node:
			p.fail(n.At, "", `a rule is a text or {"rule": ...}, no list`)
		default:
			text, _ := json.Marshal(v)
			p.fail(n.At, "", fmt.Sprintf(`a rule is a text such as "allow git log ...", not %s`, text))
		}
	}
}

// example is a command line that a rule is checked with.
type example struct {
	at    int
	line  string
	match bool
}

// object reads {"rule": ...}.
func (p *ruleFile) object(n jsonpos.Node, members jsonpos.Object) {
	var at jsonpos.Node
	var text string
	var with rule
	var examples []example
	before := len(p.errs)
	for i := 0; i < len(members); i += 2 {
		key, v := members[i], members[i+1]
		switch key.Value {
		case "rule":
			at, text = v, want[string](p, v, `"rule" is a text, such as "allow git log ..."`)
		case "reads":
			with.reads = want[bool](p, v, `"reads" is true or false`)
		case "outside":
			with.outside = want[bool](p, v, `"outside" is true or false`)
		case "match", "not":
			for _, e := range want[[]jsonpos.Node](p, v, `examples are a list of command lines: write ["git log -3"]`) {
				line := want[string](p, e, "an example is a command line in quotes")
				examples = append(examples, example{e.At, line, key.Value == "match"})
			}
		default:
			p.fail(key.At, "", fmt.Sprintf("unknown key %q: known are rule, match, not, reads, outside", key.Value))
		}
	}
	if at.At == 0 {
		p.fail(n.At, "", `the rule is missing: add "rule": "allow git log ..."`)
	}
	if len(p.errs) == before {
		p.add(at, text, with, examples)
	}
}

// add parses a rule and checks it with its examples.
func (p *ruleFile) add(n jsonpos.Node, text string, with rule, examples []example) {
	r, wrong := parseRule(text)
	if wrong != nil {
		p.fail(jsonpos.Within(p.raw, n.At, wrong.offset), text, wrong.text)
		return
	}
	out := p.problem(n.At, text, "a project may only tighten, so this is left out: put it into your own config.json")
	r.at = fmt.Sprintf("%s:%d:%d", p.file, out.Line, out.Col)
	if r.reads, r.outside = with.reads, with.outside; r.reads && r.paths != nil || (r.reads || r.outside) && r.answer != Allow {
		p.fail(n.At, text, `"reads" belongs to rules that allow a command or tool, "outside" to rules that allow: leave it out`)
	}
	for _, x := range examples {
		if should := map[bool]string{true: "match", false: "not match"}[x.match]; r.follows(x.line) != x.match {
			p.fail(x.at, text, fmt.Sprintf("it does not do what its example says: it should %s %q, correct one of them", should, x.line))
		}
	}
	if r.answer == Allow && p.project {
		p.rules.Warnings = append(p.rules.Warnings, out)
		return
	}
	p.rules.list = append(p.rules.list, r)
}
