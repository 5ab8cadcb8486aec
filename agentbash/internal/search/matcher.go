package search

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Options changes what an expression means.
type Options struct {
	Fixed      bool // the expression is literal text
	IgnoreCase bool
	Word       bool // the match must not begin or end within a word
	Line       bool // the match must be a whole line
	Invert     bool // lines that do not match are found
	Multiline  bool // the match may span lines, and . matches their ends
}

// Matcher is a compiled expression. It is safe for concurrent use; each
// goroutine scans with a [Scanner] of its own.
type Matcher struct {
	re      func() *regexp.Regexp // compiled at its first use
	inner   func() *regexp.Regexp // without what Word puts around it
	auto    *automaton            // nil: use re
	pre     *prefilter            // nil: none
	keepsCR bool                  // the expression has a \r of its own
	o       Options
}

// word is what a letter, digit or connector of a word is, in any script.
const word = `[\pL\pM\pN\p{Pc}]`

// Compile compiles an expression in RE2 syntax. An error says what is wrong with it.
func Compile(expr string, o Options) (*Matcher, error) {
	if o.Fixed {
		expr = regexp.QuoteMeta(expr)
	}
	flags := syntax.Perl
	if o.IgnoreCase {
		flags |= syntax.FoldCase
	}
	if o.Multiline {
		flags = flags&^syntax.OneLine | syntax.DotNL
	}
	parsed, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, err
	}
	if !o.Multiline && hasRune(parsed, '\n') {
		return nil, fmt.Errorf("the pattern holds an end of line, which no line does: pass --multiline")
	}
	m := &Matcher{keepsCR: hasRune(parsed, '\r'), o: o}
	if o.Multiline && !m.keepsCR {
		endsBeforeCR(parsed)
	}
	text := parsed.String()
	m.inner = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	m.re = m.inner
	if around := o.around(); around != "" {
		whole := fmt.Sprintf(around, text)
		if parsed, err = syntax.Parse(whole, flags&^syntax.FoldCase); err != nil {
			return nil, err
		}
		m.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(parsed.String()) })
	}
	simple := parsed.Simplify()
	m.pre = newPrefilter(simple)
	if !o.Multiline {
		m.auto = newAutomaton(simple, m.keepsCR)
	}
	return m, nil
}

// around is the expression that stands around one, as its first group.
func (o Options) around() string {
	switch not := strings.Replace(word, "[", "[^", 1); {
	case o.Line:
		return `^(%s)$`
	case o.Word:
		return `(?:^|` + not + `)(%s)(?:$|` + not + `)`
	}
	return ""
}

// endsBeforeCR makes $ match before the \r of a \r\n, too.
func endsBeforeCR(re *syntax.Regexp) {
	for _, sub := range re.Sub {
		endsBeforeCR(sub)
	}
	if re.Op == syntax.OpEndLine {
		cr, _ := syntax.Parse(`(?m:\r?$)`, syntax.Perl)
		*re = *cr
	}
}

// hasRune reports whether a character stands in the expression by itself, or in a class of its own.
func hasRune(re *syntax.Regexp, r rune) bool {
	switch re.Op {
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, r) {
			return true
		}
	case syntax.OpCharClass:
		return len(re.Rune) == 2 && re.Rune[0] == r && re.Rune[1] == r
	}
	return slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return hasRune(sub, r) })
}

// MatchLine reports whether a line, without its end, matches. It is the
// definition of what a Scanner finds.
func (m *Matcher) MatchLine(line []byte) bool { return m.re().Match(m.WithoutCR(line)) }

// WithoutCR is a line without the \r of its end, unless the expression has one of its own.
func (m *Matcher) WithoutCR(line []byte) []byte {
	if !m.keepsCR {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return line
}

// Matches returns the matches in a line without its end, or in a whole buffer for an
// expression that may span lines, each as by [regexp.Regexp.FindSubmatchIndex]; n below 0 is all.
func (m *Matcher) Matches(text []byte, n int) [][]int {
	if m.o.Multiline {
		if m.pre != nil && !m.pre.in(text) {
			return nil
		}
	} else {
		text = m.WithoutCR(text)
	}
	var list [][]int
	if !m.o.Word || m.o.Line {
		list = m.re().FindAllSubmatchIndex(text, n)
		for i := range list {
			if m.o.Line {
				list[i] = list[i][2:]
			}
		}
		return list
	}
	for from := 0; from <= len(text) && len(list) != n; {
		loc := m.re().FindSubmatchIndex(text[from:])
		if loc == nil {
			break
		}
		for i := range loc {
			if loc[i] >= 0 {
				loc[i] += from
			}
		}
		next := loc[3]
		if inWord := loc[2] == from && from > 0 && lastIsWord(text[:from]); !inWord {
			list = append(list, loc[2:])
		} else {
			next = from
		}
		if next == from || loc[3] == loc[2] { // no progress by itself
			_, size := utf8.DecodeRune(text[min(next, len(text)):])
			next += max(size, 1)
		}
		from = next
	}
	return list
}

func lastIsWord(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Pc)
}

// Expand appends a replacement, in which $1, $name and ${1} stand for groups, of a match in text.
func (m *Matcher) Expand(out []byte, replacement string, text []byte, match []int) []byte {
	return m.inner().ExpandString(out, replacement, string(text), match)
}
