package term

import (
	"strings"
	"unicode"

	"github.com/agentbash/agentbash/cmd/agentbash/internal/highlight"
)

// markdown renders a reply as it comes: what has arrived is shown at once, but
// for what cannot be known yet, which is a word, a span such as **this**, and a
// table. It covers what models write (headings, lists, quotes, code, tables,
// links, emphasis) and leaves everything else as it is. Its input is safe text.
type markdown struct {
	l     layouter
	inl   inline
	kind  lineKind
	style style           // of the line
	held  []byte          // of a line: its beginning while its kind is unknown, or all of it
	fence string          // that ends the code block we are in
	diff  bool            // which holds a diff
	code  *highlight.Text // what is in it; nil: not known
	table []string
}

// lineKind is what a line of the source is.
type lineKind int

const (
	unknownLine lineKind = iota
	textLine             // rendered as it comes
	codeLine             // shown as it comes
	heldLine             // looked at when it is whole
)

// codeIndent stands before each line of a code block.
const codeIndent = "  "

// feed takes a piece of the source and returns what can be shown.
func (m *markdown) feed(s string) string {
	for {
		line, rest, ended := strings.Cut(s, "\n")
		m.part(line)
		if !ended {
			return m.l.take()
		}
		m.endLine()
		s = rest
	}
}

// settle returns a word that may not be whole yet.
func (m *markdown) settle() string {
	m.l.endWord()
	return m.l.take()
}

// end returns what was held, and starts anew.
func (m *markdown) end() string {
	if m.kind != unknownLine || len(m.held) > 0 {
		m.endLine()
	}
	m.endTable()
	out := m.l.take()
	*m = markdown{l: layouter{palette: m.l.palette, width: m.l.width}}
	return out
}

// part takes a piece of a line.
func (m *markdown) part(s string) {
	if s == "" {
		return
	}
	switch m.kind {
	case textLine:
		m.inl.feed(&m.l, s, m.style, false)
	case codeLine:
		m.l.literal(s, cyan)
	case heldLine:
		m.held = append(m.held, s...)
	default:
		m.held = append(m.held, s...)
		m.decide(false)
	}
}

func (m *markdown) endLine() {
	if m.kind == unknownLine {
		m.decide(true)
	}
	switch m.kind {
	case textLine:
		m.inl.feed(&m.l, "", m.style, true)
		m.l.newline()
	case codeLine:
		m.l.newline()
	case heldLine:
		m.whole(string(m.held))
	}
	m.kind, m.style, m.held = unknownLine, 0, m.held[:0]
}

// decide finds out what a line is by its beginning, if that is enough.
func (m *markdown) decide(complete bool) {
	line := string(m.held)
	if m.fence != "" {
		m.decideCode(line, complete)
		return
	}
	body := strings.TrimLeft(line, " \t")
	if body == "" && !complete {
		return
	}
	if len(m.table) > 0 && !strings.HasPrefix(body, "|") {
		m.endTable()
	}
	switch {
	case strings.HasPrefix(body, "|"):
		m.kind = heldLine
	case (couldBeRule(body) || body == ">") && !complete:
	case isRule(body):
		m.kind = heldLine
	case couldBeFence(body):
		if len(body) >= 3 || complete {
			m.kind = heldLine
		}
	default:
		prefix, ok := lineMarker(body)
		if ok || complete || !couldBeMarker(body) {
			m.startText(line[:len(line)-len(body)], body, prefix)
		}
	}
}

// decideCode tells a code block's lines from its end.
func (m *markdown) decideCode(line string, complete bool) {
	t := strings.TrimLeft(line, " ")
	mayEnd := strings.Trim(t, m.fence[:1]+" ") == ""
	switch {
	case complete && mayEnd && len(strings.TrimRight(t, " ")) >= len(m.fence):
		m.kind, m.fence, m.diff, m.code = heldLine, "", false, nil
		m.held = m.held[:0] // nothing is shown of it
	case !complete && mayEnd:
	case m.diff || m.code != nil:
		m.kind = heldLine
	default:
		m.kind = codeLine
		m.l.literal(codeIndent, 0)
		if line != "" {
			m.l.literal(line, cyan)
		}
	}
}

// couldBeRule is true of the beginning of ---, ***, ___.
func couldBeRule(s string) bool {
	return s != "" && strings.Contains("-*_", s[:1]) && strings.Trim(s, s[:1]+" ") == "" && !strings.HasPrefix(s, s[:1]+" ")
}

