package policy

// shell is bash, sh and their kin: they run a text, a file or their stdin.
func (u *usage) shell() {
	args := u.operands
	if u.loose {
		u.effect(executes|unknown, "what "+u.name+" runs cannot be told", u.at)
		u.tryRest()
	}
	switch text := u.hasFlag("-c"); {
	case text && len(args) > 0: // bash -c TEXT NAME ARGS...
		zero := "bash"
		if len(args) > 1 {
			zero = texts(args[1:2])[0]
		}
		u.withArgs(zero, args[min(2, len(args)):], func() { u.text(args[0], u.name+" -c", true) })
		u.quiet()
	case len(args) > 0 && !u.hasFlag("-s"):
		u.read(args[0])
		u.usual(executes, "runs the script "+show(args[0].text), args[0].at)
		u.withArgs(args[0].text, args[1:], func() { u.runsFile(args[0]) })
	case u.j.stdin == nil:
		u.effect(executes|unknown, "what "+u.name+" runs cannot be told", u.at)
	default:
		u.part.set |= executes
		u.withArgs("", args, func() {
			for _, s := range u.j.stdin {
				u.text(u.made(s), u.name+" from its stdin", true)
			}
		})
	}
}

// withArgs walks with the positional parameters of another shell.
func (c *call) withArgs(zero string, args []field, walk func()) {
	c.j.subshell(func() {
		if c.j.positional(args); zero != "" {
			c.j.env.set("0", variable{value{zero}, exported})
		}
		walk()
	})
}
