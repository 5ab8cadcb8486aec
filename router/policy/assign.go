package policy

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign gives a variable of the present shell its lists, and judges what that does.
func (j *judge) assign(name string, lists value, as attrs, at span) {
	name = j.target(name)
	v := variable{lists, as | j.env.vars[name].attrs}
	if v.attrs&integer != 0 && !j.evaluate(v.value(), at) {
		v.lists = anyNumber
	}
	j.dangerousAssign(name, v.value(), at)
	j.env.set(name, v)
	j.runTraps()
}

// assignEach gives a variable what list makes of each list that it may have.
func (j *judge) assignEach(name string, as attrs, at span, list func(old string) string) {
	var lists value
	old := j.lookup(name)
	if !j.eachChoice(func(*choice) { lists = lists.join(value{list(j.pickList(name, old))}) }) {
		lists = lists.join(value{lists.taint()})
	}
	j.assign(name, lists, as, at)
}

// assignText gives a variable a text; of an array it is the first element.
func (j *judge) assignText(name string, v value, as attrs, at span) {
	old := strings.Join(j.lookup(name).lists, "")
	if len(v) > 0 && !strings.Contains(old, nextElement) && !strings.Contains(old, anyWords) {
		j.assign(name, v, as, at) // what was there does not matter
		return
	}
	j.assignEach(name, as, at, func(old string) string { return j.withElement(elements(old), 0, j.pickOf(v)) })
}

// assignment walks x=1, x+=1, x[i]=1 and x=(...), alone or before a command.
func (j *judge) assignment(a *syntax.Assign, as attrs) {
	if a.Name == nil {
		j.expandOne(a.Value)
		return
	}
	name, at := a.Name.Value, j.src.spanOf(a.Pos(), a.End())
	is := j.lookup(name).attrs
	j.assignEach(name, as, at, func(old string) string {
		elems, n := elements(old), 0
		switch {
		case a.Array != nil && a.Append:
			return listOf(append(asArray(old), j.arrayElements(a.Array, is)...))
		case a.Array != nil:
			return listOf(j.arrayElements(a.Array, is))
		}
		if a.Index != nil {
			elems, n = asArray(old), j.index(a.Index, is)
		}
		text := j.plainText(a.Value)
		if a.Append {
			text = j.afford(strings.TrimPrefix(element(old, n), noElements) + text)
		}
		if is&assoc != 0 {
			n = len(elems) // in whatever order
		}
		return j.withElement(elems, n, text)
	})
}

// arrayElements returns the elements of (a b c).
func (j *judge) arrayElements(x *syntax.ArrayExpr, is attrs) (elems []string) {
	for _, e := range x.Elems {
		switch {
		case e.Index != nil: // where it goes is not followed, that it is there is
			j.index(e.Index, is)
			elems = append(elems, [...]string{j.plainText(e.Value), anyWords}[j.pick(2)])
		case e.Value != nil:
			elems = append(elems, texts(j.expand(e.Value))...)
		}
	}
	return elems
}

