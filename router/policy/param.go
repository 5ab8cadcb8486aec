package policy

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and ${x...} (bash manual, 3.5.3).
func (j *judge) param(p *syntax.ParamExp, quoted bool) piece {
	out := piece{quoted: quoted, split: !quoted}
	if p.Param == nil || p.NestedParam != nil || p.Flags != nil {
		out.vals = value{anyText}
		return out
	}
	name := p.Param.Value
	v := j.lookup(name)
	if name == "*" {
		v = j.lookup("@")
	}
	at := j.src.span(p.Pos(), p.End())
	all := name == "@" || name == "*" || isAll(p.Index)
	if p.Index != nil && !isAll(p.Index) {
		v = j.indexed(v, p.Index, at)
	}
	switch {
	case p.Length:
		out.vals = value{digits}
		return out
	case p.Names != 0:
		out.lists = [][]string{{anyWords}}
		return out
	case p.Excl && all:
		out.lists = [][]string{{anyWords}}
		return out
	case p.Excl:
		v = j.indirect(v, at)
	}
	if all {
		out.lists = v.asLists()
	} else {
		out.vals = v.val
		if p.Excl && v.array {
			out.lists = v.lists
		}
	}
	j.modify(&out, p, name, at)
	if out.lists != nil && (name == "*" || p.Index != nil && isStar(p.Index)) {
		out.vals, out.joined = j.joinStar(out.lists), true
		if quoted {
			out.lists = nil
		}
	}
	if out.lists == nil && len(out.vals) == 0 {
		out.vals = value{""}
	}
	return out
}

// joinStar is "$*": the words with the first character of IFS between.
func (j *judge) joinStar(lists [][]string) value {
	var v value
	ifs := j.lookup("IFS").val
	if len(ifs) == 0 {
		ifs = value{" "} // not set
	}
	for _, s := range ifs {
		switch {
		case s == "":
			v = v.join(joinWith(lists, ""))
		case s[0] == hole:
			v = v.join(joinWith(lists, anyText))
		default:
			v = v.join(joinWith(lists, s[:1]))
		}
	}
	return v
}

// joinWith makes one word of several.
func joinWith(lists [][]string, sep string) value {
	var v value
	for _, l := range lists {
		text := strings.Join(l, sep)
		if strings.Contains(text, anyWords) {
			text = anyText
		}
		v = v.join(value{text})
	}
	return v
}

// isStar reports whether a subscript is *.
func isStar(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && w.Lit() == "*"
}

// isAll reports whether a subscript is @ or *.
func isAll(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	if !ok {
		return false
	}
	lit := w.Lit()
	return lit == "@" || lit == "*"
}

// indexed returns the element of an array as a variable of its own.
func (j *judge) indexed(v variable, index syntax.ArithmExpr, at span) variable {
	if v.assoc {
		if w, ok := index.(*syntax.Word); ok {
			j.expandOne(w)
		} else {
			j.arithm(index)
		}
		return variable{name: v.name, val: j.elements(v)}
	}
	n := j.arithm(index)
	i, err := strconv.Atoi(one(n))
	if err != nil || i < 0 {
		return variable{name: v.name, val: j.elements(v).join(value{""})}
	}
	out := variable{name: v.name}
	for _, l := range v.asLists() {
		out.val = out.val.join(value{element(l, i)})
	}
	return out
}

// one is the only text of a value, or "".
func one(v value) string {
	if len(v) == 1 {
		return v[0]
	}
	return ""
}

// indirect returns what ${!x} means: the variable that x names. It is an array
// where x may name all of one.
func (j *judge) indirect(v variable, at span) variable {
	out := variable{name: v.name}
	for _, s := range v.val {
		if !known(s) {
			j.subscript(s, at)
			out.val = out.val.join(value{anyText})
			continue
		}
		name, sub, ok := subscripted(s)
		if ok && (sub == "@" || sub == "*") || s == "@" || s == "*" {
			if !ok {
				name = "@"
			}
			v := j.lookup(name)
			out.array, out.lists = true, joinLists(out.lists, v.asLists())
			continue
		}
		if ok {
			j.subscript(sub, at)
			out.val = out.val.join(j.elements(j.lookup(name))).join(value{""})
			continue
		}
		out.val = out.val.join(j.lookup(name).val)
	}
	if out.array { // of the one or of all elements, each way is possible
		for _, s := range out.val {
			out.lists = joinLists(out.lists, [][]string{{s}})
		}
	}
	return out
}

// modify applies the operator of ${x op y}.
func (j *judge) modify(out *piece, p *syntax.ParamExp, name string, at span) {
	switch {
	case p.Slice != nil:
		j.slice(out, p.Slice, name)
	case p.Repl != nil:
		orig, with := j.expandOne(p.Repl.Orig), j.expandOne(p.Repl.With)
		out.transform(func(s string) value { return replaceAll(s, orig, with, p.Repl.All) })
	case p.Exp != nil:
		j.operator(out, p, name, at)
	}
}

// transform applies f to everything that a piece may be.
func (p *piece) transform(f func(string) value) {
	if p.lists == nil {
		var v value
		for _, s := range p.vals {
			if known(s) {
				v = v.join(f(s))
			} else {
				v = v.join(value{taint(s)})
			}
		}
		p.vals = v
		return
	}
	lists := make([][]string, len(p.lists))
	for i, l := range p.lists {
		for _, s := range l {
			switch v := f(s); {
			case s == anyWords || !known(s):
				lists[i] = append(lists[i], s)
			case len(v) == 1:
				lists[i] = append(lists[i], v[0])
			default:
				lists[i] = append(lists[i], anyText)
			}
		}
	}
	p.lists = lists
}

// slice is ${x:offset:length}.
func (j *judge) slice(out *piece, s *syntax.Slice, name string) {
	from, err := strconv.Atoi(one(j.arithmMay(s.Offset)))
	length, err2 := 1<<30, error(nil)
	if s.Length != nil {
		length, err2 = strconv.Atoi(one(j.arithmMay(s.Length)))
	}
	if err != nil || err2 != nil {
		if out.lists != nil {
			out.lists = joinLists(out.lists, [][]string{{anyWords}})
			return
		}
		out.vals = value{out.vals.taint()}
		return
	}
	if out.lists == nil {
		out.transform(func(t string) value { return value{cut(t, from, length)} })
		return
	}
	if name == "@" || name == "*" {
		from-- // $0 comes before $1; -1 is what counts from the end, too
	}
	out.lists = slices.Clone(out.lists)
	for i, l := range out.lists {
		if from < 0 || length < 0 || slices.Contains(l, anyWords) {
			out.lists = joinLists(out.lists, [][]string{{anyWords}})
			return
		}
		l = l[min(from, len(l)):]
		out.lists[i] = l[:min(length, len(l))]
	}
}

// cut is ${s:from:length} of a known text, in bytes: for what is not ASCII
// bash counts characters.
func cut(s string, from, length int) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return anyText
		}
	}
	if from < 0 {
		from += len(s)
	}
	if from < 0 || from > len(s) {
		return ""
	}
	end := min(len(s), from+length)
	if length < 0 {
		end = len(s) + length
	}
	if end < from {
		return ""
	}
	return s[from:end]
}
