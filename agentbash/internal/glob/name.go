package glob

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// name is a compiled pattern for one name.
type name struct {
	dot  bool   // starts with a literal dot: matches hidden names
	head string // the literal start
	tail string // the literal end, when there is one star and nothing else between
	kind kind
	rest []token // after head
}

type kind int8

const (
	plain  kind = iota // head is all of it
	around             // head, anything, tail
	free               // head, then rest
)

type token struct {
	op  op
	lit string
	set *set
}

type op int8

const (
	text op = iota
	one
	class
	star
)

// set is the characters of a bracket.
type set struct {
	negated bool
	ranges  []rune // pairs
	classes []func(rune) bool
}

func (s *set) has(r rune) bool {
	in := false
	for i := 0; i < len(s.ranges) && !in; i += 2 {
		in = s.ranges[i] <= r && r <= s.ranges[i+1]
	}
	for i := 0; i < len(s.classes) && !in; i++ {
		in = s.classes[i](r)
	}
	return in != s.negated
}

func compileName(p string) name {
	var tokens []token
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			tokens = append(tokens, token{op: text, lit: lit.String()})
			lit.Reset()
		}
	}
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '*':
			flush()
			if len(tokens) == 0 || tokens[len(tokens)-1].op != star {
				tokens = append(tokens, token{op: star})
			}
		case c == '?':
			flush()
			tokens = append(tokens, token{op: one})
		case c == '[' && bracketLen(p[i:]) > 0:
			flush()
			end := i + bracketLen(p[i:])
			tokens = append(tokens, token{op: class, set: compileSet(p[i+1 : end])})
			i = end
		case c == '\\' && i+1 < len(p):
			i++
			lit.WriteByte(p[i])
		default:
			lit.WriteByte(c)
		}
	}
	flush()
	return newName(tokens)
}

func newName(tokens []token) name {
	n := name{kind: free, rest: tokens}
	if len(tokens) > 0 && tokens[0].op == text {
		n.head, n.rest = tokens[0].lit, tokens[1:]
		n.dot = n.head[0] == '.'
	}
	switch {
	case len(n.rest) == 0:
		n.kind = plain
	case n.rest[0].op == star && len(n.rest) == 1:
		n.kind = around
	case n.rest[0].op == star && len(n.rest) == 2 && n.rest[1].op == text:
		n.kind, n.tail = around, n.rest[1].lit
	}
	return n
}

// compileSet compiles what stands between brackets.
func compileSet(p string) *set {
	s := &set{}
	if p != "" && (p[0] == '!' || p[0] == '^') {
		s.negated, p = true, p[1:]
	}
	for p != "" {
		if class, rest, ok := posixClass(p); ok {
			s.classes, p = append(s.classes, class), rest
			continue
		}
		var lo rune
		lo, p = setRune(p)
		hi := lo
		if len(p) > 1 && p[0] == '-' {
			hi, p = setRune(p[1:])
		}
		s.ranges = append(s.ranges, lo, hi)
	}
	return s
}

func setRune(p string) (rune, string) {
	if p[0] == '\\' && len(p) > 1 {
		p = p[1:]
	}
	r, n := utf8.DecodeRuneInString(p)
	return r, p[n:]
}

// posixClass takes a [:class:] off the start of p.
func posixClass(p string) (in func(rune) bool, rest string, ok bool) {
	p, ok = strings.CutPrefix(p, "[:")
	if !ok {
		return nil, "", false
	}
	className, rest, ok := strings.Cut(p, ":]")
	in = map[string]func(rune) bool{
		"alpha": unicode.IsLetter, "digit": unicode.IsDigit, "lower": unicode.IsLower, "upper": unicode.IsUpper,
		"space": unicode.IsSpace, "punct": unicode.IsPunct, "cntrl": unicode.IsControl, "print": unicode.IsPrint, "graph": unicode.IsGraphic,
		"alnum":  func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
		"xdigit": func(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) },
		"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	}[className]
	return in, rest, ok && in != nil
}

// match matches a whole name.
func (n *name) match(s string) bool {
	rest, ok := strings.CutPrefix(s, n.head)
	switch {
	case !ok:
		return false
	case n.kind == plain:
		return rest == ""
	case n.kind == around:
		return strings.HasSuffix(rest, n.tail)
	}
	return matchTokens(n.rest, rest)
}

// matchTokens takes time that grows with the product of the lengths: only the
// last star can have to take more.
func matchTokens(tokens []token, s string) bool {
	ti, si := 0, 0
	starAt, starText := -1, 0
	for {
		if ti == len(tokens) {
			if si == len(s) {
				return true
			}
		} else if n, ok := tokens[ti].step(s[si:]); ok {
			if tokens[ti].op == star {
				starAt, starText = ti, si
			}
			ti++
			si += n
			continue
		}
		if starAt < 0 || starText >= len(s) {
			return false
		}
		_, n := utf8.DecodeRuneInString(s[starText:])
		starText += n
		ti, si = starAt+1, starText
	}
}

// step matches one token at the start of s, a star nothing at first.
func (t *token) step(s string) (int, bool) {
	switch t.op {
	case text:
		return len(t.lit), strings.HasPrefix(s, t.lit)
	case star:
		return 0, true
	}
	r, n := utf8.DecodeRuneInString(s)
	return n, n > 0 && (t.op == one || t.set.has(r))
}
