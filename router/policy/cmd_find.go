package policy

import "strings"

// find walks trees; its expression may delete, write and run.
func (c *call) find() {
	roots, rest := c.findRoots()
	filtered := false
	deletes := span{}
	for i := 0; i < len(rest); i++ {
		a := rest[i]
		arg := field{at: a.at}
		if i+1 < len(rest) {
			arg = rest[i+1]
		}
		switch a.text {
		case "-delete":
			c.does(writes)
			deletes = a.at
		case "-exec", "-execdir", "-ok", "-okdir":
			i = c.findExec(rest, i, roots, filtered)
		case "-fprint", "-fprint0", "-fls":
			c.write(arg)
			i++
		case "-fprintf":
			c.write(arg)
			i += 2
		case "-files0-from":
			c.read(arg)
			i++
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-atime", "-ctime", "-size", "-user", "-group",
			"-perm", "-mindepth", "-samefile", "-inum", "-links", "-lname", "-fstype":
			filtered = filtered || !matchesAll(a.text, arg.text)
			i++
		case "-empty":
			filtered = true
		case "-type", "-maxdepth", "-printf", "-xtype", "-regextype", "-amin", "-cmin", "-anewer", "-cnewer", "-uid", "-gid", "-used", "-context":
			i++
		default:
			if !known(a.text) || a.multi || a.glob && strings.HasPrefix(a.text, "-") {
				c.effect(unknown, "what find does cannot be told", a.at)
			}
		}
	}
	if deletes != (span{}) {
		for _, r := range roots {
			c.writeTree(r)
			if !filtered {
				c.wipes(r, "deletes")
			}
		}
		c.danger(Confirm, "find -delete deletes what it finds", deletes)
	}
	for _, r := range roots {
		c.readTree(r)
	}
}

// matchesAll reports whether a test is no restriction at all.
func matchesAll(test, arg string) bool {
	switch test {
	case "-name", "-iname", "-path", "-ipath", "-wholename":
		return strings.Trim(arg, "*") == ""
	case "-regex", "-iregex":
		return arg == ".*"
	case "-mindepth":
		return true
	}
	return false
}

// findRoots splits the directories to walk from the expression.
func (c *call) findRoots() (roots, rest []field) {
	args := c.args
	for len(args) > 0 {
		a := args[0]
		switch {
		case a.text == "-H" || a.text == "-L" || a.text == "-P" || strings.HasPrefix(a.text, "-O"):
		case a.text == "-D" && len(args) > 1:
			args = args[1:]
		case a.text == "--":
		case strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" || a.text == ")" || a.text == ",":
			if len(roots) == 0 {
				roots = []field{c.here()}
			}
			return roots, args
		default:
			if a.mayBeOption() {
				c.effect(unknown, "an argument of find may be any expression", a.at)
			}
			roots = append(roots, a)
		}
		args = args[1:]
	}
	if len(roots) == 0 {
		roots = []field{c.here()}
	}
	return roots, nil
}

// findExec judges find -exec, and returns where its command ends.
func (c *call) findExec(rest []field, i int, roots []field, filtered bool) int {
	end := i + 1
	for end < len(rest) && rest[end].text != ";" && !(rest[end].text == "+" && end > i+1 && strings.Contains(rest[end-1].text, "{}")) {
		end++
	}
	words := rest[i+1 : min(end, len(rest))]
	if len(words) == 0 {
		return end
	}
	switch name, _ := commandName(words[0].text); name {
	case "rm", "unlink", "shred", "truncate", "srm":
		c.danger(Confirm, "find runs "+name+" on what it finds", rest[i].at)
		for _, r := range roots {
			if !filtered {
				c.wipes(r, "deletes")
			}
		}
	}
	wrapper := c.part.Wrapper
	inner := make([][]field, 0, 2)
	for _, r := range roots {
		if len(inner) == 3 {
			break
		}
		inner = append(inner, foundIn(words, r, filtered, strings.HasSuffix(rest[i].text, "dir")))
	}
	for _, w := range inner {
		c.inner("find "+rest[i].text, w)
	}
	c.part.Wrapper = wrapper
	return end
}

// foundIn puts what find has found in the place of {}. A search that is not
// restricted also finds the root itself.
func foundIn(words []field, root field, filtered, inDir bool) []field {
	out := make([]field, len(words))
	for i, w := range words {
		out[i] = w
		if !strings.Contains(w.text, "{}") {
			continue
		}
		var found string
		switch {
		case inDir:
			found = "./" + aName
		case root.multi:
			found = anyText
		case !filtered:
			found = root.text
		default:
			found = strings.TrimSuffix(root.text, "/") + "/" + "found" + aName
		}
		out[i].text = strings.ReplaceAll(w.text, "{}", found)
		out[i].from = -1
		out[i].glob = out[i].glob || root.glob
	}
	return out
}

var fdSpec = optionSpec{"d:t:e:E:c:j:S:o:C:x^X^", "max-depth: min-depth: exact-depth: type: extension: exclude: color: threads: size: owner: base-directory: search-path: changed-within: changed-before: max-results: format: ignore-file< batch-size: path-separator: exec^ exec-batch^ list-details"}

