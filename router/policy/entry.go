package policy

import (
	"maps"
	"slices"
	"strings"
)

// reader reads an entry.
type reader struct {
	*program
	table  *table
	entry  *entry
	at     int      // the line
	words  []string // what is left of a line
	always bool     // the line has no tests
}

func (r *reader) fail(format string, args ...any) {
	fault(r.entry.file, r.at, format, args...)
}

// readEntry reads the lines of an entry.
func (t *table) readEntry(e *entry) *program {
	r := reader{program: &program{options: optionSpec{}}, table: t, entry: e}
	for n, line := range e.text {
		r.at = e.line + n + 1
		if line = strings.TrimLeft(line, " "); line != "" && line[0] != '#' {
			r.line(line)
		}
	}
	return r.program
}

// risk notes a role with which an argument that cannot be seen matters.
func (r *reader) risk(role string) {
	r.hides = r.hides || !r.fixed && strings.Contains(" writes fills target runs tries remote-script codes sed awk more ", " "+role+" ")
}

// line reads TEST and TEST...: ACT..., or what needs no test.
func (r *reader) line(line string) {
	var c condition
	tests, acts, has := strings.Cut(line, ": ")
	if r.always = !has; has {
		for _, words := range strings.Split(tests, " and ") {
			c.tests = append(c.tests, r.test(splitWords(words)))
		}
		line = acts
	}
	for r.words = splitWords(line); len(r.words) > 0; {
		if a := r.act(); a != nil {
			c.acts = append(c.acts, a)
		}
	}
	if len(c.acts) > 0 {
		r.rules = append(r.rules, c)
	}
}

// like takes over an entry.
func (r *reader) like() {
	old := r.table.entries[unquoted(r.next())]
	if old == nil || old.file != r.entry.file || old.line >= r.entry.line {
		r.fail("like wants a program whose entry stands above")
	}
	*r.program = *old.read()
	r.rules, r.options = slices.Clip(r.rules), maps.Clone(r.options)
}

// test reads KIND WORD..., with or without a not before it and before its words.
func (r *reader) test(words []string) (t test) {
	if words[0] == "not" && len(words) > 1 {
		t.not, words = true, words[1:]
	}
	t.kind, words = words[0], words[1:]
	if t.list = r.table.tests[t.kind]; t.list == nil {
		r.fail("%q is no test", t.kind)
	}
	if t.others = len(words) > 1 && words[0] == "not"; t.others {
		words = words[1:]
	}
	for _, w := range words {
		if list, ok := strings.CutPrefix(w, "@"); ok {
			if t.words = append(t.words, r.table.lists[list]...); r.table.lists[list] == nil {
				r.fail("there is no list %q", list)
			}
			continue
		}
		t.words = append(t.words, unquoted(w))
		if name, _, _ := strings.Cut(w, "="); t.kind == "flag" && len(name) > 2 && r.options[name] == "" {
			r.options[name] = "flags" // it may be abbreviated
		}
	}
	return t
}

// act reads what is said of a command or of words that a test has found; nil: of the program as a whole.
func (r *reader) act() act {
	if set := r.effects(); set != 0 {
		text := r.quoted()
		return func(u *usage, hit *found) {
			if text != "" {
				u.effect(set, u.say(text, hit), hit.at)
			}
			u.part.set |= set
		}
	}
	word := r.next()
	if read := r.table.acts[word]; read != nil {
		return read(r, word)
	}
	to := r.role(word)
	if len(r.words) > 0 && r.words[0][0] == '-' {
		r.risk(to)
		for ; len(r.words) > 0; r.words = r.words[1:] {
			r.options[r.words[0]] = to
		}
		return nil
	}
	return func(u *usage, hit *found) { u.treatHit(to, hit) }
}

