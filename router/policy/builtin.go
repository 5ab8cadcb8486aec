package policy

import (
	"slices"
	"strings"
)

// builtins are the commands of bash that change the shell, or run something.
// The others are in the table of programs. Those that do not say what they write
// to stdout write nothing.
var builtins map[string]func(*call)

func init() {
	builtins = map[string]func(*call){
		"shift": (*call).shift, "echo": (*call).echo, "printf": (*call).printf,
		"pwd": func(c *call) { c.out = c.j.env.dirs }, "cd": (*call).cd, "pushd": (*call).cd, "popd": (*call).cd,
		"eval": (*call).eval, "source": (*call).source, ".": (*call).source, "exec": (*call).exec,
		"command": (*call).bypass, "builtin": (*call).bypass, "trap": (*call).trap, "alias": (*call).alias,
		"set": (*call).set, "unset": (*call).unset, "read": (*call).readInto, "mapfile": (*call).readInto, "readarray": (*call).readInto,
		"export": (*call).declareWords, "declare": (*call).declareWords, "typeset": (*call).declareWords,
		"local": (*call).declareWords, "readonly": (*call).declareWords, "let": (*call).let,
		"exit": (*call).leave, "return": (*call).leave, "break": (*call).leave, "continue": (*call).leave,
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

func (c *call) shift() {
	var out [][]string
	for _, l := range c.j.lookup("@").lists {
		switch {
		case len(c.args) > 0 && c.args[0].text != "1" || slices.Contains(l[:min(1, len(l))], anyWords):
			l = anyElements[0]
		case len(l) > 0:
			l = l[1:]
		}
		out = joinLists(out, [][]string{l})
	}
	c.j.env.set("@", variable{lists: out})
}

// leave ends the shell, or a function or loop.
func (c *call) leave() {
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
func (c *call) cd() {
	j, args := c.j, c.skip(nil)
	target := field{text: one(j.home())}
	if len(args) > 0 {
		target = args[0]
	}
	path := one(j.valueOf("CDPATH"))
	switch {
	case c.name == "popd" || c.name == "pushd" && len(c.args) == 0:
		j.env.ok = addDirs(j.env.dirs, []string{anyText})
	case path != "" && path != inherited || target.multi || target.glob || target.text == "-" || strings.HasPrefix(target.text, "+"):
		j.env.ok = []string{anyText}
	case target.text != "":
		j.env.ok = addDirs(nil, j.resolve(target.text))
	}
}
