package policy

import (
	"mvdan.cc/sh/v3/syntax"
)

// flow is where a command leaves the shell: its directories when it succeeded
// and when it failed. None: it does not come back (exit).
type flow struct{ ok, fail []string }

func (f flow) any() []string { return addDirs(f.ok, f.fail) }

// same is the flow of a command that changes no directory.
func (j *judge) same() flow { return flow{j.env.dirs, j.env.dirs} }

// list walks statements one after the other.
func (j *judge) list(stmts []*syntax.Stmt) flow {
	f := j.same()
	for i, st := range stmts {
		if i > 0 {
			j.enter(j.after(f))
		}
		f = j.stmt(st)
	}
	return f
}

// after is where the next command of a list starts.
func (j *judge) after(f flow) []string {
	if j.env.errexit && len(f.ok) > 0 {
		return f.ok
	}
	return f.any()
}

// enter goes on in dirs. What cannot be reached is judged all the same, where
// the shell was before.
func (j *judge) enter(dirs []string) {
	if len(dirs) > 0 {
		j.env.dirs = dirs
	}
}

// stmt walks one statement with its redirections.
func (j *judge) stmt(st *syntax.Stmt) flow {
	if !j.step() {
		return j.same()
	}
	j.depth++
	defer func() { j.depth-- }()
	if st.Background {
		saved, selves := j.env.copy(), len(j.selves)
		j.forks++
		j.redirected(st)
		j.forks--
		j.countFork(selves)
		j.env = saved
		return j.same()
	}
	f := j.redirected(st)
	if st.Negated {
		f.ok, f.fail = f.fail, f.ok
	}
	return f
}

// step counts, and reports whether there is still budget.
func (j *judge) step() bool {
	j.steps++
	if j.steps > maxSteps || j.depth > maxDepth {
		j.overspent()
		return false
	}
	return true
}

// overspent records that the line is not judged to its end.
func (j *judge) overspent() {
	if !j.spent {
		j.spent = true
		j.cap("the line is too big or too deep to be judged to its end")
	}
}

// redirected walks a statement's redirections, then its command with the
// streams that they give it.
func (j *judge) redirected(st *syntax.Stmt) flow {
	if len(st.Redirs) == 0 {
		return j.cmd(st.Cmd)
	}
	stdin, out := j.stdin, j.out
	defer func() { j.stdin, j.out = stdin, out }()
	to := j.redirects(st.Redirs)
	f := j.same()
	if st.Cmd != nil {
		f = j.cmd(st.Cmd)
	} else if j.out != nil && j.stdin != nil {
		j.out.add(j.stdin) // $(<file)
	}
	j.fileWritten(to)
	return f
}

func (j *judge) cmd(cmd syntax.Command) flow {
	switch n := cmd.(type) {
	case *syntax.CallExpr:
		return j.simple(n)
	case *syntax.BinaryCmd:
		return j.binary(n)
	case *syntax.Block:
		return j.list(n.Stmts)
	case *syntax.Subshell:
		return j.subshell(n.Stmts)
	case *syntax.IfClause:
		return j.ifClause(n)
	case *syntax.WhileClause:
		return j.while(n)
	case *syntax.ForClause:
		return j.forLoop(n)
	case *syntax.CaseClause:
		return j.caseClause(n)
	case *syntax.FuncDecl:
		j.funcDecl(n)
	case *syntax.ArithmCmd:
		j.arithm(n.X)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			j.arithm(x)
		}
	case *syntax.TestClause:
		j.testExpr(n.X)
	case *syntax.DeclClause:
		j.declClause(n)
	case *syntax.TimeClause:
		if n.Stmt != nil {
			return j.stmt(withoutDashes(n.Stmt))
		}
	case *syntax.CoprocClause:
		return j.coproc(n)
	case nil:
	default:
		j.unknown("this form of command is not known here", j.src.span(cmd.Pos(), cmd.End()))
	}
	return j.same()
}

