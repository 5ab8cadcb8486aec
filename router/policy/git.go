package policy

import "strings"

// git reads the options before the subcommand, then judges that by its entry.
func (u *usage) git() {
	saved := u.j.env.dirs
	defer func() { u.j.env.dirs = saved }()
	for _, o := range u.opts {
		switch o.name {
		case "C":
			u.j.env.dirs = u.j.resolve(o.value.text)
		case "c":
			u.gitSetting(o.value)
		case "exec-path", "config-env":
			if o.has {
				u.effect(executes|unknown, "git --"+o.name+" changes what git runs", o.at)
			}
		case "git-dir", "work-tree":
			u.effect(unknown, "git --"+o.name+" makes git believe another directory's configuration", o.at)
		case "p", "paginate":
			u.effect(executes, "git -p runs a pager", o.at)
		}
	}
	rest := u.operands
	if len(rest) == 0 {
		u.does(reads)
		return
	}
	p := programs().find("git " + rest[0].text)
	switch {
	case rest[0].multi:
		u.effect(executes|unknown, "an argument of git may be any option", rest[0].at)
		u.again(programs().find("git"), rest[1:])
	case !rest[0].exact():
		u.effect(executes|unknown, "which git command this is cannot be told", rest[0].at)
		fallthrough
	case p == nil:
		u.again(programs().find("git ?"), rest)
	default:
		u.again(p, rest)
	}
}

// again judges what follows git's own options by another entry.
func (u *usage) again(p *program, rest []field) {
	c, args, name := u.call, u.args, u.name
	if c.args = rest; p.code == nil && len(rest) > 0 {
		c.args, c.name = rest[1:], "git "+show(rest[0].text)
	}
	c.use(p)
	c.args, c.name = args, name
}

// repository is what git changes when it changes anything: the working tree
// that the present directory is in.
func (c *call) repository() []Path {
	var out []Path
	for _, d := range c.j.env.dirs {
		out = append(out, Path{Path: show(d), Write: true, Tree: true, Place: c.j.place(d), raw: d})
	}
	return out
}

// gitSetting judges -c key=value: many of git's settings are commands.
func (c *call) gitSetting(f field) {
	key, val, has := strings.Cut(f.text, "=")
	low := strings.ToLower(key)
	if harmlessSetting(low, val) {
		return
	}
	c.effect(executes|unknown, "the setting "+show(key)+" changes what git runs", f.at)
	if !has {
		return
	}
	text := strings.TrimPrefix(val, "!")
	if strings.HasPrefix(low, "alias.") && text == val {
		text = "git " + val
	}
	c.raiseText(field{text: text, at: f.at, from: -1}, "git -c "+show(key))
}

// harmlessSetting reports whether a setting only changes how git's output and
// commits look.
func harmlessSetting(key, val string) bool {
	t := programs()
	return known(key) && (t.fits("setting", key) && !t.fits("setting-runs", key) || t.fits("setting-value", key+"="+val))
}

// gitConfig is git config where it writes.
func (u *usage) gitConfig() {
	ops := u.operands
	if len(ops) > 0 && (ops[0].text == "set" || ops[0].text == "unset") {
		ops = ops[1:]
	}
	own := false
	for i, a := range u.args {
		if (a.text == "-f" || a.text == "--file") && i+1 < len(u.args) {
			u.write(u.args[i+1])
			own = true
		}
	}
	if u.does(writes); !own {
		u.part.Paths = append(u.part.Paths, u.repository()...)
	}
	flags := func(names ...string) bool { return len(u.flags(&test{words: names})) > 0 }
	if flags("--edit", "-e") {
		u.does(executes | unknown)
	}
	if len(ops) > 1 && !flags("--global", "--system", "--file", "-f") && harmlessSetting(strings.ToLower(ops[0].text), ops[1].text) {
		return
	}
	u.danger(Confirm, "git config changes what git does, and may run", u.at)
	if len(ops) > 1 {
		u.raiseText(field{text: strings.TrimPrefix(ops[1].text, "!"), at: ops[1].at, from: -1}, "git config")
	}
}
