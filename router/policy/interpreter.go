package policy

import "strings"

// shell is bash, sh and their kin: they run a text, a file or their stdin.
func (u *usage) shell() {
	c := u.call
	text, hasText := field{}, false
	stdin, interactive := false, false
	args := c.args
	for len(args) > 0 {
		a := args[0]
		if a.text == "--" || a.text == "-" {
			args = args[1:]
			break
		}
		if a.mayBeOption() {
			c.effect(executes|unknown, "what "+c.name+" runs cannot be told", a.at)
			c.tryRest()
		}
		if len(a.text) < 2 || a.text[0] != '-' && a.text[0] != '+' {
			break
		}
		args = args[1:]
		switch {
		case strings.HasPrefix(a.text, "--"):
			if (a.text == "--rcfile" || a.text == "--init-file") && len(args) > 0 {
				c.runsFile(args[0], false)
				c.effect(executes|unknown, c.name+" runs "+show(args[0].text), args[0].at)
				args = args[1:]
			}
			continue
		case strings.Contains(a.text, "c") && a.text[0] == '-':
			hasText = true
		}
		stdin = stdin || strings.Contains(a.text, "s")
		interactive = interactive || strings.Contains(a.text, "i")
		if (strings.HasSuffix(a.text, "o") || strings.HasSuffix(a.text, "O")) && len(args) > 0 {
			args = args[1:]
		}
	}
	if hasText && len(args) > 0 {
		text = args[0]
		c.part.Wrapper = true
		c.shellText(text, args[1:])
		return
	}
	if len(args) > 0 && !stdin {
		c.shellFile(args)
		return
	}
	saved := c.j.env.copy()
	c.j.env.set(variable{name: "@", array: true, lists: [][]string{texts(args)}})
	c.shellStdin()
	c.j.env = saved
}

// shellText is bash -c text name args...
func (c *call) shellText(text field, args []field) {
	saved := c.j.env.copy()
	list := texts(args)
	name := "bash"
	if len(list) > 0 {
		name, list = list[0], list[1:]
	}
	c.j.env.set(variable{name: "@", array: true, lists: [][]string{list}})
	c.j.env.set(variable{name: "0", val: value{name}, export: true})
	out := c.j.out
	var got sink
	if out != nil {
		c.j.out = &got
	}
	c.text(text, c.name+" -c", true)
	c.j.out = out
	if out != nil {
		c.out = got.value()
	}
	c.j.env = saved
}

// shellFile runs a file as a script.
func (c *call) shellFile(args []field) {
	f := args[0]
	c.read(f)
	c.usual(executes, "runs the script "+show(f.text), f.at)
	saved := c.j.env.copy()
	c.j.env.set(variable{name: "@", array: true, lists: [][]string{texts(args[1:])}})
	c.j.env.set(variable{name: "0", val: value{f.text}, export: true})
	c.runsFile(f, false)
	c.j.env = saved
}

// shellStdin runs what comes on stdin.
func (c *call) shellStdin() {
	if c.j.stdin == nil {
		c.effect(executes|unknown, "what "+c.name+" runs cannot be told", c.at)
		return
	}
	for _, s := range c.j.stdin {
		c.text(field{text: s, at: c.at, from: -1}, c.name+" from its stdin", true)
	}
	c.does(executes)
}

// interpreter runs a program in another language: what it does cannot be seen,
// but some of it can be guessed.
func (u *usage) interpreter() {
	var texts []field
	for i := 0; i < len(u.args) && u.args[i].text != "-"; i++ { // after - the program is on stdin
		a := u.args[i]
		switch flag := a.text; {
		case len(flag) < 2 || flag[0] != '-' || !known(flag):
			if u.read(a); len(texts) > 0 {
				continue
			}
			for _, text := range u.j.content(a) {
				u.treat(role{kind: asCodes}, field{text: text, at: a.at}, u.name, a.at)
			}
			return
		case u.codeFlag(flag) == 2:
			texts = append(texts, a.after(2))
		case u.codeFlag(flag) == 1 && i+1 < len(u.args):
			i++
			texts = append(texts, u.args[i])
		case flag == "-m" && i+1 < len(u.args) && u.codeFlag(flag) == 0:
			switch u.args[i+1].text {
			case "http.server", "pip", "build":
				u.does(networks)
			case "twine":
				u.danger(Confirm, "publishes a package", u.at)
			}
			u.args = u.args[i+1:]
			u.tryRest()
			return
		}
	}
	if len(texts) == 0 && len(u.args) == 1 {
		switch u.args[0].text {
		case "--version", "-V", "-v", "--help", "-h", "-version":
			u.base = reads
			return
		}
	}
	u.does(unknown)
	if len(texts) == 0 {
		for _, s := range u.j.stdin {
			texts = append(texts, u.made(s))
		}
	}
	for _, t := range texts {
		u.treat(role{kind: asCodes}, t, u.name, t.at)
	}
}

