package policy

import "strings"

// mv moves files: what it moves is gone from where it was.
func (c *call) mv() {
	c.quiet()
	sources, target := c.sourcesAndTarget(optionSpec{"t:S:", "target-directory: suffix: backup? no-target-directory"})
	for _, f := range sources {
		c.writeTree(f)
		c.wipes(f, "moves away")
		c.scriptMoves(f, target)
	}
	c.writeInto(sources, target)
	if target.text == "/dev/null" {
		c.danger(Confirm, "moves "+c.targets(sources)+" to nowhere", c.at)
	}
	c.mayHide()
}

// sourcesAndTarget splits the operands of cp and mv.
func (c *call) sourcesAndTarget(s optionSpec) (sources []field, target field) {
	given := false
	operands := c.options(s, func(o option) {
		if (o.name == "t" || o.name == "target-directory") && o.has {
			target, given = o.value, true
		}
	})
	if !given && len(operands) > 0 {
		target, operands = operands[len(operands)-1], operands[:len(operands)-1]
	}
	return operands, target
}

// writeInto notes that a target, or files in it, are written. Which of the two
// is not known without looking, so it is both.
func (c *call) writeInto(sources []field, target field) {
	if target.text == "" {
		return
	}
	c.write(target)
	for _, f := range sources {
		name := lastOf(strings.TrimRight(f.text, "/"))
		if name == "" || name == "." || name == ".." || !known(target.text) || f.multi {
			continue
		}
		inside := target
		inside.text = strings.TrimRight(target.text, "/") + "/" + name
		inside.glob = f.glob
		for _, abs := range c.j.resolve(inside.text) {
			if why := c.j.protected(abs); why != "" && !f.glob {
				c.danger(Confirm, "writes "+c.j.short(abs)+": "+why, target.at)
			}
		}
	}
}

// scriptMoves keeps what is known of a file that gets another name.
func (c *call) scriptMoves(from, to field) {
	if text := c.j.content(from); text != nil && to.text != "" {
		c.j.keepFile(to, text, false)
		inside := to
		inside.text = strings.TrimRight(to.text, "/") + "/" + lastOf(from.text)
		c.j.keepFile(inside, text, false)
	}
}

// cp and install copy files.
func (c *call) cp() {
	c.quiet()
	spec := optionSpec{"t:S:", "target-directory: suffix: backup? sparse: reflink? no-preserve: preserve? context? no-target-directory"}
	if c.name != "cp" {
		spec = optionSpec{"t:S:m:o:g:", "target-directory: suffix: mode: owner: group: strip-program! backup? strip no-target-directory directory"}
	}
	links := false
	directories := false
	sources, target := c.sourcesAndTarget(spec)
	c.options(spec, func(o option) {
		links = links || o.name == "l" || o.name == "s" || o.name == "link" || o.name == "symbolic-link"
		directories = directories || c.name != "cp" && (o.name == "d" || o.name == "directory")
	})
	if directories {
		for _, f := range sources {
			c.write(f)
		}
		c.write(target)
		return
	}
	for _, f := range sources {
		c.readTree(f)
		c.scriptMoves(f, target)
		if links {
			c.linksTo(f)
		}
	}
	c.writeInto(sources, target)
	c.mayHide()
}

// ln makes links. One that leads out of the workspace makes what is written
// through it later look as if it stayed inside.
func (c *call) ln() {
	c.quiet()
	operands, target := c.sourcesAndTarget(optionSpec{"t:S:", "target-directory: suffix: backup?"})
	if len(operands) == 0 { // ln -s TARGET: the link is made here
		operands, target = []field{target}, c.here()
	}
	for _, f := range operands {
		c.linksTo(f)
		c.scriptMoves(f, target)
	}
	c.writeInto(operands, target)
	c.mayHide()
}

func (c *call) linksTo(f field) {
	for _, abs := range c.j.resolve(f.text) {
		place := c.j.place(abs)
		if place == Inside || place == Scratch || place == Harmless {
			continue
		}
		c.part.Paths = append(c.part.Paths, Path{Path: show(abs), Write: true, Tree: true, Place: place, raw: abs})
		c.part.set |= writes
		c.j.reason("makes a link to "+c.j.short(abs)+", outside the workspace", writes, NoDanger, f.at)
	}
}

