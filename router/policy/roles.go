package policy

import "strings"

// role is what a word is to a program.
type role struct {
	kind byte   // an option's mark, or one of these; 0: nothing
	text string // wipes: the verb that says what becomes of the files
}

// roles are the kinds by their names in the table. Those that are marks may be
// an option's; flags, takes, may-take and more can be nothing else.
var roles = [...]struct {
	name string
	kind byte
}{
	{"flags", ' '}, {"takes", ':'}, {"may-take", '?'}, {"more", '^'},
	{"reads", asReads}, {"writes", asWrites}, {"fills", asFills}, {"sends", asSends}, {"runs", asRuns}, {"tries", asTries},
	{"elsewhere", asElsewhere}, {"codes", asCodes}, {"trees", asTrees}, {"wipes", asWipes}, {"destroys", asDestroys},
	{"clears", asClears}, {"guesses", asGuesses}, {"skip", asSkipped}, {"same", asSame}, {"links", asLinks}, {"target", asTarget},
	{"prefixes", asPrefixes}, {"command", asCommand}, {"script", asScript}, {"scripts", asScripts},
	{"fetched", asFetched}, {"git-setting", asGitSetting}, {"ssh-setting", asSSHSetting},
}

// The kinds; programs/README.md says what they are.
const (
	asReads, asWrites, asFills, asSends, asRuns, asTries, asElsewhere, asCodes = '<', '>', '/', '@', '!', '~', '&', '%'

	asTrees, asWipes, asDestroys, asClears, asGuesses, asSkipped, asSame, asLinks = 'r', 'w', 'd', 'e', 'g', 's', '=', 'l'
	asTarget, asPrefixes, asCommand, asScript, asScripts                          = 't', 'p', 'c', 'x', 'X'

	asFetched, asGitSetting, asSSHSetting = 'f', 'G', 'S'
)

// treat does with a word what its role says; how names the program and what
// stands before the word.
func (c *call) treat(r role, f field, how string, at span) {
	switch r.kind {
	case asReads:
		c.read(f)
	case asTrees:
		c.readTree(f)
	case asWrites:
		c.write(f)
	case asFills:
		c.writeTree(f)
	case asWipes, asDestroys:
		c.j.path(&c.part, f, true, r.kind == asWipes)
		c.wipes(f, r.text)
	case asClears:
		c.writeTree(f)
		c.wipes(f, r.text)
		c.danger(Confirm, c.name+" removes files from "+show(f.text), at)
	case asPrefixes:
		f.text += aName
		c.write(f)
	case asLinks:
		c.linksTo(f)
	case asSends:
		c.sendsFile(f, at)
	case asCodes:
		c.ran(f.text, at)
		c.code(f.text, at)
	case asRuns:
		c.effect(executes, how+" runs "+show(f.text), at)
		c.text(f, how, true)
	case asScripts:
		c.part.Wrapper = true
		c.text(f, how, true)
	case asTries:
		c.raiseText(f, how)
	case asFetched:
		c.j.keepFile(f, value{fromNet}, false)
		if c.quiet(); f.text == "-" {
			c.out = value{fromNet}
		}
	case asGitSetting:
		c.gitSetting(f)
	case asSSHSetting:
		c.sshSetting(f, at)
	case asGuesses:
		c.raise(Block, func() { c.j.innerText(f.text, f, how, true) })
	case asElsewhere:
		c.raise(Confirm, func() { c.j.innerText(f.text, f, how, true) })
	}
}

// read and write note files that the command reads or writes.
func (c *call) read(f field)     { c.j.path(&c.part, f, false, false) }
func (c *call) readTree(f field) { c.j.path(&c.part, f, false, true) }
func (c *call) write(f field) {
	if f.text != "-" {
		c.j.path(&c.part, f, true, false)
	}
}
func (c *call) writeTree(f field) { c.j.path(&c.part, f, true, true) }

// here is the present directory, as an operand that was left out.
func (c *call) here() field { return c.made(".") }

// made is a word that does not stand in the line.
func (c *call) made(text string) field { return field{text: text, at: c.at, from: -1} }

// wipes blocks what destroys the system, a home or the workspace.
func (c *call) wipes(f field, verb string) {
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
		if why := device(abs); why != "" {
			c.danger(Block, verb+" "+why, f.at)
		}
		if abs[0] == hole && len(abs) > 2 && (hasHole(abs, inherited) || wild(abs)) {
			if lost := c.j.critical(clean("/" + strings.TrimLeft(withoutHoles(abs), "/"))); lost != "" {
				c.danger(Confirm, "if the variable in "+show(name)+" is empty, it "+verb+" "+lost, f.at)
			}
		}
	}
}

// targets lists files for a reason.
func (c *call) targets(fs []field) string {
	if len(fs) == 0 {
		return "what its input names"
	}
	var names []string
	for _, f := range fs[:min(3, len(fs))] {
		names = append(names, show(f.text))
	}
	if len(fs) > 3 {
		names = append(names, "...")
	}
	return strings.Join(names, " ")
}

// linksTo notes a link that leads out of the workspace: what is written through
// it later looks as if it stayed inside.
func (c *call) linksTo(f field) {
	for _, abs := range c.j.resolve(f.text) {
		if place := c.j.place(abs); place == Outside || place == Nowhere {
			c.part.Paths = append(c.part.Paths, Path{Path: show(abs), Write: true, Tree: true, Place: place, raw: abs})
			c.usual(writes, "makes a link to "+c.j.short(abs)+", outside the workspace", f.at)
		}
	}
}

// writeInto notes that a target, or files in it, are written. Which of the two
// is not known without looking, so it is both.
func (c *call) writeInto(sources []field, target field) {
	c.write(target)
	for _, f := range sources {
		inside := target
		inside.text = strings.TrimRight(target.text, "/") + "/" + lastOf(f.text)
		if text := c.j.content(f); text != nil && target.text != "" {
			c.j.keepFile(target, text, false)
			c.j.keepFile(inside, text, false)
		}
		name := lastOf(strings.TrimRight(f.text, "/"))
		if name == "" || name == "." || name == ".." || !known(target.text) || f.multi || f.glob {
			continue
		}
		for _, abs := range c.j.resolve(strings.TrimRight(target.text, "/") + "/" + name) {
			if why := c.j.protected(abs); why != "" {
				c.danger(Confirm, "writes "+c.j.short(abs)+": "+why, target.at)
			}
		}
	}
}

// sendsFile notes that a file's text goes to another machine: @FILE.
func (c *call) sendsFile(f field, at span) {
	if i := strings.IndexByte(f.text, '@'); i >= 0 && (i == 0 || f.text[i-1] == '=') {
		g := f.after(i + 1)
		g.text, _, _ = strings.Cut(g.text, ";")
		if g.text != "-" {
			c.read(g)
		}
		c.effect(networks, c.name+" sends the file "+show(g.text), at)
	}
}

// raiseText judges a text that may be run, and keeps the danger alone.
func (c *call) raiseText(f field, how string) {
	c.part.more = true
	c.raise(Block, func() { c.j.innerText(f.text, f, how, true) })
}
