// Package jsonpos reads JSON together with where in its text each value stands,
// for messages that name a line and a column.
package jsonpos

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Node is a JSON value, or an object's key.
type Node struct {
	At    int // of its first byte
	Value any // as encoding/json has it, but for a list's []Node and an object's Object
}

// Object is an object's keys and values in turn.
type Object []Node

// Parse reads a text that holds one JSON value. The error is encoding/json's:
// see [ErrorOffset].
func Parse(text []byte) (Node, error) {
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return Node{}, err
	}
	return read(text, json.NewDecoder(bytes.NewReader(text))), nil
}

// read takes the next value of a text that is JSON.
func read(text []byte, dec *json.Decoder) Node {
	rest := bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n,:")
	n := Node{At: len(text) - len(rest)}
	n.Value, _ = dec.Token()
	if open, ok := n.Value.(json.Delim); ok {
		var list []Node
		for dec.More() {
			list = append(list, read(text, dec))
		}
		_, _ = dec.Token()
		if n.Value = list; open == '{' {
			n.Value = Object(list)
		}
	}
	return n
}

// ErrorOffset is the byte of a text that encoding/json stopped at, the text's
// length where it ends too early. ok is false for an error that is about none.
func ErrorOffset(text []byte, err error) (at int, ok bool) {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return 0, false
	}
	// Offset counts the bytes read, the offending one included.
	if at = max(0, int(syntax.Offset)-1); at >= len(text) || strings.HasPrefix(syntax.Error(), "unexpected end") {
		at = len(text)
	}
	return at, true
}

// LineColumn is the line and column of a byte, both from 1, columns in
// characters.
func LineColumn(text []byte, at int) (line, column int) {
	before := text[:min(max(at, 0), len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// Within returns where byte n of the string that stands at a byte of a text is
// written in there.
func Within(text []byte, at, n int) int {
	for i := at + 1; i < len(text); i++ {
		value := ""
		if utf8.RuneStart(text[i]) && json.Unmarshal(append(text[at:i:i], '"'), &value) == nil && len(value) >= n {
			return i
		}
	}
	return at
}
