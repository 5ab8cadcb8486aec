package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// flow is where a command leaves the shell: its directories when it succeeded
// and when it failed. None: it does not come back (exit).
type flow struct{ ok, fail []string }

func (f flow) any() []string { return addDirs(f.ok, f.fail) }

// or is the flow of one command or another.
func (f flow) or(g flow) flow { return flow{addDirs(f.ok, g.ok), addDirs(f.fail, g.fail)} }

// same is the flow of a command that changes no directory.
func (j *judge) same() flow { return flow{j.env.dirs, j.env.dirs} }

// ways walks several ways that a line may go from here, of which it goes one;
// with none too, it may go none of them.
func (j *judge) ways(n int, none bool, walk func(i int) flow) (f flow) {
	before, out := j.env.copy(), j.choice()
	if none {
		f = j.same()
		out.way()
	}
	for i := range n {
		end := j.env.copy()
		j.env = before.copy()
		out.way()
		f = f.or(walk(i))
		if i > 0 || none {
			j.joinEnv(&end)
		}
	}
	out.end()
	return f
}

// branches is ways for the branches of a clause.
func (j *judge) branches(n int, none bool, walk func(i int) flow) flow {
	mark := j.out.mark()
	f := j.ways(n, none, walk)
	j.out.loosen(mark)
	return f
}

// list walks statements one after the other.
func (j *judge) list(stmts []*syntax.Stmt) flow {
	f := j.same()
	for i, st := range stmts {
		switch {
		case i == 0:
		case j.env.errexit && len(f.ok) > 0:
			j.enter(f.ok)
		default:
			j.enter(f.any())
		}
		f = j.stmt(st)
	}
	return f
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
		return j.subshell(func() {
			j.forks += inBackground
			j.redirected(st)
			j.forks -= inBackground
		})
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
	f := j.cmd(st.Cmd)
	if st.Cmd == nil && j.out != nil && j.stdin != nil {
		j.out.add(j.stdin) // $(<file)
	}
	for _, f := range to.files { // in case the line runs it later
		j.keepFile(f, to.sink.value(), to.append)
	}
	return f
}

func (j *judge) cmd(cmd syntax.Command) flow {
	switch n := cmd.(type) {
	case *syntax.CallExpr:
		return j.simple(n)
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			return j.pipeline(n)
		}
		return j.chain(n)
	case *syntax.Block:
		return j.list(n.Stmts)
	case *syntax.Subshell:
		return j.subshell(func() { j.list(n.Stmts) })
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
			return j.stmt(n.Stmt)
		}
	case *syntax.CoprocClause:
		stdin, out := j.stdin, j.out
		j.stdin, j.out = nil, nil
		j.subshell(func() { j.stmt(n.Stmt) })
		j.stdin, j.out = stdin, out
		if n.Name != nil {
			j.expandOne(n.Name)
		}
	case nil:
	default:
		j.unknown("this form of command is not known here", j.src.span(cmd.Pos(), cmd.End()))
	}
	return j.same()
}

// subshell walks what cannot change this shell.
func (j *judge) subshell(walk func()) flow {
	saved := j.env.copy()
	walk()
	j.env = saved
	return j.same()
}

// stages returns what hangs together by one of two operators, the last first:
// chains hang to the left, and a long one must not be a deep one.
func stages(n *syntax.BinaryCmd, a, b syntax.BinCmdOperator) (first *syntax.Stmt, rest []*syntax.BinaryCmd) {
	for {
		rest = append(rest, n)
		x, ok := n.X.Cmd.(*syntax.BinaryCmd)
		if !ok || x.Op != a && x.Op != b || n.X.Negated || n.X.Background || len(n.X.Redirs) > 0 {
			return n.X, rest
		}
		n = x
	}
}

// chain walks a && b || c: what is right of an operator may run or not.
func (j *judge) chain(n *syntax.BinaryCmd) flow {
	first, links := stages(n, syntax.AndStmt, syntax.OrStmt)
	f := j.condition([]*syntax.Stmt{first})
	for _, n := range slices.Backward(links) {
		left := f
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
		f = flow{right.ok, addDirs(left.fail, right.fail)}
		if n.Op == syntax.OrStmt {
			f = flow{addDirs(left.ok, right.ok), right.fail}
		}
	}
	return f
}

// pipeline walks a | b | c: each in a shell of its own, reading what the one
// before it wrote.
func (j *judge) pipeline(n *syntax.BinaryCmd) flow {
	first, rest := stages(n, syntax.Pipe, syntax.PipeAll)
	stdin, out := j.stdin, j.out
	j.forks++
	for i := len(rest); i >= 0; i-- {
		var next sink
		st := first
		if j.out = &next; i == 0 {
			j.out = out
		}
		if i < len(rest) {
			st = rest[i].Y
		}
		j.subshell(func() { j.stmt(st) })
		j.stdin = next.value()
	}
	j.forks--
	j.stdin, j.out = stdin, out
	return j.same()
}

