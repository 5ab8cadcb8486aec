package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// reader makes values of a text that is known to be JSON. The standard decoder
// does not tell where a value stands but by its tokens, and those cost most of
// the start of a program with hundreds of functions configured. (With tailscale/hujson,
// which has the places too, 500 functions take 2.3 times as long: BenchmarkParse.)
type reader struct {
	s  *source
	at int
}

// jsonPath is the way to a value; it becomes a text only where something is wrong.
type jsonPath struct {
	up    *jsonPath
	key   string
	item  bool // it is an item of a list, and not a member
	index int
}

func (p *jsonPath) String() string {
	if p == nil {
		return ""
	}
	if p.item {
		return fmt.Sprintf("%s[%d]", p.up, p.index)
	}
	return joinKey(p.up.String(), p.key)
}

// read takes the next value. A key that stands twice is an error: the later one
// would win silently.
func (r *reader) read(path *jsonPath) (*value, error) {
	r.skipSpace()
	v := &value{offset: int64(r.at)}
	var err error
	switch c := r.s.data[r.at]; c {
	case '{':
		v.object = true
		err = r.members(v, path)
	case '[':
		v.isList = true
		err = r.items(v, path)
	case '"':
		v.scalar, err = unquoteJSON(r.skipString())
	case 't', 'f':
		v.scalar = c == 't'
		r.skipWord()
	case 'n':
		r.skipWord()
	default:
		v.scalar = json.Number(r.skipWord())
	}
	v.text = r.s.data[v.offset:r.at:r.at]
	return v, err
}

// fewMembers are looked through faster than they are put into a map.
const fewMembers = 16

func (r *reader) members(v *value, path *jsonPath) error {
	var seen map[string]bool
	for r.at++; r.nextMember('}'); {
		at := int64(r.at)
		key, err := unquoteJSON(r.skipString())
		if err != nil {
			return err
		}
		here := &jsonPath{up: path, key: key}
		if len(v.members) > fewMembers && seen == nil {
			seen = map[string]bool{}
			for _, m := range v.members {
				seen[m.key] = true
			}
		}
		if seen[key] || seen == nil && v.find(key) != nil {
			return r.s.errorAt(at, here.String(), "it stands here for the second time: remove one of them")
		}
		if seen != nil {
			seen[key] = true
		}
		r.skipSpace()
		r.at++ // the colon
		m, err := r.read(here)
		if err != nil {
			return err
		}
		v.members = append(v.members, member{key, at, m})
	}
	return nil
}

func (r *reader) items(v *value, path *jsonPath) error {
	for r.at++; r.nextMember(']'); {
		m, err := r.read(&jsonPath{up: path, item: true, index: len(v.list)})
		if err != nil {
			return err
		}
		v.list = append(v.list, m)
	}
	return nil
}

// nextMember goes on to the next member or item, or over the bracket at the end.
func (r *reader) nextMember(end byte) bool {
	r.skipSpace()
	if r.s.data[r.at] == ',' {
		r.at++
		r.skipSpace()
	}
	if r.s.data[r.at] == end {
		r.at++
		return false
	}
	return true
}

func (r *reader) skipSpace() {
	for strings.IndexByte(" \t\r\n", r.s.data[r.at]) >= 0 {
		r.at++
	}
}

// skipString goes over a string and returns it with its quotes.
func (r *reader) skipString() []byte {
	from := r.at
	for r.at++; r.s.data[r.at] != '"'; r.at++ {
		if r.s.data[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	return r.s.data[from:r.at]
}

// skipWord goes over a number or a name.
func (r *reader) skipWord() string {
	from := r.at
	for r.at < len(r.s.data) && strings.IndexByte(" \t\r\n,]}", r.s.data[r.at]) < 0 {
		r.at++
	}
	return string(r.s.data[from:r.at])
}

func unquoteJSON(quoted []byte) (string, error) {
	inner := quoted[1 : len(quoted)-1]
	plain := !bytes.ContainsRune(inner, '\\')
	for _, c := range inner {
		plain = plain && c < 0x80 // other bytes may be no UTF-8
	}
	if plain {
		return string(inner), nil
	}
	var out string
	err := json.Unmarshal(quoted, &out)
	return out, err
}