// dd copies bytes.
func (c *call) dd() {
	c.quiet()
	for _, a := range c.args {
		key, _, ok := strings.Cut(a.text, "=")
		switch {
		case !ok || !known(key):
			c.loose = c.loose || !known(a.text)
		case key == "if":
			c.read(a.after(3))
		case key == "of":
			c.write(a.after(3))
		}
	}
	c.mayHide()
}

// tee writes its stdin to files, and on.
func (c *call) tee() {
	operands := c.options(optionSpec{"", "output-error?"}, nil)
	in := value{anyText}
	if c.j.stdin != nil {
		in = c.j.stdin
	}
	c.out = in
	more := false
	for _, a := range c.args {
		more = more || a.text == "-a" || a.text == "--append"
	}
	for _, f := range operands {
		c.write(f)
		c.j.keepFile(f, in, more)
	}
	if c.loose && len(operands) == 0 {
		c.mayHide()
	}
}

// split and csplit write files whose names begin with a prefix.
func (c *call) split() {
	spec := optionSpec{"a:b:C:l:n:t:", "filter! suffix-length: bytes: line-bytes: lines: number: separator: additional-suffix: numeric-suffixes? hex-suffixes?"}
	prefix := field{text: "x" + aName, at: c.at, from: -1}
	if c.name == "csplit" {
		spec, prefix.text = optionSpec{"b:f:n:", "prefix: suffix-format: digits:"}, "xx"+aName
	}
	operands := c.options(spec, func(o option) {
		if (o.name == "f" || o.name == "prefix") && o.has {
			prefix = o.value
			prefix.text += aName
		}
	})
	for i, f := range operands {
		switch {
		case i == 0:
			c.read(f)
		case i == 1 && c.name == "split":
			prefix = f
			prefix.text += aName
		}
	}
	c.write(prefix)
	c.mayHide()
}

// mknod makes devices, pipes and files.
func (c *call) mknod() {
	operands := c.options(optionSpec{"m:Z:", "mode: context?"}, nil)
	if len(operands) > 0 {
		c.write(operands[0])
	}
	if len(operands) > 1 && operands[1].text != "p" {
		c.danger(Confirm, "makes a device", c.at)
	}
}

// rename renames files by a program of its own, or by text.
func (c *call) rename() {
	c.does(writes)
	operands := c.options(optionSpec{"e!", "expression! nono"}, nil)
	for i, f := range operands {
		if i == 0 {
			c.code(f.text, f.at)
			continue
		}
		c.write(f)
	}
	c.effect(unknown, "what "+c.name+" makes of the names cannot be told", c.at)
}

// mktemp makes a file or directory in a scratch directory.
func (c *call) mktemp() {
	dir := ""
	operands := c.options(optionSpec{"p:", "tmpdir? suffix:"}, func(o option) {
		if (o.name == "p" || o.name == "tmpdir") && o.has {
			dir = o.value.text
		}
	})
	if dir == "" && len(c.j.world.Scratch) > 0 {
		dir = clean(c.j.world.Scratch[0])
	} else if dir == "" {
		dir = "/tmp"
	}
	path := dir + "/tmp." + aName
	if len(operands) > 0 {
		f := operands[0]
		c.loose = c.loose || f.multi
		path = strings.TrimRight(f.text, "X") + aName
		if c.hasFlag("t") {
			path = dir + "/" + path
		}
	}
	c.write(field{text: path, at: c.at, from: -1})
	c.out = value{path + "\n"}
	c.mayHide()
}

// hasFlag reports whether a short option is among the arguments.
func (c *call) hasFlag(letter string) bool {
	for _, a := range c.args {
		if len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, letter) {
			return true
		}
	}
	return false
}

// hasWord reports whether one of words is among the arguments.
func (c *call) hasWord(words ...string) bool {
	for _, a := range c.args {
		for _, w := range words {
			if a.text == w {
				return true
			}
		}
	}
	return false
}
