package policy

import (
	"slices"
	"strings"
)

// fit tells how a pattern fits a text of which not all may be known.
type fit int

const (
	misses fit = iota
	mayFit     // it depends on what is not known, or only some of what lies below fits
	fits
)

// best is the best fit of several.
func best[T any](list []T, compare func(T) fit) (out fit) {
	for _, x := range list {
		out = max(out, compare(x))
	}
	return out
}

// pathPattern is a path rule's pattern.
type pathPattern struct {
	from byte   // what it is relative to: '/' nothing, '~' the home directory, '.' the workspace
	text string // from the slash on, for glob
}

// pathPatterns reads a pattern's alternatives, or says what is wrong. What deny and ask name includes all below it.
func pathPatterns(texts []string, all bool) (out []pathPattern, wrong string) {
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
		p.text = strings.TrimSuffix(clean("/"+t), "/")
		if all && !strings.HasSuffix(p.text, "/**") {
			p.text += "/**"
		}
		out = append(out, p)
	}
	return out, ""
}

// fit compares a path with the pattern.
func (p *pathPattern) fit(path *Path, w *World) fit {
	switch {
	case path.raw == "":
		return misses
	case wild(path.raw) || path.raw[0] != '/':
		return mayFit
	}
	dirs := map[byte][]string{'/': {"/"}, '~': {w.Home}, '.': w.roots()}[p.from]
	return best(dirs, func(dir string) fit {
		if dir == "" {
			return misses // nobody knows the home directory
		}
		text, pattern := strings.TrimSuffix(path.raw, "/"), strings.TrimSuffix(escapes.Replace(clean(dir)), "/")+p.text
		f := globFit(pattern, text, true)
		if path.Tree && !(f == fits && strings.HasSuffix(pattern, "/**")) {
			f = min(mayFit, max(f, globFit(pattern, text+"/"+anyText, true)))
		}
		return f
	})
}

// globFit compares a text with a pattern in which * is any text and a backslash
// makes the next byte plain. In a path * stops at a slash, ** does not, ? is one
// byte, and /** at the end is a directory with all below it.
func globFit(pattern, text string, path bool) fit {
	all, some := glob{path: path, all: true}, glob{path: path}
	switch {
	case all.match(pattern, text):
		return fits
	case (!known(text) || all.steps > maxGlobSteps) && some.match(pattern, text):
		return mayFit
	}
	return misses
}

// glob is a comparison of a pattern with a text.
type glob struct {
	path  bool
	all   bool // it must fit whatever the holes stand for
	steps int
}

// maxGlobSteps bounds a comparison; what is not done by then may fit.
const maxGlobSteps = 1 << 16

func (g *glob) match(p, s string) bool {
	for ; ; p, s = p[1:], s[1:] {
		size := 0
		if s != "" {
			size = holeAt(s, 0)
		}
		g.steps++
		switch {
		case g.steps > maxGlobSteps:
			return !g.all
		case p == "", g.path && p == "/**":
			return s == "" || p != "" && s[0] == '/' || size > 0 && !g.all && g.match(p, s[size:])
		case p[0] == '*':
			deep, rest := !g.path || strings.HasPrefix(p, "**"), strings.TrimLeft(p, "*")
			slash := s != "" && (s[0] == '/' || g.all && wild(s[:size])) // or there may be one
			return deep && rest == "" || g.match(rest, s) || s != "" && (deep || !slash) && g.match(p, s[max(1, size):])
		case size > 0: // nothing, or what the pattern wants
			return !g.all && (g.match(p, s[size:]) || (wild(s[:size]) || p[0] != '/') && g.match(strings.TrimPrefix(p, `\`)[1:], s))
		case g.path && strings.HasPrefix(p, "/**/") && g.match(p[len("/**"):], s):
			return true // no directory at all
		case s == "":
			return false
		case g.path && p[0] == '?' && s[0] != '/':
			continue
		}
		p = strings.TrimPrefix(p, `\`)
		if p == "" || p[0] != s[0] {
			return false
		}
	}
}

// escapes quotes what means something in a pattern.
var escapes = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`)
