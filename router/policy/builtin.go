package policy

import (
	"slices"
	"strings"
)

// What builtins of bash do that change the shell, or run something: as acts of
// their rows in the table of programs.

// quiet says that nothing is written to stdout.
func (c *simpleCommand) quiet() { c.out = value{""} }

// subscripts looks at words that a builtin takes for variable names: in a[$(x)] it runs x.
func (c *simpleCommand) subscripts(args []word) {
	for _, a := range args {
		if strings.IndexByte(a.text, '[') >= 0 {
			c.j.subscript(a.text, a.at)
		}
	}
}

func (c *simpleCommand) shift() {
	c.j.assignEach("@", 0, c.at, func(old string) string {
		elems := elements(old)
		if len(c.args) > 0 || slices.Contains(elems, anyWords) {
			return anyWords
		}
		return listOf(elems[min(1, len(elems)):])
	})
}

// leave ends the shell, or a function or loop.
func (c *simpleCommand) leave() {
	j := c.j
	switch c.name {
	case "return":
		j.exit(true, false, j.env.dirs)
	case "break", "continue":
		j.exit(false, len(c.args) > 0, j.env.dirs) // break 2
	}
	j.env.ok, j.env.fail = nil, nil
}

// cd changes the directory, if it succeeds.
func (c *usage) cd() {
	j, args := c.j, c.operands
	target := word{text: one(j.home())}
	if len(args) > 0 {
		target = args[0]
	}
	path := one(j.valueOf("CDPATH"))
	switch {
	case c.name == "popd" || c.name == "pushd" && len(c.args) == 0:
		j.env.ok = j.env.dirs.join([]string{anyText})
	case path != "" && path != inherited || target.multi || target.glob || target.text == "-" || strings.HasPrefix(target.text, "+"):
		j.env.ok = []string{anyText}
	case target.text != "":
		j.env.ok = value(nil).join(j.resolve(target.text))
	}
}

// text judges a word that is run as bash text, in this shell or in another.
func (c *simpleCommand) text(f word, how string, child bool) {
	if f.multi || !known(f.text) {
		c.usual(executes|unknown, "what "+how+" runs cannot be told", f.at)
		c.j.env.unsure = c.j.env.unsure || !child
	}
	c.ran(f.text, f.at)
	c.j.innerText(f.text, f, how, child)
}

// innerText walks a text that was found in a word.
func (j *judge) innerText(text string, f word, how string, child bool) {
	if child {
		j.inChild(how, func() { j.text(madeOf(text, f.at)) })
		return
	}
	j.nested(func() {
		j.via = how
		j.text(madeOf(text, f.at))
	})
}

// inChild judges what a shell of its own runs.
func (j *judge) inChild(how string, run func()) {
	j.subshell(func() {
		j.via, j.frame, j.env.child, j.env.errexit = how, nil, true, false
		run()
	})
}

// inner judges words that a command runs as another command.
func (c *simpleCommand) inner(how string, args []word) {
	c.runs(how, args, func(at span) {
		c.j.subshell(func() { // it changes nothing here
			c.j.program(args, at)
			if args[0].multi && len(args) > 1 {
				c.j.program(args[1:], at)
			}
		})
	})
}

// runs walks what a command runs; what that writes is the command's output.
func (c *simpleCommand) runs(how string, args []word, walk func(at span)) {
	if len(args) == 0 {
		return
	}
	at := span{args[0].at.start, args[len(args)-1].at.end}
	if at.end < at.start {
		at = c.at
	}
	c.j.nested(func() {
		c.j.via = how
		walk(at)
	})
	c.quiet()
}

// eval runs its arguments, joined, in this shell.
func (c *usage) eval() {
	if args := c.operands; len(args) > 0 {
		f := joinedWord(args)
		f.multi = slices.ContainsFunc(args, func(a word) bool { return a.multi })
		c.text(f, "eval", false)
	}
}

// source runs a file in this shell, with the arguments that it is given.
func (c *usage) source() {
	args, j := c.operands, c.j
	if len(args) == 0 {
		return
	}
	f, before, outer := args[0], j.env.dirs, j.lookup("@")
	c.usual(executes|unknown, "runs "+show(f.text)+" in this shell", f.at)
	c.read(f)
	for _, text := range j.content(f) {
		if c.ran(text, f.at); len(args) > 1 {
			j.positional(args[1:])
		}
		j.innerText(text, f, "source", false)
	}
	if len(args) > 1 {
		j.env.set("@", outer)
	}
	j.env.unsure, j.env.ok, j.env.fail = true, j.env.dirs.join([]string{anyText}), before
	c.out = nil
}

// exec replaces the shell, or redirects it.
func (u *usage) exec() {
	if len(u.operands) > 0 {
		u.inner("exec", u.operands)
		u.j.env.ok = nil
	}
}

// bypass is command and builtin: what a name means when it is no function.
func (c *usage) bypass() {
	if slices.ContainsFunc(c.opts, func(o option) bool { return o.name != "-p" }) {
		c.part.set |= reads
		c.which()
		return
	}
	c.runs(c.name, c.operands, func(at span) { c.j.program(c.operands, at) }) // builtins that are run this way still change this very shell
}

// which writes where a command's file is.
func (u *usage) which() {
	if u.out = nil; len(u.operands) == 1 && u.operands[0].exact() {
		name := u.operands[0].text
		if !strings.Contains(name, "/") {
			name = "/usr/bin/" + name
		}
		u.out = value{name + "\n"}
	}
}

// trap keeps a text that the shell runs later, at any time.
func (c *usage) trap() {
	if args := c.operands; len(args) > 1 && args[0].text != "" && args[0].text != "-" {
		c.j.traps = append(c.j.traps, args[0])
		c.j.subshell(func() { c.text(args[0], "trap", false) })
	}
}

// runTraps judges the traps as things are now.
func (j *judge) runTraps() {
	traps := j.traps
	j.traps = nil
	for _, f := range traps {
		j.subshell(func() { j.innerText(f.text, f, "trap", false) })
	}
	j.traps = traps
}

// alias defines aliases: they are there from the next line on, or earlier.
func (c *simpleCommand) alias() {
	for _, a := range c.args {
		name, text, ok := strings.Cut(a.text, "=")
		switch e := &c.j.env; {
		case !ok:
			c.out = value{anyText}
		case !known(name) || a.multi || programs().has("reserved", name):
			e.unsure = true
			c.effect(unknown, "which alias this defines cannot be told", a.at)
		default:
			e.set("alias "+name, variable{lists: value{text}.join(e.vars["alias "+name].lists)})
		}
	}
}

// set changes options and the positional parameters.
func (c *simpleCommand) set() {
	c.out = value{anyText}   // without words it lists variables
	on, name := false, false // the last option is set; its name follows, as in -o NAME
	for i, a := range c.args {
		c.quiet()
		switch {
		case name:
			if name = false; a.text == "errexit" {
				c.j.env.errexit = on
			}
			continue
		case a.text == "--" || a.text == "-":
			c.j.positional(c.args[i+1:])
			return
		case len(a.text) < 2 || a.text[0] != '-' && a.text[0] != '+' || a.multi || !known(a.text):
			c.j.positional(c.args[i:])
			return
		}
		if on, name = a.text[0] == '-', strings.HasSuffix(a.text, "o"); strings.Contains(a.text, "e") {
			c.j.env.errexit = on
		}
	}
}
