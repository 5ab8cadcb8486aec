package policy

import "strings"

// What comes over the network, and what goes there.

// fetched notes that the files which a program writes hold what came over the
// network, and reports whether one of its options names the file.
func (u *usage) fetched(output ...string) (named bool) {
	for _, o := range u.opts {
		for _, name := range output {
			if o.name == name && o.has {
				named = true
				u.j.keepFile(o.value, value{fromNet}, false)
				if u.quiet(); o.value.text == "-" {
					u.prints("network")
				}
			}
		}
	}
	return named
}

// download notes the files that addresses are fetched to.
func (u *usage) download(urls []field, dir string) {
	for _, f := range urls {
		name := f.text
		if i := strings.IndexAny(name, "?#"); i >= 0 {
			name = name[:i]
		}
		if name = lastOf(name); dir != "" {
			name = dir + "/" + name
		}
		if name == "" {
			name = "index.html"
		}
		g := field{text: name, at: f.at, from: -1}
		u.write(g)
		u.j.keepFile(g, value{fromNet}, false)
	}
}

// curl fetches, and sends; what it prints comes from another machine.
func (u *usage) curl() {
	urls := u.operands
	remote := false
	for _, o := range u.opts {
		switch o.name {
		case "O", "remote-name", "remote-name-all", "J", "remote-header-name":
			remote = true
		case "url":
			urls = append(urls, o.value)
		}
	}
	u.fetched("o", "output")
	if remote {
		u.quiet()
		u.download(urls, "")
	}
	for _, f := range urls {
		if strings.HasPrefix(f.text, "file:") {
			u.read(f.after(len("file:")))
		}
	}
}

// wget fetches into files.
func (u *usage) wget() {
	dir, spider := "", false
	for _, o := range u.opts {
		switch o.name {
		case "P", "directory-prefix":
			dir = o.value.text
		case "spider":
			spider = true
		}
	}
	if u.fetched("O", "output-document") || spider {
		return
	}
	u.quiet()
	u.does(writes)
	u.download(u.operands, dir)
}

// ssh runs a command on another machine, and some of its options one on this.
func (u *usage) ssh() {
	u.sshOptions()
	rest := u.operands
	if len(rest) > 1 {
		u.treat(role{kind: asElsewhere}, field{text: joined(rest[1:]), at: rest[1].at, from: -1}, "ssh", u.at)
	} else if len(rest) == 1 {
		for _, s := range u.j.stdin {
			u.treat(role{kind: asElsewhere}, u.made(s), "ssh", u.at)
		}
	}
}

// sshOptions judges -o: some of its settings are commands that run here.
func (u *usage) sshOptions() {
	for _, o := range u.opts {
		if o.name != "o" {
			continue
		}
		low := strings.ToLower(o.value.text)
		for _, key := range programs().lists["ssh-runs"] {
			if rest, ok := strings.CutPrefix(low, key); ok {
				u.effect(executes|unknown, "ssh -o "+key+" runs a command here", o.at)
				u.raiseText(o.value.after(len(low)-len(strings.TrimLeft(rest, "= "))), "ssh -o "+key)
			}
		}
		if !known(o.value.text) {
			u.effect(unknown, "what ssh -o sets cannot be told", o.at)
		}
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
