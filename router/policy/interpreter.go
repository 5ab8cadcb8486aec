package policy

import "strings"

// shell is bash, sh and their kin: they run a text, a file or their stdin.
func (u *usage) shell() {
	hasText, stdin := false, false
	args := u.args
	for len(args) > 0 {
		a := args[0]
		if a.text == "--" || a.text == "-" {
			args = args[1:]
			break
		}
		if a.mayBeOption() {
			u.effect(executes|unknown, "what "+u.name+" runs cannot be told", a.at)
			u.tryRest()
		}
		if len(a.text) < 2 || a.text[0] != '-' && a.text[0] != '+' {
			break
		}
		args = args[1:]
		long := strings.HasPrefix(a.text, "--")
		hasText = hasText || !long && a.text[0] == '-' && strings.Contains(a.text, "c")
		stdin = stdin || !long && strings.Contains(a.text, "s")
		switch {
		case len(args) == 0:
		case a.text == "--rcfile" || a.text == "--init-file":
			u.runsFile(args[0], false)
			u.effect(executes|unknown, u.name+" runs "+show(args[0].text), args[0].at)
			args = args[1:]
		case !long && strings.HasSuffix(strings.ToLower(a.text), "o"):
			args = args[1:]
		}
	}
	switch {
	case hasText && len(args) > 0: // bash -c TEXT NAME ARGS...
		u.part.Wrapper = true
		zero := "bash"
		if len(args) > 1 {
			zero = texts(args[1:2])[0]
		}
		out := u.j.out
		var got sink
		if out != nil {
			u.j.out = &got
		}
		u.withArgs(zero, args[min(2, len(args)):], func() { u.text(args[0], u.name+" -c", true) })
		if u.j.out = out; out != nil {
			u.out = got.value()
		}
	case len(args) > 0 && !stdin:
		u.read(args[0])
		u.usual(executes, "runs the script "+show(args[0].text), args[0].at)
		u.withArgs(args[0].text, args[1:], func() { u.runsFile(args[0], false) })
	default:
		u.withArgs("", args, u.shellStdin)
	}
}

// withArgs walks with the positional parameters of another shell.
func (c *call) withArgs(zero string, args []field, walk func()) {
	saved := c.j.env.copy()
	c.j.env.set(variable{name: "@", array: true, lists: [][]string{texts(args)}})
	if zero != "" {
		c.j.env.set(variable{name: "0", val: value{zero}, export: true})
	}
	walk()
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
				u.treat(role{kind: "codes"}, field{text: text, at: a.at}, u.name, a.at)
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
		u.treat(role{kind: "codes"}, t, u.name, t.at)
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
	if own := programs().lists["code-"+baseName(c.name)]; own != nil {
		letters = own[0]
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
	for i := range len(text) {
		if text[i] != '[' && text[i] != '(' {
			continue
		}
		list := text[i+1:]
		if end := strings.IndexAny(list, "])"); end >= 0 {
			list = list[:end]
		}
		words := stringsIn(list)
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
