package policy

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// operand is what a parameter is before and after its operator: the texts that
// it may have, or the lists of an array's elements.
type operand struct {
	vals  value
	lists [][]string
	array bool
}

// param expands $x and ${x...} (bash manual, 3.5.3).
func (j *judge) param(p *syntax.ParamExp, quoted bool) piece {
	out := piece{quoted: quoted, split: !quoted, lists: [][]string{{anyText}}}
	if p.Param == nil || p.NestedParam != nil || p.Flags != nil {
		return out
	}
	name, sub := p.Param.Value, ""
	if name == "@" || name == "*" {
		name, sub = "@", name
	}
	v := j.lookup(name)
	at := j.src.span(p.Pos(), p.End())
	if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		sub = w.Lit()
	} else if p.Index != nil {
		v = j.indexed(v, p.Index)
	}
	switch {
	case p.Length:
		out.lists = [][]string{{digits}}
		return out
	case p.Names != 0 || p.Excl && sub != "":
		out.lists = [][]string{{anyWords}}
		return out
	case p.Excl:
		v = j.indirect(v, at)
	}
	o := operand{vals: v.val}
	o.array = sub != "" || p.Excl && v.array
	if o.array && p.Slice != nil && !v.array && !v.val.has(inherited) {
		o.array = false // of what is no array, its text is cut
	}
	if o.array {
		if o.lists = v.asLists(); v.assoc {
			o.lists = joinLists(o.lists, [][]string{{anyWords}}) // in whatever order, and some are gone
		}
	}
	if j.modify(&o, p, name, at); !o.array {
		o.lists = lists(orEmpty(o.vals))
	}
	out.lists, out.star = o.lists, sub == "*" && o.array
	if out.star && quoted {
		out.lists = lists(j.scalar(&out))
	}
	return out
}

// indexed returns the element of an array as a variable of its own.
func (j *judge) indexed(v variable, index syntax.ArithmExpr) variable {
	out := variable{name: v.name}
	i, err := strconv.Atoi(one(j.index(index, v.assoc)))
	switch {
	case v.assoc:
		out.val = j.elements(v)
	case err != nil || i < 0:
		out.val = j.elements(v).join(value{""})
	default:
		for _, l := range v.asLists() {
			out.val = out.val.join(value{element(l, i)})
		}
	}
	return out
}

// indirect returns what ${!x} means: the variable that x names. It is an array
// where x may name all of one.
func (j *judge) indirect(v variable, at span) variable {
	out := variable{name: v.name}
	for _, s := range v.val {
		name, sub, ok := subscripted(s)
		if s == "@" || s == "*" {
			name, sub = "@", s
		}
		w := j.lookup(name)
		switch {
		case !known(s):
			j.subscript(s, at)
			out.val = out.val.join(value{anyText})
		case sub == "@" || sub == "*":
			out.array, out.lists = true, joinLists(out.lists, w.asLists())
		case ok:
			j.subscript(sub, at)
			out.val = out.val.join(j.elements(w)).join(value{""})
		default:
			out.val = out.val.join(w.val)
		}
	}
	if out.array { // of the one or of all elements, each way is possible
		out.lists = joinLists(out.lists, lists(out.val))
	}
	return out
}

