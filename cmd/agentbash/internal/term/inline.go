package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestSpan is how many bytes are waited for the end of *what may be
// emphasized*. Without its end a * is a star, which is known at the end of the line.
const longestSpan = 400

// inline renders the text within a line: emphasis, code, links.
type inline struct {
	held string // from where a span may begin
	prev rune   // before it
}

// feed adds text. final is the end of the line.
func (in *inline) feed(l *layouter, s string, st style, final bool) {
	s = in.held + s
	in.held = ""
	for s != "" {
		i := strings.IndexAny(s, "*_`[~\\!")
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			l.text(s[:i], st)
			in.prev, _ = utf8.DecodeLastRuneInString(s[:i])
			s = s[i:]
			continue
		}
		sp, wait := parseSpan(s, in.prev)
		if wait && !final && len(s) < longestSpan {
			in.held = s
			return
		}
		if sp.size == 0 {
			n := runLength(s)
			l.text(s[:n], st)
			in.prev, s = rune(s[0]), s[n:]
			continue
		}
		sp.render(l, st)
		in.prev, _ = utf8.DecodeLastRuneInString(s[:sp.size])
		s = s[sp.size:]
	}
	if final {
		in.prev = 0
	}
}

// spanned is a part of a line with a style of its own. Size is that of its
// source; 0: there is none.
type spanned struct {
	size    int
	content string
	add     style
	raw     bool   // the content has no spans within
	target  string // of a link
}

func (sp *spanned) render(l *layouter, st style) {
	if sp.raw {
		l.text(sp.content, st|sp.add)
	} else {
		var in inline
		in.feed(l, sp.content, st|sp.add, true)
	}
	if sp.target != "" && sp.target != sp.content {
		l.text(" ("+sp.target+")", st|dim)
	}
}

// runLength is how often a text's first character is repeated, for those that come in runs.
func runLength(s string) int {
	if s[0] == '[' || s[0] == '!' || s[0] == '\\' {
		return 1
	}
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}

// parseSpan finds the part that begins with a text. wait: more of it must be seen.
func parseSpan(s string, prev rune) (sp spanned, wait bool) {
	n := runLength(s)
	switch {
	case len(s) == n:
		return sp, true
	case s[0] == '\\':
		if unicode.IsPunct(rune(s[1])) || unicode.IsSymbol(rune(s[1])) {
			return spanned{size: 2, content: s[1:2], raw: true}, false
		}
		return sp, false
	case s[0] == '`':
		return codeSpan(s, n)
	case s[0] == '[':
		return parseLink(s, 0)
	case s[0] == '!':
		if s[1] == '[' {
			return parseLink(s, 1)
		}
		return sp, false
	}
	return parseEmphasis(s, n, prev)
}

func codeSpan(s string, n int) (sp spanned, wait bool) {
	for at := n; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return sp, true
		}
		at += i
		closing := runLength(s[at:])
		if at+closing == len(s) && closing <= n {
			wait = true // the run may go on
		}
		if closing == n {
			content := s[n:at]
			if t := strings.TrimSpace(content); t != "" && len(content) > len(t)+1 {
				content = content[1 : len(content)-1]
			}
			return spanned{size: at + n, content: content, add: cyan, raw: true}, wait
		}
		at += closing
	}
}

// parseLink takes [text](target), and ![text](target) with skip 1.
func parseLink(s string, skip int) (sp spanned, wait bool) {
	depth, end := 0, -1
	for i := skip; i < len(s) && end < 0; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				end = i
			}
		}
	}
	switch {
	case end < 0 || end+1 == len(s):
		return sp, true
	case s[end+1] != '(':
		return sp, false
	}
	length := strings.IndexByte(s[end:], ')')
	if length < 0 {
		return sp, true
	}
	target, _, _ := strings.Cut(strings.TrimSpace(s[end+2:end+length]), " ") // without its title
	content := s[skip+1 : end]
	if strings.TrimSpace(content) == "" {
		content = target
	}
	return spanned{size: end + length + 1, content: content, add: underline, target: strings.Trim(target, "<>")}, false
}

// parseEmphasis takes *a*, **a**, ***a***, the same with _ outside of words, and ~~a~~
// (CommonMark 0.31, 6.2, but without its rule of three; GFM, strikethrough).
func parseEmphasis(s string, n int, prev rune) (sp spanned, wait bool) {
	marker := s[0]
	next, _ := utf8.DecodeRuneInString(s[n:])
	if n > 3 || marker == '~' && n != 2 || unicode.IsSpace(next) || marker == '_' && isWordRune(prev) {
		return sp, false
	}
	for at := n; ; {
		i := strings.IndexByte(s[at:], marker)
		if i < 0 {
			return sp, true
		}
		at += i
		closing := runLength(s[at:])
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+closing:])
		inCode := strings.Count(s[n:at], "`")%2 == 1
		if closing >= n && !unicode.IsSpace(before) && !inCode && (marker != '_' || !isWordRune(after)) && (closing == n || closing == 3) {
			// Of a longer run the inner part ends inner emphasis.
			at += closing - n
			add := [...]style{1: italic, 2: bold, 3: bold | italic}[n]
			if marker == '~' {
				add = strike
			}
			return spanned{size: at + n, content: s[n:at], add: add}, at+n == len(s) && closing == n && n < 3
		}
		at += closing
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
