package policy

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"
)

// program is what the table says of a program, or of a subcommand of git.
type program struct {
	set     effects
	options optionSpec
	posix   bool     // options end at the first operand
	repo    bool     // what it writes is the working tree
	remote  *effects // what it does with operands that name a host, HOST:FILE; nil: they are files
	hides   bool     // an argument that cannot be seen may be an option that does something else
	fixed   bool     // ... which does not matter
	rules   []condition
}

// usage is a program's use in a command, while it is judged.
type usage struct {
	*simpleCommand
	p        *program
	opts     []option
	operands []word
	base     effects           // what the table says, beyond what options and operands add
	slots    map[string]string // roles of the operands: first, second, last, rest
	done     bool              // nothing more is to be said
}

// external judges a program by its entry, if it has one.
func (c *simpleCommand) external() {
	p := programs().find(c.name)
	if base := baseName(c.name); p == nil && programs().entries[base] != nil {
		p, c.name = programs().find(base), base
	}
	if p == nil {
		if !c.file {
			c.usual(executes|unknown, "nothing is known here of "+c.name, c.at)
		}
		c.tryRest()
		return
	}
	c.use(p)
	if c.out == nil && c.j.env.out != nil && c.j.stdin != nil && c.j.stdin.known() && one(c.j.stdin) != "" {
		c.out = value{decoded} // a filter of a text that stands in the line
	}
}

// use judges the command by an entry.
func (c *simpleCommand) use(p *program) {
	if p.set != 0 && !c.file && len(c.args) == 1 && (c.args[0].text == "--help" || c.args[0].text == "--version") {
		c.part.set |= reads
		return
	}
	dirs := c.j.env.dirs
	defer func() { c.j.env.dirs = dirs }()
	u := usage{simpleCommand: c, p: p, base: p.set, slots: map[string]string{}}
	u.opts, u.operands = c.scan(p.options, p.posix)
	for i := 0; i < len(p.rules) && !u.done; i++ {
		u.apply(&p.rules[i])
	}
	if !u.done {
		if u.place(); p.hides {
			c.mayHide()
		}
	}
	if p.repo && (u.base|c.part.set)&writes != 0 {
		for _, d := range c.j.env.dirs {
			c.part.Paths = append(c.part.Paths, Path{Path: show(d), Write: true, Tree: true, Place: c.j.place(d), raw: d})
		}
	}
	if c.part.set |= u.base &^ (runs &^ executes); c.part.set&networks != 0 {
		for _, f := range u.operands {
			c.part.contact(f, programs().has("takes-hosts", c.name))
		}
		for _, o := range u.opts {
			c.part.contact(o.value, false)
		}
	}
	for _, why := range reasonsOfTable {
		if u.base&why.set == why.set && (why.set != writes || strings.HasPrefix(c.name, "git ")) {
			c.j.reason(c.name+why.text, why.set, NoDanger, c.at)
			break
		}
	}
}

// contact notes the machine that an address, or with bare a name, means. What reaches only itself is none.
func (p *Part) contact(f word, bare bool) {
	if bare && !strings.Contains(f.text, "://") {
		f.text = "http://" + f.text
	}
	u, err := url.Parse(f.text)
	if err != nil || !f.exact() || u.Hostname() == "" || programs().has("loopback", u.Hostname()) {
		return
	}
	ports := map[string]string{"http": "80", "ssh": "22", "git": "9418", "ftp": "21"}
	address := net.JoinHostPort(strings.ToLower(u.Hostname()), cmp.Or(u.Port(), ports[u.Scheme], "443"))
	if !slices.Contains(p.Hosts, address) {
		p.Hosts = append(p.Hosts, address)
	}
}

// reasonsOfTable are for effects that come from the table alone: the first that fits is enough.
var reasonsOfTable = []struct {
	set  effects
	text string
}{
	{unknown, " runs code that is not in the line"}, {runs, " runs code that is not in the line"},
	{networks, " talks to other machines"}, {writes, " changes the repository"}, {executes, " acts on processes or the system"},
}

// place gives the operands their roles.
func (u *usage) place() {
	fs := u.operands
	for i, f := range fs {
		r := u.slots["rest"]
		final := i == len(fs)-1 && u.slots["last"] != ""
		switch {
		case i == 0 && u.slots["first"] != "" && u.slots["first"] != "same":
			r = u.slots["first"]
		case i == 1 && u.slots["second"] != "":
			r = u.slots["second"]
		case final && (i > 0 || u.slots["last"] == "target"):
			r = u.slots["last"]
		case final && f.multi: // it may be several
			u.operand(u.slots["last"], f, fs[i:])
		}
		if u.operand(r, f, fs[i:]) {
			break
		}
	}
}

// operand does what an operand's role says; it reports whether the rest belongs to it.
func (u *usage) operand(role string, f word, fs []word) (whole bool) {
	if host, _, ok := strings.Cut(f.text, ":"); ok && u.p.remote != nil && !strings.Contains(host, "/") {
		if *u.p.remote != 0 {
			u.usual(*u.p.remote, u.name+" talks to "+show(f.text), f.at)
		}
		u.part.needs = u.name + " needs your keys"
		return false
	}
	hit := &found{it: f, rest: fs, at: f.at}
	if role == "skip" && f.multi && u.slots["rest"] == "command" { // it may be none
		u.treatHit("command", hit)
	}
	u.treatHit(role, hit)
	return role == "command" || role == "assigned" || role == "script" || role == "remote-script"
}

// treatHit does what a role says with a word that was found, or with what follows it.
func (u *usage) treatHit(role string, hit *found) {
	how, fs := u.say("", hit), hit.rest
	switch role {
	case "target":
		u.writeInto(u.operands, hit.it)
		u.slots["last"] = ""
	case "command":
		u.inner(how, fs)
	case "named-command":
		u.inner(how, fs[min(1, len(fs)):])
	case "assigned":
		u.command(how, fs)
	case "script", "remote-script":
		f := hit.it
		if len(fs) > 0 {
			f = joinedWord(fs)
		}
		u.treat(role, f, how, f.at)
	default:
		u.treat(role, hit.it, how, hit.at)
	}
}

// command judges words that are run, with the variables that are set before them.
func (u *usage) command(how string, words []word) {
	u.j.subshell(func() {
		for len(words) > 0 && !words[0].multi {
			name, text, ok := strings.Cut(words[0].text, "=")
			if !ok || !known(name) || strings.Contains(name, "/") {
				break
			}
			if validName(name) || strings.HasPrefix(name, "BASH_FUNC_") {
				u.j.assign(name, value{text}, exported, words[0].at)
			}
			words = words[1:]
		}
		u.inner(how, words)
	})
}

// tryAll judges each argument that is a program's name as a command, which the program may run.
func (c *simpleCommand) tryAll() {
	for i, a := range c.args {
		if !strings.HasPrefix(a.text, "-") && known(a.text) && (harmful(a.text) || programs().entries[lastOf(a.text)] != nil) {
			rest := c.args[i:]
			c.part.more = c.part.more || harmful(a.text)
			c.raise(Block, func() { c.j.program(rest, c.at) })
		}
	}
}
