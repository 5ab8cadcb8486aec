package policy

import "strings"

// spec returns the options that the command's row lists.
func (c *call) spec() optionSpec {
	r, _ := c.j.a.lookup(c.name)
	return optionSpec{r.short, r.long}
}

// wrapAll runs its operands as a command.
func (c *call) wrapAll() {
	_, rest := c.scan(c.spec(), true, nil)
	c.inner(c.name, rest)
	c.mayHide()
}

// wrapAfterOne runs its operands but the first.
func (c *call) wrapAfterOne() {
	_, rest := c.scan(c.spec(), true, nil)
	if c.name == "taskset" || c.name == "chrt" {
		if c.hasFlag("p") {
			c.does(executes)
			return
		}
	}
	if c.name == "setarch" && len(rest) == 0 {
		return
	}
	c.inner(c.name, rest[min(1, len(rest)):])
	if len(rest) > 0 && rest[0].multi {
		c.inner(c.name, rest)
	}
	c.mayHide()
}

func (c *call) wrapFlock() {
	_, rest := c.scan(c.spec(), true, nil)
	if len(rest) == 0 {
		return
	}
	if strings.Trim(rest[0].text, "0123456789") != "" {
		c.write(rest[0])
	}
	rest = rest[1:]
	if len(rest) > 1 && (rest[0].text == "-c" || rest[0].text == "--command") {
		c.text(rest[1], "flock -c", true)
		return
	}
	c.inner("flock", rest)
}

