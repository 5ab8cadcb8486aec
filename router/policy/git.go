package policy

import (
	"cmp"
	"strings"
)

// git judges a subcommand by its entry.
func (u *usage) git() {
	rest := u.operands
	if len(rest) == 0 {
		return
	}
	t, name := programs(), "git "+show(rest[0].text)
	p := t.find("git " + rest[0].text)
	if !rest[0].exact() {
		u.effect(executes|unknown, "which git command this is cannot be told", rest[0].at)
		p = nil
	}
	if rest[0].multi { // it may be options
		p, name = t.find("git"), "git"
	}
	args := u.args
	u.simpleCommand.args, u.simpleCommand.name = rest[1:], name
	u.use(cmp.Or(p, t.find("git ?")))
	u.simpleCommand.args, u.simpleCommand.name = args, "git"
}

// gitSetting judges -c key=value: many of git's settings are commands.
func (c *simpleCommand) gitSetting(f word) {
	key, val, _ := strings.Cut(f.text, "=")
	if harmlessSetting(key, val) {
		return
	}
	c.effect(executes|unknown, "the setting "+show(key)+" changes what git runs", f.at)
	c.raiseText(word{text: strings.TrimPrefix(val, "!"), at: f.at}, "git -c "+show(key))
}

// harmlessSetting reports whether a setting only changes how git's output and commits look.
func harmlessSetting(key, val string) bool {
	t, key := programs(), strings.ToLower(key)
	return known(key) && (t.fits("setting", key) && !t.fits("setting-runs", key) || t.fits("setting-value", key+"="+val))
}

// gitConfig is git config where it writes.
func (u *usage) gitConfig() {
	ops := u.operands
	if len(ops) > 0 && (ops[0].text == "set" || ops[0].text == "unset") {
		ops = ops[1:]
	}
	if len(ops) > 1 && !u.hasFlag("--global", "--system", "--file", "-f") && harmlessSetting(ops[0].text, ops[1].text) {
		return
	}
	u.danger(Confirm, "git config changes what git does, and may run", u.at)
	if len(ops) > 1 {
		u.raiseText(word{text: strings.TrimPrefix(ops[1].text, "!"), at: ops[1].at}, "git config")
	}
}
