package policy

import "strings"

// pathPattern is a path rule's pattern, made of atoms.
type pathPattern struct {
	from  byte // what it is relative to: '/' nothing, '~' the home directory, '.' the workspace, '*' any directory
	atoms []atom
}

// atom is one byte, or stands for several.
type atom struct {
	kind byte
	c    byte
}

// The kinds of atoms.
const (
	exactly = iota // the byte c
	oneOf          // ?: a byte that is no slash
	within         // *: any text without a slash
	deep           // **: any text
)

// maxPatterns bounds what the alternatives of one path pattern multiply to.
const maxPatterns = 256

// pathPatterns reads a pattern; wrong tells what is wrong with it. With all
// set, what names a directory means everything below it as well.
func pathPatterns(text string, all bool) (out []pathPattern, wrong string) {
	texts, wrong := alternatives(text)
	if wrong != "" {
		return nil, wrong
	}
	for _, t := range texts {
		p := pathPattern{from: '.'}
		switch {
		case t == "~" || strings.HasPrefix(t, "~/"):
			p.from, t = '~', strings.TrimPrefix(t[1:], "/")
		case strings.HasPrefix(t, "~"):
			return nil, "whose home " + t + " is cannot be told: write the directory"
		case strings.HasPrefix(t, "/"):
			p.from, t = '/', strings.TrimPrefix(t, "/")
		case t == ".":
			t = ""
		case strings.HasPrefix(t, "./"):
			t = t[2:]
		case !strings.Contains(t, "/"):
			p.from = '*'
		}
		for _, part := range strings.Split(t, "/") {
			if part == ".." {
				return nil, ".. in a path rule cannot be followed: write the directory itself"
			}
		}
		t = strings.TrimRight(t, "/")
		for _, v := range withoutDirs(t) {
			p.atoms = atomsOf(v)
			out = append(out, p)
			if all && p.from != '*' && !strings.HasSuffix(v, "**") {
				p.atoms = atomsOf(strings.TrimPrefix(v+"/**", "/"))
				out = append(out, p)
			} else if all && p.from == '*' {
				p.atoms = atomsOf(v + "/**")
				out = append(out, p)
			}
		}
		if len(out) > maxPatterns {
			return nil, "its alternatives multiply to too many: write several rules"
		}
	}
	return out, ""
}

// alternatives multiplies out (a|b).
func alternatives(text string) (out []string, wrong string) {
	open := indexUnquoted(text, '(')
	if open < 0 {
		return []string{text}, ""
	}
	size := indexUnquoted(text[open:], ')')
	rest, wrong := alternatives(text[open+size+1:])
	if wrong != "" {
		return nil, wrong
	}
	for inner := text[open+1 : open+size]; ; {
		bar := indexUnquoted(inner, '|')
		one := inner
		if bar >= 0 {
			one = inner[:bar]
		}
		for _, r := range rest {
			out = append(out, text[:open]+one+r)
		}
		if len(out) > maxPatterns {
			return nil, "its alternatives multiply to too many: write several rules"
		}
		if bar < 0 {
			return out, ""
		}
		inner = inner[bar+1:]
	}
}

// indexUnquoted finds a byte that no backslash stands before.
func indexUnquoted(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return i
		}
	}
	return -1
}

// withoutDirs returns a pattern as it is, and as it is where a **/ in it stands
// for no directory at all, or a /** at its end for the directory itself.
func withoutDirs(t string) []string {
	out := []string{t}
	if rest, ok := strings.CutSuffix(t, "/**"); ok {
		out = append(out, rest)
	}
	for i := 0; i < len(out) && len(out) < 8; i++ {
		if at := strings.Index(out[i], "**/"); at >= 0 && (at == 0 || out[i][at-1] == '/') {
			out = append(out, out[i][:at]+out[i][at+3:])
		}
	}
	return out
}

