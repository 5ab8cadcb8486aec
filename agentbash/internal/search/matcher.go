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
	if m.pre != nil && m.pre.newCursor().next(buf, 0) < 0 && !m.pre.unsure(buf) {
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

// Literal reports whether candidates are found by a literal.
func (m *Matcher) Literal() bool { return m.pre != nil }

// Scanner finds matching lines for one goroutine.
type Scanner struct {
	m      *Matcher
	cursor *cursor
	run    *run
	buf    []byte
	plain  bool // the prefilter cannot be trusted in this buffer
}

// NewScanner returns a scanner.
func (m *Matcher) NewScanner() *Scanner {
	s := &Scanner{m: m}
	if m.pre != nil {
		s.cursor = m.pre.newCursor()
	}
	if m.auto != nil {
		s.run = m.auto.newRun()
	}
	return s
}

// Reset makes buf the buffer to be scanned: whole lines, of which the last may have no end.
func (s *Scanner) Reset(buf []byte) {
	s.buf = buf
	s.plain = s.m.pre == nil || s.m.pre.unsure(buf)
	if s.cursor != nil {
		s.cursor.reset()
	}
}

// Next returns the first matching line that starts at or after from, which is
// the start of a line: where it starts and where it ends, its newline not
// included. ok is false when there is none.
func (s *Scanner) Next(from int) (start, end int, ok bool) {
	if s.plain {
		return s.scan(from)
	}
	for from < len(s.buf) {
		at := s.cursor.next(s.buf, from)
		if at < 0 {
			return 0, 0, false
		}
		start, end = bytes.LastIndexByte(s.buf[from:at], '\n')+1+from, lineEnd(s.buf, at)
		if s.m.pre.exact || s.matches(start, end) {
			return start, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

func lineEnd(buf []byte, at int) int {
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(buf)
}

// matches decides on one line.
func (s *Scanner) matches(start, end int) bool {
	if s.run != nil && !s.run.tooBig {
		if hit, ok := s.run.line(s.buf[start:end]); ok {
			return hit
		}
	}
	return s.m.MatchLine(s.buf[start:end])
}

// scan looks at every line.
func (s *Scanner) scan(from int) (start, end int, ok bool) {
	for from < len(s.buf) {
		if s.run == nil || s.run.tooBig {
			end = lineEnd(s.buf, from)
			if s.m.MatchLine(s.buf[from:end]) {
				return from, end, true
			}
			from = end + 1
			continue
		}
		at := s.run.find(s.buf, from)
		if at < 0 {
			if s.run.tooBig {
				from = s.run.stoppedAt
				continue
			}
			return 0, 0, false
		}
		start = bytes.LastIndexByte(s.buf[from:at], '\n') + 1 + from
		return start, lineEnd(s.buf, at), true
	}
	return 0, 0, false
}
