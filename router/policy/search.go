package policy

import "strings"

// find walks trees; its expression may delete, write and run (find(1)).
func (u *usage) find() {
	roots, rest := u.findRoots()
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
			u.does(writes)
			deletes = a.at
		case "-exec", "-execdir", "-ok", "-okdir":
			i = u.findExec(rest, i, roots, filtered)
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			u.write(arg)
			i++
			if a.text == "-fprintf" {
				i++
			}
		case "-files0-from":
			u.read(arg)
			i++
		case "-name", "-iname", "-path", "-ipath", "-wholename":
			filtered = filtered || strings.Trim(arg.text, "*") != ""
			i++
		case "-regex", "-iregex":
			filtered = filtered || arg.text != ".*"
			i++
		case "-empty":
			filtered = true
		default:
			switch {
			case programs().has("find-filter", a.text):
				filtered = true
				i++
			case programs().has("find-value", a.text):
				i++
			case !known(a.text) || a.multi || a.glob && strings.HasPrefix(a.text, "-"):
				u.effect(unknown, "what find does cannot be told", a.at)
			}
		}
	}
	for _, r := range roots {
		if deletes != (span{}) {
			u.writeTree(r)
			if !filtered {
				u.wipes(r, "deletes")
			}
			u.danger(Confirm, "find -delete deletes what it finds", deletes)
		}
		u.readTree(r)
	}
}

// findRoots splits the directories to walk from the expression.
func (u *usage) findRoots() (roots, rest []field) {
	for rest = u.args; len(rest) > 0; rest = rest[1:] {
		a := rest[0]
		switch {
		case a.text == "-D" && len(rest) > 1:
			rest = rest[1:]
			continue
		case a.text == "-H" || a.text == "-L" || a.text == "-P" || a.text == "--" || strings.HasPrefix(a.text, "-O"):
			continue
		case strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" || a.text == ")" || a.text == ",":
		default:
			if a.mayBeOption() {
				u.effect(unknown, "an argument of find may be any expression", a.at)
			}
			roots = append(roots, a)
			continue
		}
		break
	}
	if len(roots) == 0 {
		roots = []field{u.call.here()}
	}
	return roots, rest
}

// findExec judges find -exec, and returns where its command ends.
func (u *usage) findExec(rest []field, i int, roots []field, filtered bool) int {
	end := i + 1
	for end < len(rest) && rest[end].text != ";" && !(rest[end].text == "+" && end > i+1 && strings.Contains(rest[end-1].text, "{}")) {
		end++
	}
	words := rest[i+1 : min(end, len(rest))]
	if len(words) == 0 {
		return end
	}
	name, _ := commandName(words[0].text)
	deletes := name == "rm" || name == "unlink" || name == "shred" || name == "truncate" || name == "srm"
	wrapper := u.part.Wrapper
	for k, r := range roots {
		if deletes {
			u.danger(Confirm, "find runs "+name+" on what it finds", rest[i].at)
			if !filtered {
				u.wipes(r, "deletes")
			}
		}
		if k < 3 {
			u.inner("find "+rest[i].text, foundIn(words, r, filtered, strings.HasSuffix(rest[i].text, "dir")))
		}
	}
	u.part.Wrapper = wrapper
	return end
}

// foundIn puts what find has found in the place of {}. A search that is not
// restricted also finds the root itself.
func foundIn(words []field, root field, filtered, inDir bool) []field {
	name := root.text
	switch {
	case inDir:
		name = "./" + aName
	case root.multi:
		name = anyText
	case filtered:
		name = strings.TrimSuffix(root.text, "/") + "/found" + aName
	}
	out := append([]field(nil), words...)
	for i := range out {
		if strings.Contains(out[i].text, "{}") {
			out[i].text, out[i].from = strings.ReplaceAll(out[i].text, "{}", name), -1
			out[i].glob = out[i].glob || root.glob
		}
	}
	return out
}

