package policy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// arithm walks an arithmetic expression, which may assign, and in an array's
// subscript run commands, and returns what comes out of it.
func (j *judge) arithm(x syntax.ArithmExpr) value {
	if x == nil {
		return value{""}
	}
	j.depth++
	defer func() { j.depth-- }()
	if j.depth > 4*maxDepth {
		j.step()
		return value{digits}
	}
	if n, ok := j.number(x); ok {
		return value{strconv.FormatInt(n, 10)}
	}
	if mayBeNegative(x) {
		return value{digits, "-" + digits}
	}
	return value{digits}
}

// number evaluates an expression; false if it does not always give the same.
func (j *judge) number(x syntax.ArithmExpr) (int64, bool) {
	switch n := x.(type) {
	case *syntax.Word:
		return j.numberWord(n)
	case *syntax.ParenArithm:
		return j.number(n.X)
	case *syntax.UnaryArithm:
		v, ok := j.number(n.X)
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			j.assignNumber(n.X, value{digits, "-" + digits})
			return 0, false
		}
		return calculate(&syntax.UnaryArithm{Op: n.Op, X: numeral(v)}, ok)
	case *syntax.BinaryArithm:
		return j.binaryArithm(n)
	}
	return 0, false
}

func (j *judge) binaryArithm(n *syntax.BinaryArithm) (int64, bool) {
	switch n.Op {
	case syntax.Assgn:
		v, ok := j.number(n.Y)
		val := value{digits, "-" + digits}
		if ok {
			val = value{strconv.FormatInt(v, 10)}
		}
		j.assignNumber(n.X, val)
		return v, ok
	case syntax.AndArit, syntax.OrArit, syntax.TernQuest, syntax.TernColon:
		j.number(n.X)
		j.maybe++ // what is right of these may not be evaluated
		j.number(n.Y)
		j.maybe--
		return 0, false
	}
	if n.Op >= syntax.AddAssgn && n.Op <= syntax.ShrAssgn {
		j.number(n.Y)
		j.assignNumber(n.X, value{digits, "-" + digits})
		return 0, false
	}
	x, okX := j.number(n.X)
	y, okY := j.number(n.Y)
	return calculate(&syntax.BinaryArithm{Op: n.Op, X: numeral(x), Y: numeral(y)}, okX && okY)
}

// calculate asks the library what an expression of numbers is.
func calculate(x syntax.ArithmExpr, known bool) (int64, bool) {
	if !known {
		return 0, false
	}
	n, err := expand.Arithm(nil, x)
	return int64(n), err == nil
}

func numeral(n int64) *syntax.Word { return knownWord(strconv.FormatInt(n, 10)) }

func mayBeNegative(x syntax.ArithmExpr) bool {
	negative := false
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.UnaryArithm:
			negative = negative || n.Op == syntax.Minus || n.Op == syntax.Dec || n.Op == syntax.BitNegation
		case *syntax.BinaryArithm:
			negative = negative || n.Op == syntax.Sub || n.Op == syntax.SubAssgn
		}
		return !negative
	})
	return negative
}

// numberWord is a number, a variable's name, or an expansion.
func (j *judge) numberWord(w *syntax.Word) (int64, bool) {
	at := j.src.span(w.Pos(), w.End())
	if lit := w.Lit(); validName(lit) {
		return j.numberOf(j.lookup(lit).val, at, 0)
	}
	return j.numberOf(j.expandOne(w), at, 0)
}

// numberOf evaluates what a variable or an expansion holds: bash takes it for
// an expression again, and runs what its subscripts say.
func (j *judge) numberOf(v value, at span, depth int) (int64, bool) {
	for _, s := range v {
		if _, err := strconv.ParseInt(s, 0, 64); err != nil && s != "" {
			j.subscript(s, at)
		}
	}
	switch s := one(v); {
	case len(v) != 1 || depth > 4:
		return 0, false
	case s == "":
		return 0, true
	case validName(s):
		return j.numberOf(j.lookup(s).val, at, depth+1)
	default:
		n, err := strconv.ParseInt(strings.TrimSpace(s), 0, 64)
		return n, err == nil
	}
}

// subscript judges a text that bash evaluates as arithmetic or as a subscript
// or as a prompt: it runs the command substitutions in it.
func (j *judge) subscript(s string, at span) {
	j.hidden(s, at)
	if wild(strings.ReplaceAll(s, inherited, "")) {
		j.unknown("a value that is not known is evaluated as arithmetic, which may run commands", at)
	}
}

// assignNumber is x = n inside an expression, or a[i] = n.
func (j *judge) assignNumber(x syntax.ArithmExpr, val value) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	if p, ok := w.Parts[0].(*syntax.ParamExp); ok && p.Param != nil {
		v := j.lookup(p.Param.Value)
		if p.Index != nil {
			j.index(p.Index, v.assoc)
		}
		j.assign(variable{name: v.name, array: true, assoc: v.assoc, lists: joinLists(v.asLists(), [][]string{{anyWords}})})
	} else if name := w.Lit(); validName(name) {
		if j.maybe > 0 {
			val = val.join(j.lookup(name).val)
		}
		j.dangerousAssign(name, val, j.src.span(x.Pos(), x.End()))
		j.assign(variable{name: name, val: val})
	}
}
