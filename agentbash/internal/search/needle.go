package search

import (
	"cmp"
	"slices"
)

// needle is one literal, searched for by a pair of its rarest bytes. Which
// bytes are rare is known of text in general; where a pair proves frequent in
// what is searched, another one is tried. A needle belongs to one goroutine.
type needle struct {
	text   string // in lower case when folding
	fold   bool
	probes []probe
	chosen int // of probes
}

// probe is a pair of the needle's bytes and how it did.
type probe struct {
	at    int // offset of the first byte
	pair  pair
	bytes int // that were searched with it
	stops int // places where it fits and the needle does not
}

func newNeedle(s string, fold bool) needle {
	n := needle{text: s, fold: fold}
	rarity := func(i int) float64 {
		f := byteFrequency(s[i])
		if c := n.other(s[i]); c != s[i] {
			f += byteFrequency(c)
		}
		return f
	}
	places := make([]int, len(s))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(rarity(a), rarity(b)) })
	for _, of := range [][2]int{{0, 1}, {2, 3}, {0, 4}, {1, 5}} { // by rarity
		if of[1] < len(places) {
			n.probe(places[of[0]], places[of[1]])
		}
	}
	if n.probes == nil {
		n.probe(0, 0)
	}
	return n
}

// probe adds a pair of bytes.
func (n *needle) probe(i, j int) {
	first, second := min(i, j), max(i, j)
	a, b := n.text[first], n.text[second]
	n.probes = append(n.probes, probe{at: first, pair: pair{a, n.other(a), b, n.other(b), second - first}})
}

// other is the other case of a letter when the needle ignores case.
func (n *needle) other(c byte) byte {
	if n.fold && 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// often is the number of bytes a stop below which a pair is frequent.
const often = 256

// adapt takes another probe when the one in use stops too often: one that was
// not tried, else the best. size is that of the buffer that comes next.
func (n *needle) adapt(size int) {
	if p := &n.probes[n.chosen]; p.stops > 100 && p.stops > p.bytes/often {
		best := n.chosen
		for i := range n.probes {
			if q := &n.probes[i]; q.bytes == 0 || q.stops*(n.probes[best].bytes+1) < n.probes[best].stops*(q.bytes+1) {
				best = i
			}
			if n.probes[best].bytes == 0 {
				break
			}
		}
		n.chosen = best
	}
	n.probes[n.chosen].bytes += size
}

// find returns the first occurrence at or after from, or -1.
func (n *needle) find(buf []byte, from int) int {
	p := &n.probes[n.chosen]
	for i := from + p.at; i < len(buf); i++ {
		if i = p.pair.find(buf, i); i < 0 {
			return -1
		}
		if start := i - p.at; n.is(buf, start) {
			return start
		}
		p.stops++
	}
	return -1
}

// is reports whether the needle stands at start.
func (n *needle) is(buf []byte, start int) bool {
	if len(buf)-start < len(n.text) {
		return false
	}
	if !n.fold {
		return string(buf[start:start+len(n.text)]) == n.text
	}
	for i := range len(n.text) {
		c := buf[start+i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != n.text[i] {
			return false
		}
	}
	return true
}

// lowerASCII lowers ASCII letters.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c - 'A' + 'a'
		}
	}
	return string(b)
}
