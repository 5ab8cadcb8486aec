package wildcard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bracket is the characters between brackets.
type bracket struct {
	negated, ascii bool
	noSlash        bool
	ranges         []rune // pairs
	classes        []func(rune) bool
}

func (b *bracket) has(r rune) bool {
	in := false
	for i := 0; i < len(b.ranges) && !in; i += 2 {
		in = b.ranges[i] <= r && r <= b.ranges[i+1]
	}
	for i := 0; i < len(b.classes) && !in; i++ {
		in = b.classes[i](r) && (r < utf8.RuneSelf || !b.ascii)
	}
	return in != b.negated && !(b.noSlash && r == '/')
}

// classes are those of POSIX.
var classes = map[string]func(rune) bool{
	"alpha": unicode.IsLetter, "lower": unicode.IsLower, "upper": unicode.IsUpper, "space": unicode.IsSpace, "cntrl": unicode.IsControl, "print": unicode.IsPrint,
	"digit":  func(r rune) bool { return '0' <= r && r <= '9' },
	"alnum":  func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"punct":  func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"graph":  func(r rune) bool { return unicode.IsPrint(r) && r != ' ' },
	"xdigit": func(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) },
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
}

// BracketLen is how long the bracket is with which a pattern of a name starts, 0 when it has no end.
func BracketLen(p string) int {
	_, n := parseBracket(p, false)
	return n
}

// parseBracket compiles the bracket with which p starts and returns how much of p it takes; nil
// when it has no end, and for git also when it names a class that there is not.
func parseBracket(p string, git bool) (*bracket, int) {
	b, i := &bracket{ascii: git}, 1
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		b.negated = true
		i++
	}
	single := false // the last one could start a range
	for first := true; i < len(p) && (first || p[i] != ']'); first = false {
		rest := p[i:]
		if rest[0] == '/' && !git {
			return nil, 0
		}
		if n := b.addClass(rest, git); n < 0 {
			return nil, 0
		} else if n > 0 {
			i, single = i+n, false
			continue
		}
		isRange := rest[0] == '-' && single && len(rest) > 1 && rest[1] != ']'
		if isRange {
			rest = rest[1:]
		}
		if rest[0] == '\\' {
			rest = rest[1:]
		}
		if rest == "" {
			return nil, 0
		}
		r, n := next(rest, git)
		i = len(p) - len(rest) + n
		b.add(r, isRange, git)
		single = !isRange
	}
	if i >= len(p) {
		return nil, 0
	}
	return b, i + 1
}

// addClass adds the class with which a text starts, and returns its length: 0, it is none; -1, it is malformed.
func (b *bracket) addClass(text string, git bool) int {
	if !strings.HasPrefix(text, "[:") {
		return 0
	}
	end := strings.IndexByte(text, ']')
	if end < 0 {
		return -1
	}
	name, ok := strings.CutSuffix(text[2:end], ":")
	if !ok {
		return 0
	}
	if is := classes[name]; is != nil {
		b.classes = append(b.classes, is)
	} else if git {
		return -1
	}
	return end + 1
}

// add adds a character, or the range to it from the one that was added last.
func (b *bracket) add(r rune, isRange, git bool) {
	switch last := len(b.ranges) - 1; {
	case !isRange:
		b.ranges = append(b.ranges, r, r)
	case git: // in [b-a], which is empty, b stays
		b.ranges = append(b.ranges, b.ranges[last], r)
	default:
		b.ranges[last] = r
	}
}
