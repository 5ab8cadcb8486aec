package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

func (v *value) isNull() bool { return !v.object && !v.isList && v.scalar == nil }

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

	lookup func(string) (string, bool) // the environment

	defs     map[*value]*defFile // by the entry that names it
	defOrder []*defFile          // as they stand in the file
	keyVars  []string            // the variables that apiKey was expanded with
	warnings []error             // what of it was left out
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
	var b bytes.Buffer
	between := func(i int) {
		if i > 0 {
			b.WriteByte(',')
		}
	}
	switch {
	case v.object:
		b.WriteByte('{')
		for i, m := range v.members {
			between(i)
			b.Write((&value{scalar: m.key}).compact())
			b.WriteByte(':')
			b.Write(m.value.compact())
		}
		b.WriteByte('}')
	case v.isList:
		b.WriteByte('[')
		for i, one := range v.list {
			between(i)
			b.Write(one.compact())
		}
		b.WriteByte(']')
	default:
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v.scalar); err != nil {
			panic("config: " + err.Error()) // a scalar of a parsed file
		}
		b.Truncate(b.Len() - 1) // the end of its line
	}
	return b.Bytes()
}

// inPlace is a value as JSON that stands in the line and column where it stands in the
// file: what is wrong in it can be named by whoever reads it.
func (s *source) inPlace(v *value) []byte {
	line, col := jsonpos.LineColumn(s.data, int(v.offset))
	return append([]byte(strings.Repeat("\n", line-1)+strings.Repeat(" ", col-1)), v.text...)
}
