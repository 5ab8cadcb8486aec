package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignment walks x=1, x+=1, x[i]=1 and x=(...), alone or before a command.
func (j *judge) assignment(a *syntax.Assign, temporary bool) {
	if a.Name == nil {
		j.expandOne(a.Value)
		return
	}
	name := a.Name.Value
	at := j.src.span(a.Pos(), a.End())
	v := variable{name: name, export: temporary}
	old := j.lookup(name)
	switch {
	case a.Array != nil:
		v.array, v.assoc, v.lists = true, old.assoc, j.arrayLists(a.Array, old.assoc)
		if a.Append {
			v.lists = appendLists(old.asLists(), v.lists)
		}
	case a.Index != nil:
		v = j.assignElement(a, old)
	case old.array && a.Append:
		v.array, v.assoc, v.lists = true, old.assoc, appendToFirst(old.lists, j.expandOne(a.Value))
	default:
		v.val = j.expandOne(a.Value)
		if a.Append && len(old.val) > 0 {
			v.val = concat(old.val, v.val)
		}
	}
	if old.integer {
		j.integer(&v, at)
	}
	j.dangerousAssign(name, v.val, at)
	j.assign(v)
}

// integer evaluates what is assigned to an integer variable.
func (j *judge) integer(v *variable, at span) {
	if n, ok := j.numberOf(v.val, at, 0); ok {
		_ = n
		return
	}
	v.val = value{digits, "-" + digits}
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

func appendToFirst(lists [][]string, v value) [][]string {
	var out [][]string
	for _, l := range lists {
		for _, s := range v {
			m := append([]string{element(l, 0) + s}, l[min(1, len(l)):]...)
			if len(l) > 0 && l[0] == anyWords {
				m = []string{anyText + s, anyWords}
			}
			out = joinLists(out, [][]string{m})
		}
	}
	return out
}

func replaceFirst(lists [][]string, v value) [][]string {
	var out [][]string
	for _, l := range lists {
		rest := l[min(1, len(l)):]
		if len(l) > 0 && l[0] == anyWords {
			rest = []string{anyWords} // there may have been none
		}
		for _, s := range v {
			out = joinLists(out, [][]string{append([]string{s}, rest...)})
		}
	}
	return out
}

// arrayLists returns the element lists of (a b c).
func (j *judge) arrayLists(x *syntax.ArrayExpr, assoc bool) [][]string {
	lists, indexed := [][]string{nil}, false
	for _, e := range x.Elems {
		if e.Index != nil {
			indexed = true
			j.index(e.Index, assoc)
			var next [][]string
			for _, s := range j.expandOne(e.Value) {
				// Where it goes does not matter here, that it is there does.
				next = appendLists(lists, [][]string{{s}})
			}
			lists = joinLists(lists, next)
			continue
		}
		if e.Value == nil {
			continue
		}
		var ends [][]string
		for _, fs := range j.expand(e.Value) {
			ends = joinLists(ends, [][]string{texts(fs)})
		}
		lists = appendLists(lists, ends)
	}
	if indexed {
		lists = joinLists(lists, [][]string{{anyWords}}) // in which order is not followed
	}
	return lists
}

// index walks the subscript of an assignment.
func (j *judge) index(x syntax.ArithmExpr, assoc bool) value {
	if w, ok := x.(*syntax.Word); ok && assoc {
		return j.expandOne(w)
	}
	return j.arithm(x)
}

// assignElement is x[i]=v.
func (j *judge) assignElement(a *syntax.Assign, old variable) variable {
	n := j.index(a.Index, old.assoc)
	vals := j.expandOne(a.Value)
	v := variable{name: a.Name.Value, array: true, assoc: old.assoc}
	lists := old.asLists()
	if j.env.find(a.Name.Value) == nil && !old.array {
		lists = [][]string{nil}
	}
	at := -1
	if len(n) == 1 && !old.assoc {
		at = smallNumber(n[0])
	}
	for _, l := range lists {
		for _, s := range vals {
			switch {
			case at >= 0 && at < len(l):
				m := append([]string(nil), l...)
				m[at] = s
				v.lists = joinLists(v.lists, [][]string{m})
			case at == len(l):
				v.lists = joinLists(v.lists, [][]string{append(l[:len(l):len(l)], s)})
			default:
				v.lists = joinLists(v.lists, [][]string{append(l[:len(l):len(l)], s), {anyWords}})
			}
		}
	}
	return v
}

// smallNumber is a subscript, or -1.
func smallNumber(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || i > 4 {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	if s == "" {
		return -1
	}
	return n
}

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

// unset forgets variables and functions.
func (c *call) unset() {
	c.quiet()
	c.subscripts(c.args)
	functions, variables := true, true
	for _, a := range c.args {
		switch {
		case strings.HasPrefix(a.text, "-"):
			functions, variables = !strings.Contains(a.text, "v"), !strings.Contains(a.text, "f")
			continue
		case !known(a.text):
			continue
		}
		name, _, _ := subscripted(a.text)
		if functions && (!variables || c.j.env.find(name) == nil) {
			c.j.env.define(function{name: name, sure: true})
		}
		if variables && name == a.text {
			c.j.unset(name)
		}
	}
}

// let evaluates its words as arithmetic.
func (c *call) let() {
	c.quiet()
	for _, a := range c.args {
		if !known(a.text) {
			c.j.subscript(a.text, a.at)
			continue
		}
		x, err := c.j.parser.Arithmetic(strings.NewReader(a.text))
		if err != nil {
			c.j.subscript(a.text, a.at)
			continue
		}
		outer := c.j.src
		c.j.src = &source{text: a.text, start: a.at.start, end: a.at.end, made: true, outer: outer}
		c.j.arithmMay(x)
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
	spec := optionSpec{short: "a:d:i:n:N:p:t:u:"}
	if c.name != "read" {
		spec.short = "d:n:O:s:u:c:C!"
	}
	operands := c.options(spec, nil)
	c.subscripts(operands)
	if c.name != "read" {
		for _, o := range append(operands, field{text: "MAPFILE"})[:1] {
			c.j.assign(variable{name: o.text, array: true, lists: [][]string{{anyWords}}})
		}
		return
	}
	lines := value{in.taint()}
	for _, s := range in {
		for i, line := range strings.Split(s, "\n") {
			if i < maxValues/2 && line != "" {
				lines = lines.join(value{line})
			}
		}
	}
	if len(operands) > 1 { // split into words: which gets what is not followed
		var words value
		for _, l := range lines {
			for _, w := range strings.Fields(l) {
				words = words.join(value{w})
			}
		}
		lines = words.join(lines)
	}
	for i, a := range c.args {
		if a.text == "-a" && i+1 < len(c.args) && validName(c.args[i+1].text) {
			c.j.assign(variable{name: c.args[i+1].text, array: true, lists: [][]string{{anyWords}}})
		}
	}
	for _, o := range operands {
		c.assignName(o, lines)
	}
}
