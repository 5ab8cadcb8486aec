package policy

import "strings"

// pager judges less and more: +!command and what they may be told to run.
func (c *call) pager() {
	for _, a := range c.args {
		rest, ok := strings.CutPrefix(a.text, "+")
		if !ok {
			continue
		}
		if i := strings.IndexAny(rest, "!|"); i >= 0 {
			c.effect(executes, c.name+" runs "+rest[i:], a.at)
			c.text(a.after(i+2), c.name, true)
		}
	}
}

var grepSpec = optionSpec{"e:f<m:A:B:C:D:d:", "regexp: file< max-count: label: binary-files: directories: devices: include: exclude: exclude-from< exclude-dir: before-context: after-context: context: color? colour? group-separator: count recursive"}

// grep searches files; its first operand is the pattern.
func (c *call) grep() {
	pattern, recursive, count := false, false, false
	operands := c.options(grepSpec, func(o option) {
		switch o.name {
		case "e", "f", "regexp", "file":
			pattern = true
		case "r", "R", "recursive", "dereference-recursive":
			recursive = true
		case "d", "directories":
			recursive = recursive || o.value.text == "recurse"
		case "c", "count":
			count = true
		}
	})
	if !pattern && len(operands) > 0 {
		operands = operands[1:]
	}
	if recursive && len(operands) == 0 {
		operands = []field{c.here()}
	}
	for _, f := range operands {
		if recursive {
			c.readTree(f)
		} else {
			c.read(f)
		}
	}
	if count && !recursive && len(operands) <= 1 {
		c.out = value{digits + "\n"}
	}
}

var rgSpec = optionSpec{"e:f<g:t:T:m:A:B:C:E:M:d:j:r:", "pre! hostname-bin! regexp: file< glob: iglob: type: type-not: type-add: type-clear: max-count: max-depth: max-columns: max-filesize: threads: replace: sort: sortr: color: colors: context: before-context: after-context: encoding: engine: ignore-file< path-separator: pre-glob: context-separator: field-match-separator: field-context-separator: dfa-size-limit: regex-size-limit: hyperlink-format: generate: files type-list pretty"}

// rg searches files below the operands; --pre runs a program for each.
func (c *call) rg() {
	pattern := false
	operands := c.options(rgSpec, func(o option) {
		switch o.name {
		case "e", "f", "regexp", "file", "files", "type-list":
			pattern = true
		}
	})
	if !pattern && len(operands) > 0 {
		operands = operands[1:]
	}
	c.operands(walksHere, operands)
	c.mayHide()
}

// patternFirst is a search program whose first operand is the pattern.
func (c *call) patternFirst() {
	r, _ := c.j.a.lookup(c.name)
	operands := c.options(optionSpec{r.short, r.long}, nil)
	c.operands(walksHere, operands[min(1, len(operands)):])
	c.mayHide()
}

// jq takes a program first, then files.
func (c *call) jq() {
	program, inPlace := false, false
	operands := c.options(optionSpec{"f<L:", "from-file< arg: argjson: slurpfile: rawfile: indent: seq inplace in-place output>"}, func(o option) {
		program = program || o.name == "f" || o.name == "from-file"
		inPlace = inPlace || c.name == "yq" && (o.name == "i" || o.name == "inplace" || o.name == "in-place")
	})
	if !program && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, f := range operands {
		if inPlace {
			c.write(f)
		} else {
			c.read(f)
		}
	}
	if c.name == "yq" {
		c.mayHide()
	}
}

// inspect is a program that reads files, with a few that do more.
func (c *call) inspect() {
	for _, a := range c.args {
		switch {
		case c.name == "exiftool" && strings.HasPrefix(a.text, "-") && (strings.Contains(a.text, "=") || a.text == "-execute" || a.text == "-config"):
			c.effect(writes|unknown, "exiftool changes files", a.at)
		case !strings.HasPrefix(a.text, "-"):
			c.readTree(a)
		}
	}
	if c.name == "ldd" {
		c.usual(executes, "ldd may run the program it looks at", c.at)
	}
}