// env sets variables for a command; -S splits a text into words.
func (c *call) env() {
	spec := optionSpec{"u:C:S:", "unset: chdir: split-string: block-signal? default-signal? ignore-signal? argv0: ignore-environment null debug"}
	saved := c.j.env.copy()
	var split []field
	_, rest := c.scan(spec, true, func(o option) {
		switch o.name {
		case "C", "chdir":
			c.j.env.dirs = c.j.resolve(o.value.text)
		case "S", "split-string":
			split = c.splitString(o.value)
		}
	})
	rest = append(split, rest...)
	if len(rest) > 0 && rest[0].text == "-" {
		rest = rest[1:] // the same as -i
	}
	for len(rest) > 0 {
		name, text, ok := strings.Cut(rest[0].text, "=")
		if !ok || !known(name) || rest[0].multi {
			break
		}
		if validName(name) || strings.HasPrefix(name, "BASH_FUNC_") {
			c.j.dangerousAssign(name, value{text}, rest[0].at)
			c.j.assign(variable{name: name, val: value{text}, export: true})
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		c.part.set |= reads
	} else {
		c.inner("env", rest)
	}
	if c.loose {
		c.tryRest()
	}
	c.j.env = saved
}

// splitString is what env -S makes of a text.
func (c *call) splitString(f field) []field {
	var out []field
	if !known(f.text) || strings.ContainsAny(f.text, "'\"\\$#") {
		c.effect(executes|unknown, "what env -S runs cannot be told", f.at)
	}
	text := strings.NewReplacer(`\_`, " ", `\t`, " ", `\n`, " ").Replace(f.text)
	for _, w := range strings.Fields(text) {
		out = append(out, field{text: strings.Trim(w, `"'`), at: f.at, from: -1})
	}
	return out
}

// tracer is strace and ltrace, whose -o may be a command.
func (c *call) tracer() {
	_, rest := c.scan(c.spec(), true, func(o option) {
		if o.name == "o" && strings.HasPrefix(o.value.text, "|") || strings.HasPrefix(o.value.text, "!") && o.name == "o" {
			c.text(o.value.after(1), c.name+" -o", true)
		}
	})
	if len(rest) == 0 {
		c.does(unknown)
	}
	c.inner(c.name, rest)
}

// typescript is script(1): -c is bash text, an operand the file it writes.
func (c *call) typescript() {
	for i, f := range c.options(c.spec(), nil) {
		if i == 0 {
			c.write(f)
		}
	}
	for _, s := range c.j.stdin {
		c.text(field{text: s, at: c.at, from: -1}, "script", true)
	}
}

// shellWords joins its operands into a bash text, as watch does.
func (c *call) shellWords() {
	_, rest := c.scan(c.spec(), true, nil)
	if len(rest) == 0 {
		return
	}
	if c.name == "watch" && (c.hasFlag("x") || c.hasWord("--exec")) {
		c.inner("watch", rest)
		return
	}
	c.part.Wrapper = true
	if c.name == "hyperfine" {
		for _, f := range rest {
			if !strings.HasPrefix(f.text, "-") {
				c.text(f, c.name, true)
			}
		}
		return
	}
	f := field{text: joined(rest), at: span{rest[0].at.start, rest[len(rest)-1].at.end}, from: -1}
	if len(rest) == 1 {
		f = rest[0]
	}
	c.text(f, c.name, true)
}

// sudo and its kin run a command as somebody else.
func (c *call) sudo() {
	spec := optionSpec{"u:g:p:C:D:h:r:t:T:U:R:a:c:s:G:w:", "user: group: prompt: close-from: chdir: host: role: type: command-timeout: other-user: chroot: command: shell: preserve-env? login"}
	switch c.name {
	case "sudo", "sudoedit":
		spec.short = "u:g:p:C:D:h:r:t:T:U:R:a:"
	case "doas":
		spec.short = "u:C:a:"
	case "pkexec":
		spec.short, spec.long = "", "user:"
	}
	c.danger(Confirm, c.name+" runs a command with other rights", c.at)
	edits := c.name == "sudoedit"
	_, rest := c.scan(spec, true, func(o option) {
		edits = edits || c.name == "sudo" && (o.name == "e" || o.name == "edit")
		if (o.name == "c" || o.name == "command" || o.name == "session-command") && o.has {
			c.text(o.value, c.name+" -c", true)
		}
	})
	if edits {
		for _, f := range rest {
			c.write(f)
		}
		return
	}
	if c.name == "su" {
		c.suRest(rest)
		return
	}
	for len(rest) > 0 && strings.Contains(rest[0].text, "=") && validName(strings.SplitN(rest[0].text, "=", 2)[0]) {
		name, text, _ := strings.Cut(rest[0].text, "=")
		c.j.dangerousAssign(name, value{text}, rest[0].at)
		rest = rest[1:]
	}
	if len(rest) == 0 {
		c.does(unknown)
		if c.hasFlag("s") || c.hasFlag("i") {
			c.shellStdin()
		}
		return
	}
	c.inner(c.name, rest)
}

// suRest judges su [user] [-c text], in any order.
func (c *call) suRest(rest []field) {
	found := false
	for i, f := range rest {
		if f.text == "-c" && i+1 < len(rest) {
			c.text(rest[i+1], "su -c", true)
			found = true
		} else if text, ok := strings.CutPrefix(f.text, "--command="); ok {
			c.text(f.after(len(f.text)-len(text)), "su -c", true)
			found = true
		}
	}
	if !found {
		c.does(unknown)
		c.shellStdin()
	}
}

// contained runs a command in other namespaces or with other rights.
func (c *call) contained() {
	c.danger(Confirm, c.name+" runs a command in another world than this one", c.at)
	c.effect(executes|unknown, c.name+" may change what paths and rights mean", c.at)
	for i, a := range c.args {
		if a.text == "-c" && i+1 < len(c.args) {
			c.raiseText(c.args[i+1], c.name)
		}
		if !strings.HasPrefix(a.text, "-") && known(a.text) && (harmful(a.text) || c.j.isCommand(a.text)) {
			rest := c.args[i:]
			c.raise(Block, func() { c.j.program(rest, c.at) })
		}
	}
}

// isCommand reports whether a word is a name that has a row.
func (j *judge) isCommand(word string) bool {
	_, ok := j.a.lookup(lastOf(word))
	return ok
}

// multicall is busybox: its first operand is the command.
func (c *call) multicall() {
	if len(c.args) == 0 || strings.HasPrefix(c.args[0].text, "--") {
		return
	}
	c.inner(c.name, c.args)
}

// loader is the dynamic linker as a command: it runs the program it is given.
func (c *call) loader() {
	_, rest := c.scan(c.spec(), true, func(o option) {
		if o.name == "preload" || o.name == "audit" || o.name == "library-path" {
			c.danger(Confirm, "loads code into another program", o.at)
		}
	})
	c.inner("the dynamic linker", rest)
}

// silence for a command of which only a nested command matters.
func (c *call) multiplexer() {
	for i, a := range c.args {
		if strings.ContainsAny(a.text, " ;|&") || i > 0 && c.args[i-1].text == "send-keys" || harmful(a.text) {
			c.raiseText(a, c.name)
		}
		switch a.text {
		case "kill-server", "kill-session":
			c.danger(Confirm, c.name+" "+a.text+" ends what runs in it", a.at)
		}
	}
	c.tryRest()
}

// later runs its stdin at another time.
func (c *call) later() {
	c.danger(Confirm, c.name+" runs commands when nobody looks", c.at)
	for _, s := range c.j.stdin {
		c.raiseText(field{text: s, at: c.at, from: -1}, c.name)
	}
}
