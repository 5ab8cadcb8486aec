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
	for range 60 {
		var all []*syntax.Stmt
		end := 0
		for st, err := range j.parser.StmtsSeq(strings.NewReader(rest)) {
			if err == nil { // the last; to break here makes it panic for some texts
				all, end = append(all, st), max(end, int(st.End().Offset()))
			}
		}
		j.src = &source{text: rest, start: s.start, end: s.end, made: true, holes: s.holes, lets: s.lets, outer: s.outer}
		j.list(all)
		rest = rest[min(end, len(rest)):]
		cut := strings.IndexAny(rest, "\n;&|(`){")
		if cut < 0 {
			break
		}
		rest = rest[cut+1:]
	}
	j.src = s
}
