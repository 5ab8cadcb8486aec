package policy

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign gives a variable its lists, in the shell that is being walked, and
// judges what that does.
func (j *judge) assign(name string, all [][]string, as attrs, at span) {
	name = j.target(name)
	v := variable{all, as | j.env.vars[name].attrs}
	if v.attrs&integer != 0 {
		if !j.evaluate(v.value(), at) {
			v.lists = lists(anyNumber)
		}
	}
	j.dangerousAssign(name, v.value(), at)
	j.env.set(name, v)
	if before, ok := j.ever[name]; ok {
		v = before.join(v)
	} else if j.ever == nil {
		j.ever = map[string]variable{}
	}
	j.ever[name] = v
}

// anyElements are the lists of an array of which nothing is known.
var anyElements = [][]string{{anyWords}}

// assignText gives a variable a text; of an array it is the first element.
func (j *judge) assignText(name string, v value, as attrs, at span) {
	var out [][]string
	for _, l := range j.env.vars[j.target(name)].lists {
		rest := l[min(1, len(l)):]
		if len(l) > 0 && l[0] == anyWords {
			rest = l[:1] // there may have been none
		}
		out = joinLists(out, crossLists(lists(v), [][]string{rest}))
	}
	if len(out) == 0 {
		out = lists(v)
	}
	j.assign(name, out, as, at)
}

// assignment walks x=1, x+=1, x[i]=1 and x=(...), alone or before a command.
func (j *judge) assignment(a *syntax.Assign, as attrs) {
	if a.Name == nil {
		j.expandOne(a.Value)
		return
	}
	name, at := a.Name.Value, j.src.span(a.Pos(), a.End())
	old := j.lookup(name)
	switch {
	case a.Array != nil:
		all := j.arrayLists(a.Array, old.attrs)
		if a.Append {
			all = crossLists(old.words(), all)
		}
		j.assign(name, all, as, at)
	case a.Index != nil:
		j.assign(name, j.withElement(old, j.index(a.Index, old.attrs), j.expandOne(a.Value)), as, at)
	default:
		v := j.expandOne(a.Value)
		if a.Append {
			v = concat(orEmpty(old.value()), v)
		}
		j.assignText(name, v, as, at)
	}
}

// arrayLists returns the element lists of (a b c).
func (j *judge) arrayLists(x *syntax.ArrayExpr, as attrs) [][]string {
	all := [][]string{nil}
	for _, e := range x.Elems {
		var ends [][]string
		switch {
		case e.Index != nil: // where it goes is not followed, that it is there is
			j.index(e.Index, as)
			ends = append(lists(j.expandOne(e.Value)), nil, []string{anyWords})
		case e.Value == nil:
			continue
		default:
			for _, fs := range j.expandAll([]*syntax.Word{e.Value}) {
				ends = joinLists(ends, [][]string{texts(fs)})
			}
		}
		all = crossLists(all, ends)
	}
	return all
}

// index walks a subscript.
func (j *judge) index(x syntax.ArithmExpr, as attrs) value {
	if w, ok := x.(*syntax.Word); ok && as&assoc != 0 {
		return j.expandOne(w)
	}
	return value{j.arithm(x)}
}

// withElement returns the lists that an array may have after x[i]=v.
func (j *judge) withElement(old variable, index, vals value) (out [][]string) {
	n, err := strconv.ParseUint(one(index), 10, 16)
	for _, l := range old.words() {
		for _, s := range vals {
			m := append(slices.Clip(l), s)
			switch isAny := slices.Contains(l, anyWords); {
			case old.attrs&assoc != 0:
			case err != nil || int(n) > len(l) || isAny:
				out = joinLists(out, anyElements)
			case int(n) < len(l):
				m = slices.Concat(l[:n], []string{s}, l[n+1:])
			}
			out = joinLists(out, [][]string{m})
		}
	}
	return out
}

// declaration is a declare, local, export, readonly or typeset.
type declaration struct {
	*judge
	name  string
	flags string
}

// declClause walks a declaration that the parser has seen as one.
func (j *judge) declClause(n *syntax.DeclClause) {
	if j.found != nil {
		j.found([]*syntax.Word{{Parts: []syntax.WordPart{n.Variant}}}, n.Args)
	}
	d := declaration{judge: j, name: n.Variant.Value}
	at := j.src.span(n.Pos(), n.End())
	if d.name == "nameref" { // no word of bash
		j.unknown("nameref may be any command", at)
	}
	for _, a := range n.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			for _, f := range j.fields(a.Value) {
				d.word(f)
			}
		case a.Name == nil:
		case a.Naked:
			if a.Index != nil {
				j.index(a.Index, d.attrs())
			}
			d.declare(a.Name.Value, at, nil)
		default:
			d.declare(a.Name.Value, at, func() { j.assignment(a, 0) })
		}
	}
}

// declareWords judges a declaration that is run by way of command, builtin or
// quotes: the parser has not seen it as one.
func (c *call) declareWords() {
	d := declaration{judge: c.j, name: c.name}
	for _, a := range c.args {
		d.word(a)
	}
	if len(c.args) == 0 || strings.Contains(d.flags, "p") {
		c.out = value{anyText}
	}
}

