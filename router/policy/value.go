package policy

import (
	"slices"
	"strings"
)

// What is not known of a text stands in it as a hole: a NUL byte, which no
// bash word can hold, and a byte that says what may be there.
const (
	hole = '\x00'

	anyText   = "\x00*" // any text, also none
	inherited = "\x00E" // a variable that was there before: any text
	fromNet   = "\x00N" // any text, and another machine wrote it
	decoded   = "\x00D" // any text that a decoder or filter made of another
	digits    = "\x00#" // a number
	aName     = "\x00," // one file name: no slash, not empty
	anyWords  = "\x00@" // as an array's element: any number of elements
)

// A list of texts is a text, too: the elements of an array, as a variable keeps
// them, with one of these between two.
const (
	nextElement = "\x00;"
	noElements  = "\x00-" // it has none, or the variable is not set
)

// maxValues is how many texts a variable or a word may have at once; maxKnown
// is how long one may be, in bytes, before it is a hole. It keeps x=$x$x in a
// loop from filling the memory.
const (
	maxValues = 16
	maxKnown  = 64 << 10
)

// value is the texts that something may have; none means that it is unset.
type value []string

func known(s string) bool { return strings.IndexByte(s, hole) < 0 }

// wild reports whether s has a hole that any text may fill: blanks, slashes, a leading dash.
func wild(s string) bool {
	for i := strings.IndexByte(s, hole); i >= 0 && i+1 < len(s); i++ {
		if s[i] == hole && s[i+1] != '#' && s[i+1] != ',' {
			return true
		}
	}
	return false
}

// holeAt returns the length of the hole at s[i:], or 0.
func holeAt(s string, i int) int {
	if s[i] == hole && i+1 < len(s) {
		return 2
	}
	return 0
}

// withoutHoles is what s is when every hole in it is empty.
func withoutHoles(s string) string { return fill(s, "") }

// show is how a text with holes is shown.
func show(s string) string { return fill(s, "…") }

// fill puts with in the place of every hole.
func fill(s, with string) string {
	parts := strings.Split(s, "\x00")
	for i, p := range parts[1:] {
		parts[i+1] = with + p[min(1, len(p)):]
	}
	return strings.Join(parts, "")
}

// taint returns the hole for a text made of s: what the network wrote stays that, whatever it went through.
func taint(s string) string {
	switch {
	case strings.Contains(s, nextElement), strings.Contains(s, noElements), strings.Contains(s, anyWords):
		return anyWords
	case strings.Contains(s, fromNet):
		return fromNet
	case strings.Contains(s, decoded):
		return decoded
	}
	return anyText
}

// taint returns the hole for a text that was made of v.
func (v value) taint() string { return taint(strings.Join(v, "")) }

// known reports whether every text of v is known.
func (v value) known() bool { return known(strings.Join(v, "")) }

// one is the only text of a value, or "".
func one(v value) string {
	if len(v) == 1 {
		return v[0]
	}
	return ""
}

// join returns the texts of both. Too many become a hole beside the first ones.
func (v value) join(other value) value {
	for i, s := range other {
		switch {
		case slices.Contains(v, s):
		case len(v) < maxValues:
			v = append(slices.Clip(v), s)
		default:
			rest := append(slices.Clip(other[i:]), v[maxValues-1]).taint()
			if slices.Contains(v, rest) {
				return v
			}
			return append(slices.Clip(v[:maxValues-1]), rest)
		}
	}
	return v
}

// concat returns every text of v followed by every text of w.
func concat(v, w value) (out value) {
	for _, a := range v {
		for _, b := range w {
			s := a + b
			if len(s) > maxKnown {
				s = taint(s)
			}
			out = out.join(value{s})
		}
	}
	return out
}

// maxElements is how long a list may be before its end is not known any more.
const maxElements = 64

// listOf makes one text of the elements of a list.
func listOf(elems []string) string {
	switch {
	case len(elems) == 0:
		return noElements
	case len(elems) > maxElements:
		elems = append(slices.Clip(elems[:maxElements]), anyWords)
	}
	return strings.Join(elems, nextElement)
}

// elements returns the elements of a list.
func elements(list string) []string {
	if list == noElements {
		return nil
	}
	return strings.Split(list, nextElement)
}

// element returns a list's element, noElements beyond its end. Below zero n is not known.
func element(list string, n int) string {
	elems := elements(list)
	if i := slices.Index(elems, anyWords); n < 0 || i >= 0 && i <= n {
		return anyText
	}
	if n >= len(elems) {
		return noElements
	}
	return elems[n]
}
