package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// stay notes that the last command has changed no directory.
func (j *judge) stay() { j.env.ok, j.env.fail = j.env.dirs, j.env.dirs }

// enter goes on in dirs. What cannot be reached is judged where the shell was before.
func (j *judge) enter(dirs []string) {
	if len(dirs) > 0 {
		j.env.dirs = dirs
	}
	j.stay()
}

// ways walks several ways of which the line goes one, or with none perhaps none.
func (j *judge) ways(n int, none bool, walk func(i int)) {
	if j.stay(); n == 1 && !none {
		walk(0)
		return
	}
	before := j.env.copy()
	for i := range n {
		end := j.env.copy()
		j.env = before.copy()
		if walk(i); i > 0 || none {
			j.joinEnv(&end)
		}
	}
}

// list walks statements one after the other.
func (j *judge) list(stmts []*syntax.Stmt) {
	j.stay()
	for _, st := range stmts {
		if j.env.errexit && len(j.env.ok) > 0 {
			j.enter(j.env.ok)
		} else {
			j.enter(j.env.ok.join(j.env.fail))
		}
		j.stmt(st)
	}
}

// stmt walks one statement.
func (j *judge) stmt(st *syntax.Stmt) {
	if st.Background {
		j.subshell(func() {
			j.forks++
			j.redirected(st)
		})
	} else if j.nested(func() { j.redirected(st) }); st.Negated {
		j.env.ok, j.env.fail = j.env.fail, j.env.ok
	}
}

// redirected walks a statement's redirections, then its command with the streams that they give it.
func (j *judge) redirected(st *syntax.Stmt) {
	out := j.env.out
	to := j.redirects(st.Redirs)
	if j.cmd(st.Cmd); st.Cmd == nil && j.stdin != nil {
		j.env.write(j.stdin) // $(<file)
	}
	for _, f := range to.files { // in case the line runs it later
		j.keepFile(f, j.env.out, to.append)
	}
	if to.moved {
		j.env.out = out
	}
}

func (j *judge) cmd(cmd syntax.Command) {
	j.stay()
	switch n := cmd.(type) {
	case *syntax.CallExpr:
		j.simple(n)
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			j.pipeline(n)
		} else {
			j.chain(n)
		}
	case *syntax.Block:
		j.list(n.Stmts)
	case *syntax.Subshell:
		j.subshell(func() { j.list(n.Stmts) })
	case *syntax.IfClause:
		j.ifClause(n)
	case *syntax.WhileClause:
		j.while(n)
	case *syntax.ForClause:
		j.forLoop(n)
	case *syntax.CaseClause:
		j.caseClause(n)
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
			j.stmt(n.Stmt)
		}
	case *syntax.CoprocClause:
		j.capture(func() {
			j.stdin = nil
			j.stmt(n.Stmt)
		})
		if n.Name != nil {
			j.expandOne(n.Name)
		}
	case nil:
	default:
		j.unknown("this form of command is not known here", j.src.spanOf(cmd.Pos(), cmd.End()))
	}
}

// subshell walks what cannot change this shell.
func (j *judge) subshell(walk func()) {
	before := j.env.copy()
	j.nested(walk)
	before.out = j.env.out
	j.env = before
	j.stay()
}

// chain walks a && b || c: what is right of an operator may run or not.
func (j *judge) chain(n *syntax.BinaryCmd) {
	left, right := []*syntax.Stmt{n.X}, func() { j.stmt(n.Y) }
	if n.Op == syntax.OrStmt {
		j.branch(left, func() { j.env.fail = nil }, right)
	} else {
		j.branch(left, right, func() { j.env.ok = nil })
	}
}

// pipeline walks a | b: each in a shell of its own, the second reading what the first wrote.
func (j *judge) pipeline(n *syntax.BinaryCmd) {
	j.subshell(func() {
		j.forks++
		j.stdin = j.capture(func() { j.stmt(n.X) })
		j.stmt(n.Y)
	})
}

// condition walks commands whose failure does not end a shell under set -e.
func (j *judge) condition(stmts []*syntax.Stmt) {
	errexit := j.env.errexit
	j.env.errexit = false
	j.list(stmts)
	j.env.errexit = j.env.errexit || errexit
}

// branch walks what runs when a condition holds, or when it does not.
func (j *judge) branch(cond []*syntax.Stmt, then, otherwise func()) {
	j.condition(cond)
	ok, fail := j.env.ok, j.env.fail
	j.ways(2, false, func(i int) {
		if i == 0 {
			j.enter(ok)
			then()
		} else {
			j.enter(fail)
			otherwise()
		}
	})
}

