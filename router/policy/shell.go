package policy

import (
	"slices"
	"strings"
)

// text judges a word that is run as bash text, in this shell or in another.
func (c *call) text(f field, how string, child bool) {
	if f.multi || !known(f.text) {
		c.part.set |= executes | unknown
		c.j.reason("what "+how+" runs cannot be told", unknown, NoDanger, f.at)
		c.j.env.unsure = c.j.env.unsure || !child
	}
	c.ran(f.text, f.at)
	c.j.innerText(f.text, f, how, child)
}

// innerText walks a text that was found in a word.
func (j *judge) innerText(text string, f field, how string, child bool) {
	s := &source{text: text, start: f.at.start, end: f.at.end, made: true}
	if child {
		j.inChild(how, func() { j.text(s) })
		return
	}
	outer := j.via
	j.via = how
	j.text(s)
	j.via = outer
}

// inChild judges what a shell of its own runs.
func (j *judge) inChild(how string, run func()) {
	via, frames := j.via, j.frames
	j.subshell(func() {
		j.via, j.env.child, j.env.errexit, j.frames = how, true, false, nil
		run()
	})
	j.via, j.frames = via, frames
}

// inner judges words that a command runs as another command.
func (c *call) inner(how string, args []field) {
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
func (c *call) runs(how string, args []field, walk func(at span)) {
	c.part.Wrapper = true
	if len(args) == 0 {
		return
	}
	j, via := c.j, c.j.via
	at := span{args[0].at.start, args[len(args)-1].at.end}
	if at.end < at.start {
		at = c.at
	}
	j.via = how
	j.depth++
	if j.step() {
		walk(at)
	}
	j.depth--
	j.via = via
	c.quiet()
}

// eval runs its arguments, joined, in this shell.
func (c *call) eval() {
	c.part.Wrapper = true
	if args := c.skip(nil); len(args) > 0 {
		f := joinedField(args)
		for _, a := range args {
			f.multi = f.multi || a.multi
		}
		c.text(f, "eval", false)
		c.quiet()
	}
}

// source runs a file in this shell, with the arguments that it is given.
func (c *call) source() {
	args, j := c.skip(nil), c.j
	if len(args) == 0 {
		return
	}
	f, before := args[0], j.env.dirs
	c.usual(executes|unknown, "runs "+show(f.text)+" in this shell", f.at)
	j.path(&c.part, f, false, false)
	for _, text := range j.content(f) {
		c.ran(text, f.at)
		run := func() { j.innerText(text, f, "source", false) }
		if len(args) > 1 {
			j.withArguments(args[1:], run)
		} else {
			run()
		}
	}
	j.env.unsure, j.env.ok, j.env.fail = true, addDirs(j.env.dirs, []string{anyText}), before
}

// exec replaces the shell, or redirects it.
func (c *call) exec() {
	c.quiet()
	if args := c.skip(optionSpec{"-a": "takes"}); len(args) > 0 {
		c.inner("exec", args)
		c.j.env.ok = nil
	}
}

// bypass is command and builtin: what a name means when it is no function.
func (c *call) bypass() {
	opts, args := c.scan(nil, true)
	if slices.ContainsFunc(opts, func(o option) bool { return o.name != "-p" }) {
		c.does(reads)
		c.which()
		return
	}
	c.runs(c.name, args, func(at span) { c.j.program(args, at) }) // builtins that are run this way still change this very shell
}

// which writes where a command's file is.
func (c *call) which() {
	c.out = nil
	for _, a := range c.args {
		switch {
		case strings.HasPrefix(a.text, "-"):
		case c.out != nil || !known(a.text) || a.glob:
			c.out = nil
			return
		case strings.Contains(a.text, "/"):
			c.out = value{a.text + "\n"}
		default:
			c.out = value{"/usr/bin/" + a.text + "\n"}
		}
	}
}

// trap keeps a text that the shell runs later: at any time, so with all that
// its variables ever were.
func (c *call) trap() {
	c.quiet()
	args := c.args
	if len(args) > 0 && args[0].text != "-" {
		args = c.skip(nil)
	}
	if len(args) < 2 || args[0].text == "" || args[0].text == "-" {
		return
	}
	f := args[0]
	c.part.Wrapper = true
	if !known(f.text) || f.multi {
		c.effect(executes|unknown, "what the trap runs cannot be told", f.at)
	}
	c.ran(f.text, f.at)
	c.j.traps = append(c.j.traps, f)
	c.j.subshell(func() { c.j.innerText(f.text, f, "trap", false) }) // as things are now
}

// runTraps judges the traps again at the end of the line, with everything that
// their variables may have been meanwhile.
func (j *judge) runTraps() {
	if len(j.traps) == 0 {
		return
	}
	j.subshell(func() {
		for name, v := range j.ever {
			j.env.set(name, v)
		}
		for _, f := range j.traps {
			j.innerText(f.text, f, "trap", false)
		}
	})
}

// alias defines aliases: they are there from the next line on, or earlier.
func (c *call) alias() {
	c.quiet()
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
func (c *call) set() {
	c.quiet()
	if len(c.args) == 0 {
		c.out = value{anyText}
		return
	}
	for i := 0; i < len(c.args); i++ {
		a := c.args[i].text
		switch {
		case a == "--" || a == "-":
			c.j.positional(c.args[i+1:])
			return
		case c.args[i].multi || !known(a) || len(a) < 2 || a[0] != '-' && a[0] != '+':
			c.j.positional(c.args[i:])
			return
		}
		isE := strings.Contains(a, "e")
		if strings.HasSuffix(a, "o") {
			i++
			isE = i < len(c.args) && c.args[i].text == "errexit"
		}
		if isE {
			c.j.env.errexit = a[0] == '-'
		}
	}
}
