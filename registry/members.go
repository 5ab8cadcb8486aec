package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// members are a JSON object's keys and values in the order they were written.
type members []member

type member struct {
	key   string
	value json.RawMessage
}

func (o members) at(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// only returns the members of these keys.
func (o members) only(keys ...string) members {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return !slices.Contains(keys, m.key) })
}

// without returns the members of all other keys.
func (o members) without(key string) members {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.key == key })
}

// list returns the elements of a member that is an array.
func (o members) list(key string) (list []json.RawMessage) {
	json.Unmarshal(o.at(key), &list)
	return list
}

// withValue returns a copy in which key has another value and unions are gone.
func (o members) withValue(key string, value json.RawMessage) members {
	var out members
	for _, m := range o {
		switch m.key {
		case key:
			out = append(out, member{key, value})
		case "anyOf", "oneOf", "default":
		default:
			out = append(out, m)
		}
	}
	return out
}

func (o members) render() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(m.key))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// decodeObject decodes one JSON object and keeps the order of its keys.
func decodeObject(raw json.RawMessage) (members, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object")
	}
	var out members
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		out = append(out, member{k.(string), v})
	}
	_, err := d.Token()
	return out, err
}

// encodeJSON encodes without escaping <, > and &.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// mustJSON is encodeJSON; it panics on what JSON cannot hold.
func mustJSON(v any) []byte {
	b, err := encodeJSON(v)
	if err != nil {
		panic("registry: " + err.Error())
	}
	return b
}

func decodeText(raw json.RawMessage) string {
	var s string
	json.Unmarshal(raw, &s)
	return s
}