// modify applies the operator of ${x op y}.
func (j *judge) modify(o *operand, p *syntax.ParamExp, name string, at span) {
	var ops []*syntax.ParamExp // each may be meant; nil: one that is not known
	switch {
	case p.Slice != nil:
		if ops = append(ops, j.slice(*p, o.array && name == "@")); o.array && ops[0] == nil {
			o.lists = joinLists(o.lists, [][]string{{anyWords}})
			return
		}
	case p.Repl != nil:
		withs := j.expandOne(p.Repl.With)
		for _, orig := range j.patterns(p.Repl.Orig) {
			for _, with := range withs {
				ops = append(ops, nil)
				// What is in a range depends on the locale.
				if orig != nil && !strings.Contains(orig.Lit(), "[") && known(with) && !strings.ContainsAny(with, `&\`) {
					op := *p
					op.Repl = &syntax.Replace{All: p.Repl.All, Orig: orig, With: knownWord(with)}
					ops[len(ops)-1] = &op
				}
			}
		}
	case p.Exp == nil:
		return
	case p.Exp.Op >= syntax.AlternateUnset && p.Exp.Op <= syntax.AssignUnsetOrNull:
		j.defaults(o, p.Exp, name)
		return
	case p.Exp.Op == syntax.OtherParamOps:
		switch letter := p.Exp.Word.Lit(); {
		case letter == "E" && !o.array:
			o.vals = o.vals.each(ansiC)
			return
		case letter == "P": // expanded like a prompt, which runs substitutions
			for _, s := range append(slices.Concat(o.lists...), o.vals...) {
				j.subscript(s, at)
			}
		case letter == "U" || letter == "L":
			ops = append(ops, p)
		}
		if len(ops) == 0 {
			ops = append(ops, nil)
		}
	default:
		for _, w := range j.patterns(p.Exp.Word) {
			ops = append(ops, nil)
			if w != nil {
				op := *p
				op.Exp = &syntax.Expansion{Op: p.Exp.Op, Word: w}
				ops[len(ops)-1] = &op
			}
		}
	}
	o.apply(ops)
}

// apply applies operators to all that an operand may be.
func (o *operand) apply(ops []*syntax.ParamExp) {
	var vals value
	var out [][]string
	for _, op := range ops {
		for _, s := range o.vals {
			vals = vals.join(value{applyTo(op, s)})
		}
		for _, l := range o.lists {
			m := make([]string, len(l))
			for i, s := range l {
				if m[i] = applyTo(op, s); op != nil && op.Exp != nil && !known(s) && !wild(s) && !strings.Contains(s, "/") {
					m[i] = aName // a part of a name
				}
			}
			switch {
			case op == nil || op.Slice == nil || len(l) == 0:
			case slices.Contains(l, anyWords):
				m = append(slices.Clip(l), anyWords)
			default:
				m = operate(*op, l, true)
			}
			out = joinLists(out, [][]string{m})
		}
	}
	o.vals, o.lists = vals, out
}

// applyTo applies an operator to one text.
func applyTo(op *syntax.ParamExp, s string) string {
	if s == anyWords {
		return s
	}
	if op != nil && known(s) {
		if out := operate(*op, []string{s}, false); len(out) == 1 {
			return out[0]
		}
	}
	return taint(s)
}

// patterns returns what an operator's word may be as a pattern, nil where that
// is not known. What is quoted in it is escaped, since the library forgets it.
func (j *judge) patterns(w *syntax.Word) []*syntax.Word {
	v := value{""}
	for i := 0; w != nil && i < len(w.Parts); i++ {
		lit, ok := w.Parts[i].(*syntax.Lit)
		for _, p := range j.pieces(w.Parts[i:i+1], false, false) {
			text := j.scalar(&p)
			if ok {
				text = value{j.src.literal(lit.Value)}
			} else if p.quoted {
				text = text.each(func(s string) string { return pattern.QuoteMeta(s, 0) })
			}
			v = concat(v, text)
		}
	}
	out := make([]*syntax.Word, len(v))
	for i, s := range v {
		if known(s) && utf8.ValidString(s) && !strings.HasPrefix(s, "~") {
			out[i] = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
		}
	}
	return out
}

// slice returns ${x:offset:length} with its numbers, nil if they are not known.
func (j *judge) slice(op syntax.ParamExp, positional bool) *syntax.ParamExp {
	s := *op.Slice
	for i, x := range [...]*syntax.ArithmExpr{&s.Offset, &s.Length} {
		if *x == nil {
			continue
		}
		n, err := strconv.ParseInt(one(j.arithm(*x)), 10, 64)
		if positional && i == 0 {
			n-- // $0 comes before $1; -1 is what counts from the end, too
		}
		if err != nil || positional && n < 0 {
			return nil
		}
		*x = numeral(n)
	}
	op.Slice = &s
	return &op
}

// defaults is ${x:-word} and its kin.
func (j *judge) defaults(o *operand, exp *syntax.Expansion, name string) {
	v := j.expandOne(exp.Word)
	switch exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		*o = operand{vals: v.join(value{""})}
		return
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if len(o.vals) > 1 {
			o.vals = without(o.vals, "")
		}
		return
	}
	if o.array {
		o.lists = joinLists(o.lists, lists(v))
		return
	}
	full := func(s string) bool {
		return withoutHoles(s) != "" || strings.HasPrefix(s, digits) || strings.HasPrefix(s, aName)
	}
	if len(o.vals) > 0 && !slices.ContainsFunc(o.vals, func(s string) bool { return !full(s) }) {
		return
	}
	onlyUnset := exp.Op == syntax.DefaultUnset || exp.Op == syntax.AssignUnset
	if onlyUnset && o.vals.has("") {
		v = v.join(value{""}) // it may be set, to nothing
	}
	o.vals = without(o.vals, "").join(v)
	if exp.Op >= syntax.AssignUnset && validName(name) {
		j.assign(variable{name: name, val: o.vals})
	}
}

func without(v value, s string) value {
	return slices.DeleteFunc(slices.Clone(v), func(t string) bool { return t == s })
}