// acts are what lines say, but for effects and roles: see programs/README.md.
func acts() map[string]func(*reader, string) act {
	danger := func(r *reader, word string) act {
		text := r.quoted()
		if text == "" {
			r.fail("%s wants a reason in quotes", word)
		}
		return func(u *usage, hit *found) { u.danger(Danger(word), u.say(text, hit), hit.at) }
	}
	slot := func(r *reader, word string) act {
		to := r.role(r.next())
		if r.always {
			r.posix = r.posix || to == "command" || to == "script"
			r.risk(to)
		}
		return func(u *usage, _ *found) { u.slots[word] = to }
	}
	whole := func(read func(*reader)) func(*reader, string) act {
		return func(r *reader, word string) act {
			if read(r); !r.always {
				r.fail("%s is about the program as a whole", word)
			}
			return nil
		}
	}
	all := map[string]func(*reader, string) act{
		"needs": func(r *reader, _ string) act {
			text := r.quoted()
			return func(u *usage, hit *found) { u.part.needs = u.say(text, hit) }
		},
		"confirm": danger, "block": danger, "first": slot, "second": slot, "last": slot, "rest": slot,
		"like":       whole((*reader).like),
		"does":       whole(func(r *reader) { r.set = r.effects() }),
		"posix":      whole(func(r *reader) { r.posix = true }),
		"dashless":   whole(func(r *reader) { r.options["dashless"] = "flags" }),
		"repository": whole(func(r *reader) { r.repo = true }),
		"unseen": whole(func(r *reader) { // nothing
			r.fixed, r.hides = r.next() == "nothing", false
		}),
		"remote": whole(func(r *reader) {
			set := r.effects()
			r.remote = &set
		}),
		"now": func(r *reader, _ string) act {
			set := r.effects()
			return func(u *usage, _ *found) { u.base = set }
		},
		"here": func(r *reader, _ string) act {
			to := r.role(r.next())
			return func(u *usage, hit *found) { u.treatHit(to, &found{name: hit.name, it: u.here(), at: hit.at}) }
		},
		"prints": func(r *reader, _ string) act {
			what := r.next()
			if _, ok := outputs[what]; !ok {
				r.fail("%q is nothing that is printed", what)
			}
			return func(u *usage, _ *found) {
				if u.out = (value{outputs[what]}); what == "decoded" && u.j.stdin.taint() == fromNet {
					u.out = value{fromNet}
				}
			}
		},
		"search": func(*reader, string) act { return func(u *usage, hit *found) { u.search(hit.rest, hit.at) } },
		"splits": func(*reader, string) act {
			return func(u *usage, hit *found) {
				u.ran(hit.it.text, hit.at)
				u.operands = append(u.words(hit.it.text), u.operands...)
			}
		},
	}
	for name, do := range plainActs {
		all[name] = func(*reader, string) act { return func(u *usage, _ *found) { do(u) } }
	}
	return all
}

// plainActs take no words of their own. From cat on they are code for what is a language of its own.
var plainActs = map[string]func(*usage){
	"stop":      func(u *usage) { u.done = true },
	"hides":     func(u *usage) { u.mayHide() },
	"guess":     func(u *usage) { u.tryRest() },
	"guess-all": func(u *usage) { u.tryAll() },
	"which":     (*usage).which,
	"filter":    func(u *usage) { u.filter(u.j.stdin) },
	"computes":  func(u *usage) { u.filter(value{""}) },

	"cat": (*usage).cat, "tee": (*usage).tee, "mktemp": (*usage).mktemp,
	"git": (*usage).git, "gitConfig": (*usage).gitConfig, "shell": (*usage).shell,
	"xargs": (*usage).xargs, "parallel": (*usage).parallel,

	"pwd": func(u *usage) { u.out = u.j.env.dirs }, "cd": (*usage).cd, "eval": (*usage).eval, "source": (*usage).source,
	"exec": (*usage).exec, "bypass": (*usage).bypass, "trap": (*usage).trap, "alias": (*usage).alias,
	"set": (*usage).set, "unset": (*usage).unset, "read-into": (*usage).readInto, "let": (*usage).let,
	"declare": (*usage).declareWords, "leave": (*usage).leave, "shift": (*usage).shift,
	"echo": (*usage).echo, "printf": (*usage).printf,
}

// role takes the name of a role.
func (r *reader) role(word string) string {
	if _, ok := r.table.roles[word]; !ok {
		r.fail("what %q means is not known", word)
	}
	return word
}

// effects reads effects as far as they go.
func (r *reader) effects() (set effects) {
	for ; len(r.words) > 0; r.words = r.words[1:] {
		switch bit := slices.Index(inOrder[:], Effect(r.words[0])); {
		case r.words[0] == "run":
			set |= runs
		case bit >= 0:
			set |= 1 << bit
		default:
			return set
		}
	}
	return set
}

// next takes a word of the line, or "".
func (r *reader) next() (w string) {
	if len(r.words) > 0 {
		w, r.words = r.words[0], r.words[1:]
	}
	return w
}

// quoted takes a text in quotes, or "".
func (r *reader) quoted() string {
	if len(r.words) > 0 && r.words[0][0] == '"' {
		return r.next()[1:]
	}
	return ""
}
