package policy

import "strings"

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

// maxValues is how many texts a variable or a word may have at once.
const maxValues = 16

// value is the texts that something may have; none means that it is unset.
type value []string

func known(s string) bool { return strings.IndexByte(s, hole) < 0 }

// wild reports whether s has a hole that any text may fill: blanks, slashes,
// a leading dash.
func wild(s string) bool {
	for i := strings.IndexByte(s, hole); i >= 0 && i+1 < len(s); {
		if s[i+1] != '#' && s[i+1] != ',' {
			return true
		}
		next := strings.IndexByte(s[i+2:], hole)
		if next < 0 {
			return false
		}
		i += 2 + next
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
	if known(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if n := holeAt(s, i); n > 0 {
			b.WriteString(with)
			i += n - 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// taint returns the hole for a text that was made of s: what the network wrote
// stays that, whatever filter it went through.
func taint(s string) string {
	switch {
	case known(s):
		return anyText
	case hasHole(s, fromNet):
		return fromNet
	case hasHole(s, decoded):
		return decoded
	}
	return anyText
}

func (v value) has(s string) bool {
	for _, t := range v {
		if t == s {
			return true
		}
	}
	return false
}

// known reports whether every text of v is known.
func (v value) known() bool {
	for _, s := range v {
		if !known(s) {
			return false
		}
	}
	return true
}

// taint returns the hole for a text that was made of v.
func (v value) taint() string {
	worst := anyText
	for _, s := range v {
		switch taint(s) {
		case fromNet:
			return fromNet
		case decoded:
			worst = decoded
		}
	}
	return worst
}

// join returns the texts of both. Too many become a hole beside the first ones.
func (v value) join(other value) value {
	out := v
	for i, s := range other {
		if out.has(s) {
			continue
		}
		if len(out) >= maxValues {
			return out.overflow(other[i:].taint())
		}
		out = append(out[:len(out):len(out)], s)
	}
	return out
}

func (v value) overflow(class string) value {
	if v.has(class) {
		return v
	}
	out := append(value(nil), v...)
	out[len(out)-1] = class
	return out
}

// concat returns every text of v followed by every text of w.
func concat(v, w value) value {
	switch {
	case len(v) == 1 && v[0] == "":
		return w
	case len(w) == 1 && w[0] == "":
		return v
	case len(v) == 1 && len(w) == 1 && len(v[0])+len(w[0]) <= maxKnown:
		return value{v[0] + w[0]}
	}
	var out value
	for _, a := range v {
		for _, b := range w {
			if len(out) == maxValues {
				return out.overflow(value{v.taint(), w.taint()}.taint())
			}
			if len(a)+len(b) > maxKnown {
				out = append(out, taint(a+b))
				continue
			}
			out = append(out, a+b)
		}
	}
	return out
}

// maxKnown bounds the text that is kept of one value, in bytes; a longer one is
// a hole. It keeps x=$x$x in a loop from filling the memory.
const maxKnown = 64 << 10

// eachInPlace applies f to the texts of v that are known.
func (v value) eachInPlace(f func(string) string) value {
	out := append(value(nil), v...)
	for i, s := range out {
		if known(s) {
			out[i] = f(s)
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
		if !out.has(t) {
			out = append(out, t)
		}
	}
	return out
}
