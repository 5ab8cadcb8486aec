package policy

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxRetries bounds the search for something that parses.
const maxRetries = 60

// unparsed judges a text that is not bash, or that only bash understands: it is
// unknown, and what can be read of it can only raise that.
func (j *judge) unparsed(err error) {
	s, problem := j.src, err.Error()
	var e syntax.ParseError
	if errors.As(err, &e) {
		problem = e.Text // without its position, which may be in a text that was put together
	}
	j.unknown("this is not understood as bash: "+problem, span{s.start, s.end})
	lines := strings.SplitAfter(s.text, "\n")
	for i, l := range lines { // the parser takes a backslash at the end of a comment for a line that goes on
		if strings.HasSuffix(l, "\\\n") && strings.Contains(strings.NewReplacer("\t", " ", ";", " ").Replace(" "+l), " #") {
			lines[i] = l[:len(l)-2] + " \n"
		}
	}
	s.text = strings.Join(lines, "")
	rest := s.text
	for tries := 0; rest != "" && tries < maxRetries; tries++ {
		n := j.statements(rest, len(s.text)-len(rest))
		if rest = rest[n:]; rest == "" {
			return
		}
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
	return end > 0 && (strings.ContainsAny(s[:end], "=<>") ||
		slices.Contains([]string{"!", "time", "-p", "then", "do", "else", "fi", "done", "esac", "}", "{", "(", "if", "while", "until", "elif", "coproc"}, s[:end]))
}

// statements walks the statements that a text begins with, and returns how many
// bytes of it they are. A here-document that does not end is all of the rest.
func (j *judge) statements(text string, offset int) int {
	outer := j.src
	s := *outer
	s.text = text
	if !s.made {
		s.start += offset
		s.end = s.start + len(text)
	}
	var e syntax.ParseError
	if _, err := j.parser.Parse(strings.NewReader(text), ""); errors.As(err, &e) {
		if id, ok := strings.CutPrefix(e.Text, "unclosed here-document `"); ok {
			s.text += "\n" + strings.TrimSuffix(id, "`") + "\n"
		}
	}
	var all []*syntax.Stmt
	end := 0
	for st, err := range j.parser.StmtsSeq(strings.NewReader(s.text)) {
		if err != nil {
			continue // the last; to break here makes it panic for some texts
		}
		all, end = append(all, st), max(end, int(st.End().Offset()))
	}
	j.src = &s
	j.list(all)
	j.src = outer
	return min(end, len(text))
}
