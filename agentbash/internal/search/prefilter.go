package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
)

// prefilter finds the places where a match can be. Every match holds a needle
// of every set.
type prefilter struct {
	sets  []needles // the one that is expected to be the rarest comes first
	exact bool      // a needle is a match
	fold  bool      // letters match in both cases
	odd   bool      // an s or a k is among them, which letters outside of ASCII fold to
}

// needles are alternatives.
type needles []needle

// maxCost is the cost, in nanoseconds a byte of text, above which the automaton is faster.
const maxCost = 1.0

// newPrefilter returns nil when no literal is worth searching for.
func newPrefilter(re *syntax.Regexp) *prefilter {
	l := extractLiterals(re)
	best := l.required()
	if best == nil {
		return nil
	}
	p := &prefilter{exact: l.all != nil && !l.checked && sameSet(best, l.all), fold: ignoresCase(re)}
	p.add(best)
	if len(p.sets) == 0 {
		return nil
	}
	if !p.exact {
		for _, list := range l.also {
			p.add(list)
		}
	}
	return p
}

// add adds a set, unless it costs too much.
func (p *prefilter) add(list []string) {
	if p.fold {
		low := []string{}
		for _, s := range list {
			low = addTexts(low, []string{lowerASCII(s)})
		}
		list = low
	}
	list = minimalLiterals(list)
	if len(list) > maxLiterals || !p.exact && searchCost(list) > maxCost || len(p.sets) == maxSets {
		return
	}
	var set needles
	for _, s := range list {
		p.odd = p.odd || p.fold && strings.ContainsAny(s, "sk")
		set = append(set, newNeedle(s, p.fold))
	}
	p.sets = append(p.sets, set)
}

// maxSets bounds how many sets are looked for in a line.
const maxSets = 4

func sameSet(a, b []string) bool { return len(a) == len(b) && len(addTexts(a, b)) == len(a) }

// minimalLiterals leaves out literals that hold another one.
func minimalLiterals(list []string) []string {
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

// searchCost is what a search for literals costs, in nanoseconds a byte of text, as
// far as it can be told from how frequent their bytes are: a pass for each, and
// a look at the line of each candidate.
func searchCost(list []string) float64 {
	const pass, look = 0.05, 60
	sum := 0.0
	for _, s := range list {
		all := 1.0
		for i := range len(s) {
			all *= byteFrequency(s[i])
		}
		sum += pass + look*all
	}
	return sum
}

// unsure reports whether the buffer holds a letter outside of ASCII that
// ignoring case makes the same as one of ours: the long s, and the Kelvin sign.
func (p *prefilter) unsure(buf []byte) bool {
	return p.odd && (bytes.Contains(buf, []byte("\u017f")) || bytes.Contains(buf, []byte("\u212a")))
}

// in reports whether a match can be in a text.
func (p *prefilter) in(text []byte) bool { return newCursor(p.sets[0]).set.in(text) || p.unsure(text) }

// cursor is how far a search for a set has come in a buffer.
type cursor struct {
	set  needles
	next []int // per needle: where it occurs next, nowhere, or notLooked
}

const (
	nowhere   = -1
	notLooked = -2
)

func newCursor(set needles) *cursor {
	c := &cursor{set: slices.Clone(set), next: make([]int, len(set))}
	for i := range c.set {
		c.set[i].probes = slices.Clone(c.set[i].probes)
	}
	return c
}

// reset starts with another buffer.
func (c *cursor) reset(size int) {
	for i := range c.next {
		c.next[i] = notLooked
		c.set[i].adapt(size)
	}
}

// find returns the first place at or after from where a needle is, or -1.
func (c *cursor) find(buf []byte, from int) int {
	best := nowhere
	for i := range c.set {
		at := c.next[i]
		if at != nowhere && at < from {
			at = c.set[i].find(buf, from)
			c.next[i] = at
		}
		if at >= 0 && (best < 0 || at < best) {
			best = at
		}
	}
	return best
}

// in reports whether one of the needles is in a line.
func (set needles) in(line []byte) bool {
	for i := range set {
		if set[i].find(line, 0) >= 0 {
			return true
		}
	}
	return false
}
