package policy

import (
	"slices"
	"strings"
)

// program is what the table says of a program, or of a subcommand of git.
type program struct {
	set     effects
	options optionSpec
	posix   bool     // options end at the first operand
	slots   [4]role  // what the first, second, last and other operands are
	here    bool     // without operands the present directory is meant
	repo    bool     // what it writes is the working tree
	remote  *effects // what it does with operands that name a host, HOST:FILE; nil: they are files
	unseen  []string // an argument that cannot be seen may be these options
	hides   byte     // ... or any that makes it do something else: 1 unless a line above ended it, 2 always
	rules   []condition
	code    func(*usage)
}

// The slots of operands.
const (
	first = iota
	second
	last
	rest
)

// usage is a program's use in a command, while it is judged.
type usage struct {
	*call
	p        *program
	opts     []option
	operands []field
	base     effects // what the table says, beyond what options and operands add
	slots    [4]role
	here     bool
	done     bool // nothing more is to be said
	fired    bool // a line above held
}

// external judges a program by its entry.
func (c *call) external() {
	p := programs().find(c.name)
	if p == nil {
		base := baseName(c.name)
		if p = programs().find(base); p != nil {
			c.name = base
		}
	}
	if p == nil {
		c.stranger()
		return
	}
	c.use(p)
	if c.out == nil && c.j.env.out != nil && c.j.stdin != nil && c.j.stdin.known() && one(c.j.stdin) != "" {
		c.out = value{decoded} // a filter of a text that stands in the line
	}
}

// stranger is a program that nothing is known of.
func (c *call) stranger() {
	if !c.file {
		c.usual(executes|unknown, "nothing is known here of "+c.name, c.at)
	}
	c.tryRest()
}

// use judges the command by an entry.
func (c *call) use(p *program) {
	if p.set != 0 && p.set&executes == 0 && len(c.args) == 1 && (c.args[0].text == "--help" || c.args[0].text == "--version") {
		c.part.set |= reads
		return
	}
	u := usage{call: c, p: p, base: p.set, slots: p.slots, here: p.here}
	operands, rest := c.scan(p.options, p.posix, func(o option) { u.opts = append(u.opts, o) })
	if u.operands = operands; p.posix {
		u.operands = rest
	}
	if c.loose && slices.ContainsFunc(c.args, func(a field) bool {
		return a.multi && wild(a.text) || strings.HasPrefix(a.text, "-") && !known(a.text)
	}) {
		for _, name := range p.unseen {
			u.opts = append(u.opts, option{name: name, at: c.at})
		}
	}
	for i := range p.rules {
		u.apply(&p.rules[i])
		if u.done {
			break
		}
	}
	if !u.done {
		u.place()
		if p.code != nil {
			p.code(&u)
		}
	}
	if p.hides > 1 || p.hides == 1 && !u.done {
		c.mayHide()
	}
	if p.repo && (u.base | c.part.set).has(writes) {
		c.part.Paths = append(c.part.Paths, c.repository()...)
	}
	c.part.set |= u.base &^ (runs &^ executes)
	c.explain(u.base)
}

// explain gives a reason for effects that come from the table alone.
func (c *call) explain(set effects) {
	switch {
	case set.has(unknown), set.has(runs):
		if set &= unknown; set == 0 {
			set = executes
		}
		c.j.reason(c.name+" runs code that is not in the line", set, NoDanger, c.at)
	case set.has(networks):
		c.j.reason(c.name+" talks to other machines", networks, NoDanger, c.at)
	case set.has(executes):
		c.j.reason(c.name+" acts on processes or the system", executes, NoDanger, c.at)
	case set.has(writes) && strings.HasPrefix(c.name, "git "):
		c.j.reason(c.name+" changes the repository", writes, NoDanger, c.at)
	}
}

// place gives the operands their roles.
func (u *usage) place() {
	fs := u.operands
	if len(fs) == 0 && u.here {
		fs = []field{u.call.here()}
	}
	for i, f := range fs {
		r := u.slots[rest]
		final := i == len(fs)-1 && u.slots[last].kind != 0
		switch {
		case i == 0 && u.slots[first].kind != 0 && u.slots[first].kind != asSame:
			r = u.slots[first]
		case i == 1 && u.slots[second].kind != 0:
			r = u.slots[second]
		case final && (i > 0 || u.slots[last].kind == asTarget):
			r = u.slots[last]
		case final && f.multi: // it may be several
			u.operand(u.slots[last], f, i)
		}
		if u.operand(r, f, i) {
			break
		}
	}
}

// operand does what an operand's role says; it reports whether the rest belongs
// to it.
func (u *usage) operand(r role, f field, i int) (whole bool) {
	switch {
	case u.p.remote != nil && isRemote(f.text):
		if *u.p.remote != 0 {
			u.usual(*u.p.remote, u.name+" talks to "+show(f.text), f.at)
		}
	case r.kind == asCommand:
		u.inner(u.name, u.operands[i:])
		return true
	case r.kind == asSkipped && f.multi && u.slots[rest].kind == asCommand:
		u.inner(u.name, u.operands[i:])
	case r.kind == asScript:
		u.part.Wrapper = true
		u.script(u.operands[i:])
		return true
	case r.kind == asTarget:
		u.writeInto(u.operands[:i], f)
	default:
		u.treat(r, f, u.name, f.at)
	}
	return false
}

// script judges words that are joined to bash text.
func (u *usage) script(fs []field) {
	if len(fs) == 1 {
		u.text(fs[0], u.name, true)
	} else if len(fs) > 1 {
		u.text(field{text: joined(fs), at: span{fs[0].at.start, fs[len(fs)-1].at.end}, from: -1}, u.name, true)
	}
}

// isRemote reports whether a file's name has a host before it.
func isRemote(name string) bool {
	host, _, ok := strings.Cut(name, ":")
	return ok && !strings.Contains(host, "/")
}

// tryAll judges each argument that is a program's name as a command, with what
// follows it: the program may run it.
func (c *call) tryAll() {
	for i, a := range c.args {
		if !strings.HasPrefix(a.text, "-") && known(a.text) && (harmful(a.text) || programs().entries[lastOf(a.text)] != nil) {
			rest := c.args[i:]
			c.part.more = c.part.more || harmful(a.text)
			c.raise(Block, func() { c.j.program(rest, c.at) })
		}
	}
}
