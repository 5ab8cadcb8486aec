package policy

import "strings"

// role is what a word is to a program.
type role func(c *simpleCommand, f word, how string, at span)

// treat does with a word what its role says; how names the program and what stands before the word.
func (c *simpleCommand) treat(role string, f word, how string, at span) {
	if do := programs().roles[role]; do != nil {
		do(c, f, how, at)
	}
}

// roles are those of programs/README.md. Those without code are of operands, or options, alone.
func roles() map[string]role {
	file := func(do func(*simpleCommand, word)) role {
		return func(c *simpleCommand, f word, _ string, _ span) { do(c, f) }
	}
	wipes := func(verb string) role {
		return func(c *simpleCommand, f word, _ string, _ span) {
			c.writeTree(f)
			c.wipes(f, verb)
		}
	}
	raises := func(most Danger) role {
		return func(c *simpleCommand, f word, how string, _ span) {
			c.raise(most, func() { c.j.innerText(f.text, f, how, true) })
		}
	}
	script := func(c *simpleCommand, f word, how string, _ span) { c.text(f, how, true) }
	holds := func(language string) role { // a file that holds a program
		return func(c *simpleCommand, f word, how string, at span) {
			c.read(f)
			text := c.j.content(f)
			if text == nil && language != "codes" {
				c.effect(executes|unknown, "what the program "+show(f.text)+" does cannot be seen", at)
			}
			for _, s := range text {
				c.treat(language, word{text: s, at: at}, how, at)
			}
		}
	}
	return map[string]role{
		"skip": nil, "same": nil, "target": nil, "command": nil, "assigned": nil, "named-command": nil,
		"flags": nil, "takes": nil, "may-take": nil, "commands": nil, "more": nil,
		"reads": file((*simpleCommand).read), "trees": file((*simpleCommand).readTree), "writes": file((*simpleCommand).write), "fills": file((*simpleCommand).writeTree),
		"wipes": wipes("deletes"), "moves": wipes("moves away"), "overwrites": wipes("overwrites"), "packs": wipes("packs and deletes"),
		"permits": wipes("changes the permissions of"), "links": file((*simpleCommand).linksTo), "git-setting": file((*simpleCommand).gitSetting),
		"sed": file((*simpleCommand).sed), "awk": file((*simpleCommand).awk), "program": holds("codes"), "sed-file": holds("sed"), "awk-file": holds("awk"),
		"script": script, "scripts": script, "remote-script": raises(Confirm), "guesses": raises(Block),
		"tries":     func(c *simpleCommand, f word, how string, _ span) { c.raiseText(f, how) },
		"directory": func(c *simpleCommand, f word, _ string, _ span) { c.j.env.dirs = c.j.resolve(f.text) },
		"sends": func(c *simpleCommand, f word, _ string, _ span) {
			f.text, _, _ = strings.Cut(f.text, ";")
			c.read(f)
		},
		"prefixes": func(c *simpleCommand, f word, _ string, _ span) {
			f.text += aName
			c.write(f)
		},
		"codes": func(c *simpleCommand, f word, _ string, at span) {
			c.ran(f.text, at)
			c.code(f.text, at)
		},
		"startup": func(c *simpleCommand, f word, how string, at span) {
			c.effect(executes|unknown, how+" runs "+show(f.text), at)
			c.runsFile(f)
		},
		"runs": func(c *simpleCommand, f word, how string, at span) {
			c.effect(executes, how+" runs "+show(f.text), at)
			c.text(f, how, true)
		},
		"downloads": func(c *simpleCommand, f word, _ string, _ span) {
			address, _, _ := strings.Cut(strings.ReplaceAll(f.text, "#", "?"), "?")
			if f.text = lastOf(address); f.text == "" {
				f.text = "index.html"
			}
			c.write(f)
			c.j.keepFile(f, value{fromNet}, false)
		},
		"subscript": func(c *simpleCommand, f word, _ string, _ span) { c.subscripts([]word{f}) },
		"variable": func(c *simpleCommand, f word, _ string, _ span) {
			c.subscripts([]word{f})
			c.assignName(f, value{anyText})
		},
		"fetched": func(c *simpleCommand, f word, _ string, _ span) {
			c.j.keepFile(f, value{fromNet}, false)
			if c.quiet(); f.text == "-" {
				c.out = value{fromNet}
			}
		},
	}
}

