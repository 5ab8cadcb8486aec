package policy

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// capture returns what commands write to their stdout; with sub they change
// nothing in this shell.
func (j *judge) capture(sub bool, walk func()) (got value) {
	saved, depth, forks := j.env.copy(), j.depth, j.forks
	j.env.out = value{""}
	j.depth++
	if walk != nil && j.step() {
		walk()
		got = j.env.out
	} else {
		got = value{anyText}
	}
	if j.depth, j.forks = depth, forks; sub {
		j.env = saved
	}
	j.env.out = saved.out
	return got
}

// substitution is what $(...) becomes.
func (j *judge) substitution(n *syntax.CmdSubst) (out value) {
	got := j.capture(!n.TempFile && !n.ReplyVar, func() { j.list(n.Stmts) })
	if from, to := int(n.Left.Offset()), int(n.Right.Offset()); n.Backquotes && from < to && to <= len(j.src.text) && strings.Contains(j.src.text[from:to], "\\`") {
		j.anything("backquotes in backquotes are read in another way by bash", j.src.span(n.Pos(), n.End()))
		got = value{decoded}
	}
	for _, s := range got {
		out = out.join(value{strings.TrimRight(s, "\n")})
	}
	return out
}

// procSubst walks <(...) or >(...), and returns a path that stands for it.
func (j *judge) procSubst(n *syntax.ProcSubst) string {
	stdin := j.stdin
	if n.Op != syntax.CmdIn && stdin == nil {
		j.stdin = value{anyText}
	}
	got := j.capture(true, func() { j.list(n.Stmts) })
	if j.stdin = stdin; n.Op != syntax.CmdIn {
		got = value{anyText}
	}
	path := fmt.Sprintf("/dev/fd/63-%d", n.Pos().Offset())
	j.env.set("file "+path, variable{lists: got})
	return path
}

// content returns what is known of a file that the line itself has written: a
// process substitution, or a file by a redirection. Nil: nothing.
func (j *judge) content(f field) (out value) {
	switch f.text {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return j.stdin
	}
	for _, path := range j.resolve(f.text) {
		out = out.join(j.env.vars["file "+path].value())
		for name, v := range j.env.vars {
			if other, ok := strings.CutPrefix(name, "file "); ok && f.glob && match(path, other, true) {
				out = out.join(v.value())
			}
		}
	}
	return out
}