// fd is find with -x and -X, after which a command stands.
func (u *usage) fd() {
	own := u.args
	for i, a := range u.args {
		name, cmd, has := strings.Cut(a.text, "=")
		if name != "--exec" && name != "--exec-batch" && a.text != "-x" && a.text != "-X" {
			continue
		}
		words := append([]field(nil), u.args[i+1:]...)
		if has {
			words = append([]field{a.after(len(a.text) - len(cmd))}, words...)
		}
		found, replaced := "./found"+aName, false
		for k := range words {
			if strings.Contains(words[k].text, "{") {
				words[k].text, replaced = found, true
			}
		}
		if !replaced {
			words = append(words, field{text: found, at: a.at, from: -1})
		}
		own = u.args[:i]
		u.inner("fd "+name, words)
		u.part.Wrapper = false
		break
	}
	runs := len(own) < len(u.args)
	u.args, u.loose = own, false
	_, operands := u.scan(u.p.options, false)
	u.loose = u.loose && !runs
	if len(operands) < 2 {
		operands = []field{{}, u.call.here()}
	}
	for _, f := range operands[1:] {
		u.readTree(f)
	}
	for _, a := range own {
		if len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "xX") || len(a.text) > 3 && strings.HasPrefix("--exec-batch", a.text) {
			u.effect(executes|unknown, "fd "+a.text+" runs a command", a.at)
			u.tryRest()
		}
	}
}

// maxInputs bounds the commands that xargs and parallel are followed in.
const maxInputs = 4

// xargs runs a command with words from its stdin.
func (u *usage) xargs() {
	replace, portions := "", false
	for _, o := range u.opts {
		switch o.name {
		case "-0", "--null", "-d", "--delimiter", "-n", "--max-args", "-L", "-l", "--max-lines", "-E", "-e", "--eof", "-s", "--max-chars":
			portions = true
		case "-I", "-i", "--replace":
			replace = "{}"
			if o.has {
				replace = o.value.text
			}
		case "-a", "--arg-file":
			u.j.stdin = u.j.content(o.value)
		}
	}
	stdin := u.j.stdin
	if len(u.operands) == 0 {
		u.does(reads)
		u.out = stdin
		return
	}
	all := xargsWords(u.operands, replace, stdin, u.at)
	if replace == "" && (portions || strings.ContainsAny(strings.Join(stdin, ""), "'\"\\")) {
		// Which of them come together is not followed.
		some := append([]field(nil), u.operands...)
		all = append(all[:min(maxInputs-1, len(all))], append(some, field{text: stdin.taint(), multi: true, at: u.at, from: -1}))
	}
	for _, words := range all[:min(maxInputs, len(all))] {
		u.j.stdin = value{""}
		u.inner("xargs", words)
	}
	u.j.stdin = stdin
}

// xargsWords returns the commands that xargs may run.
func xargsWords(rest []field, replace string, stdin value, at span) (out [][]field) {
	if len(stdin) == 0 {
		stdin = value{anyText}
	}
	for _, in := range stdin {
		words := append([]field(nil), rest...)
		switch {
		case replace != "":
			for i := range words {
				if strings.Contains(words[i].text, replace) {
					words[i].text, words[i].from = strings.ReplaceAll(words[i].text, replace, strings.TrimRight(in, "\n")), -1
				}
			}
		case !known(in):
			words = append(words, field{text: taint(in), multi: true, at: at, from: -1})
		default:
			for i, w := range strings.FieldsFunc(in, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == 0 }) {
				if i == 64 {
					words = append(words, field{text: anyText, multi: true, at: at, from: -1})
					break
				}
				words = append(words, field{text: strings.Trim(w, `'"`), at: at, from: -1})
			}
		}
		out = append(out, words)
	}
	return out
}

// parallel runs a command for each input; the command is bash text.
func (u *usage) parallel() {
	rest := u.operands
	end := 0
	for end < len(rest) && !strings.HasPrefix(rest[end].text, ":::") && rest[end].text != "::::" {
		end++
	}
	inputs := rest[min(end+1, len(rest)):]
	if end == 0 {
		u.effect(executes|unknown, "parallel runs what its input says", u.at)
		for _, s := range u.j.stdin {
			inputs = append(inputs, u.made(s))
		}
		for _, a := range inputs {
			u.text(a, "parallel", true)
		}
		return
	}
	if len(inputs) == 0 {
		inputs = []field{{text: anyText}}
	}
	u.part.Wrapper = true
	for _, in := range inputs[:min(maxInputs, len(inputs))] {
		text := joined(rest[:end])
		if strings.Contains(text, "{") {
			text = strings.NewReplacer("{}", in.text, "{.}", in.text, "{/}", in.text, "{//}", in.text, "{/.}", in.text, "{1}", in.text, "{2}", in.text).Replace(text)
		} else {
			text += " " + in.text
		}
		u.j.innerText(text, u.made(text), "parallel", true)
	}
	u.does(executes)
}
