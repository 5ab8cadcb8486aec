package policy

import (
	"slices"
	"strconv"
	"strings"
)

// condition is a line of an entry: when all its tests hold, its acts are done.
type condition struct {
	tests []test
	acts  []act
}

// test finds words, or none where it does not hold.
type test struct {
	kind  string
	not   bool
	words []string
	find  func(*usage, *test) []found
}

// act is what a line says of the command, or of a word that its last test has
// found.
type act func(u *usage, hit *found)

// found is a word that a test was looking for.
type found struct {
	name string  // as it is shown
	it   field   // what a * at its end stands for, or an option's value
	rest []field // the words after it, or an option's command
	at   span
}

// apply does a line's acts for every word that its last test has found.
func (u *usage) apply(c *condition) {
	hits := u.yes
	for i := range c.tests {
		t := &c.tests[i]
		if hits = t.find(u, t); t.not != (len(hits) == 0) {
			return
		}
		if t.not {
			hits = u.yes
		}
	}
	u.fired = u.fired || len(c.tests) > 0
	for i := range hits {
		for _, do := range c.acts {
			do(u, &hits[i])
		}
	}
}

// say is a reason, with the program and the word before it unless it holds them.
func (u *usage) say(text string, hit *found) string {
	if strings.IndexByte(text, '{') < 0 {
		return strings.TrimSuffix(u.name+" "+hit.name, " ") + " " + text
	}
	return strings.NewReplacer("{command}", u.name, "{operands}", u.targets(u.operands), "{word}", hit.name).Replace(text)
}

// treatHit gives a role to a word that a test has found.
func (u *usage) treatHit(r role, hit *found) {
	if r.kind == "target" {
		u.writeInto(u.operands, hit.it)
		u.slots[last] = role{}
		return
	}
	u.treat(r, hit.it, strings.TrimSuffix(u.name+" "+hit.name, " "), hit.at)
}

// acts are those that are about the command alone.
func acts() map[string]func(*usage) {
	return map[string]func(*usage){
		"stop":      func(u *usage) { u.done = true },
		"or-here":   func(u *usage) { u.here = true },
		"hides":     func(u *usage) { u.mayHide() },
		"guess":     func(u *usage) { u.tryRest() },
		"guess-all": func(u *usage) { u.tryAll() },
	}
}

// outputs are what prints tells of the output.
var outputs = map[string]string{"nothing": "", "number": digits + "\n", "name": aName + "\n", "text": anyText, "network": fromNet, "decoded": decoded}

func (u *usage) prints(what string) {
	u.out = value{outputs[what]}
	if what == "decoded" && u.j.stdin != nil && u.j.stdin.taint() == fromNet {
		u.out = value{fromNet}
	}
}

// tests are what conditions ask for; programs/README.md says what they are.
func tests() map[string]func(*usage, *test) []found {
	words := func(list func(*usage) []field, from, to int) func(*usage, *test) []found {
		return func(u *usage, t *test) []found { return fitting(t.words, list(u), from, to) }
	}
	holds := func(ok func(*usage) bool) func(*usage, *test) []found {
		return func(u *usage, _ *test) []found {
			if ok(u) {
				return u.yes
			}
			return nil
		}
	}
	least := func(list func(*usage) []field) func(*usage, *test) []found {
		return func(u *usage, t *test) []found {
			if n, _ := strconv.Atoi(t.words[0]); len(list(u)) < n {
				return nil
			}
			return u.yes
		}
	}
	args, operands := func(u *usage) []field { return u.args }, func(u *usage) []field { return u.operands }
	some := func(list func(*usage) []field, ok func(*usage, field) bool) func(*usage, *test) []found {
		return holds(func(u *usage) bool {
			return slices.ContainsFunc(list(u), func(f field) bool { return ok(u, f) })
		})
	}
	const all = 1 << 20
	return map[string]func(*usage, *test) []found{
		"verbs":    words(operands, 0, 1),
		"second":   words(operands, 1, 2),
		"operand":  words(operands, 0, all),
		"starts":   words(args, 0, 1),
		"word":     words(args, 0, all),
		"ends":     func(u *usage, t *test) []found { return fitting(t.words, u.args, max(0, len(u.args)-1), all) },
		"args":     least(args),
		"operands": least(operands),
		"flag":     (*usage).flags,
		"text":     (*usage).lower,
		"stdin":    (*usage).input,
		"other":    holds(func(u *usage) bool { return !u.fired }),
		"xargs":    holds(func(u *usage) bool { return u.j.via == "xargs" }),
		"unseen":   some(args, func(_ *usage, f field) bool { return !f.exact() }),
		"many":     some(args, func(_ *usage, f field) bool { return f.multi && wild(f.text) }),
		"broad":    some(operands, func(_ *usage, f field) bool { return strings.Trim(f.text, ".*^$?+") == "" }),
		"everything": func(u *usage, t *test) []found {
			return slices.DeleteFunc(u.flags(t), func(hit found) bool { return !u.everything(hit.at) })
		},
		"outside": some(operands, (*usage).isOutside),
	}
}

