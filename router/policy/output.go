package policy

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// capture walks a subshell and returns what it writes to its stdout.
func (j *judge) capture(walk func()) value {
	out := j.env.out
	j.env.out = value{""}
	j.subshell(walk)
	got := j.env.out
	if j.env.out = out; j.spent {
		return value{anyText}
	}
	return got
}

// substitution is what $(...) becomes.
func (j *judge) substitution(n *syntax.CmdSubst) (out value) {
	got := j.capture(func() { j.list(n.Stmts) })
	if n.TempFile || n.ReplyVar { // ${ x; } and ${|x; } run in this shell
		j.list(n.Stmts)
	}
	if n.Backquotes && strings.Contains(j.src.cut(n.Left, n.Right), "\\`") {
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
	got := j.capture(func() {
		if n.Op != syntax.CmdIn && j.stdin == nil {
			j.stdin = value{anyText}
		}
		j.list(n.Stmts)
	})
	if n.Op != syntax.CmdIn {
		got = value{anyText}
	}
	path := fmt.Sprintf("/dev/fd/63-%d", n.Pos().Offset())
	j.env.set("file "+path, variable{lists: lists(got)})
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
