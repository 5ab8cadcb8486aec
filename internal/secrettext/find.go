package secrettext

import (
	"strings"
	"sync"
)

// place is where a literal of the table stands in a text.
type place struct {
	text  string
	at    int  // of the literal
	after int  // its end
	last  int  // the end of the secret before it
	loose bool // as for HideCommand
}

// trigger is a literal and what finds the secrets that it tells of.
type trigger struct {
	literal string // in lower case, if fold
	fold    bool   // any case will do
	find    func(place) []span
	long    bool // the secret may be longer than others
}

// triggers are all of them. They are made when the first text is looked at.
var triggers = sync.OnceValue(func() *pairs[trigger] {
	var table pairs[trigger]
	add := func(t trigger) {
		for _, first := range t.cases(0) {
			for _, second := range t.cases(1) {
				table.add(first, second, t)
			}
		}
	}
	for _, t := range tokens {
		add(trigger{literal: t.prefix, find: t.find})
	}
	for _, name := range names {
		add(trigger{literal: name, fold: true, find: findAssigned})
	}
	add(trigger{literal: "authorization", fold: true, find: findAuthorization})
	add(trigger{literal: "bearer ", fold: true, find: findBearer})
	add(trigger{literal: "cookie", fold: true, find: findCookies})
	add(trigger{literal: "eyJ", find: findJWT})
	add(trigger{literal: "-----BEGIN ", find: findPEM, long: true})
	add(trigger{literal: "-----END ", find: findPEMEnd})
	add(trigger{literal: "://", find: findUserinfo})
	for literal, form := range commandForms() {
		add(trigger{literal: literal, find: form})
	}
	return &table
})

// pairs is what begins with two bytes, by these: so a pass over a text stays in the
// processor's nearest cache.
type pairs[T any] struct {
	lists [][]T
	index [1 << 16]uint16 // in lists, from 1; 0: nothing
}

func (p *pairs[T]) add(first, second byte, one T) {
	key := int(first)<<8 | int(second)
	if p.index[key] == 0 {
		p.lists = append(p.lists, nil)
		p.index[key] = uint16(len(p.lists))
	}
	list := &p.lists[p.index[key]-1]
	*list = append(*list, one)
}

// at is what begins with the two bytes of a text at i.
func (p *pairs[T]) at(text string, i int) []T {
	if n := p.index[int(text[i])<<8|int(text[i+1])]; n > 0 {
		return p.lists[n-1]
	}
	return nil
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// cases are the forms of the literal's byte at i.
func (t trigger) cases(i int) []byte {
	c := t.literal[i]
	if t.fold && 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// findForms finds the well-known forms.
func findForms(text string, loose bool) (spans []span) {
	table := triggers()
	last := 0
	for i := 0; i+1 < len(text); i++ {
		for _, t := range table.at(text, i) {
			if !t.standsAt(text, i) {
				continue
			}
			near := text
			if !t.long { // or texts made for it would be looked at again and again
				near = text[:min(len(text), i+2*Slack)]
			}
			if found := t.find(place{near, i, i + len(t.literal), last, loose}); len(found) > 0 {
				spans = append(spans, found...)
				last = found[len(found)-1].to
				i = max(i, last-1)
				break
			}
		}
	}
	return spans
}

func (t trigger) standsAt(text string, i int) bool {
	if len(text)-i < len(t.literal) {
		return false
	}
	if !t.fold {
		return text[i:i+len(t.literal)] == t.literal
	}
	for j := range len(t.literal) {
		if lowered(text[i+j]) != t.literal[j] {
			return false
		}
	}
	return true
}

// startsWord reports whether no word goes on at i. An escape before it, as in
// "\nghp_", is no word.
func startsWord(text string, i int) bool {
	return i == 0 || !word[text[i-1]] || i > 1 && text[i-2] == '\\' && strings.IndexByte("nrt", text[i-1]) >= 0
}

// find finds a token by its prefix.
func (t token) find(p place) []span {
	if !startsWord(p.text, p.at) {
		return nil
	}
	n := t.set.run(p.text[p.after:])
	body := p.text[p.after : p.after+n]
	inBlob := p.at > 0 && strings.IndexByte("+/", p.text[p.at-1]) >= 0 && alnum.run(t.prefix) == len(t.prefix)
	if n < t.min || t.max > 0 && n > t.max || inBlob || !isRandom(body[:min(n, 256)], t.mayBeWords()) {
		return nil
	}
	return []span{{p.at, p.after + n, t.what}}
}

// mayBeWords reports whether words of everyday texts can have the form of the token.
func (t token) mayBeWords() bool { return t.set['-'] || t.prefix == "sk-" }

// findJWT finds a JSON Web Token: three parts, two of which are JSON in base64.
func findJWT(p place) []span {
	if !startsWord(p.text, p.at) {
		return nil
	}
	end := p.at
	for part := range 3 {
		n := dashed.run(p.text[end:])
		if part < 2 && (n < 10 || !strings.HasPrefix(p.text[end:], "eyJ")) {
			return nil
		}
		if end += n; part < 2 {
			if end == len(p.text) || p.text[end] != '.' {
				return nil
			}
			end++
		}
	}
	return []span{{p.at, end, "JWT"}}
}
