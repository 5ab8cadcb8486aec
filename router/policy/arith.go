package policy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// anyNumber is what comes out of arithmetic that is not followed.
var anyNumber = value{digits, "-" + digits}

// arithm walks an arithmetic expression, which may assign and run commands in subscripts, and calculates it where it is numbers alone.
func (j *judge) arithm(x syntax.ArithmExpr) string {
	if x == nil {
		return ""
	}
	sure, negative, names := true, false, map[string]string{}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			number := j.numberWord(n)
			sure = sure && number && n.Lit() != ""
			names[n.Lit()] = one(j.valueOf(n.Lit()))
			return false
		case *syntax.UnaryArithm:
			negative = negative || n.Op == syntax.Minus || n.Op == syntax.Dec || n.Op == syntax.BitNegation
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				sure = false
				j.assignNumber(n.X, anyNumber)
			}
		case *syntax.BinaryArithm:
			negative = negative || n.Op == syntax.Sub || n.Op == syntax.SubAssgn
			if n.Op == syntax.Assgn || n.Op >= syntax.AddAssgn && n.Op <= syntax.ShrAssgn {
				v := value{j.arithm(n.Y)}
				if sure = false; n.Op != syntax.Assgn {
					j.arithm(n.X)
					v = anyNumber
				}
				if n != x { // it may not be evaluated
					v = v.join(anyNumber).join(value{inherited})
				}
				j.assignNumber(n.X, v)
				return false
			}
		}
		return !j.spent
	})
	if sure {
		env := expand.FuncEnviron(func(name string) string { return names[name] })
		if n, err := expand.Arithm(&expand.Config{Env: env}, x); err == nil {
			return strconv.Itoa(n)
		}
	}
	if negative {
		return j.pickOf(anyNumber)
	}
	return digits
}

// numberWord walks a number, a variable's name or an expansion, and reports whether it is a number.
func (j *judge) numberWord(w *syntax.Word) bool {
	at := j.src.spanOf(w.Pos(), w.End())
	if lit := w.Lit(); validName(lit) {
		return j.evaluate(j.valueOf(lit), at)
	}
	return j.evaluate(j.expandOne(w), at)
}

// evaluate looks at what a variable or an expansion holds: bash takes it for an expression again.
func (j *judge) evaluate(v value, at span) (number bool) {
	number = len(v) == 1
	for _, s := range v {
		if n, err := strconv.Atoi(s); err != nil || strconv.Itoa(n) != s {
			number = false
			j.subscript(s, at)
		}
	}
	return number
}

// subscript judges a text that bash evaluates as arithmetic, subscript or prompt, with the substitutions in it.
func (j *judge) subscript(s string, at span) {
	j.hidden(s, at)
	if wild(strings.ReplaceAll(s, inherited, "")) {
		j.unknown("a value that is not known is evaluated as arithmetic, which may run commands", at)
	}
}

// assignNumber is x = n inside an expression, or a[i] = n.
func (j *judge) assignNumber(x syntax.ArithmExpr, v value) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	at := j.src.spanOf(x.Pos(), x.End())
	if p, ok := w.Parts[0].(*syntax.ParamExp); ok {
		name, old := p.Param.Value, j.lookup(p.Param.Value)
		j.index(p.Index, old.attrs)
		j.assign(name, old.lists.join(value{anyWords}), 0, at)
	} else if name := w.Lit(); validName(name) {
		j.assignText(name, v, 0, at)
	}
}
