package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Rules are one file's rules. They are not changed after they were parsed and
// are safe for concurrent use.
type Rules struct {
	// Warnings are rules that were left out, each with its place: a project's
	// file may only tighten.
	Warnings []error

	list []rule
}

// rule is one of them: a token rule, or a path rule where paths are set.
type rule struct {
	answer Answer
	text   string // as it was written
	at     string // FILE:LINE:COLUMN
	tool   bool   // it is about an agent or field tool
	words  []token
	paths  []pathPattern
	write  bool // the path rule is about files that are written
	reads  bool // what it allows only reads: it runs in plan mode too
}

// RuleError is why a rule cannot be used. Its exit status is 2.
type RuleError struct {
	File      string
	Line, Col int // from 1, columns in characters
	Rule      string
	Text      string // what is wrong, and what to type
}

func (e *RuleError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "config %s: line %d, column %d: rules: ", e.File, e.Line, e.Col)
	if e.Rule != "" {
		fmt.Fprintf(&b, "%q: ", e.Rule)
	}
	return b.String() + e.Text
}

// ExitStatus is that of a usage error.
func (e *RuleError) ExitStatus() int { return 2 }

// ParseRules reads a file's rules: a JSON list of texts and of objects
// {"rule": TEXT, "match": [LINE...], "not": [LINE...], "reads": true}, as
// docs/safety.md describes them. Lines and columns in what it says are those of
// raw. The examples in match and not are checked. A rule that loosens is left
// out of a project's file, and named in Warnings. An error is one or more
// [*RuleError], joined; no rules come with it.
func ParseRules(file string, raw json.RawMessage, project bool) (*Rules, error) {
	p := ruleFile{file: file, raw: raw, project: project}
	p.read()
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
	before := p.raw[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &RuleError{File: p.file, Line: line, Col: col, Rule: rule, Text: text}
}

// jsonNode is a JSON value, or an object's key, and where it starts in the file.
type jsonNode struct {
	at    int
	value any        // a list's is json.Delim('['), an object's json.Delim('{')
	list  []jsonNode // what a list holds, or an object's keys and values in turn
}

// node reads the next value of a file that is known to be JSON.
func (p *ruleFile) node(dec *json.Decoder) jsonNode {
	rest := p.raw[dec.InputOffset():]
	n := jsonNode{at: len(p.raw) - len(bytes.TrimLeft(rest, " \t\r\n,:"))}
	n.value, _ = dec.Token()
	if _, isDelim := n.value.(json.Delim); isDelim {
		for dec.More() {
			n.list = append(n.list, p.node(dec))
		}
		_, _ = dec.Token()
	}
	return n
}

func (p *ruleFile) read() {
	var null any
	if err := json.Unmarshal(p.raw, &null); err != nil {
		at := len(p.raw)
		if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) && !strings.Contains(err.Error(), "end of JSON") {
			at = int(bad.Offset) - 1
		}
		p.fail(at, "", "it is not valid JSON: "+err.Error())
		return
	}
	all := p.node(json.NewDecoder(bytes.NewReader(p.raw)))
	if null != nil && all.value != json.Delim('[') {
		p.fail(all.at, "", `a list is wanted: write ["deny read ~/.ssh/**", "allow git log ..."]`)
		return
	}
	for _, n := range all.list {
		switch v := n.value.(type) {
		case string:
			p.add(n, v, false, nil)
		case json.Delim:
			p.object(n)
		default:
			text, _ := json.Marshal(v)
			p.fail(n.at, "", fmt.Sprintf(`a rule is a text such as "allow git log ...", not %s`, text))
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
func (p *ruleFile) object(n jsonNode) {
	if n.value == json.Delim('[') {
		p.fail(n.at, "", `a rule is a text or {"rule": ...}, no list`)
		return
	}
	rule := jsonNode{at: -1}
	var text string
	var examples []example
	reads, before := false, len(p.errs)
	for i := 0; i < len(n.list); i += 2 {
		key, v := n.list[i], n.list[i+1]
		ok := true
		switch key.value {
		case "rule":
			rule = v
			if text, ok = v.value.(string); !ok {
				p.fail(v.at, "", `"rule" is a text, such as "allow git log ..."`)
			}
		case "reads":
			if reads, ok = v.value.(bool); !ok {
				p.fail(v.at, "", `"reads" is true or false`)
			}
		case "match", "not":
			if v.value != json.Delim('[') {
				p.fail(v.at, "", `examples are a list of command lines: write ["git log -3"]`)
				break
			}
			for _, e := range v.list {
				x := example{at: e.at, match: key.value == "match"}
				if x.line, ok = e.value.(string); !ok {
					p.fail(e.at, "", "an example is a command line in quotes")
				}
				examples = append(examples, x)
			}
		default:
			p.fail(key.at, "", fmt.Sprintf("unknown key %q: known are rule, match, not, reads", key.value))
		}
	}
	if rule.at < 0 {
		p.fail(n.at, "", `the rule is missing: add "rule": "allow git log ..."`)
	}
	if len(p.errs) == before {
		p.add(rule, text, reads, examples)
	}
}

// add parses a rule and checks it with its examples.
func (p *ruleFile) add(n jsonNode, text string, reads bool, examples []example) {
	r, wrong := parseRule(text)
	if wrong != nil {
		p.fail(p.inside(n.at, wrong.offset), text, wrong.text)
		return
	}
	out := p.problem(n.at, text, "a project may only tighten, so this is left out: put it into your own config.json")
	r.at = fmt.Sprintf("%s:%d:%d", p.file, out.Line, out.Col)
	if r.reads = reads; reads && (r.answer != Allow || r.paths != nil) {
		p.fail(n.at, text, `"reads" belongs to rules that allow a command or tool: leave it out`)
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

// inside returns the byte of raw at which byte n of a JSON text stands.
func (p *ruleFile) inside(at, n int) int {
	for i := at + 1; i < len(p.raw); i++ {
		before, text := p.raw[at:i:i], ""
		if utf8.RuneStart(p.raw[i]) && json.Unmarshal(append(before, '"'), &text) == nil && len(text) >= n {
			return i
		}
	}
	return at
}
