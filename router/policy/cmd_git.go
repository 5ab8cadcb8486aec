package policy

import "strings"

// gitCommand is what a subcommand of git does.
type gitCommand struct {
	names string
	set   effects
	how   func(*gitCall)
}

// gitCall is a git command while it is judged.
type gitCall struct {
	*call
	sub  string
	args []field // after the subcommand
}

// git reads the options before the subcommand, then judges that.
func (c *call) git() {
	g := gitCall{call: c}
	saved := c.j.env.dirs
	defer func() { c.j.env.dirs = saved }()
	g.args = g.globals()
	if len(g.args) == 0 {
		c.does(reads)
		return
	}
	sub := g.args[0]
	g.sub, g.args = sub.text, g.args[1:]
	if !known(sub.text) || sub.multi || sub.glob {
		c.effect(executes|unknown, "which git command this is cannot be told", sub.at)
		g.dangers()
		return
	}
	for _, a := range g.args {
		g.ownOptions(a)
	}
	rows := gitCommands()
	for i := range rows {
		if containsField(rows[i].names, g.sub) {
			g.judge(&rows[i])
			return
		}
	}
	c.usual(executes|unknown, "git "+g.sub+" is not known here: it may be an alias", c.at)
	g.dangers()
}

// containsField reports whether a list with blanks between has a word.
func containsField(list, word string) bool {
	for rest := list; rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		if one == word {
			return true
		}
	}
	return false
}

func (g *gitCall) judge(r *gitCommand) {
	g.does(r.set)
	if r.set.has(writes) {
		g.part.Paths = append(g.part.Paths, g.repository()...)
	}
	if r.how != nil {
		r.how(g)
	}
	for _, a := range g.args {
		if a.text == "--" {
			break
		}
		if a.mayBeOption() {
			g.effect(unknown, "an argument of git "+g.sub+" may be any option", a.at)
			break
		}
	}
	switch {
	case r.set.has(unknown):
		g.j.reason("git "+g.sub+" runs code that is not in the line", unknown, NoDanger, g.at)
	case r.set.has(networks):
		g.j.reason("git "+g.sub+" talks to another machine", networks, NoDanger, g.at)
	case r.set.has(executes):
		g.j.reason("git "+g.sub+" runs the repository's hooks", executes, NoDanger, g.at)
	case r.set.has(writes):
		g.j.reason("git "+g.sub+" changes the repository", writes, NoDanger, g.at)
	}
}

// repository is what git changes when it changes anything: the working tree
// that the present directory is in.
func (g *gitCall) repository() []Path {
	var out []Path
	for _, d := range g.j.env.dirs {
		out = append(out, Path{Path: show(d), Write: true, Tree: true, Place: g.j.place(d), raw: d})
	}
	return out
}

// globals reads git's options before the subcommand.
func (g *gitCall) globals() []field {
	args := g.call.args
	for len(args) > 0 {
		a := args[0]
		if a.mayBeOption() {
			g.effect(executes|unknown, "an argument of git may be any option", a.at)
			if a.multi {
				args = args[1:]
				continue
			}
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			return args
		}
		name, val, has := strings.Cut(a.text, "=")
		v := a.after(min(len(a.text), len(name)+1))
		takes := !has && (name == "-C" || name == "-c" || name == "--git-dir" || name == "--work-tree" || name == "--namespace" || name == "--exec-path" || name == "--config-env" || name == "--super-prefix" || name == "--attr-source")
		if name == "--exec-path" && !has {
			takes = false
		}
		if takes {
			if len(args) < 2 {
				return nil
			}
			v, args = args[1], args[1:]
			val = v.text
		}
		switch name {
		case "-C":
			g.j.env.dirs = g.j.resolve(v.text)
		case "-c":
			g.config(val, v)
		case "--exec-path", "--config-env":
			if has || takes {
				g.effect(executes|unknown, "git "+name+" changes what git runs", a.at)
			}
		case "--git-dir", "--work-tree":
			g.effect(unknown, "git "+name+" makes git believe another directory's configuration", a.at)
		case "-p", "--paginate":
			g.effect(executes, "git -p runs a pager", a.at)
		}
		args = args[1:]
	}
	return nil
}

// config judges -c key=value: many of git's settings are commands.
func (g *gitCall) config(setting string, f field) {
	key, val, has := strings.Cut(setting, "=")
	if harmlessSetting(strings.ToLower(key), val, has) {
		return
	}
	g.effect(executes|unknown, "the setting "+show(key)+" changes what git runs", f.at)
	if !has {
		return
	}
	text := strings.TrimPrefix(val, "!")
	if strings.HasPrefix(strings.ToLower(key), "alias.") && !strings.HasPrefix(val, "!") {
		text = "git " + val
	}
	g.raiseText(field{text: text, at: f.at, from: -1}, "git -c "+show(key))
}

