package policy

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignment walks x=1, x+=1, x[i]=1 and x=(...), alone or before a command.
func (j *judge) assignment(a *syntax.Assign, temporary bool) {
	if a.Name == nil {
		j.expandOne(a.Value)
		return
	}
	at := j.src.span(a.Pos(), a.End())
	old := j.lookup(a.Name.Value)
	v := variable{name: a.Name.Value, export: temporary, array: true, assoc: old.assoc}
	switch {
	case a.Array != nil:
		if v.lists = j.arrayLists(a.Array, old.assoc); a.Append {
			v.lists = appendLists(old.asLists(), v.lists)
		}
	case a.Index != nil:
		v.lists = j.assignElement(a, old)
	case old.array && a.Append:
		for _, l := range old.lists {
			v.lists = joinLists(v.lists, replaceFirst([][]string{l}, concat(value{element(l, 0)}, j.expandOne(a.Value))))
		}
	default:
		v.array, v.assoc = false, false
		if v.val = j.expandOne(a.Value); a.Append && len(old.val) > 0 {
			v.val = concat(old.val, v.val)
		}
	}
	j.give(v, old.integer, at)
}

// give assigns, after a look at what the variable does and, with integer, at
// what its text runs as arithmetic.
func (j *judge) give(v variable, integer bool, at span) {
	if integer {
		if _, ok := j.numberOf(v.val, at, 0); !ok {
			v.val = value{digits, "-" + digits}
		}
	}
	j.dangerousAssign(v.name, v.val, at)
	j.assign(v)
}

func appendLists(a, b [][]string) [][]string {
	var out [][]string
	for _, x := range a {
		for _, y := range b {
			out = joinLists(out, [][]string{append(x[:len(x):len(x)], y...)})
		}
	}
	return out
}

func replaceFirst(old [][]string, v value) [][]string {
	var out [][]string
	for _, l := range old {
		rest := l[min(1, len(l)):]
		if len(l) > 0 && l[0] == anyWords {
			rest = l[:1] // there may have been none
		}
		out = joinLists(out, appendLists(lists(v), [][]string{rest}))
	}
	return out
}

// arrayLists returns the element lists of (a b c).
func (j *judge) arrayLists(x *syntax.ArrayExpr, assoc bool) [][]string {
	all, indexed := [][]string{nil}, false
	for _, e := range x.Elems {
		var ends [][]string
		switch {
		case e.Index != nil: // where it goes is not followed, that it is there is
			indexed = true
			j.index(e.Index, assoc)
			ends = append(lists(j.expandOne(e.Value)), nil)
		case e.Value == nil:
			continue
		default:
			for _, fs := range j.expand(e.Value) {
				ends = joinLists(ends, [][]string{texts(fs)})
			}
		}
		all = appendLists(all, ends)
	}
	if indexed {
		all = joinLists(all, [][]string{{anyWords}})
	}
	return all
}

// index walks a subscript.
func (j *judge) index(x syntax.ArithmExpr, assoc bool) value {
	if w, ok := x.(*syntax.Word); ok && assoc {
		return j.expandOne(w)
	}
	return j.arithm(x)
}

// assignElement is x[i]=v.
func (j *judge) assignElement(a *syntax.Assign, old variable) (out [][]string) {
	n, err := strconv.ParseUint(one(j.index(a.Index, old.assoc)), 10, 16)
	vals := j.expandOne(a.Value)
	before := old.asLists()
	if _, ok := j.env.vars[a.Name.Value]; !ok && !old.array {
		before = [][]string{nil}
	}
	for _, l := range before {
		for _, s := range vals {
			m := append(l[:len(l):len(l)], s)
			if !old.assoc && err == nil && int(n) < len(l) {
				m = append(l[:n:n], s)
				m = append(m, l[n+1:]...)
			}
			if out = joinLists(out, [][]string{m}); !old.assoc && (err != nil || int(n) > len(l)) {
				out = joinLists(out, [][]string{{anyWords}})
			}
		}
	}
	return out
}

// declClause walks declare, local, export, readonly and typeset.
func (j *judge) declClause(n *syntax.DeclClause) {
	if j.found != nil {
		j.found([]*syntax.Word{{Parts: []syntax.WordPart{n.Variant}}}, n.Args)
	}
	variant, flags := n.Variant.Value, ""
	at := j.src.span(n.Pos(), n.End())
	if variant == "nameref" { // no word of bash
		j.unknown("nameref may be any command", at)
	}
	for _, a := range n.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			for _, fs := range j.expand(a.Value) {
				for _, f := range fs {
					flags += j.declared(variant, flags, f)
				}
			}
		case a.Name == nil:
		case a.Naked:
			if a.Index != nil {
				j.index(a.Index, strings.Contains(flags, "A"))
			}
			j.declare(variant, flags, a.Name.Value, at, nil)
		default:
			j.declare(variant, flags, a.Name.Value, at, func() { j.assignment(a, false) })
		}
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

// declared takes a word of a declaration whose form is known only now: options,
// a name, name=value. It returns the options.
func (j *judge) declared(variant, flags string, f field) string {
	name, text, ok := strings.Cut(f.text, "=")
	base, sub, element := subscripted(strings.TrimSuffix(name, "+"))
	switch {
	case f.multi || !known(name) || !ok && !known(f.text):
		j.subscript(f.text, f.at)
		j.unknown("which variable is set cannot be told", f.at)
		return ""
	case f.text != "" && (f.text[0] == '-' || f.text[0] == '+'):
		return strings.TrimLeft(f.text, "-")
	case element:
		j.subscript(sub, f.at)
	}
	var give func()
	if ok {
		give = func() {
			v := variable{name: base, val: value{text}, ref: variant != "export" && strings.Contains(flags, "n")}
			j.give(v, strings.Contains(flags, "i"), f.at)
		}
	}
	j.declare(variant, flags, base, f.at, give)
	return ""
}

