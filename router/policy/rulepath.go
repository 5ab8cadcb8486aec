package policy

import (
	"slices"
	"strings"
)

// pathPattern is a path rule's pattern.
type pathPattern struct {
	from  byte // what it is relative to: '/' nothing, '~' the home directory, '.' the workspace
	atoms []atom
}

// atom is a byte of a pattern, or one of these.
type atom uint16

const (
	anyByte   atom = 256 + iota // ?: a byte that is no slash
	anyInName                   // *: any text without a slash
	anyInPath                   // **: any text
	maybeDirs                   // before anyInPath and a slash: they may be absent
	maybeDown                   // a slash, or the pattern ends here
)

// maxPatterns bounds what the alternatives of one path pattern multiply to.
const maxPatterns = 256

// pathPatterns reads a pattern; wrong tells what is wrong with it. With all
// set, what names a directory means everything below it as well.
func pathPatterns(text string, all bool) (out []pathPattern, wrong string) {
	texts := alternatives(text)
	if len(texts) > maxPatterns {
		return nil, "its alternatives multiply to too many: write several rules"
	}
	for _, t := range texts {
		p := pathPattern{from: '.'}
		switch {
		case t == "~" || strings.HasPrefix(t, "~/"):
			p.from, t = '~', t[1:]
		case strings.HasPrefix(t, "~"):
			return nil, "whose home " + t + " is cannot be told: write the directory"
		case strings.HasPrefix(t, "/"):
			p.from = '/'
		case t != "." && !strings.Contains(t, "/"):
			p.from, t = '/', "**/"+t
		}
		if slices.Contains(strings.Split(t, "/"), "..") {
			return nil, ".. in a path rule cannot be followed: write the directory itself"
		}
		p.atoms = atomsOf(strings.TrimSuffix(clean("/"+t), "/"))
		if n := len(p.atoms); all && (n == 0 || p.atoms[n-1] != anyInPath) {
			p.atoms = append(p.atoms, maybeDown, anyInPath)
		}
		out = append(out, p)
	}
	return out, ""
}

// alternatives multiplies out (a|b), up to more than are allowed.
func alternatives(text string) (out []string) {
	before, inner, found := cutUnquoted(text, '(')
	if !found {
		return []string{text}
	}
	inner, after, _ := cutUnquoted(inner, ')')
	rest := alternatives(after)
	for more := true; more && len(out) <= maxPatterns; {
		var one string
		one, inner, more = cutUnquoted(inner, '|')
		for _, r := range rest {
			out = append(out, before+one+r)
		}
	}
	return out
}

// cutUnquoted cuts a pattern at a byte that no backslash stands before.
func cutUnquoted(s string, c byte) (before, after string, found bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// atomsOf reads a pattern that begins with a slash, or is empty.
func atomsOf(t string) []atom {
	out := make([]atom, 0, len(t)+2)
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case t[i:] == "/**" && i > 0:
			return append(out, maybeDown, anyInPath)
		case strings.HasPrefix(t[i:], "**/") && t[i-1] == '/':
			out = append(out, maybeDirs, anyInPath, '/')
			i += len("**/") - 1
		case strings.HasPrefix(t[i:], "**"):
			out = append(out, anyInPath)
			for i+1 < len(t) && t[i+1] == '*' {
				i++
			}
		case c == '*':
			out = append(out, anyInName)
		case c == '?':
			out = append(out, anyByte)
		case c == '\\' && i+1 < len(t):
			i++
			out = append(out, atom(t[i]))
		default:
			out = append(out, atom(c))
		}
	}
	return out
}

// fit tells how a pattern fits a path.
type fit int

const (
	misses fit = iota
	mayFit     // it depends on what is not known, or only some of what lies below fits
	fits
)

// maxRulePath bounds the paths that rules are compared with, in bytes: no
// system knows longer ones.
const maxRulePath = 4096

