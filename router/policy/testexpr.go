package policy

import "mvdan.cc/sh/v3/syntax"

// testExpr walks [[ ... ]]. Its arithmetic operators and -v evaluate
// subscripts, which run commands.
func (j *judge) testExpr(x syntax.TestExpr) {
	j.depth++
	defer func() { j.depth-- }()
	if j.depth > 4*maxDepth {
		j.step()
		return
	}
	switch n := x.(type) {
	case *syntax.Word:
		j.expandOne(n)
	case *syntax.ParenTest:
		j.testExpr(n.X)
	case *syntax.UnaryTest:
		w, ok := n.X.(*syntax.Word)
		if !ok {
			j.testExpr(n.X)
			return
		}
		v := j.expandOne(w)
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			for _, s := range v {
				j.subscript(s, j.src.span(w.Pos(), w.End()))
			}
		}
	case *syntax.BinaryTest:
		j.binaryTest(n)
	}
}

func (j *judge) binaryTest(n *syntax.BinaryTest) {
	x, okX := n.X.(*syntax.Word)
	y, okY := n.Y.(*syntax.Word)
	if !okX || !okY {
		j.testExpr(n.X)
		j.testExpr(n.Y)
		return
	}
	switch n.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, w := range [...]*syntax.Word{x, y} {
			j.numberWordTest(w)
		}
	default:
		j.expandOne(x)
		j.expandOne(y)
	}
}

// numberWordTest is an operand of -eq and the like.
func (j *judge) numberWordTest(w *syntax.Word) {
	at := j.src.span(w.Pos(), w.End())
	if lit := w.Lit(); validName(lit) {
		j.numberOf(j.lookup(lit).val, at, 0)
		return
	}
	j.numberOf(j.expandOne(w), at, 0)
}
