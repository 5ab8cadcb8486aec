package policy

import "strings"

// What comes over the network, and what goes there.

// download notes the files that addresses are fetched to.
func (u *usage) download() {
	urls, dir := u.operands, ""
	for _, o := range u.opts {
		switch {
		case o.name == "url":
			urls = append(urls, o.value)
		case o.name == "P" && u.name != "curl", o.name == "directory-prefix":
			dir = o.value.text + "/"
		}
	}
	for _, f := range urls {
		name := f.text
		if i := strings.IndexAny(name, "?#"); i >= 0 {
			name = name[:i]
		}
		if name = dir + lastOf(name); name == "" {
			name = "index.html"
		}
		g := field{text: name, at: f.at, from: -1}
		u.write(g)
		u.j.keepFile(g, value{fromNet}, false)
	}
}

// ssh runs a command on another machine, and some of its options one on this.
func (u *usage) ssh() {
	rest := u.operands
	if len(rest) > 1 {
		u.treat(role{kind: asElsewhere}, field{text: joined(rest[1:]), at: rest[1].at, from: -1}, "ssh", u.at)
	} else if len(rest) == 1 {
		for _, s := range u.j.stdin {
			u.treat(role{kind: asElsewhere}, u.made(s), "ssh", u.at)
		}
	}
}

// sshSetting judges ssh -o: some of its settings are commands that run here.
func (c *call) sshSetting(f field, at span) {
	low := strings.ToLower(f.text)
	for _, key := range programs().lists["ssh-runs"] {
		if rest, ok := strings.CutPrefix(low, key); ok {
			c.effect(executes|unknown, "ssh -o "+key+" runs a command here", at)
			c.raiseText(f.after(len(low)-len(strings.TrimLeft(rest, "= "))), "ssh -o "+key)
		}
	}
	if !known(f.text) {
		c.effect(unknown, "what ssh -o sets cannot be told", at)
	}
}

// socat opens files by addresses of its own.
func (u *usage) socat() {
	for _, a := range u.args {
		kind, rest, _ := strings.Cut(a.text, ":")
		switch strings.ToLower(kind) {
		case "open", "create", "file", "gopen":
			f := a.after(len(a.text) - len(rest))
			f.text, _, _ = strings.Cut(f.text, ",")
			u.write(f)
		}
	}
}
