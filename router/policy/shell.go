package policy

import "strings"

// text judges a word that is run as bash text, in this shell or in another.
func (c *call) text(f field, how string, child bool) {
	if f.multi || !known(f.text) {
		c.part.set |= executes | unknown
		c.j.reason("what "+how+" runs cannot be told", unknown, NoDanger, f.at)
		if !child {
			c.j.env.unsure = true
		}
	}
	c.ran(f.text, f.at)
	c.j.innerText(f.text, f, how, child)
}

// innerText walks a text that was found in a word.
func (j *judge) innerText(text string, f field, how string, child bool) {
	s := &source{text: text, start: f.at.start, end: f.at.end, made: true}
	if f.from >= 0 && text == f.text && known(text) {
		s.made, s.start, s.end = false, f.from, f.from+len(text)
	}
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
	outer, saved, frames := j.via, j.env.copy(), j.frames
	j.via, j.env.child, j.env.aliases, j.frames = how, true, nil, nil
	j.env.errexit = false
	run()
	j.via, j.env, j.frames = outer, saved, frames
}

// inner judges words that a command runs as another command.
func (c *call) inner(how string, args []field) {
	c.part.Wrapper = true
	if len(args) == 0 {
		return
	}
	j := c.j
	outer := j.via
	j.via = how
	at := span{args[0].at.start, args[len(args)-1].at.end}
	if at.end < at.start {
		at = c.at
	}
	saved, out := j.env.copy(), j.out
	var got sink
	if out != nil {
		j.out = &got
	}
	j.depth++
	if j.step() {
		j.program(args, at)
		if args[0].multi && len(args) > 1 {
			j.program(args[1:], at)
		}
	}
	j.depth--
	j.env, j.out, j.via = saved, out, outer
	if out != nil {
		c.out = got.value()
	}
}

// eval runs its arguments, joined, in this shell.
func (c *call) eval() {
	c.part.Wrapper = true
	if len(c.args) == 0 {
		return
	}
	f := c.args[0]
	if len(c.args) > 1 {
		f = field{text: joined(c.args), from: -1, at: span{c.args[0].at.start, c.args[len(c.args)-1].at.end}}
		for _, a := range c.args {
			f.multi = f.multi || a.multi
		}
	}
	if f.text == "--" {
		return
	}
	f.text = strings.TrimPrefix(f.text, "-- ")
	out := c.j.out
	c.text(f, "eval", false)
	c.flow = c.j.same()
	if out != nil {
		c.quiet() // what it wrote is in the sink already
	}
}

// source runs a file in this shell.
func (c *call) source() {
	if len(c.args) == 0 {
		return
	}
	args := c.args
	if args[0].text == "--" && len(args) > 1 {
		args = args[1:]
	}
	f := args[0]
	c.usual(executes|unknown, "runs "+show(f.text)+" in this shell", f.at)
	c.j.path(&c.part, f, false, false)
	c.j.env.unsure = true
	for _, text := range c.j.content(f) {
		c.ran(text, f.at)
		c.sourced(text, f, args[1:])
	}
	c.flow = flow{addDirs(c.j.env.dirs, []string{anyText}), c.j.env.dirs}
}

// sourced walks a sourced text, with the arguments that it is given.
func (c *call) sourced(text string, f field, args []field) {
	saved := c.j.lookupHere("@")
	if len(args) > 0 {
		c.positional(args)
	}
	c.j.innerText(text, f, "source", false)
	if len(args) > 0 {
		c.j.env.set(saved)
	}
}

// exec replaces the shell, or redirects it.
func (c *call) exec() {
	args := c.skip("a:", "")
	if len(args) == 0 {
		c.quiet()
		return
	}
	c.inner("exec", args)
	c.flow = flow{nil, c.j.env.dirs}
}

