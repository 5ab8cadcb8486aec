package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unparsed judges a text that is not bash, or that only bash understands: it is
// unknown, and what can be read of it can only raise that.
func (j *judge) unparsed(err error) {
	s := j.src
	j.unknown("this is not understood as bash: "+parseProblem(err), span{s.start, s.end})
	if commentGoesOn(s.text) {
		s.text = endComments(s.text)
	}
	rest := s.text
	for tries := 0; rest != "" && tries < maxRetries; tries++ {
		n := j.statements(rest, len(s.text)-len(rest))
		if n >= len(rest) {
			return
		}
		rest = rest[n:]
		if trimmed := strings.TrimLeft(rest, " \t\n"); opensLine(trimmed) {
			rest = trimmed[strings.IndexAny(trimmed, " \t\n"):]
			continue
		}
		cut := strings.IndexAny(rest, "\n;&|(`)")
		if cut < 0 {
			return
		}
		if n == 0 && cut > 0 {
			j.statements(rest[:cut], len(s.text)-len(rest))
		}
		rest = rest[cut+1:]
	}
}

// opensLine reports whether a text begins with a word that only stands before
// a command: a reserved word, an assignment, a redirection.
func opensLine(s string) bool {
	end := strings.IndexAny(s, " \t\n")
	if end <= 0 {
		return false
	}
	word := s[:end]
	switch word {
	case "!", "time", "-p", "then", "do", "else", "fi", "done", "esac", "}", "{", "(", "if", "while", "until", "elif", "coproc":
		return true
	}
	return strings.ContainsAny(word, "=<>")
}

// endComments takes away the backslashes with which comments may end.
func endComments(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		if strings.HasSuffix(l, "\\\n") && (strings.HasPrefix(l, "#") || strings.Contains(l, " #") || strings.Contains(l, "\t#") || strings.Contains(l, ";#")) {
			lines[i] = l[:len(l)-2] + " \n"
		}
	}
	return strings.Join(lines, "")
}

// maxRetries bounds the search for something that parses.
const maxRetries = 60

// parseProblem is a parse error without its position, which may be in a text
// that was put together.
func parseProblem(err error) string {
	if e, ok := err.(syntax.ParseError); ok {
		return e.Text
	}
	return err.Error()
}

// statements walks the statements that a text begins with, and returns how many
// bytes of it they are.
func (j *judge) statements(text string, offset int) int {
	outer := j.src
	s := *outer
	s.text = text
	if !s.made {
		s.start, s.end = outer.start+offset, outer.start+offset+len(text)
	}
	if id := unclosedDocument(j.parser, text); id != "" {
		s.text += "\n" + id + "\n"
	}
	var all []*syntax.Stmt
	end := 0
	for st, err := range j.parser.StmtsSeq(strings.NewReader(s.text)) {
		if err != nil {
			break
		}
		all = append(all, st)
		end = max(end, int(st.End().Offset()))
	}
	if len(all) == 0 {
		return 0
	}
	j.src = &s
	defer func() { j.src = outer }()
	j.list(all)
	return min(end, len(text))
}

// unclosedDocument returns the end word of a here-document that does not end:
// bash takes all the rest of the text for it.
func unclosedDocument(p *syntax.Parser, text string) string {
	_, err := p.Parse(strings.NewReader(text), "")
	e, ok := err.(syntax.ParseError)
	if !ok {
		return ""
	}
	rest, ok := strings.CutPrefix(e.Text, "unclosed here-document `")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(rest, "`")
}
