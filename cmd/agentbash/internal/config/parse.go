package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentbash/agentbash/internal/jsonpos"
)

// Error is why a configuration cannot be used. Its exit status is 2.
type Error struct {
	File      string // "" where no file is to blame
	Line, Col int    // from 1, columns in characters; 0: the whole file
	Key       string // "mcpServers.memory.args"; may be empty
	Text      string // what is wrong and what to do
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "config %s: ", e.File)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Col)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	return b.String() + e.Text
}

// ExitStatus is that of a usage error.
func (e *Error) ExitStatus() int { return 2 }

// value is a JSON value that knows where it stands.
type value struct {
	offset  int64 // of its first byte
	members []member
	object  bool
	list    []*value
	isList  bool
	scalar  any    // string, json.Number, bool or nil
	text    []byte // as it stands in the file; nil: it does not, or no longer
}

// expanded reports whether something in the value is not as it was read.
func (v *value) expanded() bool {
	if v.text == nil {
		return true
	}
	for _, m := range v.members {
		if m.value.expanded() {
			return true
		}
	}
	return slices.ContainsFunc(v.list, (*value).expanded)
}

type member struct {
	key    string
	offset int64 // of the key's first byte
	value  *value
}

// find returns a member's value, or nil.
func (v *value) find(key string) *value {
	if v == nil {
		return nil
	}
	for _, m := range v.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// kind names the value's type in the words of a message.
func (v *value) kind() string {
	if v.object {
		return "an object"
	}
	if v.isList {
		return "a list"
	}
	switch v.scalar.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case nil:
		return "null"
	}
	return "a number"
}

// source is a file's text, for positions in it.
type source struct {
	path   string
	data   []byte
	shared bool // other programs read it too, and may have keys that we do not know

	defs     map[*value]*defFile // by the entry that names it
	defOrder []*defFile          // as they stand in the file
	keyVars  []string            // the variables that apiKey was expanded with
}

// parse reads a whole file. An empty file is an empty object.
func (s *source) parse() (*value, error) {
	s.data = bytes.TrimPrefix(s.data, []byte("\ufeff"))
	if len(bytes.TrimSpace(s.data)) == 0 {
		return &value{object: true}, nil
	}
	v, err := s.parseValue()
	if err != nil {
		return nil, err
	}
	if !v.object {
		return nil, s.errorAt(0, "", "it holds "+v.kind()+`: write an object, such as {"model": "gpt-5"}`)
	}
	return v, nil
}

// parseValue reads a file that holds any one JSON value.
func (s *source) parseValue() (*value, error) {
	s.data = bytes.TrimPrefix(s.data, []byte("\ufeff"))
	var whole json.RawMessage
	if err := json.Unmarshal(s.data, &whole); err != nil {
		return nil, s.syntaxError(err)
	}
	return (&reader{s: s}).read(nil)
}

// errorAt makes an error at a byte of the file.
func (s *source) errorAt(offset int64, key, text string) *Error {
	line, col := jsonpos.LineColumn(s.data, int(offset))
	return &Error{File: s.path, Line: line, Col: col, Key: key, Text: text}
}

func (s *source) syntaxError(err error) error {
	offset, ok := jsonpos.ErrorOffset(s.data, err)
	switch {
	case !ok:
		return &Error{File: s.path, Text: err.Error()}
	case offset == len(s.data):
		return s.errorAt(int64(offset), "", "the file ends too early: a bracket or a quote is not closed")
	}
	before := bytes.TrimRight(s.data[:offset], " \t\r\n")
	hint := err.Error()
	switch c := s.data[offset]; {
	case (c == '}' || c == ']') && bytes.HasSuffix(before, []byte(",")):
		hint = fmt.Sprintf("a comma before %c is not JSON: remove it", c)
	case c == '/' || c == '#':
		hint = "JSON has no comments: remove it"
	case c == '\'':
		hint = `strings stand in double quotes: "..."`
	case c == '"' && len(before) > 0 && !bytes.ContainsAny(before[len(before)-1:], "{[,:"):
		hint = "a comma is missing before it"
	}
	return s.errorAt(int64(offset), "", hint)
}

func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// encode is a value as JSON: as it stands in the file, unless something in it was
// expanded.
func (v *value) encode() []byte {
	if v.text != nil && !v.expanded() {
		return v.text
	}
	return v.compact()
}

// compact is a value as JSON in one line, for people.
func (v *value) compact() []byte {
	var p pad
	p.value(v)
	return p.out.Bytes()
}

// encodeInPlace writes a value back so that everything in it stands in the line
// and column where it stands in data, or after that: what is wrong in it can be
// named by whoever reads it.
func (v *value) encodeInPlace(data []byte) []byte {
	p := pad{data: data, line: 1, col: 1}
	p.value(v)
	return p.out.Bytes()
}

// pad writes JSON and keeps count of lines and columns.
type pad struct {
	out       bytes.Buffer
	data      []byte // whose places are kept; nil: none are, all is one line
	line, col int
}

// to goes on to the place of a byte of data.
func (p *pad) to(offset int64) {
	if p.data == nil {
		return
	}
	line, col := jsonpos.LineColumn(p.data, int(offset))
	if p.line < line {
		p.put(strings.Repeat("\n", line-p.line))
		p.line, p.col = line, 1
	}
	if p.line == line && p.col < col {
		p.put(strings.Repeat(" ", col-p.col))
	}
}

func (p *pad) put(s string) {
	p.out.WriteString(s)
	p.col += utf8.RuneCountInString(s)
}

func (p *pad) value(v *value) {
	p.to(v.offset)
	switch {
	case v.object:
		p.put("{")
		for i, m := range v.members {
			if i > 0 {
				p.put(",")
			}
			p.value(&value{scalar: m.key, offset: m.offset})
			p.put(":")
			p.value(m.value)
		}
		p.put("}")
	case v.isList:
		p.put("[")
		for i, m := range v.list {
			if i > 0 {
				p.put(",")
			}
			p.value(m)
		}
		p.put("]")
	default:
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false) // \u0026 would be wider than &
		if err := enc.Encode(v.scalar); err != nil {
			panic("config: " + err.Error()) // a scalar of a parsed file
		}
		p.put(strings.TrimSuffix(b.String(), "\n"))
	}
}