func (j *judge) ifClause(n *syntax.IfClause) {
	if len(n.Cond) == 0 { // else
		j.list(n.Then)
		return
	}
	j.branch(n.Cond, func() { j.list(n.Then) }, func() {
		if n.Else != nil {
			j.ifClause(n.Else)
		} else {
			j.env.fail = nil
		}
	})
}

func (j *judge) caseClause(n *syntax.CaseClause) {
	j.expandOne(n.Word)
	for _, item := range n.Items {
		for _, p := range item.Patterns {
			j.expandOne(p)
		}
	}
	j.ways(len(n.Items), true, func(i int) {
		j.list(n.Items[i].Stmts)
		for ; n.Items[i].Op != syntax.Break && i+1 < len(n.Items); i++ { // ;& and ;;& go on in the next item
			j.ways(1, true, func(int) { j.list(n.Items[i+1].Stmts) })
		}
	})
}

func (j *judge) while(n *syntax.WhileClause) {
	j.endless(n)
	j.loop(func() {
		j.condition(n.Cond)
		ok, fail := j.env.ok, j.env.fail
		if n.Until {
			ok, fail = fail, ok
		}
		j.exit(false, false, fail)
		j.enter(ok)
		j.list(n.Do)
	})
}

func (j *judge) forLoop(n *syntax.ForClause) {
	switch l := n.Loop.(type) {
	case *syntax.CStyleLoop:
		j.arithm(l.Init)
		j.loop(func() {
			j.arithm(l.Cond)
			j.list(n.Do)
			j.arithm(l.Post)
		})
	case *syntax.WordIter:
		var items value
		words := l.Items
		if !l.InPos.IsValid() {
			words = []*syntax.Word{allArguments}
		}
		for _, w := range words {
			for _, f := range j.allWords(w) {
				items = items.join(value{f.asName()})
			}
		}
		if n.Select {
			items = items.join(value{""})
		}
		at := j.src.spanOf(l.Pos(), l.End())
		j.loop(func() {
			j.assignText(l.Name.Value, items, 0, at)
			j.list(n.Do)
		})
	}
}

// maxRounds is how often a loop's body is walked before what it changes is taken for anything.
const maxRounds = 5

// loop walks a body until the state at its start does not change any more.
func (j *judge) loop(body func()) {
	out := j.env.out
	for round := 0; !j.spent; round++ {
		before := j.env.copy()
		j.framed(&frame{}, func() {
			body()
			j.enter(j.env.ok.join(j.env.fail))
		})
		if j.joinEnv(&before); round >= maxRounds {
			j.forget(&before)
		}
		if j.env.equal(&before) {
			break
		}
		if round > maxRounds {
			j.unknown("the loop changes more than is followed", j.src.span)
			break
		}
	}
	j.stay()
	if !slices.Equal(out, j.env.out) {
		j.env.out = j.env.out.join(value{j.env.out.taint()}) // it may be there more often
	}
}

// forget takes all that a loop changes for anything beside what it was, so that this comes to an end.
func (j *judge) forget(before *env) {
	if !slices.Equal(j.env.dirs, before.dirs) {
		j.env.dirs = before.dirs.join(value{anyText})
	}
	for name, v := range j.env.vars {
		if old := before.vars[name]; !v.equal(old) {
			j.env.set(name, variable{old.lists.join(value{v.lists.taint()}), v.attrs})
		}
	}
}

// framed walks the body of a loop or function: the ways out of it meet at its end.
func (j *judge) framed(fr *frame, body func()) {
	fr.outer, fr.forks = j.frame, j.forks
	j.frame = fr
	body()
	for i := range fr.exits {
		j.joinEnv(&fr.exits[i])
	}
	j.frame = fr.outer
}

// exit records a way out of the innermost loop or function, or of any of them.
func (j *judge) exit(function, any bool, dirs []string) {
	e := j.env.copy()
	e.dirs, e.ok, e.fail = dirs, dirs, dirs
	for fr := j.frame; fr != nil && len(dirs) > 0; fr = fr.outer {
		if (fr.function != "") == function {
			if fr.exits = append(fr.exits, e); !any {
				return
			}
		}
	}
}

// testExpr walks [[ ... ]]. Its arithmetic operators and -v evaluate subscripts, which run commands.
func (j *judge) testExpr(x syntax.TestExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			for _, x := range [...]syntax.TestExpr{n.X, n.Y} {
				if w, ok := x.(*syntax.Word); ok && n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
					j.numberWord(w)
				}
			}
		case *syntax.UnaryTest:
			if w, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) {
				for _, s := range j.expandOne(w) {
					j.subscript(s, j.src.spanOf(w.Pos(), w.End()))
				}
			}
		case *syntax.Word:
			j.expandOne(n)
			return false
		}
		return !j.spent
	})
}
