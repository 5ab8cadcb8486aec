package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
)

// prefilter finds the places where a match can be. Every match holds a literal
// of every set.
type prefilter struct {
	sets  [][]string // the one that is expected to be the rarest comes first
	exact bool       // a literal is a match
	fold  bool       // letters match in both cases
	odd   bool       // an s or a k is among them, which letters outside of ASCII fold to
}

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
	for _, s := range list {
		p.odd = p.odd || p.fold && strings.ContainsAny(s, "sk")
	}
	p.sets = append(p.sets, list)
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
// far as it can be told from how frequent their bytes are: a pass, and a look at the
// line of each candidate.
func searchCost(list []string) float64 {
	const pass, each, look = 0.05, 0.002, 60
	sum := pass
	for _, s := range list {
		all := 1.0
		for i := range len(s) {
			all *= byteFrequency(s[i])
		}
		sum += each + look*all
	}
	return sum
}

// unsure reports whether the buffer holds a letter outside of ASCII that
// ignoring case makes the same as one of ours: the long s, and the Kelvin sign.
func (p *prefilter) unsure(buf []byte) bool {
	return p.odd && (bytes.Contains(buf, []byte("\u017f")) || bytes.Contains(buf, []byte("\u212a")))
}

// in reports whether a match can be in a text.
func (p *prefilter) in(text []byte) bool {
	return newFinder(p.sets[0], p.fold).find(text, 0) >= 0 || p.unsure(text)
}
