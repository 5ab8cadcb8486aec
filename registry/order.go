package registry

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Order is the order in which the keys of kwargs, and of the objects in them, were
// written. A nil *Order knows of none.
type Order struct {
	keys []string          // of an object; of an array the numbers of what is in it
	in   map[string]*Order // by key
}

// at is the order in a place, which comes after what is there already.
func (o *Order) at(path []string) *Order {
	for _, key := range path {
		next := o.in[key]
		if next == nil {
			next = &Order{}
			if o.in == nil {
				o.in = map[string]*Order{}
			}
			o.keys = append(o.keys, key)
			o.in[key] = next
		}
		o = next
	}
	return o
}

// merge adds what another order knows and this one does not.
func (o *Order) merge(more *Order) {
	if more == nil {
		return
	}
	for _, key := range more.keys {
		o.at([]string{key}).merge(more.in[key])
	}
}

// mergeWords adds the order in a value that was made of words.
func (o *Order) mergeWords(v any, words []string) {
	list, isArray := v.([]any)
	switch _, isObject := v.(map[string]any); {
	case isObject, isArray && len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "["):
		o.merge(OrderOf(words[0]))
	case isArray:
		for i := range min(len(list), len(words)) {
			o.at([]string{strconv.Itoa(i)}).mergeWords(list[i], words[i:i+1])
		}
	}
}

// OrderOf is the order of a JSON text.
func OrderOf(text string) *Order { return readOrder(json.NewDecoder(strings.NewReader(text))) }

func readOrder(d *json.Decoder) *Order {
	t, _ := d.Token()
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	o := &Order{}
	for i := 0; d.More(); i++ {
		key := strconv.Itoa(i)
		if open == '{' {
			t, _ := d.Token()
			key, _ = t.(string)
			o.at([]string{key})
		}
		if in := readOrder(d); in != nil {
			o.at([]string{key}).merge(in)
		}
	}
	d.Token()
	return o
}

// JSON encodes the value that stands in a place of the kwargs, numbers as they were
// written and keys in this order; others come after those, sorted.
func (o *Order) JSON(v any, path ...string) (json.RawMessage, error) {
	for _, key := range path {
		if o != nil {
			o = o.in[key]
		}
	}
	var b bytes.Buffer
	err := writeJSON(&b, v, o)
	return b.Bytes(), err
}

// JSON is the object of the call's arguments, keys in the order they were given.
func (c *Call) JSON() (json.RawMessage, error) { return c.Order.JSON(map[string]any(c.Kwargs)) }

func writeJSON(b *bytes.Buffer, v any, o *Order) error {
	if o == nil {
		o = &Order{}
	}
	var keys []string
	members, isObject := v.(map[string]any)
	list, isArray := v.([]any)
	switch {
	case isObject:
		keys = slices.DeleteFunc(slices.Clone(o.keys), func(key string) bool { _, ok := members[key]; return !ok })
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if o.in[key] == nil {
				keys = append(keys, key)
			}
		}
		b.WriteByte('{')
	case isArray:
		b.WriteByte('[')
	default:
		text, err := encodeJSON(v)
		b.Write(text)
		return err
	}
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(append(mustJSON(key), ':'))
		if err := writeJSON(b, members[key], o.in[key]); err != nil {
			return err
		}
	}
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(b, e, o.in[strconv.Itoa(i)]); err != nil {
			return err
		}
	}
	b.WriteByte(map[bool]byte{true: '}', false: ']'}[isObject])
	return nil
}