// bypass is command and builtin: what a name means when it is no function.
func (c *call) bypass() {
	look := false
	args := c.args
	for c.name == "command" && len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		look = look || strings.ContainsAny(args[0].text, "vV") || !known(args[0].text)
		args = args[1:]
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if look {
		c.does(reads)
		c.which()
		return
	}
	c.part.Wrapper = true
	if len(args) == 0 {
		return
	}
	// Builtins that are run this way still change this very shell.
	j, outer := c.j, c.j.via
	j.via = c.name
	out := j.out
	var got sink
	if out != nil {
		j.out = &got
	}
	if j.step() {
		c.flow = j.program(args, span{args[0].at.start, args[len(args)-1].at.end})
	}
	j.via, j.out = outer, out
	if out != nil {
		c.out = got.value()
	}
}

// trap keeps a text that the shell runs later: at any time, so with all that
// its variables ever were.
func (c *call) trap() {
	c.quiet()
	args := c.args
	if len(args) > 0 && (args[0].text == "--" || args[0].text == "-p" || args[0].text == "-l") {
		args = args[1:]
	}
	if len(args) < 2 {
		return
	}
	f := args[0]
	if f.text == "" || f.text == "-" {
		return
	}
	c.part.Wrapper = true
	if !known(f.text) || f.multi {
		c.effect(executes|unknown, "what the trap runs cannot be told", f.at)
	}
	c.ran(f.text, f.at)
	c.j.traps = append(c.j.traps, f)
	c.raiseAll(f)
}

// raiseAll judges a trap's text as things are now.
func (c *call) raiseAll(f field) {
	saved := c.j.env.copy()
	c.j.innerText(f.text, f, "trap", false)
	c.j.env = saved
}

// runTraps judges the traps again at the end of the line, with everything that
// their variables may have been meanwhile.
func (j *judge) runTraps() {
	if len(j.traps) == 0 {
		return
	}
	saved := j.env.copy()
	for _, v := range j.ever {
		j.env.set(v)
	}
	j.again = true
	for _, f := range j.traps {
		j.innerText(f.text, f, "trap", false)
	}
	j.env = saved
}

// alias defines aliases: they are there from the next line on, or earlier.
func (c *call) alias() {
	c.quiet()
	for _, a := range c.args {
		name, text, ok := strings.Cut(a.text, "=")
		if !ok {
			c.out = value{anyText}
			continue
		}
		if !known(name) || a.multi {
			c.j.env.unsure = true
			c.effect(unknown, "which alias this defines cannot be told", a.at)
			continue
		}
		old := c.j.env.alias(name)
		c.j.env.aliases = append([]alias{{name, value{text}.join(old)}}, c.j.env.aliases...)
	}
}

// set changes options and the positional parameters.
func (c *call) set() {
	c.quiet()
	if len(c.args) == 0 {
		c.out = value{anyText}
		return
	}
	for i, a := range c.args {
		switch {
		case a.text == "--" || a.text == "-":
			c.positional(c.args[i+1:])
			return
		case a.multi || !known(a.text):
			c.positional(c.args[i:])
			return
		case len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+'):
			if strings.IndexByte(a.text, 'e') > 0 && strings.IndexByte(a.text, 'o') < 0 {
				c.j.env.errexit = a.text[0] == '-'
			}
		case i > 0 && strings.HasSuffix(c.args[i-1].text, "o") && len(c.args[i-1].text) > 1 && strings.IndexByte("-+", c.args[i-1].text[0]) >= 0:
			if a.text == "errexit" {
				c.j.env.errexit = c.args[i-1].text[0] == '-'
			}
		default:
			c.positional(c.args[i:])
			return
		}
	}
}

func (c *call) positional(args []field) {
	c.j.env.set(variable{name: "@", array: true, lists: [][]string{texts(args)}})
}

// which writes where a command's file is.
func (c *call) which() {
	var v value
	for _, a := range c.args {
		switch {
		case strings.HasPrefix(a.text, "-"):
		case v != nil || !known(a.text) || a.glob:
			c.out = nil
			return
		default:
			v = value{"/usr/bin/" + a.text + "\n"}
			if strings.Contains(a.text, "/") {
				v = value{a.text + "\n"}
			}
		}
	}
	c.out = v
}