// word takes a word whose form is known only now: options, a name, name=value.
func (d *declaration) word(f field) {
	name, text, ok := strings.Cut(f.text, "=")
	base, sub, element := subscripted(strings.TrimSuffix(name, "+"))
	switch {
	case f.multi || !known(name) || !ok && !known(f.text):
		d.subscript(f.text, f.at)
		d.unknown("which variable is set cannot be told", f.at)
		return
	case f.text != "" && (f.text[0] == '-' || f.text[0] == '+'):
		d.flags += f.text[1:]
		return
	case element:
		d.subscript(sub, f.at)
	}
	if !ok {
		d.declare(base, f.at, nil)
		return
	}
	d.declare(base, f.at, func() { d.assignText(base, value{text}, 0, f.at) })
}

func (d *declaration) has(letters string) bool { return strings.ContainsAny(d.flags, letters) }

// attrs returns the attributes that the options give.
func (d *declaration) attrs() (a attrs) {
	for letters, attr := range map[string]attrs{"x": exported, "i": integer, "n": reference, "A": assoc} {
		if d.has(letters) {
			a |= attr
		}
	}
	if d.name == "export" {
		a = a&^reference | exported
	}
	return a
}

// declare gives a variable its attributes, and its value where it gets one.
func (d *declaration) declare(name string, at span, give func()) {
	a := d.attrs()
	switch {
	case !validName(name):
		return
	case d.has("f") && a&exported != 0:
		if give != nil {
			give()
		}
		return
	}
	v, ok := d.env.vars[name]
	if !ok {
		v = d.outside(name)
	}
	fresh := give != nil && a&reference != 0 || a&^v.attrs&assoc != 0 && one(v.value()) == inherited
	outer := local{name, v}
	if v.attrs |= a; fresh {
		v.lists = unset
	}
	for fr := d.frame; fr != nil && d.name != "export" && d.name != "readonly" && !d.has("g"); fr = fr.outer {
		if fr.function != "" {
			fr.locals = append(fr.locals, outer)
			v.lists = joinLists(v.lists, unset) // it is a new one, that is not set
			break
		}
	}
	if d.env.set(name, v); d.has("ulc") {
		d.anything("what declare makes of letters is not followed", at)
	}
	if give == nil {
		return
	}
	give()
	v = d.env.vars[name]
	if a&reference != 0 {
		d.subscript(one(v.value()), at)
	}
	if d.has("aA") && strings.HasPrefix(one(v.value()), "(") {
		d.env.set(name, variable{anyElements, v.attrs}) // declare -a x='(a b)' is an array of two
	}
}

// unset forgets variables and functions.
func (c *call) unset() {
	c.subscripts(c.args)
	for _, a := range c.args {
		if !validName(a.text) {
			continue
		}
		if c.args[0].text != "-f" {
			c.j.env.set(a.text, variable{lists: unset})
		}
		name := "function " + a.text
		c.j.env.set(name, c.j.lookup(name).join(variable{lists: unset}))
	}
}

// let evaluates its words as arithmetic.
func (c *call) let() {
	outer := c.j.src
	for _, a := range c.args {
		x, err := newParser().Arithmetic(strings.NewReader(a.text))
		if err != nil || !known(a.text) {
			c.j.subscript(a.text, a.at)
			continue
		}
		c.j.src = &source{text: a.text, start: a.at.start, end: a.at.end, made: true}
		c.j.arithm(x)
		c.j.src = outer
	}
}

// readInto judges read and mapfile, which fill variables from stdin.
func (c *call) readInto() {
	in, spec := value{anyText}, optionSpec{"-d": "takes", "-n": "takes", "-O": "takes", "-s": "takes", "-u": "takes", "-c": "takes", "-C": "runs"}
	if c.j.stdin != nil {
		in = c.j.stdin
	}
	if c.name == "read" {
		spec = optionSpec{"-a": "takes", "-d": "takes", "-i": "takes", "-n": "takes", "-N": "takes", "-p": "takes", "-t": "takes", "-u": "takes"}
	}
	opts, operands := c.scan(spec, false)
	for _, o := range opts {
		if o.name == "-a" {
			c.assignName(o.value, nil)
		}
	}
	c.subscripts(operands)
	if c.name != "read" {
		c.assignName(append(operands, field{text: "MAPFILE", at: c.at})[0], nil)
		return
	}
	vals := value{in.taint()}
	for _, line := range strings.Split(strings.Join(in, "\n"), "\n") {
		if len(operands) > 1 { // which gets what is not followed
			vals = vals.join(strings.Fields(line))
		}
		if line != "" {
			vals = vals.join(value{line})
		}
	}
	for _, o := range operands {
		c.assignName(o, vals)
	}
}

// assignName assigns to the variable that a word names: texts, or as an array
// what is not known.
func (c *call) assignName(f field, v value) {
	name, _, isElement := subscripted(f.text)
	switch {
	case !known(f.text):
		c.j.unknown("which variable is set cannot be told", f.at)
	case !validName(name):
	case v == nil:
		c.j.assign(name, anyElements, 0, f.at)
	case isElement:
		c.j.dangerousAssign(name, v, f.at)
		c.j.assign(name, joinLists(c.j.lookup(name).words(), anyElements), 0, f.at)
	default:
		c.j.assignText(name, v, 0, f.at)
	}
}
