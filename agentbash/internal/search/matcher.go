package search

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Options changes what an expression means.
type Options struct {
	Fixed      bool // the expression is literal text
	IgnoreCase bool
	Word       bool // the match must not begin or end within a word
	Multiline  bool // the match may span lines, and . matches their ends
}

// Matcher is a compiled expression. It is safe for concurrent use; each
// goroutine scans with a [Scanner] of its own.
type Matcher struct {
	re      func() *regexp.Regexp // compiled at its first use
	auto    *automaton            // nil: use re
	pre     *prefilter            // nil: none
	keepsCR bool                  // the expression has a \r of its own
	multi   bool
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
	if !o.Multiline && needsNewline(parsed) {
		return nil, fmt.Errorf("the pattern holds an end of line, which no line does: pass --multiline")
	}
	if o.Word {
		not := strings.Replace(word, "[", "[^", 1)
		if parsed, err = syntax.Parse(`(?:^|`+not+`)(?:`+parsed.String()+`)(?:$|`+not+`)`, flags&^syntax.FoldCase); err != nil {
			return nil, err
		}
	}
	m := &Matcher{keepsCR: hasRune(parsed, '\r'), multi: o.Multiline}
	text := parsed.String()
	m.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	simple := parsed.Simplify()
	m.pre = newPrefilter(simple)
	if !o.Multiline {
		m.auto = newAutomaton(simple, m.keepsCR)
	}
	return m, nil
}

// needsNewline reports whether a literal newline stands in the expression.
func needsNewline(re *syntax.Regexp) bool { return hasRune(re, '\n') }

// hasRune reports whether a character stands in the expression by itself, or in a class of few.
func hasRune(re *syntax.Regexp, r rune) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if c == r {
				return true
			}
		}
	case syntax.OpCharClass:
		return len(re.Rune) == 2 && re.Rune[0] == r && re.Rune[1] == r
	}
	for _, sub := range re.Sub {
		if hasRune(sub, r) {
			return true
		}
	}
	return false
}

// MatchLine reports whether a line, without its end, matches. It is the
// definition of what a Scanner finds.
func (m *Matcher) MatchLine(line []byte) bool {
	if !m.keepsCR {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return m.re().Match(line)
}

// Spans returns the matches in a whole buffer, for an expression that may span lines.
func (m *Matcher) Spans(buf []byte) [][]int {
	if m.pre != nil && !newCursor(m.pre.sets[0]).set.in(buf) && !m.pre.unsure(buf) {
		return nil
	}
	return m.re().FindAllIndex(buf, -1)
}

// Find returns where the first match in a line starts.
func (m *Matcher) Find(line []byte) int {
	if at := m.re().FindIndex(line); at != nil {
		return at[0]
	}
	return 0
}