// declare gives a variable its attributes, and its value where it gets one.
func (j *judge) declare(variant, flags, name string, at span, give func()) {
	if !validName(name) {
		return
	}
	if strings.Contains(flags, "f") && (variant == "export" || strings.Contains(flags, "x")) {
		if give != nil {
			give()
		}
		return
	}
	isLocal := variant == "local" || (variant == "declare" || variant == "typeset") && !strings.Contains(flags, "g")
	inFunction := isLocal && j.localize(name)
	v := j.lookupHere(name)
	v.export = v.export || variant == "export" || strings.Contains(flags, "x")
	v.integer = v.integer || strings.Contains(flags, "i")
	v.ref = v.ref || variant != "export" && strings.Contains(flags, "n")
	if i := strings.LastIndexAny(flags, "ulc"); i >= 0 {
		v.refold(flags[i])
	}
	if strings.Contains(flags, "A") && !v.assoc {
		if v.lists = v.asLists(); len(v.val) == 1 && v.val[0] == inherited {
			v.lists = [][]string{nil}
		}
		v.assoc, v.array = true, true
	}
	if inFunction { // it is a new one, that is not set
		if v.val = v.val.join(value{""}); v.array {
			v.lists = joinLists(v.lists, [][]string{nil})
		}
	}
	j.env.set(v)
	if give == nil {
		return
	}
	give()
	w := j.lookupHere(name)
	if strings.ContainsAny(flags, "aA") && strings.HasPrefix(one(w.val), "(") {
		w.array, w.lists = true, [][]string{{anyWords}} // declare -a x='(a b)' is an array of two
	}
	if w.ref = w.ref || v.ref; v.ref {
		j.subscript(one(w.val), at)
	}
	j.env.set(w)
}

// localize keeps what a variable is outside a function, for when it returns;
// false where there is no function.
func (j *judge) localize(name string) bool {
	for i := len(j.frames) - 1; i >= 0; i-- {
		if fr := &j.frames[i]; fr.function != "" {
			old, ok := j.env.vars[name]
			if !ok {
				old = j.outside(name)
			}
			fr.locals = append(fr.locals, old)
			return true
		}
	}
	return false
}

// unset forgets variables and functions.
func (c *call) unset() {
	c.quiet()
	c.subscripts(c.args)
	functions, variables := true, true
	for _, a := range c.args {
		name, _, _ := subscripted(a.text)
		_, set := c.j.env.vars[name]
		switch {
		case strings.HasPrefix(a.text, "-"):
			functions, variables = !strings.Contains(a.text, "v"), !strings.Contains(a.text, "f")
			continue
		case !known(a.text):
			continue
		case functions && (!variables || !set):
			c.j.env.define(function{name: name, sure: true})
		}
		if variables && name == a.text {
			c.j.env.set(variable{name: name})
		}
	}
}

// let evaluates its words as arithmetic.
func (c *call) let() {
	c.quiet()
	for _, a := range c.args {
		x, err := c.j.parser.Arithmetic(strings.NewReader(a.text))
		if err != nil || !known(a.text) {
			c.j.subscript(a.text, a.at)
			continue
		}
		outer := c.j.src
		c.j.src = &source{text: a.text, start: a.at.start, end: a.at.end, made: true, outer: outer}
		c.j.arithm(x)
		c.j.src = outer
	}
}

// readInto judges read and mapfile, which fill variables from stdin.
func (c *call) readInto() {
	c.quiet()
	in := value{anyText}
	if c.j.stdin != nil {
		in = c.j.stdin
	}
	anything := variable{array: true, lists: [][]string{{anyWords}}}
	if c.name != "read" {
		_, operands := c.scan(optionSpec{"-d": "takes", "-n": "takes", "-O": "takes", "-s": "takes", "-u": "takes", "-c": "takes", "-C": "runs"}, false)
		c.subscripts(operands)
		anything.name = append(operands, field{text: "MAPFILE"})[0].text
		c.j.assign(anything)
		return
	}
	_, operands := c.scan(optionSpec{"-a": "takes", "-d": "takes", "-i": "takes", "-n": "takes", "-N": "takes", "-p": "takes", "-t": "takes", "-u": "takes"}, false)
	c.subscripts(operands)
	vals := value{in.taint()}
	for _, s := range in {
		for i, line := range strings.Split(s, "\n") {
			if i < maxValues/2 && line != "" {
				vals = vals.join(value{line})
			}
		}
	}
	if len(operands) > 1 { // split into words: which gets what is not followed
		var words value
		for _, l := range vals {
			words = words.join(strings.Fields(l))
		}
		vals = words.join(vals)
	}
	for i, a := range c.args {
		if a.text == "-a" && i+1 < len(c.args) && validName(c.args[i+1].text) {
			anything.name = c.args[i+1].text
			c.j.assign(anything)
		}
	}
	for _, o := range operands {
		c.assignName(o, vals)
	}
}

// assignName assigns to the variable that a word names.
func (c *call) assignName(f field, v value) {
	name, _, isElement := subscripted(f.text)
	switch {
	case !known(f.text):
		c.j.unknown("which variable is set cannot be told", f.at)
	case !validName(name):
	case isElement:
		old := c.j.lookup(name)
		c.j.dangerousAssign(name, v, f.at)
		c.j.assign(variable{name: name, array: true, assoc: old.assoc, lists: joinLists(old.asLists(), [][]string{{anyWords}})})
	default:
		c.j.give(variable{name: name, val: v}, false, f.at)
	}
}