// condition walks commands whose failure does not end a shell under set -e.
func (j *judge) condition(stmts []*syntax.Stmt) flow {
	errexit := j.env.errexit
	j.env.errexit = false
	f := j.list(stmts)
	j.env.errexit = j.env.errexit || errexit
	return f
}

func (j *judge) ifClause(n *syntax.IfClause) flow {
	if len(n.Cond) == 0 { // else
		return j.list(n.Then)
	}
	cond := j.condition(n.Cond)
	return j.branches(2, false, func(i int) flow {
		if i == 0 {
			j.enter(cond.ok)
			return j.list(n.Then)
		}
		if j.enter(cond.any()); len(cond.fail) > 0 {
			j.enter(cond.fail)
		}
		if n.Else == nil {
			return flow{j.env.dirs, nil}
		}
		return j.ifClause(n.Else)
	})
}

func (j *judge) caseClause(n *syntax.CaseClause) flow {
	j.expandOne(n.Word)
	for _, item := range n.Items {
		for _, p := range item.Patterns {
			j.expandOne(p)
		}
	}
	var through *env // ;& and ;;& go on in the next item
	return j.branches(len(n.Items), true, func(i int) flow {
		if through != nil {
			j.joinEnv(through)
		}
		f := j.list(n.Items[i].Stmts)
		if n.Items[i].Op != syntax.Break {
			end := j.env.copy()
			through = &end
		}
		return f
	})
}

func (j *judge) while(n *syntax.WhileClause) flow {
	j.endless(n)
	return j.loop(func() flow {
		cond := j.condition(n.Cond)
		if n.Until {
			cond.ok, cond.fail = cond.fail, cond.ok
		}
		j.exit(false, cond.fail)
		j.enter(cond.ok)
		return j.list(n.Do)
	})
}

func (j *judge) forLoop(n *syntax.ForClause) flow {
	switch l := n.Loop.(type) {
	case *syntax.CStyleLoop:
		j.arithm(l.Init)
		return j.loop(func() flow {
			j.arithm(l.Cond)
			f := j.list(n.Do)
			j.arithm(l.Post)
			return f
		})
	case *syntax.WordIter:
		items := j.items(l)
		if n.Select {
			items = items.join(value{""})
		}
		return j.loop(func() flow {
			j.assign(variable{name: l.Name.Value, val: items})
			return j.list(n.Do)
		})
	}
	return j.same()
}

// items returns what a for loop's variable may be.
func (j *judge) items(l *syntax.WordIter) (items value) {
	if !l.InPos.IsValid() {
		return j.elements(j.lookup("@"))
	}
	for _, argv := range j.expandAll(l.Items) {
		for _, f := range argv {
			items = items.join(value{f.asName()})
		}
	}
	return orEmpty(items)
}

// maxRounds is how often a loop's body is walked before what it changes is
// taken for anything.
const maxRounds = 5

// loop walks a body until the state at its start does not change any more.
func (j *judge) loop(body func() flow) flow {
	j.frames = append(j.frames, frame{forks: j.forks})
	mark, again := j.out.mark(), j.again
	for round := 0; ; round++ {
		before := j.env.copy()
		j.enter(body().any())
		top := &j.frames[len(j.frames)-1]
		for i := range top.exits {
			j.joinEnv(&top.exits[i])
		}
		top.exits = top.exits[:0]
		j.joinEnv(&before)
		if j.env.equal(&before) || round > maxRounds || j.spent {
			break
		}
		j.again = true
		if round == maxRounds {
			j.havoc(&before)
		}
	}
	j.again = again
	j.frames = j.frames[:len(j.frames)-1]
	j.out.loosen(mark)
	return j.same()
}

// havoc takes everything that a loop changes for anything.
func (j *judge) havoc(before *env) {
	j.env.dirs = addDirs(j.env.dirs, []string{anyText})
	for name, v := range j.env.vars {
		if !v.equal(before.vars[name]) {
			if v.val = v.val.join(value{v.val.taint()}); v.array {
				v.lists = joinLists(v.lists, [][]string{{anyWords}})
			}
			j.env.set(v)
		}
	}
}

// exit records a way out of the innermost loop or function.
func (j *judge) exit(function bool, dirs []string) {
	for i := len(j.frames) - 1; i >= 0 && len(dirs) > 0; i-- {
		if (j.frames[i].function != "") == function {
			e := j.env.copy()
			e.dirs = dirs
			j.frames[i].exits = append(j.frames[i].exits, e)
			return
		}
	}
}