// read and write note files that the command reads or writes.
func (c *simpleCommand) read(f word)     { c.j.path(c.part, f, false, false) }
func (c *simpleCommand) readTree(f word) { c.j.path(c.part, f, false, true) }
func (c *simpleCommand) write(f word) {
	if f.text != "-" {
		c.j.path(c.part, f, true, false)
	}
}
func (c *simpleCommand) writeTree(f word) { c.j.path(c.part, f, true, true) }

// here is the present directory, as an operand that was left out.
func (c *simpleCommand) here() word { return c.made(".") }

// made is a word that does not stand in the line.
func (c *simpleCommand) made(text string) word { return word{text: text, at: c.at} }

// wipes blocks what destroys the system, a home or the workspace.
func (c *simpleCommand) wipes(f word, verb string) {
	name := f.text
	if f.glob {
		name = f.asName()
	}
	for _, abs := range c.j.resolve(name) {
		if lost := c.j.critical(abs); lost != "" {
			if len(c.j.env.dirs) > 1 && !strings.HasPrefix(name, "/") {
				lost += " if the cd before it fails: join them with &&"
			}
			c.danger(Block, verb+" "+lost, f.at)
		}
		if isListed("disk", abs) {
			c.danger(Block, verb+" the device "+show(abs), f.at)
		}
		if abs[0] == hole && len(abs) > 2 && (strings.Contains(abs, inherited) || wild(abs)) {
			if lost := c.j.critical(clean("/" + strings.TrimLeft(withoutHoles(abs), "/"))); lost != "" {
				c.danger(Confirm, "if the variable in "+show(name)+" is empty, it "+verb+" "+lost, f.at)
			}
		}
	}
}

// targets lists files for a reason.
func (c *simpleCommand) targets(fs []word) string {
	names := []string{"what its input names"}
	for i, f := range fs[:min(4, len(fs))] {
		if names = append(names[:i], show(f.text)); i == 3 {
			names[i] = "..."
		}
	}
	return strings.Join(names, " ")
}

// linksTo notes a link out of the workspace: what is written through it later looks as if it stayed inside.
func (c *simpleCommand) linksTo(f word) {
	for _, abs := range c.j.resolve(f.text) {
		if place := c.j.place(abs); place == Outside || place == Nowhere {
			c.part.Paths = append(c.part.Paths, Path{Path: show(abs), Write: true, Tree: true, Place: place, raw: abs})
			c.usual(writes, "makes a link to "+c.j.short(abs)+", outside the workspace", f.at)
		}
	}
}

// writeInto notes that a target, or files in it, are written: which of the two cannot be known without looking.
func (c *simpleCommand) writeInto(sources []word, target word) {
	c.write(target)
	for _, f := range sources {
		if f == target {
			continue
		}
		name, inside := lastOf(strings.TrimRight(f.text, "/")), target
		inside.text = strings.TrimRight(target.text, "/") + "/" + name
		if text := c.j.content(f); text != nil && target.text != "" {
			c.j.keepFile(target, text, false)
			c.j.keepFile(inside, text, false)
		}
		if name == "" || name == "." || name == ".." || !known(target.text) || f.multi || f.glob {
			continue
		}
		for _, abs := range c.j.resolve(inside.text) {
			if why := c.j.protected(abs); why != "" {
				c.danger(Confirm, "writes "+c.j.short(abs)+": "+why, target.at)
			}
		}
	}
}

// raiseText judges a text that may be run, and keeps the danger alone.
func (c *simpleCommand) raiseText(f word, how string) {
	c.part.more = true
	c.raise(Block, func() { c.j.innerText(f.text, f, how, true) })
}
