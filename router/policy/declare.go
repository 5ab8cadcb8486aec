package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declClause walks declare, local, export, readonly and typeset.
func (j *judge) declClause(n *syntax.DeclClause) {
	if j.found != nil {
		j.found([]*syntax.Word{{Parts: []syntax.WordPart{n.Variant}}}, n.Args)
	}
	variant := n.Variant.Value
	at := j.src.span(n.Pos(), n.End())
	if variant == "nameref" { // no word of bash
		j.unknown("nameref may be any command", at)
	}
	var flags string
	for _, a := range n.Args {
		if a.Name == nil && a.Value != nil {
			for _, fs := range j.expand(a.Value) {
				for _, f := range fs {
					flags += j.declared(variant, flags, f)
				}
			}
			continue
		}
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		if a.Naked {
			if a.Index != nil {
				j.index(a.Index, strings.Contains(flags, "A"))
			}
			j.declare(variant, flags, name, nil, at)
			continue
		}
		j.declare(variant, flags, name, a, at)
	}
}

// declared takes a word of a declaration whose form is known only now: options,
// a name, name=value. It returns the options.
func (j *judge) declared(variant, flags string, f field) string {
	switch {
	case f.multi || !known(f.text):
		name, text, ok := strings.Cut(f.text, "=")
		if ok && known(name) && validName(name) && !f.multi {
			j.dangerousAssign(name, value{text}, f.at)
			j.declare(variant, flags, name, nil, f.at)
			j.assign(variable{name: name, val: value{text}})
			return ""
		}
		j.subscript(f.text, f.at)
		j.unknown("which variable is set cannot be told", f.at)
	case f.text != "" && (f.text[0] == '-' || f.text[0] == '+'):
		return strings.TrimLeft(f.text, "-")
	default:
		name, text, ok := strings.Cut(f.text, "=")
		base, sub, element := subscripted(strings.TrimSuffix(name, "+"))
		if element {
			j.subscript(sub, f.at)
		}
		j.declare(variant, flags, base, nil, f.at)
		if ok {
			j.dangerousAssign(base, value{text}, f.at)
			v := variable{name: base, val: value{text}, ref: variant != "export" && strings.Contains(flags, "n"), integer: strings.Contains(flags, "i")}
			if v.integer {
				j.integer(&v, f.at)
			}
			j.assign(v)
		}
	}
	return ""
}

// declare gives a variable its attributes and, with an assignment, its value.
func (j *judge) declare(variant, flags, name string, a *syntax.Assign, at span) {
	if !validName(name) {
		return
	}
	if strings.Contains(flags, "f") {
		if variant == "export" || strings.Contains(flags, "x") {
			return
		}
	}
	isLocal := variant == "local" || (variant == "declare" || variant == "typeset") && !strings.Contains(flags, "g")
	if isLocal {
		j.localize(name)
	}
	v := j.lookupHere(name)
	v.name = name
	v.export = v.export || variant == "export" || strings.Contains(flags, "x")
	v.integer = v.integer || strings.Contains(flags, "i")
	v.ref = v.ref || variant != "export" && strings.Contains(flags, "n")
	if i := strings.LastIndexAny(flags, "ulc"); i >= 0 {
		v.refold(flags[i])
	}
	if strings.Contains(flags, "A") && !v.assoc {
		v.assoc, v.array = true, true
		v.lists = v.asLists()
	}
	if isLocal && j.inFunction() { // it is a new one, that is not set
		v.val = v.val.join(value{""})
		if v.array {
			v.lists = joinLists(v.lists, [][]string{nil})
		}
	}
	j.env.set(v)
	if a != nil {
		j.assignment(a, false)
		if w := j.lookupHere(name); strings.ContainsAny(flags, "aA") && a.Array == nil && strings.HasPrefix(one(w.val), "(") {
			w.array, w.lists = true, [][]string{{anyWords}} // declare -a x='(a b)' is an array of two
			j.env.set(w)
		}
		if v.ref {
			w := j.lookupHere(name)
			w.ref = true
			j.subscript(one(w.val), at)
			j.env.set(w)
		}
	}
}

func (j *judge) inFunction() bool {
	for i := range j.frames {
		if j.frames[i].function != "" {
			return true
		}
	}
	return false
}

// localize keeps what a variable is outside a function, for when it returns.
func (j *judge) localize(name string) {
	for i := len(j.frames) - 1; i >= 0; i-- {
		fr := &j.frames[i]
		if fr.function == "" {
			continue
		}
		old := j.env.find(name)
		if old == nil {
			o := j.outside(name)
			old = &o
		}
		fr.locals = append(fr.locals, *old)
		return
	}
}

// declareWords judges a declaration that is run by way of command, builtin or
// quotes: the parser has not seen it as one.
func (c *call) declareWords() {
	c.quiet()
	flags := ""
	for _, a := range c.args {
		flags += c.j.declared(c.name, flags, a)
	}
	if len(c.args) == 0 || strings.Contains(flags, "p") {
		c.out = value{anyText}
	}
}
