package policy

import "strings"

// builtin judges a builtin of bash; it reports false when the name is none.
func (c *call) builtin() bool {
	j := c.j
	switch c.name {
	case ":", "true", "false", "shift", "wait", "jobs", "disown", "fg", "bg", "times", "umask", "ulimit", "caller", "compopt",
		"suspend", "logout", "unalias", "getopts", "help", "dirs":
		c.quiet()
		c.shellState()
	case "test", "[":
		c.quiet()
		c.test()
	case "echo":
		c.echo()
	case "printf":
		c.printf()
	case "pwd":
		c.out = value(j.env.dirs)
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
	case "shopt":
		c.quiet()
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
	case "enable", "hash", "bind", "complete", "compgen", "history", "fc", "type":
		c.rareBuiltin()
	default:
		return false
	}
	return true
}

// quiet says that nothing is written to stdout.
func (c *call) quiet() { c.out = value{""} }

// shellState judges builtins that set variables or change how the shell runs.
func (c *call) shellState() {
	switch c.name {
	case "shift":
		c.shift()
	case "getopts":
		c.subscripts(c.args)
		for _, a := range c.args[min(1, len(c.args)):min(2, len(c.args))] {
			c.assignName(a, value{anyText})
		}
	case "wait":
		c.subscripts(c.args)
	case "jobs", "dirs", "help", "times":
		c.out = value{anyText}
		if c.name == "jobs" && len(c.args) > 1 && c.args[0].text == "-x" {
			c.inner("jobs -x", c.args[1:])
		}
	}
}

// subscripts looks at words that a builtin takes for variable names: in
// a[$(x)] it runs x.
func (c *call) subscripts(args []field) {
	for _, a := range args {
		if strings.IndexByte(a.text, '[') >= 0 {
			c.j.subscript(a.text, a.at)
		}
	}
}

// assignName assigns to the variable that a word names.
func (c *call) assignName(f field, v value) {
	name, _, isElement := subscripted(f.text)
	if !known(f.text) {
		c.j.unknown("which variable is set cannot be told", f.at)
		return
	}
	if !validName(name) {
		return
	}
	c.j.dangerousAssign(name, v, f.at)
	if isElement {
		old := c.j.lookup(name)
		c.j.assign(variable{name: name, array: true, assoc: old.assoc, lists: joinLists(old.asLists(), [][]string{{anyWords}})})
		return
	}
	c.j.assign(variable{name: name, val: v})
}

func (c *call) shift() {
	at := c.j.lookup("@")
	var lists [][]string
	for _, l := range at.asLists() {
		n := 1
		if len(c.args) > 0 {
			if c.args[0].text != "1" {
				lists = append(lists, []string{anyWords})
				continue
			}
		}
		if len(l) > 0 && l[0] == anyWords {
			l, n = l[:1], 0
		}
		lists = joinLists(lists, [][]string{l[min(n, len(l)):]})
	}
	c.j.env.set(variable{name: "@", array: true, lists: lists})
}

// test judges test and [: -v evaluates a subscript.
func (c *call) test() {
	for i, a := range c.args {
		if i > 0 && (c.args[i-1].text == "-v" || c.args[i-1].text == "-R" || !known(c.args[i-1].text)) {
			c.subscripts([]field{a})
		}
		if i > 0 && fileTest(c.args[i-1].text) {
			c.does(reads)
		}
	}
}

// fileTest reports whether a test's operator looks at a file.
func fileTest(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkprstuwxOGLNS", op[1]) >= 0
}

func (c *call) leave() {
	c.quiet()
	switch c.name {
	case "exit":
		if _, redefined := c.j.world.Functions["exit"]; redefined {
			return
		}
	case "return":
		c.j.exitOf(true, c.j.env.dirs)
	default:
		c.j.exit(c.j.env.dirs)
		for i := range c.j.frames { // break 2
			if len(c.args) > 0 && c.j.frames[i].function == "" {
				c.j.frames[i].exits = append(c.j.frames[i].exits, c.j.env.copy())
			}
		}
	}
	c.flow = flow{}
}

// cd changes the directory, if it succeeds.
func (c *call) cd() {
	j := c.j
	c.quiet()
	if c.name == "popd" || c.name == "pushd" && len(c.args) == 0 {
		c.flow = flow{addDirs(j.env.dirs, []string{anyText}), j.env.dirs}
		return
	}
	args := c.args
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && !strings.Contains(args[0].text, "/") && !args[0].multi {
		args = args[1:]
	}
	target := field{text: "-"}
	switch {
	case len(args) > 0:
		target = args[0]
	case len(c.args) == 0 || c.args[0].text != "-":
		target = field{text: one(j.home())}
	}
	if v := j.lookup("CDPATH"); len(v.val) > 0 && one(v.val) != inherited && one(v.val) != "" {
		target = field{text: anyText}
	}
	var to []string
	switch {
	case target.multi || target.glob || target.text == "-" || strings.HasPrefix(target.text, "+"):
		to = []string{anyText}
	case target.text == "":
		to = j.env.dirs
	default:
		for _, d := range j.resolve(target.text) {
			to = addDirs(to, []string{d})
		}
	}
	c.flow = flow{to, j.env.dirs}
}

// rareBuiltin judges builtins that can run code in ways of their own.
func (c *call) rareBuiltin() {
	c.quiet()
	switch c.name {
	case "type":
		c.out = value{anyText}
		c.which()
	case "enable":
		c.flagText("f", "loads code into the shell")
	case "hash":
		c.flagText("p", "makes a name run another program")
	case "bind":
		c.flagText("x", "binds keys to commands")
		c.flagText("f", "binds keys to commands")
	case "complete", "compgen":
		c.out = value{anyText}
		c.programOption("CF")
	case "history":
		c.out = value{anyText}
		c.historyFiles()
	case "fc":
		c.effect(executes|unknown, "fc runs commands again", c.at)
	}
}

// flagText notes an option that makes a builtin do more than it seems.
func (c *call) flagText(letter, why string) {
	for _, a := range c.args {
		if !known(a.text) || len(a.text) > 1 && a.text[0] == '-' && strings.Contains(a.text, letter) {
			c.effect(executes|unknown, c.name+" "+why, a.at)
		}
	}
}

// programOption judges what follows an option as a command.
func (c *call) programOption(letters string) {
	for i, a := range c.args {
		if len(a.text) == 2 && a.text[0] == '-' && strings.IndexByte(letters, a.text[1]) >= 0 && i+1 < len(c.args) {
			c.text(c.args[i+1], c.name+" "+a.text, c.name == "compgen")
		}
	}
}

func (c *call) historyFiles() {
	for i, a := range c.args {
		switch a.text {
		case "-a", "-w":
			c.does(writes)
			if i+1 < len(c.args) {
				c.write(c.args[i+1])
			}
		case "-r", "-n":
			if i+1 < len(c.args) {
				c.read(c.args[i+1])
			}
		}
	}
}
