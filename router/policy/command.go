package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router"
	"mvdan.cc/sh/v3/syntax"
)

// simpleCommand is a command while it is judged.
type simpleCommand struct {
	j     *judge
	name  string // the command's name, without its directory
	args  []word // the words after it
	at    span
	part  *Part
	out   value // what it writes to its stdout; nil: cannot be told
	loose bool  // an argument may be any option
	file  bool  // it is a file that is no installed program
}

// simple walks a simple command: assignments, expansion, then what its words may be.
func (j *judge) simple(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		for _, a := range n.Assigns {
			j.assignment(a, 0)
		}
		return
	}
	at := j.src.spanOf(n.Args[0].Pos(), n.Args[len(n.Args)-1].End())
	call := slices.IndexFunc(j.src.calls, func(c router.CallSite) bool { return c.Offset == int(n.Args[0].Pos().Offset()) })
	if _, ok := n.Args[0].Parts[0].(*syntax.ExtGlob); ok && call < 0 { // !(rm x): without extglob a negated subshell
		j.anything("whether this is a pattern or a command depends on the shell's options", at)
	}
	argvs := j.expandAll(n.Args)
	j.ways(len(argvs), false, func(i int) {
		var before []local // what stands before a command is for it alone
		for _, a := range n.Assigns {
			if a.Name != nil {
				before = append(before, local{a.Name.Value, j.lookup(a.Name.Value)})
			}
			j.assignment(a, exported)
		}
		if call >= 0 {
			j.tool(j.src.calls[call].Name, argvs[i], at)
		} else {
			j.command(argvs[i], at)
		}
		j.restore(before)
	})
}

// command judges a simple command from its words. The first may be no word at all.
func (j *judge) command(args []word, at span) {
	if len(args) > 1 && args[0].text == "--" && args[0].plain {
		args = args[1:] // the parser leaves it there after time's options
	}
	switch {
	case len(args) == 0:
	case args[0].multi && len(args) > 1:
		j.ways(2, false, func(i int) {
			if i == 0 {
				j.program(args, at)
			} else {
				j.command(args[1:], at)
			}
		})
	case !args[0].exact():
		j.program(args, at)
	default:
		all := j.meanings(args, at)
		j.ways(len(all), false, func(i int) { all[i]() })
	}
}

// program judges what a name means when it is no function: a builtin, a tool or a program on disk.
func (j *judge) program(args []word, at span) {
	j.stay()
	if len(args) == 0 || args[0].text == "" {
		return
	}
	if !args[0].exact() {
		j.unnamed(args, at)
		return
	}
	tool, ok := toolName(args[0].text)
	name, script := commandName(args[0].text)
	if name == "agentbash" && !script && len(args) > 1 { // agentbash read x: the tool, from a terminal
		if word, forced := toolName(args[1].text); forced || j.world.tool(word) != nil {
			tool, ok, args = word, true, args[1:]
		}
	}
	called := func(c router.CallSite) bool {
		return c.Name == tool && args[0].at.start <= c.Offset && c.Offset < args[0].at.end
	}
	if ok || slices.ContainsFunc(j.calls, called) {
		j.tool(tool, args, at)
		return
	}
	c := simpleCommand{j: j, name: name, args: args[1:], at: at, part: j.add(j.part(CommandPart, at, args...))}
	if script {
		c.script(args[0])
	}
	c.external()
	unsure := j.env.unsure && c.part.Via == "" && args[0].plain
	if c.part.loose = c.part.loose || unsure; unsure && (c.part.set&^reads != 0 || !j.world.Holds.Read || !j.world.Holds.Workspace) {
		c.part.set |= unknown // else it is held as a read, whatever it means
		j.reason(name+" may be a function that code from elsewhere has defined", unknown, NoDanger, at)
	}
	if c.out == nil {
		c.out = value{j.stdin.taint()}
	}
	j.env.write(c.out)
}

// toolName returns the name of the tool that a word calls by its form alone.
func toolName(word string) (string, bool) {
	rest, forced := strings.CutPrefix(word, "agent:")
	return rest, forced || strings.HasPrefix(word, "field:")
}

