package ignore

import "strings"

// wild is a compiled pattern. The zero value matches the empty text.
type wild struct {
	tokens []token
	never  bool // the pattern is malformed and matches nothing
}

type token struct {
	op  op
	lit string   // for literal
	set *byteSet // for class
}

type op byte

const (
	literal op = iota
	one        // ?: one byte, not a slash in a path
	class      // [...]
	star       // any bytes but slashes
	all        // any bytes
	dirs       // nothing, or anything that ends with a slash
)

type byteSet [256 / 8]byte

func (s *byteSet) add(b byte)      { s[b>>3] |= 1 << (b & 7) }
func (s *byteSet) has(b byte) bool { return s[b>>3]&(1<<(b&7)) != 0 }

// compilePattern compiles a pattern. In a path, * and ? and classes stop at slashes
// and ** between slashes does not.
func compilePattern(p string, path bool) wild {
	var w wild
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			w.tokens = append(w.tokens, token{op: literal, lit: lit.String()})
			lit.Reset()
		}
	}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '*':
			flush()
			t, n := parseStars(p, i, path)
			w.tokens = append(w.tokens, token{op: t})
			i += n
		case '?':
			flush()
			w.tokens = append(w.tokens, token{op: one})
			i++
		case '[':
			flush()
			set, n := parseBracket(p[i+1:])
			if set == nil {
				return wild{never: true}
			}
			if path {
				set['/'>>3] &^= 1 << ('/' & 7)
			}
			w.tokens = append(w.tokens, token{op: class, set: set})
			i += 1 + n
		case '\\':
			if i+1 == len(p) {
				return wild{never: true}
			}
			lit.WriteByte(p[i+1])
			i += 2
		default:
			lit.WriteByte(c)
			i++
		}
	}
	flush()
	return w
}

// parseStars says what a run of stars at p[i] means and how much of p it takes.
func parseStars(p string, i int, path bool) (op, int) {
	end := i
	for end < len(p) && p[end] == '*' {
		end++
	}
	n, rest := end-i, p[end:]
	if !path {
		return all, n
	}
	if n > 1 && (i == 0 || p[i-1] == '/') {
		switch {
		case strings.HasPrefix(rest, "/"):
			return dirs, n + 1
		case rest == "" || strings.HasPrefix(rest, `\/`):
			return all, n
		}
	}
	return star, n
}

// parseBracket compiles what follows a "[" and returns how much of p it takes, or
// nil when it has no end or names no class.
func parseBracket(p string) (*byteSet, int) {
	set, i := &byteSet{}, 0
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev := -1 // the byte that a range could start with
	for first := true; first || i < len(p) && p[i] != ']'; first = false {
		if i >= len(p) {
			return nil, 0
		}
		c := p[i]
		switch {
		case c == '-' && prev >= 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				i++
			}
			if i >= len(p) {
				return nil, 0
			}
			for b := prev; b <= int(p[i]); b++ {
				set.add(byte(b))
			}
			prev = -1
			i++
			continue
		case c == '\\':
			if i++; i >= len(p) {
				return nil, 0
			}
			c = p[i]
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			end := strings.IndexByte(p[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			if name, ok := strings.CutSuffix(p[i+2:i+2+end], ":"); ok {
				if !set.addClass(name) {
					return nil, 0
				}
				prev = -1
				i += 2 + end + 1
				continue
			}
		}
		set.add(c)
		prev = int(c)
		i++
	}
	if i >= len(p) {
		return nil, 0
	}
	if negated {
		for k := range set {
			set[k] = ^set[k]
		}
	}
	return set, i + 1
}

// addClass adds a POSIX class of ASCII bytes.
func (s *byteSet) addClass(name string) bool {
	lower := func(b byte) bool { return 'a' <= b && b <= 'z' }
	upper := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	graph := func(b byte) bool { return '!' <= b && b <= '~' }
	alnum := func(b byte) bool { return lower(b) || upper(b) || digit(b) }
	var is func(byte) bool
	switch name {
	case "lower":
		is = lower
	case "upper":
		is = upper
	case "digit":
		is = digit
	case "alpha":
		is = func(b byte) bool { return lower(b) || upper(b) }
	case "alnum":
		is = alnum
	case "graph":
		is = graph
	case "punct":
		is = func(b byte) bool { return graph(b) && !alnum(b) }
	case "print":
		is = func(b byte) bool { return b == ' ' || graph(b) }
	case "space":
		is = func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
	case "blank":
		is = func(b byte) bool { return b == ' ' || b == '\t' }
	case "cntrl":
		is = func(b byte) bool { return b < ' ' || b == 0x7f }
	case "xdigit":
		is = func(b byte) bool { return digit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }
	default:
		return false
	}
	for b := range 256 {
		if is(byte(b)) {
			s.add(byte(b))
		}
	}
	return true
}

// resume is a place to go back to: the token after a star, and the text from which it is tried next.
type resume struct{ token, text int }

// match matches the whole text in time that grows with its length times the
// pattern's: for each kind of star only the last one can have to take more,
// since what an earlier one would take, it can take as well.
func (w *wild) match(s string) bool {
	if w.never {
		return false
	}
	lastStar, lastAll := resume{-1, 0}, resume{-1, 0}
	ti, si := 0, 0
	for {
		if ti == len(w.tokens) {
			if si == len(s) {
				return true
			}
		} else if n, ok := w.tokens[ti].step(s[si:]); ok {
			switch t := &w.tokens[ti]; t.op {
			case star:
				lastStar = resume{ti, si}
			case all, dirs:
				lastAll, lastStar = resume{ti, si}, resume{-1, 0}
			}
			ti++
			si += n
			continue
		}
		if lastStar.token >= 0 && lastStar.text < len(s) && s[lastStar.text] != '/' {
			lastStar.text++
			ti, si = lastStar.token+1, lastStar.text
			continue
		}
		if lastAll.token < 0 || lastAll.text >= len(s) {
			return false
		}
		if w.tokens[lastAll.token].op == dirs {
			slash := strings.IndexByte(s[lastAll.text:], '/')
			if slash < 0 {
				return false
			}
			lastAll.text += slash
		}
		lastAll.text++
		lastStar = resume{-1, 0}
		ti, si = lastAll.token+1, lastAll.text
	}
}

// step matches one token at the start of s, a star nothing at first.
func (t *token) step(s string) (int, bool) {
	switch t.op {
	case literal:
		return len(t.lit), strings.HasPrefix(s, t.lit)
	case one:
		return 1, s != "" && s[0] != '/'
	case class:
		return 1, s != "" && t.set.has(s[0])
	}
	return 0, true
}
