package policy

import (
	"slices"
	"strings"
)

// condition is one line of an entry: when all its tests hold, its acts are done.
type condition struct {
	tests []test
	acts  []act
}

type test struct {
	kind  string
	words []string
	with  []string // only: words that may stand there too
	n     int
}

// act is what a line says about the command, or about the word that its last
// test has found.
type act struct {
	kind string
	set  effects
	role role
	text string
	n    int
	code func(*usage)
}

// found is a word that a test was looking for.
type found struct {
	name string // as it is shown
	it   field  // what a * at its end stands for, or an option's value
	i    int    // in the arguments
	at   span
}

// apply does a line's acts for every word that its last test has found.
func (u *usage) apply(line *condition) {
	var hits []found
	for i := range line.tests {
		if hits = u.test(&line.tests[i]); len(hits) == 0 {
			return
		}
	}
	u.fired = u.fired || line.tests[0].kind != "always"
	for _, hit := range hits {
		for i := range line.acts {
			u.act(&line.acts[i], &hit)
		}
	}
}

func (u *usage) act(a *act, hit *found) {
	name, text := u.name, ""
	if a.text != "" || a.kind == "it" || a.kind == "command" {
		name = strings.TrimSuffix(name+" "+hit.name, " ")
		text = name + " " + a.text
	}
	if strings.IndexByte(a.text, '{') >= 0 {
		text = strings.NewReplacer("{command}", u.name, "{operands}", u.targets(u.operands), "{word}", hit.name, "{rest}", show(hit.it.text)).Replace(a.text)
	}
	switch a.kind {
	case "does":
		if a.text != "" {
			u.effect(a.set, text, hit.at)
		}
		u.does(a.set)
	case "usually":
		u.usual(a.set, text, hit.at)
	case "only":
		u.base, u.done = a.set, true
	case "now":
		u.base = a.set
	case "stop":
		u.done = true
	case "confirm":
		u.danger(Confirm, text, hit.at)
	case "block":
		u.danger(Block, text, hit.at)
	case "prints":
		u.prints(a.text)
	case "hides":
		u.mayHide()
	case "makes":
		f := u.made(a.text)
		f.glob = true
		u.write(f)
	case "command":
		wrapper := u.part.Wrapper
		u.inner(name, u.args[min(hit.i+1+a.n, len(u.args)):])
		u.part.Wrapper = wrapper
	case "script":
		u.script(u.args[hit.i+1:])
	case "guess":
		u.tryRest()
	case "guess-all":
		u.tryAll()
	case "code":
		a.code(u)
	case "slot":
		u.slots[a.n] = a.role
	case "slot-here":
		u.here = true
	default:
		f := hit.it
		if a.kind == "here" {
			f = u.call.here()
		}
		if a.role.kind == asTarget {
			u.writeInto(u.operands, f)
			u.slots[last] = role{}
			return
		}
		u.treat(a.role, f, name, hit.at)
	}
}

// prints notes what is known of the output.
func (u *usage) prints(what string) {
	switch what {
	case "nothing":
		u.quiet()
	case "number":
		u.out = value{digits + "\n"}
	case "name":
		u.out = value{aName + "\n"}
	case "text":
		u.out = value{anyText}
	case "network":
		u.out = value{fromNet}
	case "decoded":
		u.out = value{decoded}
		if u.j.stdin != nil && u.j.stdin.taint() == fromNet {
			u.out = value{fromNet}
		}
	}
}

// test returns the words that a test is looking for, one without a name where
// it holds for none in particular, none where it fails.
func (u *usage) test(t *test) (out []found) {
	some := func(fs []field, ok func(field) bool) bool { return slices.ContainsFunc(fs, ok) }
	ok := false
	switch t.kind {
	case "verbs":
		return u.words(t, u.operands[:min(1, len(u.operands))], 0)
	case "second":
		return u.words(t, u.operands[min(1, len(u.operands)):min(2, len(u.operands))], 1)
	case "operand":
		return u.words(t, u.operands, 0)
	case "word":
		return u.words(t, u.args, 0)
	case "starts":
		return u.words(t, u.args[:min(1, len(u.args))], 0)
	case "later":
		return u.words(t, u.args[min(1, len(u.args)):], 1)
	case "after":
		for i := range u.args[:max(1, len(u.args))-1] {
			if slices.Contains(t.words, u.args[i].text) {
				out = append(out, found{name: u.args[i].text, it: u.args[i+1], at: u.args[i].at})
			}
		}
		return out
	case "text", "has":
		return u.lower(t)
	case "flag":
		return u.flags(t)
	case "stdin":
		for _, s := range u.j.stdin {
			out = append(out, found{it: u.made(s), at: u.at})
		}
		return out
	case "always":
		ok = true
	case "other":
		ok = !u.fired
	case "alone":
		ok = len(u.args) == 1 && len(u.words(t, u.args, 0)) > 0
	case "without":
		ok = len(u.words(t, u.args, 0)) == 0
	case "noflag":
		ok = len(u.flags(t)) == 0
	case "operands":
		ok = len(u.operands) >= t.n
	case "operands<":
		ok = len(u.operands) < t.n
	case "args":
		ok = len(u.args) >= t.n
	case "args<":
		ok = len(u.args) < t.n
	case "unseen":
		ok = some(u.args, func(a field) bool { return !known(a.text) || a.multi })
	case "unseen-operand":
		ok = some(u.operands, func(f field) bool { return !f.exact() })
	case "certain":
		ok = !some(u.args, func(a field) bool { return !a.exact() })
	case "broad":
		ok = some(u.operands, func(f field) bool { return strings.Trim(f.text, ".*^$?+") == "" })
	case "many":
		ok = some(u.args, func(a field) bool { return a.multi && wild(a.text) })
	case "exactly":
		ok = u.exactly(t.words)
	case "xargs":
		ok = u.j.via == "xargs"
	case "outside":
		ok = some(u.operands, func(f field) bool {
			return slices.ContainsFunc(u.j.resolve(f.text), func(abs string) bool { return u.j.place(abs) == Outside })
		})
	case "mine":
		if len(u.args) > 0 {
			a := u.args[len(u.args)-1]
			if ok = a.exact() && a.text[0] != '-' && !slices.ContainsFunc(u.j.resolve(a.text), u.isForeign); ok {
				u.write(a)
			}
		}
	case "only":
		ok = u.only(t)
	}
	if !ok {
		return nil
	}
	return []found{{at: u.at}}
}

