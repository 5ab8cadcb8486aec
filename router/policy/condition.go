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
	kind   string
	not    bool
	words  []string
	others bool // words that fit none are looked for
	find   func(*usage, *test) []found
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
	if !strings.Contains(text, "{") {
		return strings.Join(strings.Fields(u.name+" "+hit.name+" "+text), " ")
	}
	return strings.NewReplacer("{command}", u.name, "{operands}", u.targets(u.operands), "{word}", hit.name).Replace(text)
}

// tests are what conditions ask for; programs/README.md says what they are.
func tests() map[string]func(*usage, *test) []found {
	args, operands := func(u *usage) []field { return u.args }, func(u *usage) []field { return u.operands }
	words := func(list func(*usage) []field, from, to int) func(*usage, *test) []found {
		return func(u *usage, t *test) (out []found) {
			all := list(u)
			for i := from; i < min(to, len(all)); i++ {
				out = t.add(out, show(all[i].text), all[i], 0, all[i+1:], all[i].text)
			}
			return out
		}
	}
	holds := func(ok func(*usage, *test) bool) func(*usage, *test) []found {
		return func(u *usage, t *test) []found {
			if ok(u, t) {
				return u.yes
			}
			return nil
		}
	}
	least := func(list func(*usage) []field) func(*usage, *test) []found {
		return holds(func(u *usage, t *test) bool {
			n, _ := strconv.Atoi(t.words[0])
			return len(list(u)) >= n
		})
	}
	some := func(list func(*usage) []field, ok func(*usage, field) bool) func(*usage, *test) []found {
		return holds(func(u *usage, _ *test) bool {
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
		"ends":     words(func(u *usage) []field { return u.args[max(0, len(u.args)-1):] }, 0, 1),
		"args":     least(args),
		"operands": least(operands),
		"flag":     (*usage).flags,
		"text":     (*usage).lower,
		"stdin":    (*usage).input,
		"other":    holds(func(u *usage, _ *test) bool { return !u.fired }),
		"xargs":    holds(func(u *usage, _ *test) bool { return u.j.via == "xargs" }),
		"unseen":   some(args, func(_ *usage, f field) bool { return !f.exact() }),
		"loose": some(args, func(_ *usage, f field) bool {
			return f.multi && wild(f.text) || strings.HasPrefix(f.text, "-") && !known(f.text)
		}),
		"broad": some(operands, func(_ *usage, f field) bool { return strings.Trim(f.text, ".*^$?+") == "" }),
		"outside": some(operands, func(u *usage, f field) bool {
			return slices.ContainsFunc(u.j.resolve(f.text), func(abs string) bool {
				place := u.j.place(abs)
				return place != Inside && place != Scratch
			})
		}),
		"everything": func(u *usage, t *test) []found {
			return slices.DeleteFunc(u.flags(t), func(hit found) bool { return !u.everything(hit.at) })
		},
	}
}

// add adds a word if one of its texts fits the test's patterns, or none for the
// others. Of the first text the word itself begins at value.
func (t *test) add(out []found, name string, it field, value int, rest []field, texts ...string) []found {
	cut, ok := -1, false
	for _, text := range texts {
		if !ok {
			cut, ok = matchAny(t.words, text)
		}
	}
	if ok == t.others {
		return out
	}
	if cut > value {
		it = it.after(cut - value)
	}
	return append(out, found{name, it, rest, it.at})
}

// flags returns options, by name or NAME=VALUE.
func (u *usage) flags(t *test) (out []found) {
	for _, o := range u.opts {
		n, whole := len(out), o.name
		if o.has {
			whole += "=" + o.value.text
		}
		if out = t.add(out, o.name, o.value, len(o.name)+1, o.words, whole, o.name); len(out) > n {
			out[n].at = o.at
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

// matchAny is matchWord for several patterns.
func matchAny(patterns []string, s string) (cut int, ok bool) {
	for _, p := range patterns {
		if cut, ok = matchWord(p, s); ok {
			return cut, true
		}
	}
	return -1, false
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
