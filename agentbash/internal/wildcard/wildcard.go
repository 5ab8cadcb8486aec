// Package wildcard matches a text against a pattern of *, ? and brackets: a name as bash does,
// a name or a path as git does for a .gitignore.
package wildcard

import (
	"strings"
	"unicode/utf8"
)

// Pattern is a compiled pattern. The zero value matches the empty text. It is not
// changed after it was made and is safe for concurrent use.
type Pattern struct {
	head   string  // the literal start
	tokens []token // what follows it
	tail   string  // with around: the literal end
	around bool    // anything may stand between head and tail
	bytes  bool    // a character is a byte
	never  bool    // the pattern is malformed and matches nothing
}

type token struct {
	op  op
	lit string   // for literal
	set *bracket // for class
}

type op byte

const (
	literal op = iota
	one        // any character but a slash
	class      // [...]
	star       // anything without a slash
	all        // anything
	dirs       // nothing, or anything that ends with a slash
)

// Compile compiles the pattern of a name: a bracket without its end, and a backslash at the end,
// are themselves.
func Compile(pattern string) Pattern {
	p := Pattern{}
	p.parse(pattern, false)
	return p
}

// CompileGit compiles a pattern of git's, byte by byte; a malformed one matches nothing. In a path *, ? and
// brackets stop at slashes, and ** between slashes does not.
func CompileGit(pattern string, path bool) Pattern {
	p := Pattern{bytes: true}
	plain := strings.IndexAny(pattern, `*?[\`)
	if plain < 0 {
		plain = len(pattern)
	}
	p.parse(pattern[plain:], path)
	p.head = pattern[:plain] + p.head
	return p
}

func (p *Pattern) parse(text string, path bool) {
	var lit strings.Builder
	add := func(t token) {
		if lit.Len() > 0 {
			p.tokens = append(p.tokens, token{op: literal, lit: lit.String()})
			lit.Reset()
		}
		p.tokens = append(p.tokens, t)
	}
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '*':
			t, n := parseStars(text, i, path)
			add(token{op: t})
			i += n
		case '?':
			add(token{op: one})
			i++
		case '[':
			set, n := parseBracket(text[i:], p.bytes)
			switch {
			case set != nil:
				set.noSlash = path
				add(token{op: class, set: set})
				i += n
			case p.bytes:
				p.never = true
				return
			default:
				lit.WriteByte(c)
				i++
			}
		case '\\':
			if i+1 < len(text) {
				i++
			} else if p.bytes {
				p.never = true
				return
			}
			lit.WriteByte(text[i])
			i++
		default:
			lit.WriteByte(c)
			i++
		}
	}
	if lit.Len() > 0 {
		p.tokens = append(p.tokens, token{op: literal, lit: lit.String()})
	}
	p.simplify()
}

// simplify takes out of the tokens what can be told by the ends of a text.
func (p *Pattern) simplify() {
	if len(p.tokens) > 0 && p.tokens[0].op == literal {
		p.head, p.tokens = p.tokens[0].lit, p.tokens[1:]
	}
	rest := p.tokens
	if n := len(rest); n > 0 && rest[0].op == all && (n == 1 || n == 2 && rest[1].op == literal) {
		p.around, p.tail = true, rest[n-1].lit
	}
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

// StartsWith reports whether all that matches starts with a byte, by the pattern's literal start.
func (p *Pattern) StartsWith(b byte) bool { return p.head != "" && p.head[0] == b }

// resume is a place to go back to: the token after a star, and the text from which it is tried next.
type resume struct{ token, text int }

// Match matches the whole text in time that grows with its length times the
// pattern's: for each kind of star only the last one can have to take more,
// since what an earlier one would take, it can take as well.
func (p *Pattern) Match(s string) bool {
	s, ok := strings.CutPrefix(s, p.head)
	switch {
	case !ok || p.never:
		return false
	case p.around:
		return strings.HasSuffix(s, p.tail)
	}
	lastStar, lastAll := resume{-1, 0}, resume{-1, 0}
	ti, si := 0, 0
	for {
		if ti == len(p.tokens) {
			if si == len(s) {
				return true
			}
		} else if n, ok := p.step(&p.tokens[ti], s[si:]); ok {
			switch p.tokens[ti].op {
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
			lastStar.text += p.width(s[lastStar.text:])
			ti, si = lastStar.token+1, lastStar.text
			continue
		}
		if lastAll.token < 0 || !p.extend(&lastAll, s) {
			return false
		}
		lastStar = resume{-1, 0}
		ti, si = lastAll.token+1, lastAll.text
	}
}

// extend has a star that crosses slashes take the least more after which the rest can match; false: nothing is.
func (p *Pattern) extend(at *resume, s string) bool {
	if at.text >= len(s) {
		return false
	}
	op := p.tokens[at.token].op
	if op == dirs {
		slash := strings.IndexByte(s[at.text:], '/')
		if slash < 0 {
			return false
		}
		at.text += slash
	}
	at.text += p.width(s[at.text:])
	if next := at.token + 1; op == all && next < len(p.tokens) && p.tokens[next].op == literal {
		skip := strings.Index(s[at.text:], p.tokens[next].lit)
		at.text += max(skip, 0)
		return skip >= 0
	}
	return true
}

// step matches one token at the start of s, a star nothing at first.
func (p *Pattern) step(t *token, s string) (int, bool) {
	switch {
	case t.op == literal:
		return len(t.lit), strings.HasPrefix(s, t.lit)
	case t.op != one && t.op != class:
		return 0, true
	case s == "":
		return 0, false
	case t.op == one:
		return p.width(s), s[0] != '/'
	}
	r, n := next(s, p.bytes)
	return n, t.set.has(r)
}

// width is that of the first character of a text.
func (p *Pattern) width(s string) int {
	_, n := next(s, p.bytes)
	return n
}

// next is the first character of a text and its width.
func next(s string, bytes bool) (rune, int) {
	if bytes || s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}
