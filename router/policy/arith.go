package policy

import (
	"math"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmMay is arithm of an expression that may be missing.
func (j *judge) arithmMay(x syntax.ArithmExpr) value {
	if x == nil {
		return value{""}
	}
	return j.arithm(x)
}

// arithm walks an arithmetic expression, which may assign, and in an array's
// subscript run commands, and returns what comes out of it.
func (j *judge) arithm(x syntax.ArithmExpr) value {
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
		return j.unary(n)
	case *syntax.BinaryArithm:
		return j.binaryArithm(n)
	}
	return 0, false
}

// numberWord is a number, a variable's name, or an expansion.
func (j *judge) numberWord(w *syntax.Word) (int64, bool) {
	at := j.src.span(w.Pos(), w.End())
	if lit := w.Lit(); lit != "" && validName(lit) {
		return j.numberOf(j.lookup(lit).val, at, 0)
	}
	if len(w.Parts) == 1 {
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok && !p.Dollar.IsValid() { // a[i]
			return j.numberOf(j.param(p, true).vals, at, 0)
		}
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
	if len(v) != 1 || depth > 4 {
		return 0, false
	}
	if v[0] == "" {
		return 0, true
	}
	if validName(v[0]) {
		return j.numberOf(j.lookup(v[0]).val, at, depth+1)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v[0]), 0, 64)
	return n, err == nil
}

// subscript judges a text that bash evaluates as arithmetic or as a subscript
// or as a prompt: it runs the command substitutions in it.
func (j *judge) subscript(s string, at span) {
	if known(s) {
		j.hidden(s, at)
		return
	}
	text := holesToVariables(s)
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		outer := j.src
		j.src = &source{text: text, start: at.start, end: at.end, made: true, holes: true, outer: outer}
		j.hidden(text, at)
		j.src = outer
	}
	if wild(strings.ReplaceAll(s, inherited, "")) {
		j.unknown("a value that is not known is evaluated as arithmetic, which may run commands", at)
	}
}

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

func (j *judge) unary(n *syntax.UnaryArithm) (int64, bool) {
	v, ok := j.number(n.X)
	switch n.Op {
	case syntax.Inc, syntax.Dec:
		j.assignNumber(n.X, 0, false)
		return 0, false
	case syntax.Minus:
		return -v, ok
	case syntax.Plus:
		return v, ok
	case syntax.BitNegation:
		return ^v, ok
	case syntax.Not:
		return truth(v == 0), ok
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (j *judge) binaryArithm(n *syntax.BinaryArithm) (int64, bool) {
	if assigns(n.Op) {
		v, ok := j.number(n.Y)
		ok = ok && n.Op == syntax.Assgn
		j.assignNumber(n.X, v, ok)
		return v, ok
	}
	x, okX := j.number(n.X)
	may := 0
	switch n.Op {
	case syntax.AndArit, syntax.OrArit, syntax.TernQuest, syntax.TernColon:
		may = 1 // what is right of these may not be evaluated
	}
	j.maybe += may
	y, okY := j.number(n.Y)
	j.maybe -= may
	if n.Op == syntax.Comma {
		return y, okY
	}
	if !okX || !okY {
		return 0, false
	}
	return calculate(n.Op, x, y)
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}

func calculate(op syntax.BinAritOperator, x, y int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return x + y, true
	case syntax.Sub:
		return x - y, true
	case syntax.Mul:
		return x * y, true
	case syntax.Quo, syntax.Rem:
		if y == 0 || x == math.MinInt64 {
			return 0, false
		}
		if op == syntax.Quo {
			return x / y, true
		}
		return x % y, true
	case syntax.And:
		return x & y, true
	case syntax.Or:
		return x | y, true
	case syntax.Xor:
		return x ^ y, true
	case syntax.Shl:
		return x << (uint64(y) & 63), true
	case syntax.Shr:
		return x >> (uint64(y) & 63), true
	}
	return 0, false
}

// assignNumber is x = n inside an expression.
func (j *judge) assignNumber(x syntax.ArithmExpr, n int64, ok bool) {
	w, isWord := x.(*syntax.Word)
	if !isWord {
		return
	}
	name := w.Lit()
	if len(w.Parts) == 1 {
		if p, isParam := w.Parts[0].(*syntax.ParamExp); isParam && p.Param != nil {
			if p.Index != nil {
				j.index(p.Index, j.lookup(p.Param.Value).assoc)
			}
			v := j.lookup(p.Param.Value)
			j.assign(variable{name: v.name, array: true, assoc: v.assoc, lists: joinLists(v.asLists(), [][]string{{anyWords}})})
			return
		}
	}
	if !validName(name) {
		return
	}
	val := value{digits, "-" + digits}
	if ok {
		val = value{strconv.FormatInt(n, 10)}
	}
	if j.maybe > 0 {
		val = val.join(j.lookup(name).val)
	}
	j.dangerousAssign(name, val, j.src.span(x.Pos(), x.End()))
	j.assign(variable{name: name, val: val})
}
