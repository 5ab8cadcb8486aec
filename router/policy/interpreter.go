package policy

// shell is bash, sh and their kin: they run a text, a file or their stdin.
func (u *usage) shell() {
	args, text := u.operands, u.hasFlag("-c")
	if u.loose || u.j.stdin == nil && (len(args) == 0 || !text && u.hasFlag("-s")) {
		u.effect(executes|unknown, "what "+u.name+" runs cannot be told", u.at)
		u.tryRest()
	}
	switch {
	case text && len(args) > 0: // bash -c TEXT NAME ARGS...
		u.withArgs(args[1:], func() { u.text(args[0], u.name+" -c", true) })
		u.quiet()
	case len(args) > 0 && !u.hasFlag("-s"):
		u.read(args[0])
		u.usual(executes, "runs the script "+show(args[0].text), args[0].at)
		u.withArgs(args, func() { u.runsFile(args[0]) })
	default:
		u.part.set |= executes
		u.withArgs(append([]word{u.made(u.name)}, args...), func() {
			for _, s := range u.j.stdin {
				u.text(u.made(s), u.name+" from its stdin", true)
			}
		})
	}
}

// withArgs walks with $0 and the positional parameters of another shell.
func (c *simpleCommand) withArgs(args []word, walk func()) {
	c.j.subshell(func() {
		all := append(texts(args), c.name)
		c.j.env.set("0", variable{value{all[0]}, exported})
		c.j.positional(args[min(1, len(args)):])
		walk()
	})
}