// harmlessSetting reports whether a setting only changes how git's output and
// commits look.
func harmlessSetting(key, val string, has bool) bool {
	if !known(key) {
		return false
	}
	switch val {
	case "cat", "", "true", "false", "less":
		if key == "core.pager" || strings.HasPrefix(key, "pager.") {
			return true
		}
	}
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "color", "advice", "user", "author", "committer", "column", "log", "grep", "status", "blame", "i18n", "pack", "gc", "rerere", "push", "pull", "branch", "init", "fetch", "merge", "rebase", "checkout", "index", "feature", "stash", "versionsort", "format":
		last := key[strings.LastIndexByte(key, '.')+1:]
		return last != "driver" && last != "templatedir" && last != "command" && last != "fallbackmergedriver" && last != "tool" && !strings.HasSuffix(last, "cmd") && !strings.HasSuffix(last, "program") && !strings.HasSuffix(last, "hook")
	case "core":
		switch key {
		case "core.quotepath", "core.autocrlf", "core.safecrlf", "core.filemode", "core.ignorecase", "core.abbrev", "core.eol", "core.commentchar", "core.precomposeunicode", "core.preloadindex", "core.untrackedcache", "core.symlinks", "core.longpaths":
			return true
		}
		return key == "core.fsmonitor" && val == "false" || key == "core.editor" && (val == "true" || val == ":" || val == "cat") || key == "core.hookspath" && val == "/dev/null"
	case "diff":
		switch key {
		case "diff.algorithm", "diff.renames", "diff.renamelimit", "diff.context", "diff.colormoved", "diff.mnemonicprefix", "diff.noprefix", "diff.wserrorhighlight", "diff.submodule", "diff.indentheuristic":
			return true
		}
	case "commit", "tag":
		return key == "commit.gpgsign" || key == "tag.gpgsign" || key == "commit.verbose" || key == "tag.sort"
	case "safe":
		return key == "safe.directory"
	case "http":
		return key == "http.version" || key == "http.postbuffer" || key == "http.lowspeedlimit" || key == "http.lowspeedtime"
	}
	return false
}

// ownOptions judges options that several subcommands share and that write or
// run: they may be abbreviated.
func (g *gitCall) ownOptions(a field) {
	name, val, has := strings.Cut(a.text, "=")
	if len(name) < 4 || !strings.HasPrefix(name, "--") {
		return
	}
	switch {
	case prefixOf(name, "--upload-pack", 4), prefixOf(name, "--receive-pack", 7), name == "--exec" && g.sub != "rebase":
		g.effect(executes|unknown, "git "+name+" runs a program", a.at)
		if has {
			g.raiseText(a.after(len(a.text)-len(val)), "git "+name)
		}
	case name == "--output" || name == "--outp" || name == "--outpu":
		if has {
			g.write(a.after(len(name) + 1))
		} else {
			g.effect(writes|unknown, "git "+name+" writes a file", a.at)
		}
	case prefixOf(name, "--ext-diff", 6), name == "--textconv" && g.sub != "diff":
		g.effect(executes|unknown, "git "+name+" runs programs that the configuration names", a.at)
	case prefixOf(name, "--open-files-in-pager", 6):
		g.effect(executes|unknown, "git grep "+name+" runs a program", a.at)
		if has {
			g.raiseText(a.after(len(a.text)-len(val)), "git grep -O")
		}
	case prefixOf(name, "--template", 6) && (g.sub == "clone" || g.sub == "init"):
		g.effect(executes|unknown, "git "+name+" brings hooks along", a.at)
	case prefixOf(name, "--config", 6) && g.sub == "clone" && has:
		g.config(val, a.after(len(name)+1))
	}
}

// prefixOf reports whether name is an abbreviation of full, with at least least
// letters.
func prefixOf(name, full string, least int) bool {
	return len(name) >= least && strings.HasPrefix(full, name)
}

// dangers judges the arguments of a subcommand that is not known.
func (g *gitCall) dangers() {
	for _, a := range g.args {
		if a.text == "--force" || a.text == "-f" || a.text == "--hard" || a.text == "--mirror" || a.text == "-D" || a.text == "--delete" {
			g.danger(Confirm, "git "+show(g.sub)+" "+a.text+" may lose work", a.at)
		}
		if a.text == "push" || a.text == "reset" || a.text == "clean" {
			rest := gitCall{call: g.call, sub: a.text, args: g.args}
			for _, b := range g.args {
				if b.text == "--force" || b.text == "-f" || b.text == "--hard" || b.text == "-fd" || b.text == "-fdx" {
					rest.danger(Confirm, "git "+a.text+" "+b.text+" loses work", b.at)
				}
			}
		}
	}
}

// has reports whether one of the options is among the arguments; one of two
// letters also within a cluster.
func (g *gitCall) has(names ...string) bool {
	for _, a := range g.args {
		if a.text == "--" {
			return false
		}
		for _, n := range names {
			if a.text == n || strings.HasPrefix(n, "--") && strings.HasPrefix(a.text, n+"=") {
				return true
			}
			if strings.HasPrefix(n, "--") && len(a.text) > 2 && strings.HasPrefix(n, a.text) {
				return true
			}
			if len(n) == 2 && len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text[1:], n[1:]) {
				return true
			}
		}
	}
	return false
}

// operands returns the arguments that are no options.
func (g *gitCall) operands() []field {
	var out []field
	for i, a := range g.args {
		if a.text == "--" {
			return append(out, g.args[i+1:]...)
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			out = append(out, a)
		}
	}
	return out
}