func isRule(s string) bool { return couldBeRule(s) && strings.Count(s, s[:1]) >= 3 }

func couldBeFence(s string) bool {
	head := s[:min(3, len(s))]
	return head != "" && (strings.Trim(head, "`") == "" || strings.Trim(head, "~") == "")
}

// lineMarker is what stands before the text of a heading, an item or a quote.
func lineMarker(s string) (prefix string, ok bool) {
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
	switch {
	case s == "":
		return "", false
	case s[0] == '>':
		return ">", true
	case s[0] == '#':
		n = len(s) - len(strings.TrimLeft(s, "#"))
		ok = n <= 6 && len(s) > n && s[n] == ' '
	case strings.Contains("-*+", s[:1]):
		n, ok = 1, len(s) > 1 && s[1] == ' '
	case n > 0 && n < 10:
		n++
		ok = len(s) > n && (s[n-1] == '.' || s[n-1] == ')') && s[n] == ' '
	}
	if !ok {
		return "", false
	}
	return s[:n+1], true
}

// couldBeMarker is true while a line so far may become one that marker knows.
func couldBeMarker(s string) bool {
	switch t := strings.TrimLeft(s, "0123456789"); {
	case strings.Trim(s, "#") == "":
		return len(s) <= 6
	case len(s) == 1 && strings.Contains("-*+", s):
		return true
	case len(t) < len(s) && len(s) < 11:
		return t == "" || t == "." || t == ")"
	}
	return false
}

// startText begins a line whose marker is known.
func (m *markdown) startText(indent, body, prefix string) {
	m.kind = textLine
	rest := body[len(prefix):]
	if prefix == "" && indent != "" {
		m.l.indent = indentSpaces(indent)
		m.l.literal(m.l.indent, 0)
	}
	switch {
	case prefix == "":
	case prefix[0] == '#':
		m.style = bold
		if prefix == "# " {
			m.style |= underline
		}
	case prefix == ">":
		m.style = dim
		m.l.indent = indentSpaces(indent) + "\u2502 "
		m.l.literal(m.l.indent, dim)
		rest = strings.TrimPrefix(rest, " ")
	default:
		shown := prefix
		if len(prefix) == 2 {
			shown = "\u2022 "
		}
		m.l.literal(indentSpaces(indent), 0)
		m.l.literal(shown, cyan)
		m.l.indent = indentSpaces(indent) + strings.Repeat(" ", textColumns(shown))
	}
	m.inl.feed(&m.l, rest, m.style, false)
}

func indentSpaces(indent string) string { return strings.ReplaceAll(indent, "\t", "    ") }

// whole shows a line that was waited for.
func (m *markdown) whole(line string) {
	t := strings.TrimSpace(line)
	switch {
	case m.diff:
		m.l.literal(codeIndent, 0)
		m.l.literal(line, diffStyle(line))
		m.l.newline()
	case m.code != nil:
		m.l.literal(codeIndent, 0)
		for _, p := range m.code.Line(line) {
			m.l.literal(p.Text, codeStyle(p.Kind))
		}
		m.l.newline()
	case strings.HasPrefix(t, "|"):
		m.table = append(m.table, t)
	case isRule(t):
		m.l.text(strings.Repeat("\u2500", min(m.l.room(), 40)), dim)
		m.l.newline()
	case couldBeFence(t) && len(t) >= 3:
		m.openFence(t)
	case t != "":
		m.startText("", t, "")
		m.inl.feed(&m.l, "", m.style, true)
		m.l.newline()
	}
}

// openFence begins a code block, unless ``` is a span of one line.
func (m *markdown) openFence(t string) {
	n := runLength(t)
	info := strings.TrimSpace(t[n:])
	if t[0] == '`' && strings.Contains(info, "`") {
		var in inline
		in.feed(&m.l, t, 0, true)
		m.l.newline()
		return
	}
	m.fence, m.diff = t[:n], info == "diff" || info == "patch"
	if language, _, _ := strings.Cut(info, " "); m.l.palette.colours && !m.diff {
		m.code = highlight.New(language)
	}
}

// diffStyle colours a line of a unified diff.
func diffStyle(line string) style {
	switch {
	case strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---"):
		return bold
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return cyan
	}
	return 0
}