// isOutside reports whether a file may be neither in the workspace nor in a
// scratch directory.
func (u *usage) isOutside(f field) bool {
	return slices.ContainsFunc(u.j.resolve(f.text), func(abs string) bool {
		place := u.j.place(abs)
		return place != Inside && place != Scratch
	})
}

// fitting returns the words of a part of a list that fit patterns; with "not"
// before them those that fit none.
func fitting(patterns []string, fs []field, from, to int) (out []found) {
	not := len(patterns) > 0 && patterns[0] == "not"
	if not {
		patterns = patterns[1:]
	}
	for i := from; i < min(to, len(fs)); i++ {
		f, fits, cut := fs[i], false, -1
		for k := 0; k < len(patterns) && !fits; k++ {
			cut, fits = matchWord(patterns[k], f.text)
		}
		if fits == not {
			continue
		}
		if out = append(out, found{show(f.text), f, fs[i+1:], f.at}); cut >= 0 {
			out[len(out)-1].it = f.after(cut)
		}
	}
	return out
}

// flags returns the options that a test names, with or without =PATTERN for
// their values; with "not" before them those that it does not name.
func (u *usage) flags(t *test) (out []found) {
	if len(t.words) > 0 && t.words[0] == "not" {
		for _, o := range u.opts {
			if !slices.Contains(t.words, o.name) {
				out = append(out, found{name: o.name, it: o.value, at: o.at})
			}
		}
		return out
	}
	for _, o := range u.opts {
		for _, w := range t.words {
			name, pattern, has := strings.Cut(w, "=")
			cut, ok := -1, name == o.name
			if ok && has {
				cut, ok = matchWord(pattern, o.value.text)
				ok = ok && o.has
			}
			if !ok {
				continue
			}
			hit := found{name: name, it: o.value, rest: o.words, at: o.at}
			if cut >= 0 {
				hit.it = o.value.after(cut)
			}
			out = append(out, hit)
			break
		}
	}
	return out
}

// hasFlag reports whether one of some options is there.
func (u *usage) hasFlag(names ...string) bool { return len(u.flags(&test{words: names})) > 0 }

// input is what is known to come on stdin.
func (u *usage) input(*test) (out []found) {
	for _, s := range u.j.stdin {
		out = append(out, found{it: u.made(s), at: u.at})
	}
	return out
}

// lower looks for texts in the arguments and the input, whatever their case;
// what is found is what follows them.
func (u *usage) lower(t *test) (out []found) {
	texts := slices.Clone(u.args)
	for _, hit := range u.input(t) {
		texts = append(texts, hit.it)
	}
	for _, f := range texts {
		low := strings.ToLower(f.text)
		for _, w := range t.words {
			if i := strings.Index(low, w); i >= 0 {
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