// fd is find with -x and -X.
func (c *call) fd() {
	args := c.args
	for i, a := range c.args {
		if a.text == "-x" || a.text == "-X" || a.text == "--exec" || a.text == "--exec-batch" || strings.HasPrefix(a.text, "--exec=") || strings.HasPrefix(a.text, "--exec-batch=") {
			words := append([]field(nil), c.args[i+1:]...)
			if _, cmd, ok := strings.Cut(a.text, "="); ok {
				words = append([]field{a.after(len(a.text) - len(cmd))}, words...)
			}
			found := field{text: "./found" + aName, at: a.at, from: -1}
			replaced := false
			for k := range words {
				if strings.Contains(words[k].text, "{") {
					words[k].text, replaced = found.text, true
				}
			}
			if !replaced {
				words = append(words, found)
			}
			c.args = c.args[:i]
			c.inner("fd "+a.text, words)
			c.part.Wrapper = false
			break
		}
	}
	operands := c.options(optionSpec{strings.NewReplacer("x^", "x:", "X^", "X:").Replace(fdSpec.short), fdSpec.long}, nil)
	c.operands(walksHere, operands[min(1, len(operands)):])
	for _, a := range c.args {
		if len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "xX") {
			c.effect(executes|unknown, "fd "+a.text+" runs a command", a.at)
			c.tryRest()
		}
	}
	c.loose = c.loose && len(args) == len(c.args)
	c.mayHide()
}

// xargs runs a command with words from its stdin.
func (c *call) xargs() {
	spec := optionSpec{"a<d:E:e?I:i?L:l?n:P:s:", "arg-file< delimiter: eof? replace? max-lines? max-args: max-procs: max-chars: process-slot-var: null no-run-if-empty interactive verbose show-limits exit open-tty"}
	replace, portions := "", false
	_, rest := c.scan(spec, true, func(o option) {
		switch o.name {
		case "0", "null", "d", "delimiter", "n", "max-args", "L", "l", "max-lines", "E", "e", "eof", "s", "max-chars":
			portions = true
		case "I", "i", "replace":
			replace = "{}"
			if o.has {
				replace = o.value.text
			}
		case "a", "arg-file":
			c.j.stdin = c.j.content(o.value)
		}
	})
	if len(rest) == 0 {
		c.part.set |= reads
		c.out = c.j.stdin
		return
	}
	stdin := c.j.stdin
	all := xargsWords(rest, replace, stdin, c.at)
	if replace == "" && (portions || strings.ContainsAny(strings.Join(stdin, ""), "'\"\\")) {
		// Which of them come together is not followed.
		some := append([]field(nil), rest...)
		all = append(all[:min(3, len(all))], append(some, field{text: stdin.taint(), multi: true, at: c.at, from: -1}))
	}
	for i, words := range all {
		if i == 4 {
			break
		}
		c.j.stdin = value{""}
		c.inner("xargs", words)
	}
	c.j.stdin = stdin
}

// xargsWords returns the commands that xargs may run.
func xargsWords(rest []field, replace string, stdin value, at span) [][]field {
	inputs := stdin
	if len(inputs) == 0 {
		inputs = value{anyText}
	}
	var out [][]field
	for _, in := range inputs {
		words := append([]field(nil), rest...)
		if replace != "" {
			for i := range words {
				if strings.Contains(words[i].text, replace) {
					words[i].text, words[i].from = strings.ReplaceAll(words[i].text, replace, strings.TrimRight(in, "\n")), -1
				}
			}
			out = append(out, words)
			continue
		}
		if !known(in) {
			out = append(out, append(words, field{text: taint(in), multi: true, at: at, from: -1}))
			continue
		}
		for i, w := range strings.FieldsFunc(in, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == 0 }) {
			if i == 64 {
				words = append(words, field{text: anyText, multi: true, at: at, from: -1})
				break
			}
			words = append(words, field{text: strings.Trim(w, `'"`), at: at, from: -1})
		}
		out = append(out, words)
	}
	return out
}

// parallel runs a command for each input; the command is bash text.
func (c *call) parallel() {
	rest := c.skip("j:I:a<S:n:N:L:l:d:E:P:C:s:X", "jobs: arg-file< sshlogin^ sshloginfile^ results> joblog> tmpdir: delay: timeout: retries: colsep: delimiter: max-args: rpl: env: workdir: basefile: transferfile: return: profile: halt: tagstring: block: recstart: recend: max-procs: arg-sep: nice: load: memfree: shuf bar eta progress dry-run keep-order line-buffer")
	end := len(rest)
	for i, a := range rest {
		if strings.HasPrefix(a.text, ":::") || a.text == "::::" {
			end = i
			break
		}
	}
	if end == 0 {
		c.effect(executes|unknown, "parallel runs what its input says", c.at)
		for _, a := range rest[min(1, len(rest)):] {
			c.text(a, "parallel", true)
		}
		for _, s := range c.j.stdin {
			c.text(field{text: s, at: c.at, from: -1}, "parallel", true)
		}
		return
	}
	var args []string
	for _, a := range rest[min(end+1, len(rest)):] {
		args = append(args, a.text)
	}
	if len(args) == 0 {
		args = []string{anyText}
	}
	c.part.Wrapper = true
	for i, arg := range args {
		if i == 4 {
			break
		}
		text := joined(rest[:end])
		if strings.Contains(text, "{") {
			for _, r := range [...]string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"} {
				text = strings.ReplaceAll(text, r, arg)
			}
		} else {
			text += " " + arg
		}
		c.j.innerText(text, field{text: text, at: c.at, from: -1}, "parallel", true)
	}
	c.does(executes)
}