// withoutDashes takes away the -- that may end time's options: the parser takes
// it for the command.
func withoutDashes(st *syntax.Stmt) *syntax.Stmt {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) < 2 || call.Args[0].Lit() != "--" {
		return st
	}
	inner, outer := *call, *st
	inner.Args, outer.Cmd = call.Args[1:], &inner
	return &outer
}

// subshell walks commands that cannot change this shell.
func (j *judge) subshell(stmts []*syntax.Stmt) flow {
	saved := j.env.copy()
	j.list(stmts)
	j.env = saved
	return j.same()
}

func (j *judge) coproc(n *syntax.CoprocClause) flow {
	saved := j.env.copy()
	stdin, out := j.stdin, j.out
	j.stdin, j.out = nil, nil
	j.stmt(n.Stmt)
	j.env, j.stdin, j.out = saved, stdin, out
	if n.Name != nil {
		j.expandAll([]*syntax.Word{n.Name})
	}
	return j.same()
}

// binary walks a chain of && || or a pipeline. Chains hang to the left, so they
// are unrolled: a long one must not be a deep one.
func (j *judge) binary(n *syntax.BinaryCmd) flow {
	if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
		return j.pipeline(n)
	}
	var links []*syntax.BinaryCmd
	var first *syntax.Stmt
	for {
		links = append(links, n)
		b, ok := n.X.Cmd.(*syntax.BinaryCmd)
		first = n.X
		if !ok || b.Op == syntax.Pipe || b.Op == syntax.PipeAll || n.X.Negated || n.X.Background || len(n.X.Redirs) > 0 {
			break
		}
		n = b
	}
	f := j.chained(first)
	for i := len(links) - 1; i >= 0; i-- {
		f = j.link(links[i], f)
	}
	return f
}

// chained walks a command whose failure does not end a shell under set -e.
func (j *judge) chained(st *syntax.Stmt) flow {
	errexit := j.env.errexit
	j.env.errexit = false
	f := j.stmt(st)
	j.env.errexit = j.env.errexit || errexit
	return f
}

// link walks the right side of && or ||, which may run or not.
func (j *judge) link(n *syntax.BinaryCmd, left flow) flow {
	start := left.ok
	if n.Op == syntax.OrStmt {
		start = left.fail
	}
	if len(start) == 0 {
		start = left.any()
	}
	j.enter(start)
	before := j.env.copy()
	right := j.stmt(n.Y)
	j.joinEnv(&before)
	if n.Op == syntax.OrStmt {
		return flow{addDirs(left.ok, right.ok), right.fail}
	}
	return flow{right.ok, addDirs(left.fail, right.fail)}
}

// joinEnv makes the present state one of two ways that the line may have gone.
func (j *judge) joinEnv(other *env) { j.env.join(other, j.outside) }

// pipeline walks a | b | c: each in a shell of its own, reading what the one
// before it wrote.
func (j *judge) pipeline(n *syntax.BinaryCmd) flow {
	var stages []*syntax.Stmt
	x := n.X
	stages = append(stages, n.Y)
	for {
		b, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll || x.Negated || x.Background || len(x.Redirs) > 0 {
			break
		}
		stages = append(stages, b.Y)
		x = b.X
	}
	stages = append(stages, x)
	stdin, out := j.stdin, j.out
	j.forks++
	selves := j.selfCalls()
	for i := len(stages) - 1; i >= 0; i-- {
		saved := j.env.copy()
		var next sink
		if i > 0 {
			j.out = &next
		} else {
			j.out = out
		}
		j.stmt(stages[i])
		j.env = saved
		j.stdin = next.value()
	}
	j.forks--
	j.stdin, j.out = stdin, out
	if j.selfCalls()-selves > 1 {
		j.forkBomb(j.src.span(n.Pos(), n.End()))
	}
	return j.same()
}
