package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
)

// prefilter finds the places where a match can be.
type prefilter struct {
	needles []needle
	exact   bool // such a place is a match
	fold    bool // letters match in both cases
	odd     bool // an s or a k is among them, which letters outside of ASCII fold to
}

// needle is one literal, searched for by its rarest byte.
type needle struct {
	text        string // in lower case when folding
	at          int    // offset of the rarest byte
	rare, other byte   // it, and its other case or the same again
}

// maxCost is the cost, in nanoseconds a byte of text, above which the automaton is faster.
const maxCost = 1.0

// newPrefilter returns nil when no literal is worth searching for.
func newPrefilter(re *syntax.Regexp) *prefilter {
	l := extract(re)
	list := l.required()
	if list == nil {
		return nil
	}
	p := &prefilter{exact: l.all != nil && !l.checked && sameSet(list, l.all), fold: folds(re)}
	if p.fold {
		low := []string{}
		for _, s := range list {
			low = add(low, []string{lower(s)})
		}
		list = low
	}
	list = minimal(list)
	if len(list) > maxLiterals || !p.exact && cost(list) > maxCost {
		return nil
	}
	for _, s := range list {
		p.odd = p.odd || p.fold && strings.ContainsAny(s, "sk")
		p.needles = append(p.needles, newNeedle(s, p.fold))
	}
	return p
}

func sameSet(a, b []string) bool { return len(a) == len(b) && len(add(a, b)) == len(a) }

// minimal leaves out literals that hold another one.
func minimal(list []string) []string {
	var out []string
	for i, s := range list {
		redundant := false
		for j, t := range list {
			if i != j && strings.Contains(s, t) && (s != t || j < i) {
				redundant = true
			}
		}
		if !redundant {
			out = append(out, s)
		}
	}
	return out
}

func newNeedle(s string, fold bool) needle {
	n := needle{text: s}
	best := 2.0
	for i := range len(s) {
		c, o := s[i], s[i]
		if fold {
			o = upper(c)
		}
		f := frequency(c)
		if o != c {
			f += frequency(o)
		}
		if f < best {
			best, n.at, n.rare, n.other = f, i, c, o
		}
	}
	return n
}

// cost is what a search for literals costs, in nanoseconds a byte of text, as
// far as it can be told from how frequent their bytes are: a stop at each of the
// rarest byte, and a look at the line of each candidate.
func cost(list []string) float64 {
	const stop, look = 7, 60
	sum := 0.0
	for _, s := range list {
		rarest, all := 1.0, 1.0
		for i := range len(s) {
			f := frequency(s[i])
			rarest, all = min(rarest, f), all*f
		}
		sum += stop*rarest + look*all
	}
	return sum
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// lower lowers ASCII letters.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}

// unsure reports whether the buffer holds a letter outside of ASCII that
// ignoring case makes the same as one of ours: the long s, and the Kelvin sign.
func (p *prefilter) unsure(buf []byte) bool {
	return p.odd && (bytes.Contains(buf, []byte("ſ")) || bytes.Contains(buf, []byte("\u212a")))
}

// cursor is how far a prefilter has come in a buffer.
type cursor struct {
	p  *prefilter
	at []int // per needle: where it occurs next, -1 nowhere, unknown before the first look
}

const unknown = -2

func (p *prefilter) newCursor() *cursor {
	c := &cursor{p: p, at: make([]int, len(p.needles))}
	c.reset()
	return c
}

func (c *cursor) reset() {
	for i := range c.at {
		c.at[i] = unknown
	}
}

// next returns the first place at or after from where a needle is, or -1.
func (c *cursor) next(buf []byte, from int) int {
	best := -1
	for i := range c.p.needles {
		at := c.at[i]
		if at == unknown || at >= 0 && at < from {
			at = c.p.needles[i].find(buf, from)
			c.at[i] = at
		}
		if at >= 0 && (best < 0 || at < best) {
			best = at
		}
	}
	return best
}

// find returns the first occurrence at or after from, or -1.
func (n *needle) find(buf []byte, from int) int {
	if n.rare != n.other {
		return n.findFold(buf, from)
	}
	misses := 0
	for i := from + n.at; i < len(buf); {
		k := bytes.IndexByte(buf[i:], n.rare)
		if k < 0 {
			return -1
		}
		i += k
		if start := i - n.at; n.is(buf, start) {
			return start
		}
		i++
		// The byte is not rare here: the library's search does not mind.
		if misses++; misses > 64 && misses > (i-from)/16 {
			k := bytes.Index(buf[i-n.at:], []byte(n.text))
			if k < 0 {
				return -1
			}
			return i - n.at + k
		}
	}
	return -1
}

// is reports whether the needle stands at start.
func (n *needle) is(buf []byte, start int) bool {
	return len(buf)-start >= len(n.text) && string(buf[start:start+len(n.text)]) == n.text
}

// findFold looks for both cases of the rare byte side by side.
func (n *needle) findFold(buf []byte, from int) int {
	i := from + n.at
	a, b := indexFrom(buf, i, n.rare), indexFrom(buf, i, n.other)
	for a < len(buf) || b < len(buf) {
		at := min(a, b)
		if start := at - n.at; equalFold(buf, start, n.text) {
			return start
		}
		if at == a {
			a = indexFrom(buf, at+1, n.rare)
		} else {
			b = indexFrom(buf, at+1, n.other)
		}
	}
	return -1
}

// indexFrom returns where c is at or after i, or a place behind the buffer.
func indexFrom(buf []byte, i int, c byte) int {
	if i < len(buf) {
		if k := bytes.IndexByte(buf[i:], c); k >= 0 {
			return i + k
		}
	}
	return len(buf)
}

func equalFold(buf []byte, start int, low string) bool {
	if len(buf)-start < len(low) {
		return false
	}
	for i := range len(low) {
		c := buf[start+i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != low[i] {
			return false
		}
	}
	return true
}
