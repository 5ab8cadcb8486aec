package policy

import "strings"

// rm deletes files.
func (c *call) rm() {
	c.quiet()
	recursive, force, danger := false, false, false
	operands := c.options(optionSpec{"", "recursive force interactive? preserve-root? no-preserve-root one-file-system dir verbose"}, func(o option) {
		switch o.name {
		case "r", "R", "recursive":
			recursive = true
		case "f", "force":
			force = true
		case "no-preserve-root":
			danger = true
		}
	})
	if c.loose {
		recursive, force = recursive || c.mayHoldRF(), force || c.mayHoldRF()
	}
	for _, f := range operands {
		c.deletes(f, recursive)
	}
	switch {
	case danger:
		c.danger(Block, "rm --no-preserve-root deletes the whole system", c.at)
	case recursive && force:
		c.danger(Confirm, "rm -rf deletes "+c.targets(operands), c.at)
	case recursive:
		c.danger(Confirm, "rm -r deletes "+c.targets(operands)+" with all that is in it", c.at)
	case force:
		c.danger(Confirm, "rm -f deletes "+c.targets(operands), c.at)
	case len(c.args) == 0:
	}
}

// mayHoldRF reports whether an argument that cannot be seen may be -rf: then
// it is taken for it.
func (c *call) mayHoldRF() bool {
	for i := range c.args {
		if c.args[i].multi && wild(c.args[i].text) || strings.HasPrefix(c.args[i].text, "-") && !known(c.args[i].text) {
			return true
		}
	}
	return false
}

// targets lists files for a reason.
func (c *call) targets(fs []field) string {
	if len(fs) == 0 {
		return "what its input names"
	}
	var names []string
	for i, f := range fs {
		if i == 3 {
			names = append(names, "...")
			break
		}
		names = append(names, show(f.text))
	}
	return strings.Join(names, " ")
}

// deletes notes that a file is deleted, recursive with all below it.
func (c *call) deletes(f field, recursive bool) {
	c.writeOrTree(f, recursive)
	if recursive {
		c.wipes(f, "deletes")
	}
}

func (c *call) writeOrTree(f field, tree bool) {
	if tree {
		c.writeTree(f)
	} else {
		c.write(f)
	}
}

// wipes blocks what destroys the system, a home or the workspace.
func (c *call) wipes(f field, verb string) {
	name := f.text
	if f.glob {
		name = f.asName()
	}
	for _, abs := range c.j.resolve(name) {
		if lost := c.j.critical(abs); lost != "" {
			c.danger(Block, verb+" "+lost+c.advice(name), f.at)
		}
		if why := device(abs); why != "" {
			c.danger(Block, verb+" "+why, f.at)
		}
		if hasHole(abs, inherited) || wild(abs) {
			if lost := c.j.critical(clean("/" + strings.TrimLeft(withoutHoles(abs), "/"))); lost != "" && abs[0] == hole && len(abs) > 2 {
				c.danger(Confirm, "if the variable in "+show(name)+" is empty, it "+verb+" "+lost, f.at)
			}
		}
	}
}

// advice says what to type where only a failed cd makes a command dangerous.
func (c *call) advice(name string) string {
	if len(c.j.env.dirs) > 1 && !strings.HasPrefix(name, "/") {
		return " if the cd before it fails: join them with &&"
	}
	return ""
}

// trash moves files where they can be taken back from.
func (c *call) trash() {
	c.quiet()
	args := c.args
	if c.name == "gio" {
		if len(args) == 0 || args[0].text != "trash" && args[0].text != "remove" {
			c.effect(executes|unknown, "gio may do anything with files", c.at)
			return
		}
		args = args[1:]
	}
	for _, f := range args {
		if !strings.HasPrefix(f.text, "-") {
			c.writeTree(f)
			c.wipes(f, "moves away")
		}
	}
}

// shred overwrites files.
func (c *call) shred() {
	c.quiet()
	for _, f := range c.options(optionSpec{"n:s:", "iterations: size: random-source< remove?"}, nil) {
		c.write(f)
		c.wipes(f, "overwrites")
	}
	c.danger(Confirm, "shred destroys "+c.targets(c.options(optionSpec{"n:s:", "iterations: size: random-source: remove?"}, nil)), c.at)
}

// chmod and its kin change who may do what.
func (c *call) chmod() {
	c.quiet()
	spec := optionSpec{"m:x:M:X:n:v:", "reference< from: user: role: type: range: modify: remove: set:"}
	if c.name == "chmod" || c.name == "chown" || c.name == "chgrp" {
		spec = optionSpec{"", "reference< from:"}
	}
	if c.name == "chmod" { // chmod -x f: that is a mode, not an option
		spec.short = ""
	}
	recursive := false
	reference := false
	operands := c.options(spec, func(o option) {
		recursive = recursive || o.name == "R" || o.name == "recursive"
		reference = reference || o.name == "reference"
	})
	if !reference && len(operands) > 0 && c.name != "setfacl" && !c.modeIsOption() {
		operands = operands[1:]
	}
	for _, f := range operands {
		c.writeOrTree(f, recursive)
		if recursive {
			c.wipes(f, "changes the permissions of")
		}
	}
	if recursive && (c.name == "chmod" || c.name == "chown") && len(operands) > 0 {
		for _, abs := range c.j.resolve(operands[0].text) {
			if c.j.place(abs) == Outside {
				c.danger(Confirm, "changes the permissions of everything in "+show(operands[0].text), c.at)
			}
		}
	}
	for _, a := range c.args {
		if c.name == "chmod" && (strings.Contains(a.text, "+s") || len(a.text) == 4 && strings.Trim(a.text, "01234567") == "" && a.text[0] >= '2') {
			c.danger(Confirm, "makes a program run with its owner's rights", a.at)
		}
	}
	c.mayHide()
}

// modeIsOption reports whether chmod's mode begins with a dash: chmod -x f.
func (c *call) modeIsOption() bool {
	for _, a := range c.args {
		if len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.Trim(a.text[1:], "rwxXst,+-=ugoa") == "" && a.text != "-R" {
			return true
		}
	}
	return false
}
