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

// jsonPart is a JSON value, or an object's key, and where it starts in the file.
type jsonPart struct {
	at    int
	value any
	raw   json.RawMessage
}

// elements returns what a JSON list holds, or an object's keys and values in
// turn.
func (e jsonPart) elements() (out []jsonPart) {
	dec := json.NewDecoder(bytes.NewReader(e.raw))
	t, _ := dec.Token()
	for dec.More() {
		start := int(dec.InputOffset())
		var in jsonPart
		if t == json.Delim('{') && len(out)%2 == 0 {
			in.value, _ = dec.Token()
		} else {
			_ = dec.Decode(&in.value)
		}
		text := e.raw[start:dec.InputOffset()]
		in.raw = bytes.TrimLeft(text, " \t\r\n,:")
		in.at = e.at + start + len(text) - len(in.raw)
		out = append(out, in)
	}
	return out
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

func (p *ruleFile) read() {
	all := jsonPart{raw: bytes.TrimLeft(p.raw, " \t\r\n")}
	all.at = len(p.raw) - len(all.raw)
	if err := json.Unmarshal(p.raw, &all.value); err != nil {
		at := len(p.raw)
		if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) && !strings.Contains(err.Error(), "end of JSON") {
			at = int(bad.Offset) - 1
		}
		p.fail(at, "", "it is not valid JSON: "+err.Error())
		return
	}
	if all.value == nil {
		return // null is no rules
	}
	if _, isList := all.value.([]any); !isList {
		p.fail(all.at, "", `a list is wanted: write ["deny read ~/.ssh/**", "allow git log ..."]`)
		return
	}
	for _, e := range all.elements() {
		switch e.value.(type) {
		case string:
			p.add(e, nil)
		case map[string]any:
			p.object(e)
		case []any:
			p.fail(e.at, "", `a rule is a text or {"rule": ...}, no list`)
		default:
			p.fail(e.at, "", fmt.Sprintf(`a rule is a text such as "allow git log ...", not %s`, e.raw))
		}
	}
}

// example is a command line that a rule is checked with.
type example struct {
	jsonPart
	match bool
}

// object reads {"rule": ...}.
func (p *ruleFile) object(e jsonPart) {
	var rule jsonPart
	var examples []example
	reads, before := false, len(p.errs)
	members := e.elements()
	for i := 0; i < len(members); i += 2 {
		key, v := members[i], members[i+1]
		ok := true
		switch key.value {
		case "rule":
			if _, ok = v.value.(string); !ok {
				p.fail(v.at, "", `"rule" is a text, such as "allow git log ..."`)
			}
			rule = v
		case "reads":
			if reads, ok = v.value.(bool); !ok {
				p.fail(v.at, "", `"reads" is true or false`)
			}
		case "match", "not":
			if _, ok = v.value.([]any); !ok {
				p.fail(v.at, "", `examples are a list of command lines: write ["git log -3"]`)
				break
			}
			for _, line := range v.elements() {
				if _, ok = line.value.(string); !ok {
					p.fail(line.at, "", "an example is a command line in quotes")
				}
				examples = append(examples, example{line, key.value == "match"})
			}
		default:
			p.fail(key.at, "", fmt.Sprintf("unknown key %q: known are rule, match, not, reads", key.value))
		}
	}
	if rule.raw == nil {
		p.fail(e.at, "", `the rule is missing: add "rule": "allow git log ..."`)
	}
	if len(p.errs) > before {
		return
	}
	if r := p.add(rule, examples); r != nil && reads {
		if r.answer != Allow || r.paths != nil {
			p.fail(rule.at, r.text, `"reads" belongs to rules that allow a command or tool: leave it out`)
		}
		r.reads = true
	}
}

// add parses a rule and checks its examples. It returns nil where there is none.
func (p *ruleFile) add(e jsonPart, examples []example) *rule {
	text := e.value.(string)
	r, err := parseRule(text)
	if err != nil {
		p.fail(p.inside(e.at, err.offset), text, err.text)
		return nil
	}
	out := p.problem(e.at, text, "a project may only tighten, so this is left out: put it into your own config.json")
	r.at = fmt.Sprintf("%s:%d:%d", p.file, out.Line, out.Col)
	for _, x := range examples {
		line, want := x.value.(string), "match"
		if !x.match {
			want = "not match"
		}
		if r.fits(line) != x.match {
			p.fail(x.at, text, fmt.Sprintf("it does not do what its example says: it should %s %q, correct one of them", want, line))
		}
	}
	if r.answer == Allow && p.project {
		p.rules.Warnings = append(p.rules.Warnings, out)
		return nil
	}
	p.rules.list = append(p.rules.list, r)
	return &p.rules.list[len(p.rules.list)-1]
}

// inside returns the byte of raw at which byte n of a JSON text stands.
func (p *ruleFile) inside(at, n int) int {
	i := at + 1
	for n > 0 && i < len(p.raw) {
		_, size := utf8.DecodeRune(p.raw[i:])
		if p.raw[i] == '\\' {
			if size = 2; p.raw[i+1] == 'u' {
				size = 6
			}
		}
		var one string
		_ = json.Unmarshal([]byte(`"`+string(p.raw[i:i+size])+`"`), &one)
		n -= len(one)
		i += size
	}
	return i
}