func (u *usage) isForeign(abs string) bool {
	place := u.j.place(abs)
	return place != Inside && place != Scratch
}

// words returns the words that fit a test's patterns; with "not" before them
// the words that fit none.
func (u *usage) words(t *test, fs []field, from int) (out []found) {
	for i, f := range fs {
		fits, cut := false, -1
		patterns := t.words
		not := len(patterns) > 0 && patterns[0] == "not"
		if not {
			patterns = patterns[1:]
		}
		for k := 0; k < len(patterns) && !fits; k++ {
			cut, fits = matchWord(patterns[k], f.text)
		}
		if fits == not {
			continue
		}
		hit := found{name: show(f.text), it: f, i: from + i, at: f.at}
		if cut >= 0 && !not {
			hit.it = f.after(cut)
		}
		out = append(out, hit)
	}
	return out
}

// flags returns the options that a test names, with or without =PATTERN for
// their values.
func (u *usage) flags(t *test) (out []found) {
	for i := range u.opts {
		o := &u.opts[i]
		for _, w := range t.words {
			name, pattern, has := strings.Cut(w, "=")
			if !o.is(name) {
				continue
			}
			hit := found{name: o.String(), it: o.value, at: o.at}
			if has {
				cut, ok := matchWord(pattern, o.value.text)
				if !ok || !o.has {
					continue
				}
				if cut >= 0 {
					hit.it = o.value.after(cut)
				}
			}
			out = append(out, hit)
			break
		}
	}
	return out
}

// lower looks for texts in the arguments and the input, whatever their case;
// what is found is what follows them.
func (u *usage) lower(t *test) (out []found) {
	texts := append([]field(nil), u.args...)
	for _, s := range u.j.stdin {
		texts = append(texts, u.made(s))
	}
	for _, f := range texts {
		low := strings.ToLower(f.text)
		for _, w := range t.words {
			if i := strings.Index(low, w); i >= 0 && t.kind == "has" {
				out = append(out, found{it: f, at: f.at})
			} else if i >= 0 {
				out = append(out, found{name: strings.TrimSpace(w), it: f.after(min(i+len(w), len(f.text))), at: f.at})
			}
		}
	}
	return out
}

// matchWord reports whether a text fits a pattern of *, ? and other characters, and
// where what its last * stands for begins; -1 if it ends in none.
func matchWord(pattern, s string) (cut int, ok bool) {
	head, tail, star := strings.Cut(pattern, "*")
	if len(s) < len(head) {
		return -1, false
	}
	for i := range len(head) {
		if head[i] != '?' && head[i] != s[i] {
			return -1, false
		}
	}
	if !star {
		return -1, len(s) == len(head)
	}
	if tail == "" {
		return len(head), true
	}
	for i := len(head); i <= len(s); i++ {
		if cut, ok := matchWord(tail, s[i:]); ok {
			if cut >= 0 {
				cut += i
			}
			return cut, true
		}
	}
	return -1, false
}

// only reports whether it is certain that a program does nothing but what some
// options or verbs say: every word is known, every option is among them, and
// every operand is a verb or a path. With "..." anything may follow the verb.
func (u *usage) only(t *test) bool {
	verbs := slices.ContainsFunc(t.words, func(w string) bool { return w[0] != '-' })
	open := slices.Contains(t.words, "...")
	sure, spoken := false, false
	for _, a := range u.args {
		listed := slices.Contains(t.words, a.text)
		option := strings.HasPrefix(a.text, "-")
		switch {
		case !a.exact(), option && !listed && !slices.Contains(t.with, a.text):
			return false
		case !option && verbs && !listed && (open && !spoken || !open && !strings.HasPrefix(a.text, "/")):
			return false
		}
		sure = sure || listed
		spoken = spoken || !option
	}
	return sure
}

// exactly reports whether one of the options stands there alone, before any --,
// and not after an option that may take it for its value.
func (u *usage) exactly(options []string) bool {
	for i, a := range u.args {
		if a.text == "--" {
			return false
		}
		if slices.Contains(options, a.text) && (i == 0 || !strings.HasPrefix(u.args[i-1].text, "-")) {
			return true
		}
	}
	return false
}