func atomsOf(t string) []atom {
	out := make([]atom, 0, len(t))
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case strings.HasPrefix(t[i:], "**"):
			out = append(out, atom{kind: deep})
			for i+1 < len(t) && t[i+1] == '*' {
				i++
			}
		case c == '*':
			out = append(out, atom{kind: within})
		case c == '?':
			out = append(out, atom{kind: oneOf})
		case c == '\\' && i+1 < len(t):
			i++
			out = append(out, atom{exactly, t[i]})
		default:
			out = append(out, atom{exactly, c})
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
	if path.raw == "" {
		return misses
	}
	if wild(path.raw) || path.raw[0] != '/' || len(path.raw) > maxRulePath {
		return mayFit
	}
	best := misses
	for _, dir := range pp.bases(w) {
		full := append(atomsOf(escaped(dir)), atom{exactly, '/'})
		if dir == "/" {
			full = full[:1]
		}
		if pp.from == '*' {
			full = append([]atom{{kind: deep}}, full...)
		}
		full = append(full, pp.atoms...)
		if len(pp.atoms) == 0 && dir != "/" {
			full = full[:len(full)-1] // the directory itself
		}
		best = max(best, fitAtoms(full, path))
		if best == fits {
			break
		}
	}
	return best
}

// bases are the directories that a pattern is relative to.
func (pp *pathPattern) bases(w *World) []string {
	switch pp.from {
	case '~':
		if w.Home == "" {
			return nil
		}
		return []string{clean(w.Home)}
	case '.':
		var out []string
		for _, r := range w.roots() {
			out = append(out, clean(r))
		}
		return out
	}
	return []string{"/"}
}

// escaped quotes what means something in a pattern.
func escaped(s string) string {
	if !strings.ContainsAny(s, `*?\`) {
		return s
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`).Replace(s)
}

func fitAtoms(pattern []atom, path *Path) fit {
	own := pathAtoms(path.raw)
	result := misses
	m := meeting{p: pattern, s: own, sure: true}
	if m.meet(0, 0) {
		result = fits
	} else {
		m = meeting{p: pattern, s: own}
		if m.meet(0, 0) {
			result = mayFit
		}
	}
	if !path.Tree || result == mayFit {
		return result
	}
	below := append(own, atom{exactly, '/'}, atom{kind: deep})
	if path.raw == "/" {
		below = []atom{{exactly, '/'}, {kind: deep}}
	}
	m = meeting{p: pattern, s: below, sure: true}
	if m.meet(0, 0) {
		return fits // with all that lies below
	}
	m = meeting{p: pattern, s: below}
	if result == fits || m.meet(0, 0) {
		return mayFit
	}
	return misses
}

// pathAtoms are a path's bytes; a hole is what may be there.
func pathAtoms(raw string) []atom {
	out := make([]atom, 0, len(raw)+2)
	for i := 0; i < len(raw); i++ {
		if n := holeAt(raw, i); n > 0 {
			out = append(out, atom{kind: within})
			i += n - 1
			continue
		}
		out = append(out, atom{exactly, raw[i]})
	}
	return out
}

// meeting compares a pattern with a path that may have holes: whether all that
// the path may be fits (sure), or some of it.
type meeting struct {
	p, s  []atom
	sure  bool
	tried []bool // pairs that were looked at, in vain
}

func (m *meeting) meet(i, k int) bool {
	for i < len(m.p) && k < len(m.s) && m.p[i].kind == exactly && m.s[k].kind == exactly {
		if m.p[i].c != m.s[k].c {
			return false
		}
		i, k = i+1, k+1
	}
	if i == len(m.p) && k == len(m.s) {
		return true
	}
	if m.tried == nil {
		m.tried = make([]bool, (len(m.p)+1)*(len(m.s)+1))
	}
	at := i*(len(m.s)+1) + k
	if m.tried[at] {
		return false
	}
	m.tried[at] = true
	return m.step(i, k)
}

func (m *meeting) step(i, k int) bool {
	if i < len(m.p) && (m.p[i].kind == within || m.p[i].kind == deep) {
		if m.meet(i+1, k) {
			return true
		}
		if k < len(m.s) && m.takes(m.p[i].kind, m.s[k]) && m.meet(i, k+1) {
			return true
		}
	}
	if i < len(m.p) && m.p[i].kind == oneOf && k < len(m.s) && m.s[k].kind == exactly && m.s[k].c != '/' && m.meet(i+1, k+1) {
		return true
	}
	if m.sure || k == len(m.s) || m.s[k].kind == exactly {
		return false
	}
	// What a hole stands for may be what the pattern wants here.
	if m.meet(i, k+1) {
		return true
	}
	return i < len(m.p) && m.takes(m.s[k].kind, m.p[i]) && m.meet(i+1, k)
}

// takes reports whether a star stands for what a is.
func (m *meeting) takes(star byte, a atom) bool {
	return star == deep || a.kind != deep && (a.kind != exactly || a.c != '/')
}
