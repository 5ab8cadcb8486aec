package policy

import "strings"

// env sets variables for a command; -S splits a text into words.
func (u *usage) env() {
	saved := u.j.env.copy()
	rest := u.operands
	for _, o := range u.opts {
		switch o.name {
		case "-C", "--chdir":
			u.j.env.dirs = u.j.resolve(o.value.text)
		case "-S", "--split-string":
			if !known(o.value.text) || strings.ContainsAny(o.value.text, "'\"\\$#") {
				u.effect(executes|unknown, "what env -S runs cannot be told", o.at)
			}
			var split []field
			for _, w := range strings.Fields(strings.NewReplacer(`\_`, " ", `\t`, " ", `\n`, " ").Replace(o.value.text)) {
				split = append(split, field{text: strings.Trim(w, `"'`), at: o.value.at, from: -1})
			}
			rest = append(split, u.operands...)
		}
	}
	if len(rest) > 0 && rest[0].text == "-" {
		rest = rest[1:] // the same as -i
	}
	u.command("env", rest, reads)
	if u.loose {
		u.tryRest()
	}
	u.j.env = saved
}

// dashless takes the options that tar and ar are given in a first word without a
// dash, whose values follow it in their order.
func (u *usage) dashless() {
	if len(u.args) == 0 || u.args[0].text == "" || u.args[0].text[0] == '-' || !known(u.args[0].text) {
		return
	}
	args, letters, rest := u.args, u.args[0], u.args[1:]
	u.args = nil
	for i := range len(letters.text) {
		letter := "-" + letters.text[i:i+1]
		u.args = append(u.args, field{text: letter, at: letters.at, from: -1})
		if u.p.options.takesNext(letter) && len(rest) > 0 {
			u.args, rest = append(u.args, rest[0]), rest[1:]
		}
	}
	u.args, u.loose = append(u.args, rest...), false
	u.opts, u.operands = u.scan(u.p.options, false)
	u.args = args
}