// commandName returns the name of the program that a word runs, and whether it is a file that is no installed program.
func commandName(word string) (name string, script bool) {
	cut := strings.LastIndexByte(word, '/') + 1
	return word[cut:], cut > 0 && !programs().has("program-directory", clean(word[:cut]))
}

// script notes that a file is run which is no installed program: it may hold anything.
func (c *simpleCommand) script(f word) {
	c.file = true
	c.part.set |= executes
	c.j.reason("runs "+c.j.short(append(c.j.resolve(f.text), "")[0])+", whose effects cannot be seen", executes, NoDanger, f.at)
	c.read(f)
	c.runsFile(f)
}

// runsFile judges a file that is run by the text that the line wrote into it.
func (c *simpleCommand) runsFile(f word) {
	for _, text := range c.j.content(f) {
		c.ran(text, f.at)
		line, _, _ := strings.Cut(text, "\n")
		if known(text) && strings.HasPrefix(line, "#!") && !strings.HasSuffix(strings.TrimRight(line, " -eux"), "sh") {
			c.code(text, f.at)
			continue
		}
		c.j.innerText(text, f, "the script "+show(f.text), true)
	}
}

// ran raises the running of a text that came from elsewhere.
func (c *simpleCommand) ran(text string, at span) {
	if known(text) {
		return
	}
	c.part.set |= executes | unknown
	if why := (map[string]string{fromNet: "what came over the network", decoded: "text that another program has put together"})[taint(text)]; why != "" {
		c.danger(Confirm, "runs "+why, at)
	}
}

// effect adds to what a command does beyond what is usual for it, and says why.
func (c *simpleCommand) effect(set effects, why string, at span) {
	c.part.more = c.part.more || set&(executes|unknown) != 0
	c.usual(set, why, at)
}

// usual adds to what a command does, and says why.
func (c *simpleCommand) usual(set effects, why string, at span) {
	c.part.set |= set
	c.j.reason(why, set, NoDanger, at)
}

func (c *simpleCommand) danger(d Danger, why string, at span) { c.j.danger(c.part, d, why, at) }

// unnamed judges a command whose name is not known. What it may be is tried, and can only raise the verdict.
func (j *judge) unnamed(args []word, at span) {
	first := args[0]
	c := simpleCommand{j: j, args: args[1:], at: at, part: j.add(j.part(CommandPart, at, args...))}
	c.part.set = executes | unknown
	j.reason("which command this runs cannot be told: "+show(first.text), unknown, NoDanger, first.at)
	c.ran(first.text, first.at)
	guess := lastOf(withoutHoles(first.text))
	for _, name := range slices.Backward(programs().lists["guess"]) { // the worst one first
		if first.glob && match(lastOf(first.text), name) {
			guess = name
		}
	}
	if guess != "" && (first.glob || !first.multi) {
		c.raise(Block, func() { j.program(append([]word{{text: guess, at: first.at}}, args[1:]...), at) })
	}
	if !first.multi {
		c.tryRest()
	}
	j.env.write(value{anyText})
}

// tryRest looks for a command among the arguments of one that is not known and may run it, as env and sudo do.
func (c *simpleCommand) tryRest() {
	mayRun := func(a word) bool { return known(a.text) && !strings.HasPrefix(a.text, "-") && harmful(a.text) }
	if i := slices.IndexFunc(c.args, mayRun); i >= 0 {
		c.raise(Confirm, func() { c.j.program(c.args[i:], c.at) })
	}
}

// raise judges what a command may do, and keeps the danger alone, no more than most.
func (c *simpleCommand) raise(most Danger, try func()) {
	j := c.j
	parts, reasons, before := len(j.parts), j.reasons, j.env.copy()
	j.reasons = nil
	j.nested(try)
	found := j.reasons
	j.parts, j.reasons, j.env = j.parts[:parts], reasons, before
	for _, r := range found {
		if r.Danger.worse(most) {
			r.Danger = most
		}
		if r.Danger != NoDanger {
			c.danger(r.Danger, "may be: "+r.Text, span{r.Start, r.End})
		}
	}
}
