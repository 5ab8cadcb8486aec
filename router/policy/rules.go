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

	dec   *json.Decoder
	at    int // where the last token starts in raw
	rules Rules
	errs  []error
}

// fail notes what is wrong at a byte of raw.
func (p *ruleFile) fail(at int, rule, text string) {
	line, col := p.position(at)
	p.errs = append(p.errs, &RuleError{File: p.file, Line: line, Col: col, Rule: rule, Text: text})
}

func (p *ruleFile) position(at int) (line, col int) {
	before := p.raw[:min(max(at, 0), len(p.raw))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// next reads a token and notes where it starts.
func (p *ruleFile) next() (json.Token, bool) {
	at := int(p.dec.InputOffset())
	for at < len(p.raw) && bytes.IndexByte([]byte(" \t\r\n,:"), p.raw[at]) >= 0 {
		at++
	}
	p.at = at
	t, err := p.dec.Token()
	if err != nil {
		p.fail(at, "", "it is not valid JSON: "+err.Error())
	}
	return t, err == nil
}

func (p *ruleFile) read() {
	p.dec = json.NewDecoder(bytes.NewReader(p.raw))
	p.dec.UseNumber()
	t, ok := p.next()
	if !ok || t == nil {
		return // null is no rules
	}
	if t != json.Delim('[') {
		p.fail(p.at, "", `a list is wanted: write ["deny read ~/.ssh/**", "allow git log ..."]`)
		return
	}
	for p.dec.More() {
		t, ok := p.next()
		if !ok {
			return
		}
		switch t := t.(type) {
		case string:
			p.add(t, p.at, nil)
		case json.Delim:
			if t != '{' || !p.object() {
				if t == '[' {
					p.fail(p.at, "", `a rule is a text or {"rule": ...}, no list`)
				}
				return
			}
		default:
			p.fail(p.at, "", fmt.Sprintf(`a rule is a text such as "allow git log ...", not %v`, t))
		}
	}
	p.next() // what ends the list
}

// example is a command line that a rule is checked with.
type example struct {
	line  string
	at    int
	match bool
}

// object reads {"rule": ...}; false: nothing can be read after it.
func (p *ruleFile) object() bool {
	start := p.at
	text, at, found, reads := "", 0, false, false
	var examples []example
	for p.dec.More() {
		t, ok := p.next()
		if !ok {
			return false
		}
		key, keyAt := t.(string), p.at
		switch key {
		case "rule":
			if t, ok = p.next(); !ok {
				return false
			}
			if text, found = t.(string); !found {
				p.fail(p.at, "", `"rule" is a text, such as "allow git log ..."`)
				return false
			}
			at = p.at
		case "reads":
			if t, ok = p.next(); !ok {
				return false
			}
			if reads, ok = t.(bool); !ok {
				p.fail(p.at, "", `"reads" is true or false`)
				return false
			}
		case "match", "not":
			more, ok := p.examples(key == "match")
			if !ok {
				return false
			}
			examples = append(examples, more...)
		default:
			p.fail(keyAt, "", fmt.Sprintf("unknown key %q: known are rule, match, not, reads", key))
			return false
		}
	}
	if _, ok := p.next(); !ok {
		return false
	}
	if !found {
		p.fail(start, "", `the rule is missing: add "rule": "allow git log ..."`)
		return true
	}
	if r := p.add(text, at, examples); r != nil && reads {
		if r.answer != Allow || r.paths != nil {
			p.fail(at, text, `"reads" belongs to rules that allow a command or tool: leave it out`)
		}
		r.reads = true
	}
	return true
}

// examples reads a list of command lines.
func (p *ruleFile) examples(match bool) (out []example, ok bool) {
	t, ok := p.next()
	if !ok {
		return nil, false
	}
	if t != json.Delim('[') {
		p.fail(p.at, "", `examples are a list of command lines: write ["git log -3"]`)
		return nil, false
	}
	for p.dec.More() {
		t, ok := p.next()
		if !ok {
			return nil, false
		}
		line, isText := t.(string)
		if !isText {
			p.fail(p.at, "", "an example is a command line in quotes")
			return nil, false
		}
		out = append(out, example{line, p.at, match})
	}
	_, ok = p.next()
	return out, ok
}

// add parses a rule whose JSON text starts at a byte of raw, and checks its
// examples. It returns nil where there is none.
func (p *ruleFile) add(text string, at int, examples []example) *rule {
	r, err := parseRule(text)
	if err != nil {
		p.fail(p.inside(at, err.offset), text, err.text)
		return nil
	}
	line, col := p.position(at)
	r.at = fmt.Sprintf("%s:%d:%d", p.file, line, col)
	for _, e := range examples {
		if got := r.fits(e.line); got != e.match {
			want := "match"
			if got {
				want = "not match"
			}
			p.fail(e.at, text, fmt.Sprintf("it does not do what its example says: it should %s %q, correct one of them", want, e.line))
		}
	}
	if r.answer == Allow && p.project {
		p.rules.Warnings = append(p.rules.Warnings, &RuleError{File: p.file, Line: line, Col: col, Rule: text,
			Text: "a project may only tighten, so this is left out: put it into your own config.json"})
		return nil
	}
	p.rules.list = append(p.rules.list, r)
	return &p.rules.list[len(p.rules.list)-1]
}

// inside returns the byte of raw at which byte n of a JSON text stands.
func (p *ruleFile) inside(at, n int) int {
	i := at + 1
	for done := 0; done < n && i < len(p.raw); {
		size := 1
		if p.raw[i] == '\\' && i+1 < len(p.raw) {
			size = 2
			if p.raw[i+1] == 'u' {
				size = 6
			}
		}
		var one string
		if json.Unmarshal([]byte(`"`+string(p.raw[i:min(i+size, len(p.raw))])+`"`), &one) != nil {
			one = "?"
		}
		done += len(one)
		i += size
	}
	return i
}
