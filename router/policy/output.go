package policy

import (
	"strconv"
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

// maxProcs bounds the process substitutions whose output is kept.
const maxProcs = 64

// procSubst walks <(...) or >(...), and returns a path that stands for it.
func (j *judge) procSubst(n *syntax.ProcSubst) string {
	stdin := j.stdin
	defer func() { j.stdin = stdin }()
	if n.Op != syntax.CmdIn && j.stdin == nil {
		j.stdin = value{anyText}
	}
	got := j.capture(true, func() { j.list(n.Stmts) })
	if len(j.procs) == 0 {
		j.procs = append(j.procs, value{anyText})
	}
	if n.Op != syntax.CmdIn {
		return procPath + "0"
	}
	if len(j.procs) < maxProcs {
		j.procs = append(j.procs, got)
	}
	return procPath + strconv.Itoa(len(j.procs)-1)
}

// procPath begins the path of a process substitution.
const procPath = "/dev/fd/proc"

// content returns what is known of a file that the line itself has written: a
// process substitution, or a file by a redirection. Nil: nothing.
func (j *judge) content(f field) (out value) {
	if n, ok := strings.CutPrefix(f.text, procPath); ok {
		if i, err := strconv.Atoi(n); err == nil && i < len(j.procs) {
			return j.procs[i]
		}
		return value{anyText}
	}
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