// date shows the time, or sets it.
func (c *call) date() {
	operands := c.options(optionSpec{"d:f<r<s^I?", "date: file< reference< set^ iso-8601? rfc-3339:"}, nil)
	format := ""
	for _, f := range operands {
		if strings.HasPrefix(f.text, "+") {
			format = f.text
		} else if f.text != "" {
			c.danger(Confirm, "sets the clock", f.at)
			c.does(executes)
		}
	}
	switch {
	case format == "+%s" || format == "+%Y" || format == "+%Y%m%d" || format == "+%Y%m%d%H%M%S" || format == "+%s%N":
		c.out = value{digits + "\n"}
	case format != "" && known(format) && !strings.Contains(format, "/") && !strings.Contains(format, "%D") && !strings.Contains(format, "%x") && !strings.Contains(format, "%c") && strings.Contains(format, "%"):
		c.out = value{aName + "\n"}
	}
	c.mayHide()
}

// operandActs is a command that looks without an operand and acts with one.
func (c *call) operandActs() {
	r, _ := c.j.a.lookup(c.name)
	if len(c.options(optionSpec{r.short, r.long}, nil)) > 0 {
		c.does(executes)
		c.danger(Confirm, c.name+" changes the system", c.at)
	}
}

// ctl is systemd's family of programs: some of their verbs only look.
func (c *call) ctl() {
	operands := c.options(optionSpec{"H:M:n:o:p:s:", "host: machine: lines: output: property: signal:"}, nil)
	verb := ""
	if len(operands) > 0 {
		verb = operands[0].text
	}
	if verb == "" || known(verb) && (strings.HasPrefix(verb, "list") || strings.HasPrefix(verb, "show") || strings.HasSuffix(verb, "status") || verb == "info" || verb == "query" || verb == "statistics") {
		if c.name == "resolvectl" {
			c.does(networks)
		}
		return
	}
	c.does(executes | unknown)
	c.danger(Confirm, c.name+" "+show(verb)+" changes the system", c.at)
}

// netConfig shows the network's configuration, or changes it.
func (c *call) netConfig() {
	acts := false
	words := 0
	for i, a := range c.args {
		switch a.text {
		case "add", "del", "delete", "change", "replace", "set", "flush", "append", "up", "down", "connect", "disconnect", "modify", "reload", "delif", "addif", "-batch", "-b":
			acts = true
		case "exec":
			if i > 0 && c.args[i-1].text == "netns" && i+2 < len(c.args) {
				c.inner("ip netns exec", c.args[i+2:])
				return
			}
		}
		if !strings.HasPrefix(a.text, "-") {
			words++
		}
		acts = acts || !known(a.text) || a.multi
	}
	if acts || c.name == "ifconfig" && words > 1 {
		c.does(executes)
		c.danger(Confirm, c.name+" changes the network's configuration", c.at)
	}
}

func (c *call) sysctl() {
	for _, a := range c.args {
		if strings.Contains(a.text, "=") || a.text == "-w" || strings.HasPrefix(a.text, "-p") || a.text == "--system" || strings.HasPrefix(a.text, "--load") || !known(a.text) {
			c.does(executes)
			c.danger(Confirm, "sysctl changes the kernel's settings", a.at)
		}
	}
}

// mount shows what is mounted, or mounts.
func (c *call) mount() {
	for _, a := range c.args {
		if a.text != "-l" && a.text != "-v" && a.text != "--show" && a.text != "-V" && a.text != "--version" && a.text != "--help" && a.text != "-s" {
			c.does(executes)
			c.danger(Confirm, c.name+" changes what is mounted", c.at)
			return
		}
	}
}

// confirmAlways is a command that changes the system and is always asked about.
func (c *call) confirmAlways() {
	if c.onlyHelp() {
		return
	}
	if len(c.args) > 0 && (c.args[0].text == "-L" || c.args[0].text == "-S" || c.args[0].text == "list" && c.name == "nft" || c.args[0].text == "status" && c.name == "ufw") && len(c.args) <= 3 {
		return
	}
	c.danger(Confirm, c.name+" changes the system", c.at)
}

// confirmSome opens this machine to others.
func (c *call) confirmSome() {
	if !c.hasWord("status", "version", "--help", "--version", "show", "list") {
		c.danger(Confirm, c.name+" may open this machine to others", c.at)
	}
}
