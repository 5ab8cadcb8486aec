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
