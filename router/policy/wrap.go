package policy

import "strings"

// env sets variables for a command; -S splits a text into words.
func (u *usage) env() { u.j.subshell(u.runEnv) }

func (u *usage) runEnv() {
	rest := u.operands
	for _, o := range u.opts {
		switch o.name {
		case "C", "chdir":
			u.j.env.dirs = u.j.resolve(o.value.text)
		case "S", "split-string":
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
	if rest = u.assigns(rest, true); len(rest) == 0 {
		u.does(reads)
	} else {
		u.inner("env", rest)
	}
	if u.loose {
		u.tryRest()
	}
}

// assigns judges the NAME=VALUE words that stand before a command, keeps them
// if the command gets them, and returns the rest.
func (u *usage) assigns(rest []field, keep bool) []field {
	for ; len(rest) > 0; rest = rest[1:] {
		name, text, ok := strings.Cut(rest[0].text, "=")
		if !ok || !known(name) || rest[0].multi {
			break
		}
		if !validName(name) && !strings.HasPrefix(name, "BASH_FUNC_") {
			if keep {
				continue // env(1) takes any name
			}
			break
		}
		u.j.dangerousAssign(name, value{text}, rest[0].at)
		if keep {
			u.j.assign(name, [][]string{{text}}, exported, rest[0].at)
		}
	}
	return rest
}

// sudo and its kin run a command as somebody else.
func (u *usage) sudo() {
	has := func(names ...string) bool { return len(u.flags(&test{words: names})) > 0 }
	rest := u.operands
	if u.name == "sudoedit" || u.name == "sudo" && has("-e", "--edit") {
		for _, f := range rest {
			u.write(f)
		}
		return
	}
	if u.name == "su" { // su [user] [-c text], in any order
		found := false
		for i, f := range rest {
			text, joined := strings.CutPrefix(f.text, "--command=")
			switch {
			case f.text == "-c" && i+1 < len(rest):
				u.text(rest[i+1], "su -c", true)
			case joined:
				u.text(f.after(len(f.text)-len(text)), "su -c", true)
			default:
				continue
			}
			found = true
		}
		if !found {
			u.does(unknown)
			u.shellStdin()
		}
		return
	}
	if rest = u.assigns(rest, false); len(rest) > 0 {
		u.inner(u.name, rest)
		return
	}
	u.does(unknown)
	if has("-s", "-i") {
		u.shellStdin()
	}
}

// tar packs, lists and unpacks; what its first word tells may be without a dash.
func (u *usage) tar() {
	args := u.args
	if len(args) > 0 && args[0].text != "" && args[0].text[0] != '-' && known(args[0].text) { // tar xzf: old style
		var out []field
		rest := args[1:]
		for i := range len(args[0].text) {
			letter := args[0].text[i]
			out = append(out, field{text: "-" + string(letter), at: args[0].at, from: -1})
			if takesNext(u.p.options.mark(letter)) && len(rest) > 0 {
				out, rest = append(out, rest[0]), rest[1:]
			}
		}
		u.args, u.opts = append(out, rest...), nil
		u.loose = false
		u.operands = u.options(u.p.options, func(o option) { u.opts = append(u.opts, o) })
		u.args = args
	}
	mode := byte(0)
	var archive, dir field
	stdout, removes := false, false
	for _, o := range u.opts {
		switch o.name {
		case "x", "extract", "get":
			mode = 'x'
		case "c", "create", "r", "append", "u", "update", "A", "delete":
			mode = 'c'
		case "t", "list":
			mode = 't'
		case "f", "file":
			archive = o.value
		case "C", "directory":
			dir = o.value
		case "O", "to-stdout":
			stdout = true
		case "remove-files":
			removes = true
		case "checkpoint-action":
			if text, ok := strings.CutPrefix(o.value.text, "exec="); ok {
				u.treat(role{kind: asRuns}, o.value.after(len(o.value.text)-len(text)), "tar --checkpoint-action", o.at)
			} else if !known(o.value.text) {
				u.effect(executes|unknown, "what tar does at its checkpoints cannot be told", o.at)
			}
		case "P", "absolute-names":
			u.effect(unknown, "tar -P may write anywhere", o.at)
		}
	}
	if strings.Contains(archive.text, ":") {
		u.effect(networks, "tar reads an archive on another machine", archive.at)
	}
	if archive.text != "" && mode == 'c' {
		u.write(archive)
	} else if archive.text != "" && (mode != 'x' || archive.text != "-") {
		u.read(archive)
	}
	switch {
	case mode == 'x' && stdout:
		u.prints("decoded")
	case mode == 'x':
		if u.does(writes); dir.text == "" {
			dir = u.call.here()
		}
		u.writeTree(dir)
	case mode == 'c':
		for _, f := range u.operands {
			if dir.text != "" && !strings.HasPrefix(f.text, "/") {
				f.text, f.glob = dir.text+"/"+f.text, f.glob || dir.glob
			}
			u.readTree(f)
			if removes {
				u.treat(role{asWipes, "packs and deletes"}, f, "tar", f.at)
				u.danger(Confirm, "tar --remove-files deletes what it has packed", f.at)
			}
		}
	}
}
