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
	words  []string // patterns; with none all words are found
	others bool     // words that fit none are looked for
	list   lister
}

// lister tells what a test's patterns may fit.
type lister func(u *usage, add func(found))

// act is what a line says of the command, or of a word that its last test has found.
type act func(u *usage, hit *found)

// found is a word that a test was looking for.
type found struct {
	name string // as it is shown
	text string // what patterns are about: the word, or NAME=VALUE
	it   word   // what a * at its end stands for, or an option's value
	rest []word // the words after it, or an option's command
	at   span
}

// apply does a line's acts for every word that its last test has found.
func (u *usage) apply(c *condition) {
	hits := []found{{at: u.at}}
	for i := range c.tests {
		t := &c.tests[i]
		if hits = t.hits(u); t.not != (len(hits) == 0) {
			return
		}
		if t.not {
			hits = []found{{at: u.at}}
		}
	}
	for i := range hits {
		for _, do := range c.acts {
			do(u, &hits[i])
		}
	}
}

// hits returns what a test finds.
func (t *test) hits(u *usage) (out []found) {
	t.list(u, func(hit found) {
		cut, ok := matchAny(t.words, hit.text)
		if !ok && hit.name != "" {
			_, ok = matchAny(t.words, hit.name)
		}
		if len(t.words) > 0 && ok == t.others {
			return
		}
		if hit.name == "" {
			hit.name = show(hit.it.text)
		}
		if start := len(hit.text) - len(hit.it.text); cut > start {
			hit.it = hit.it.after(cut - start)
		}
		out = append(out, hit)
	})
	return out
}

// say is a reason, with the program and the word before it unless it holds them.
func (u *usage) say(text string, hit *found) string {
	if !strings.Contains(text, "{") {
		return strings.Join(strings.Fields(u.name+" "+hit.name+" "+text), " ")
	}
	return strings.NewReplacer("{command}", u.name, "{operands}", u.targets(u.operands), "{word}", hit.name).Replace(text)
}

// tests are what conditions ask for; programs/README.md says what they are.
func tests() map[string]lister {
	args, operands := func(u *usage) []word { return u.args }, func(u *usage) []word { return u.operands }
	words := func(list func(*usage) []word, from, to int, ok func(*usage, word) bool) lister {
		return func(u *usage, add func(found)) {
			fs := list(u)
			for i := from; i < min(to, len(fs)); i++ {
				if f := fs[i]; ok == nil || ok(u, f) {
					add(found{text: f.text, it: f, rest: fs[i+1:], at: f.at})
				}
			}
		}
	}
	count := func(list func(*usage) []word) lister {
		return func(u *usage, add func(found)) {
			for i := range list(u) {
				add(found{text: strconv.Itoa(i + 1), at: u.at})
			}
		}
	}
	const all = 1 << 20
	return map[string]lister{
		"verbs":      words(operands, 0, 1, nil),
		"second":     words(operands, 1, 2, nil),
		"operand":    words(operands, 0, all, nil),
		"starts":     words(args, 0, 1, nil),
		"word":       words(args, 0, all, nil),
		"later":      words(args, 1, all, nil),
		"ends":       words(func(u *usage) []word { return u.args[max(0, len(u.args)-1):] }, 0, 1, nil),
		"args":       count(args),
		"operands":   count(operands),
		"flag":       (*usage).flags,
		"everything": (*usage).everything,
		"text":       (*usage).lower,
		"stdin":      (*usage).input,
		"unseen":     words(args, 0, all, func(_ *usage, f word) bool { return !f.exact() }),
		"loose": words(args, 0, all, func(_ *usage, f word) bool {
			return f.multi && wild(f.text) || strings.HasPrefix(f.text, "-") && !known(f.text)
		}),
		"broad":     words(operands, 0, all, func(_ *usage, f word) bool { return strings.Trim(f.text, ".*^$?+") == "" }),
		"elsewhere": (*usage).elsewhere,
		"outside": words(operands, 0, all, func(u *usage, f word) bool {
			return slices.ContainsFunc(u.j.resolve(f.text), func(abs string) bool {
				place := u.j.place(abs)
				return place != Inside && place != Scratch
			})
		}),
	}
}

// flags lists the options.
func (u *usage) flags(add func(found)) {
	for _, o := range u.opts {
		text := o.name
		if o.has {
			text += "=" + o.value.text
		}
		add(found{o.name, text, o.value, o.words, o.at})
	}
}

// elsewhere finds the first operand that is not certain to be ours, as files are that find looks for by names that git has not.
func (u *usage) elsewhere(add func(found)) {
	roots := u.operands
	if len(roots) == 0 {
		roots = []word{u.simpleCommand.here()}
	}
	at := slices.IndexFunc(roots, func(f word) bool { return !u.j.ours(f) && !(u.named() && u.j.ours(word{text: f.text + "/found"})) })
	if at >= 0 {
		add(found{it: roots[at], at: u.at})
	}
}

// named reports whether find finds only what has a name that git gives no file.
func (u *usage) named() (ok bool) {
	for _, o := range u.opts {
		if slices.Contains([]string{"-o", "-or", "-not", "!", ","}, o.name) {
			return false
		}
		isGit := func(name string) bool { return match(strings.ToLower(o.value.text), strings.ToLower(name)) }
		ok = ok || (o.name == "-name" || o.name == "-iname") && known(o.value.text) && !slices.ContainsFunc(programs().lists["git-file"], isGit)
	}
	return ok
}

// hasFlag reports whether one of some options is there.
func (u *usage) hasFlag(names ...string) bool {
	return slices.ContainsFunc(u.opts, func(o option) bool { return slices.Contains(names, o.name) })
}

// input lists what is known to come on stdin.
func (u *usage) input(add func(found)) {
	for _, s := range u.j.stdin {
		add(found{"stdin", s, u.made(s), nil, u.at})
	}
}

// lower lists arguments and input in small letters.
func (u *usage) lower(add func(found)) {
	lower := func(hit found) {
		if low := strings.ToLower(hit.text); len(low) == len(hit.text) {
			hit.text = low
		}
		add(hit)
	}
	for _, f := range u.args {
		lower(found{text: f.text, it: f, at: f.at})
	}
	u.input(lower)
}

// matchAny is matchWord for the first of several patterns that fits.
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
	for i := range len(pattern) {
		switch {
		case pattern[i] == '*' && i+1 == len(pattern):
			return i, true
		case pattern[i] == '*':
			for k := i; k <= len(s); k++ {
				if cut, ok := matchWord(pattern[i+1:], s[k:]); ok {
					if cut >= 0 {
						cut += k
					}
					return cut, true
				}
			}
			return -1, false
		case i >= len(s) || pattern[i] != '?' && pattern[i] != s[i]:
			return -1, false
		}
	}
	return -1, len(s) == len(pattern)
}