// codeFlag tells whether a flag is followed by code: 1 in the next word, 2 in
// the same one.
func (c *call) codeFlag(flag string) int {
	switch {
	case flag == "--eval" || flag == "--print" || flag == "--execute" || flag == "-exec":
		return 1
	case flag[1] == '-':
		return 0
	}
	letters := "ecEpr"
	switch baseName(c.name) {
	case "python", "pypy", "pypy3":
		letters = "c"
	case "perl":
		letters = "eE"
	case "node", "nodejs", "deno", "bun":
		letters = "ep"
	case "ruby":
		letters = "e"
	case "php":
		letters = "rBE"
	}
	switch i := strings.IndexAny(flag[1:], letters); {
	case i < 0:
		return 0
	case i == 0 && len(flag) > 2:
		return 2
	}
	return 1
}

// code looks for what is dangerous in a program in whatever language: shell
// commands in its strings, trees that are removed, processes without end.
func (c *call) code(text string, at span) {
	if len(text) > maxCode {
		text = text[:maxCode]
	}
	low := strings.ToLower(text)
	if strings.Contains(low, "fork") && (strings.Contains(low, "while") || strings.Contains(low, "for(;;)") || strings.Contains(low, "loop")) {
		c.danger(Block, "a fork bomb: it starts itself again and again", at)
	}
	removes, runs := false, false
	for _, word := range programs().lists["code-deletes"] {
		removes = removes || strings.Contains(low, word)
	}
	for _, word := range programs().lists["code-runs"] {
		runs = runs || strings.Contains(low, word)
	}
	if removes {
		c.danger(Confirm, "the program deletes files", at)
	}
	if !removes && !runs {
		return
	}
	for _, s := range stringsIn(text) {
		switch {
		case removes && s != "" && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || s == "." || s == ".."):
			c.raise(Block, func() { c.wipesText(s, at) })
		case runs:
			c.raise(Block, func() { c.j.innerText(s, field{text: s, at: at, from: -1}, "the program", true) })
		}
	}
	if runs {
		c.argvIn(text, at)
	}
}

// maxCode bounds how much of a program is looked at, in bytes.
const maxCode = 32 << 10

func (c *call) wipesText(s string, at span) {
	if strings.HasPrefix(s, "~") {
		s = one(c.j.home()) + s[1:]
	}
	p := call{j: c.j, at: at, part: Part{Kind: TextPart}}
	p.wipes(field{text: s, at: at}, "deletes")
	c.j.add(p.part)
}

// argvIn judges lists of strings as a command: ["rm", "-rf", "/"].
func (c *call) argvIn(text string, at span) {
	for _, open := range [...]string{"[", "("} {
		for rest := text; ; {
			i := strings.Index(rest, open)
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			end := strings.IndexAny(rest, "])")
			if end < 0 {
				end = len(rest)
			}
			words := stringsIn(rest[:end])
			if len(words) < 2 || !harmful(words[0]) {
				continue
			}
			args := make([]field, len(words))
			for k, w := range words {
				args[k] = field{text: w, at: at, from: -1}
			}
			c.raise(Block, func() { c.j.program(args, at) })
		}
	}
}

// maxStrings bounds the string literals of a program that are looked at.
const maxStrings = 200

// stringsIn returns the string literals of a program, in quotes of any kind.
func stringsIn(text string) []string {
	var out []string
	for i := 0; i < len(text) && len(out) < maxStrings; i++ {
		q := text[i]
		if q != '"' && q != '\'' && q != '`' {
			continue
		}
		var b strings.Builder
		k := i + 1
		for ; k < len(text) && text[k] != q; k++ {
			if text[k] == '\\' && k+1 < len(text) {
				k++
			}
			b.WriteByte(text[k])
		}
		if k >= len(text) {
			break
		}
		out = append(out, b.String())
		i = k
	}
	for _, open := range [...]string{"qx{", "qx(", "q{", "qq{", "q(", "%x(", "%x{"} {
		if i := strings.Index(text, open); i >= 0 {
			rest := text[i+len(open):]
			if end := strings.IndexAny(rest, "})"); end >= 0 {
				out = append(out, rest[:end])
			}
		}
	}
	return out
}
