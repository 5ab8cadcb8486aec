package policy

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unparsed judges a text that is not bash, or that only bash understands: it
// may do anything. What can be read of it can only raise that: from its
// beginning, and again from every place where a command may begin.
func (j *judge) unparsed(err error) {
	s, problem := j.src, err.Error()
	var e syntax.ParseError
	if errors.As(err, &e) {
		problem = e.Text // without its position, which may be in a text that was put together
	}
	j.anything("this is not understood as bash: "+problem, span{s.start, s.end})
	rest := s.text
	if id, ok := strings.CutPrefix(problem, "unclosed here-document `"); ok {
		rest += "\n" + strings.TrimSuffix(id, "`") + "\n" // bash takes the end for it
	}
	for range 60 {
		n := j.statements(rest)
		cut := strings.IndexAny(rest[n:], "\n;&|(`)")
		if cut < 0 {
			break
		}
		if n == 0 {
			j.statements(rest[:cut])
		}
		rest = strings.TrimLeft(rest[n+cut+1:], " \t\n")
		for word, after, ok := strings.Cut(rest, " "); ok && (programs().has("reserved", word) || strings.ContainsAny(word, "=<>{!")); word, after, ok = strings.Cut(rest, " ") {
			rest = after
		}
	}
	j.src = s
}

// statements walks the statements that a text begins with, and returns how many
// bytes of it they are.
func (j *judge) statements(text string) (end int) {
	var all []*syntax.Stmt
	for st, err := range newParser().StmtsSeq(strings.NewReader(text)) {
		if err == nil { // the last; to break here makes it panic for some texts
			all, end = append(all, st), min(len(text), max(end, int(st.End().Offset())))
		}
	}
	s := *j.src
	s.text, s.made = text, true
	j.src = &s
	j.list(all)
	return end
}
