package policy

import "strings"

// builtin judges a builtin of bash; it reports false when the name is none.
func (c *call) builtin() bool {
	switch c.name {
	case ":", "true", "false", "disown", "fg", "bg", "umask", "ulimit", "caller", "compopt", "suspend", "logout", "unalias", "shopt":
		c.quiet()
	case "dirs", "help", "times":
		c.out = value{anyText}
	case "jobs":
		c.out = value{anyText}
		if len(c.args) > 1 && c.args[0].text == "-x" {
			c.inner("jobs -x", c.args[1:])
		}
	case "wait":
		c.quiet()
		c.subscripts(c.args)
	case "getopts":
		c.quiet()
		c.subscripts(c.args)
		if len(c.args) > 1 {
			c.assignName(c.args[1], value{anyText})
		}
	case "shift":
		c.shift()
	case "test", "[":
		c.test()
	case "echo":
		c.echo()
	case "printf":
		c.printf()
	case "pwd":
		c.out = c.j.env.dirs
	case "cd", "pushd", "popd":
		c.cd()
	case "eval":
		c.eval()
	case "source", ".":
		c.source()
	case "exec":
		c.exec()
	case "command", "builtin":
		c.bypass()
	case "trap":
		c.trap()
	case "alias":
		c.alias()
	case "set":
		c.set()
	case "export", "declare", "typeset", "local", "readonly":
		c.declareWords()
	case "unset":
		c.unset()
	case "read", "mapfile", "readarray":
		c.readInto()
	case "let":
		c.let()
	case "exit", "return", "break", "continue":
		c.leave()
	case "type":
		c.which()
	case "enable":
		c.flagText("f", "loads code into the shell")
	case "hash":
		c.flagText("p", "makes a name run another program")
	case "bind":
		c.flagText("xf", "binds keys to commands")
	case "complete", "compgen":
		c.out = value{anyText}
		for i, a := range c.args {
			if (a.text == "-C" || a.text == "-F") && i+1 < len(c.args) {
				c.text(c.args[i+1], c.name+" "+a.text, c.name == "compgen")
			}
		}
	case "history":
		c.out = value{anyText}
		c.historyFiles()
	case "fc":
		c.quiet()
		c.effect(executes|unknown, "fc runs commands again", c.at)
	default:
		return false
	}
	return true
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

func (c *call) shift() {
	c.quiet()
	var out [][]string
	for _, l := range c.j.lookup("@").asLists() {
		switch {
		case len(c.args) > 0 && c.args[0].text != "1":
			l = []string{anyWords}
		case len(l) > 0 && l[0] == anyWords:
			l = l[:1]
		default:
			l = l[min(1, len(l)):]
		}
		out = joinLists(out, [][]string{l})
	}
	c.j.env.set(variable{name: "@", array: true, lists: out})
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
	switch c.name {
	case "exit":
		if _, redefined := j.world.Functions["exit"]; redefined {
			return
		}
	case "return":
		j.exit(true, j.env.dirs)
	default:
		j.exit(false, j.env.dirs)
		for i := range j.frames { // break 2
			if len(c.args) > 0 && j.frames[i].function == "" {
				j.frames[i].exits = append(j.frames[i].exits, j.env.copy())
			}
		}
	}
	c.flow = flow{}
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
	path := one(j.lookup("CDPATH").val)
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
	c.flow = flow{to, j.env.dirs}
}

// flagText notes an option that makes a builtin do more than it seems.
func (c *call) flagText(letters, why string) {
	c.quiet()
	for _, a := range c.args {
		if !known(a.text) || len(a.text) > 1 && a.text[0] == '-' && strings.ContainsAny(a.text, letters) {
			c.effect(executes|unknown, c.name+" "+why, a.at)
		}
	}
}

func (c *call) historyFiles() {
	for i, a := range c.args {
		files := c.args[i+1 : min(i+2, len(c.args))]
		switch a.text {
		case "-a", "-w":
			c.does(writes)
			for _, f := range files {
				c.write(f)
			}
		case "-r", "-n":
			for _, f := range files {
				c.read(f)
			}
		}
	}
}