// index walks a subscript; -1: which element it means is not known.
func (j *judge) index(x syntax.ArithmExpr, is attrs) int {
	if w, ok := x.(*syntax.Word); ok && is&assoc != 0 {
		j.expandOne(w)
		return -1
	}
	n, err := strconv.Atoi(j.arithm(x))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// asArray returns the elements of a list that is taken for an array; what was there before may not be set.
func asArray(list string) []string {
	if list == inherited {
		return []string{anyWords}
	}
	return elements(list)
}

// withElement returns the list after x[n]=s.
func (j *judge) withElement(elems []string, n int, s string) string {
	open := slices.Index(elems, anyWords)
	switch {
	case n == 0 && open == 0: // there may have been none
		return listOf(append([]string{s}, elems...))
	case n >= 0 && n < len(elems) && (open < 0 || n < open):
		elems = slices.Clone(elems)
		elems[n] = s
	case n == len(elems) && open < 0 || j.pick(2) > 0:
		elems = append(slices.Clip(elems), s)
	default:
		return anyWords
	}
	return listOf(elems)
}

// declaration is a declare, local, export, readonly or typeset.
type declaration struct {
	*judge
	name  string
	flags string
}

// declClause walks a declaration that the parser has seen as one.
func (j *judge) declClause(n *syntax.DeclClause) {
	d := declaration{judge: j, name: n.Variant.Value}
	at := j.src.spanOf(n.Pos(), n.End())
	if d.name == "nameref" { // no word of bash
		j.unknown("nameref may be any command", at)
	}
	for _, a := range n.Args {
		switch {
		case a.Name != nil && !a.Naked:
			d.declare(a.Name.Value, at, func() { j.assignment(a, 0) })
		case a.Name != nil:
			j.arithm(a.Index)
			d.declare(a.Name.Value, at, nil)
		case a.Value != nil:
			for _, f := range j.allWords(a.Value) {
				d.word(f)
			}
		}
	}
}

// declareWords judges a declaration that the parser has not seen as one: behind command or builtin, or quoted.
func (c *simpleCommand) declareWords() {
	d := declaration{judge: c.j, name: c.name}
	for _, a := range c.args {
		d.word(a)
	}
	if len(c.args) == 0 || strings.Contains(d.flags, "p") {
		c.out = value{anyText}
	}
}

// word takes a word whose form is known only now: options, a name, name=value.
func (d *declaration) word(f word) {
	name, text, ok := strings.Cut(f.text, "=")
	base, sub, _ := subscripted(strings.TrimSuffix(name, "+"))
	switch d.subscript(sub, f.at); {
	case f.multi || !known(name) || !ok && !known(f.text):
		d.subscript(f.text, f.at)
		d.unknown("which variable is set cannot be told", f.at)
	case f.text != "" && (f.text[0] == '-' || f.text[0] == '+'):
		d.flags += f.text[1:]
	case ok:
		d.declare(base, f.at, func() { d.assignText(base, value{text}, 0, f.at) })
	default:
		d.declare(base, f.at, nil)
	}
}

func (d *declaration) has(letters string) bool { return strings.ContainsAny(d.flags, letters) }

// declare gives a variable its attributes, and its value where it gets one.
func (d *declaration) declare(name string, at span, give func()) {
	if !validName(name) {
		return
	}
	v := d.variable(&d.env, name)
	outer := local{name, v}
	fresh := d.has("n") && give != nil || d.has("A") && one(v.value()) == inherited
	for letter, attr := range map[string]attrs{"x": exported, "i": integer, "n": reference, "A": assoc} {
		if d.has(letter) || letter == "x" && d.name == "export" {
			v.attrs |= attr
		}
	}
	if d.name == "export" {
		v.attrs &^= reference // export -n is the opposite
	}
	if fresh {
		v.lists = unset.lists
	}
	for fr := d.frame; fr != nil && d.name != "export" && d.name != "readonly" && !d.has("g"); fr = fr.outer {
		if fr.function != "" {
			fr.locals = append(fr.locals, outer)
			v = v.join(unset) // it is a new one, that is not set
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
	text := one(v.value())
	if v.attrs&reference != 0 {
		d.subscript(text, at)
	}
	if d.has("aA") && strings.HasPrefix(text, "(") {
		d.env.set(name, variable{value{anyWords}, v.attrs}) // declare -a x='(a b)' is an array of two
	}
}

// unset forgets variables and functions.
func (c *simpleCommand) unset() {
	c.subscripts(c.args)
	for _, a := range c.args {
		if name := "function " + a.text; validName(a.text) {
			c.j.env.set(name, c.j.lookup(name).join(unset))
			if c.args[0].text != "-f" {
				c.j.env.set(a.text, unset)
			}
		}
	}
}

// let evaluates its words as arithmetic.
func (c *simpleCommand) let() {
	for _, a := range c.args {
		if c.j.subscript(a.text, a.at); known(a.text) {
			c.j.innerText("(("+a.text+"))", a, c.j.via, false)
		}
	}
}

// readInto judges read and mapfile, which fill variables from stdin.
func (c *usage) readInto() {
	in, operands := value{anyText}, c.operands
	if c.j.stdin != nil {
		in = c.j.stdin
	}
	c.subscripts(operands)
	for _, o := range c.opts {
		if o.name == "-a" {
			c.assignName(o.value, nil)
		}
	}
	if c.name != "read" {
		c.assignName(append(operands, word{text: "MAPFILE", at: c.at})[0], nil)
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

// assignName assigns texts to the variable that a word names; nil is an array of which nothing is known.
func (c *simpleCommand) assignName(f word, v value) {
	name, _, isElement := subscripted(f.text)
	switch {
	case !known(f.text):
		c.j.unknown("which variable is set cannot be told", f.at)
	case !validName(name):
	case v == nil || isElement:
		c.j.dangerousAssign(name, v, f.at)
		c.j.assign(name, value{anyWords}, 0, f.at)
	default:
		c.j.assignText(name, v, 0, f.at)
	}
}
