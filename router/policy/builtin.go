package policy

import "strings"

// builtins are the commands of bash that change the shell, or run something.
// The others are in the table of programs.
var builtins map[string]func(*call)

func init() {
	builtins = map[string]func(*call){
		"shift": (*call).shift, "test": (*call).test, "[": (*call).test, "echo": (*call).echo, "printf": (*call).printf,
		"pwd": func(c *call) { c.out = c.j.env.dirs }, "cd": (*call).cd, "pushd": (*call).cd, "popd": (*call).cd,
		"eval": (*call).eval, "source": (*call).source, ".": (*call).source, "exec": (*call).exec,
		"command": (*call).bypass, "builtin": (*call).bypass, "type": (*call).which, "trap": (*call).trap, "alias": (*call).alias,
		"set": (*call).set, "unset": (*call).unset, "read": (*call).readInto, "mapfile": (*call).readInto, "readarray": (*call).readInto,
		"export": (*call).declareWords, "declare": (*call).declareWords, "typeset": (*call).declareWords,
		"local": (*call).declareWords, "readonly": (*call).declareWords, "let": (*call).let, "getopts": (*call).getopts,
		"exit": (*call).leave, "return": (*call).leave, "break": (*call).leave, "continue": (*call).leave,
		"wait": func(c *call) { c.quiet(); c.subscripts(c.args) },
	}
}

// quiet says that nothing is written to stdout.
func (c *call) quiet() { c.out = value{""} }

// subscripts looks at words that a builtin takes for variable names: in
// a[$(x)] it runs x.
func (c *call) subscripts(args []field) {
	for _, a := range args {
		if strings.IndexByte(a.text, '[') >= 0 {
			c.j.subscript(a.text, a.at)
		}
	}
}

func (c *call) getopts() {
	c.quiet()
	if c.subscripts(c.args); len(c.args) > 1 {
		c.assignName(c.args[1], value{anyText})
	}
}

func (c *call) shift() {
	c.quiet()
	var out value
	for _, l := range c.j.lookup("@").lists {
		_, rest, ok := strings.Cut(l, nextElement)
		switch {
		case len(c.args) > 0 && c.args[0].text != "1" || strings.HasPrefix(l, anyWords):
			rest = anyWords
		case !ok:
			rest = noElements
		}
		out = out.join(value{rest})
	}
	c.j.env.set("@", variable{lists: out})
}

// test judges test and [: -v evaluates a subscript.
func (c *call) test() {
	c.quiet()
	for i, a := range c.args[min(1, len(c.args)):] {
		op := c.args[i].text
		if op == "-v" || op == "-R" || !known(op) {
			c.subscripts([]field{a})
		}
		if len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkprstuwxOGLNS", op[1]) >= 0 {
			c.does(reads)
		}
	}
}

func (c *call) leave() {
	c.quiet()
	j := c.j
	switch {
	case c.name == "exit" && len(j.world.vars["function exit"].lists) > 0:
		return
	case c.name == "return":
		j.exit(true, j.env.dirs)
	case c.name != "exit":
		j.exit(false, j.env.dirs)
		for i := range j.frames { // break 2
			if len(c.args) > 0 && j.frames[i].function == "" {
				j.frames[i].exits = append(j.frames[i].exits, j.env.copy())
			}
		}
	}
	j.env.ok, j.env.fail = nil, nil
}

// cd changes the directory, if it succeeds.
func (c *call) cd() {
	j, args := c.j, c.args
	c.quiet()
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && !strings.Contains(args[0].text, "/") && !args[0].multi {
		args = args[1:]
	}
	target := field{text: one(j.home())}
	if len(args) > 0 {
		target = args[0]
	}
	path := one(j.valueOf("CDPATH"))
	to := []string{anyText}
	switch {
	case c.name == "popd" || c.name == "pushd" && len(c.args) == 0:
		to = addDirs(j.env.dirs, to)
	case path != "" && path != inherited || target.multi || target.glob || target.text == "-" || strings.HasPrefix(target.text, "+"):
	case target.text == "":
		to = j.env.dirs
	default:
		to = addDirs(nil, j.resolve(target.text))
	}
	j.env.ok = to
}
