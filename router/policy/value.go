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
	digits    = "\x00#" // one or more digits
	aName     = "\x00," // one file name: no slash, not empty
	anyWords  = "\x00@" // as an array's element: any number of elements
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

// wild reports whether s has a hole that any text may fill: blanks, slashes,
// a leading dash.
func wild(s string) bool {
	for i := strings.IndexByte(s, hole); i >= 0 && i+1 < len(s); i++ {
		if s[i] == hole && s[i+1] != '#' && s[i+1] != ',' {
			return true
		}
	}
	return false
}

// hasHole reports whether s has a hole of that class.
func hasHole(s, class string) bool { return strings.Contains(s, class) }

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

// taint returns the hole for a text that was made of s: what the network wrote
// stays that, whatever filter it went through.
func taint(s string) string {
	switch {
	case hasHole(s, fromNet):
		return fromNet
	case hasHole(s, decoded):
		return decoded
	}
	return anyText
}

// taint returns the hole for a text that was made of v.
func (v value) taint() string { return taint(strings.Join(v, "")) }

func (v value) has(s string) bool { return slices.Contains(v, s) }

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
	out := v
	for i, s := range other {
		switch {
		case out.has(s):
		case len(out) >= maxValues:
			return out.overflow(other[i:].taint())
		default:
			out = append(out[:len(out):len(out)], s)
		}
	}
	return out
}

func (v value) overflow(class string) value {
	if v.has(class) {
		return v
	}
	return append(v[:len(v)-1:len(v)-1], class)
}

// concat returns every text of v followed by every text of w.
func concat(v, w value) value {
	switch {
	case len(v) == 1 && v[0] == "":
		return w
	case len(w) == 1 && w[0] == "":
		return v
	}
	var out value
	for _, a := range v {
		for _, b := range w {
			switch {
			case len(out) == maxValues:
				return out.overflow(value{v.taint(), w.taint()}.taint())
			case len(a)+len(b) > maxKnown:
				out = append(out, value{a, b}.taint())
			default:
				out = append(out, a+b)
			}
		}
	}
	return out
}

// each applies f to the texts of v that are known; the others become holes.
func (v value) each(f func(string) string) value {
	var out value
	for _, s := range v {
		t := taint(s)
		if known(s) {
			t = f(s)
		}
		out = out.join(value{t})
	}
	return out
}

// orEmpty is v, or no text where it is unset.
func orEmpty(v value) value {
	if len(v) == 0 {
		return value{""}
	}
	return v
}