// fit compares a path with the pattern.
func (pp *pathPattern) fit(path *Path, w *World) fit {
	switch {
	case path.raw == "":
		return misses
	case wild(path.raw) || path.raw[0] != '/' || len(path.raw) > maxRulePath:
		return mayFit
	}
	dirs := []string{"/"}
	switch {
	case pp.from == '.':
		dirs = w.roots()
	case pp.from == '~' && w.Home == "":
		return misses
	case pp.from == '~':
		dirs = []string{w.Home}
	}
	best := misses
	for _, dir := range dirs {
		m := make(pathMatch, 0, len(dir)+len(pp.atoms))
		for _, c := range []byte(strings.TrimSuffix(clean(dir), "/")) {
			m = append(m, atom(c))
		}
		best = max(best, append(m, pp.atoms...).fit(strings.TrimSuffix(path.raw, "/"), path.Tree))
	}
	return best
}

// pathMatch is a pattern for absolute paths. A text is followed through it by
// the places where what was read of the text may end.
type pathMatch []atom

// fit compares a path, with all that lies below it if tree is set. Its holes
// stand for texts without a slash.
func (m pathMatch) fit(path string, tree bool) fit {
	all := m.follow(m.enter(nil, 0), path, true)
	some := all
	if !known(path) {
		some = m.follow(m.enter(nil, 0), path, false)
	}
	if !tree {
		return max(m.ends(all, fits), m.ends(some, mayFit))
	}
	if last := len(m) - 1; last >= 0 && m[last] == anyInPath && slices.Contains(m.follow(all, "/", true), last) {
		return fits
	}
	if len(m.follow(some, "/", false)) > 0 {
		return mayFit
	}
	return m.ends(some, mayFit)
}

// ends returns f if the pattern may end at one of the places.
func (m pathMatch) ends(places []int, f fit) fit {
	for _, i := range places {
		if i == len(m) || m[i] == maybeDown {
			return f
		}
	}
	return misses
}

// follow reads a text from these places on. With all set, a place is left only
// if whatever the holes stand for leads to it.
func (m pathMatch) follow(from []int, text string, all bool) []int {
	places, next := slices.Clone(from), make([]int, 0, 8)
	for n := 0; n < len(text) && len(places) > 0; n++ {
		size := holeAt(text, n)
		for _, i := range places {
			if size > 0 {
				next = m.readHole(next, i, all)
			} else if i < len(m) {
				next = m.readByte(next, i, text[n])
			}
		}
		n += max(0, size-1)
		places, next = next, places[:0]
	}
	return places
}

// readByte adds the places that a byte leads to from one.
func (m pathMatch) readByte(places []int, i int, c byte) []int {
	switch a := m[i]; {
	case a == anyInPath, a == anyInName && c != '/':
		return m.enter(places, i)
	case a == atom(c), a == anyByte && c != '/', a == maybeDown && c == '/':
		return m.enter(places, i+1)
	}
	return places
}

// readHole adds the places that a hole leads to from one: a star may stand for
// it, and if not all is wanted, it may be what the pattern wants up to a slash.
func (m pathMatch) readHole(places []int, i int, all bool) []int {
	for ; !all && i < len(m) && m[i] != '/' && m[i] != maybeDown; i++ {
		places = m.enter(places, i)
	}
	if !all || i < len(m) && (m[i] == anyInName || m[i] == anyInPath) {
		places = m.enter(places, i)
	}
	return places
}

// enter adds a place, and those that nothing need be read for to get to.
func (m pathMatch) enter(places []int, i int) []int {
	if slices.Contains(places, i) {
		return places
	}
	places = append(places, i)
	if i < len(m) && (m[i] == anyInName || m[i] == anyInPath || m[i] == maybeDirs) {
		places = m.enter(places, i+1)
	}
	if i < len(m) && m[i] == maybeDirs {
		places = m.enter(places, i+3) // over anyInPath and the slash
	}
	return places
}
