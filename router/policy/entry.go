package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// reader reads an entry; words are what is left of a line.
type reader struct {
	*program
	table *table
	order int
	words []string
	risky bool // an option or operand writes or runs
}

// readEntry reads the lines of an entry; the error says all that is wrong.
func (t *table) readEntry(e *entry) (*program, error) {
	r := reader{program: &program{options: optionSpec{}}, table: t, order: e.order}
	file, number, _ := strings.Cut(e.where, ":")
	first, _ := strconv.Atoi(number)
	var err error
	for n, line := range strings.Split(e.text, "\n")[1:] {
		if line = strings.TrimLeft(line, " "); line == "" || line[0] == '#' {
			continue
		}
		r.words = splitWords(nil, line)
		if bad := r.line(); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s:%d: %w", file, first+n+1, bad))
		}
	}
	r.finish()
	return r.program, err
}

// finish completes the entry: options that lines ask for may be abbreviated, and
// an argument that cannot be seen matters where an option or operand writes or
// runs.
func (r *reader) finish() {
	for _, c := range r.rules {
		for _, t := range c.tests {
			for _, w := range t.words {
				name, _, _ := strings.Cut(w, "=")
				if t.kind == "flag" && len(name) > 2 && r.options[name] == "" {
					r.options[name] = "flags"
				}
			}
		}
	}
	for _, role := range r.options {
		r.risky = r.risky || slices.Contains([]string{"writes", "fills", "runs", "tries", "elsewhere", "codes", "sed", "awk", "more"}, role)
	}
	r.hides = r.hides || r.risky && r.unseen == nil
}

// line reads TEST and TEST...: ACT..., or what needs no test.
func (r *reader) line() error {
	var c condition
	for i, w := range r.words {
		if w == ":" || w[0] != '"' && strings.HasSuffix(w, ":") {
			tests := r.words[:i:i]
			if w != ":" {
				tests = append(tests, strings.TrimSuffix(w, ":"))
			}
			r.words = r.words[i+1:]
			for len(tests) > 0 {
				end := slices.Index(append(tests, "and"), "and")
				t, err := r.test(tests[:end])
				if err != nil {
					return err
				}
				c.tests = append(c.tests, t)
				tests = tests[min(end+1, len(tests)):]
			}
			break
		}
	}
	if len(c.tests) == 0 {
		if done, err := r.directive(); done {
			return err
		}
	}
	for len(r.words) > 0 {
		a, err := r.act(len(c.tests) == 0)
		if err != nil {
			return err
		}
		c.acts = append(c.acts, a)
	}
	r.rules = append(r.rules, c)
	return nil
}

// directive reads a line about the program as a whole.
func (r *reader) directive() (done bool, err error) {
	word, args := r.words[0], r.words[1:]
	switch {
	case len(args) > 0 && args[0][0] == '-' && (isRole(word) || strings.Contains(" flags takes may-take commands more ", " "+word+" ")):
		for _, name := range args {
			r.options[name] = word
		}
	case word == "like":
		old := r.table.entries[unquoted(strings.Join(args, " "))]
		if old == nil || old.order >= r.order {
			return true, errors.New("like wants a program whose entry stands above")
		}
		*r.program = *r.table.find(old.name)
		r.rules, r.options = slices.Clip(r.rules), maps.Clone(r.options)
	case word == "does", word == "remote":
		r.words = args
		set := r.effects()
		if word == "does" {
			r.set = set
		} else {
			r.remote = &set
		}
		if len(r.words) > 0 {
			return true, notKnown(r.words[0])
		}
	case word == "unseen":
		r.unseen, r.hides = args, false
	case word == "repository":
		r.repo = true
	case word == "posix":
		r.posix = true
	default:
		return false, nil
	}
	return true, nil
}

// test reads KIND WORD..., with or without a not before it.
func (r *reader) test(words []string) (t test, err error) {
	if words[0] == "not" && len(words) > 1 {
		t.not, words = true, words[1:]
	}
	t.kind = words[0]
	if t.find = r.table.tests[t.kind]; t.find == nil {
		return t, fmt.Errorf("%q is no test", t.kind)
	}
	for _, w := range words[1:] {
		t.words = append(t.words, unquoted(w))
	}
	return t, nil
}

// act reads what is said of a command, or of the words that a test has found.
func (r *reader) act(always bool) (act, error) {
	if set := r.effects(); set != 0 {
		text := r.quoted()
		return func(u *usage, hit *found) {
			if text != "" {
				u.effect(set, u.say(text, hit), hit.at)
			}
			u.does(set)
		}, nil
	}
	switch word := r.next(); word {
	case "now":
		set := r.effects()
		return func(u *usage, _ *found) { u.base = set }, nil
	case "confirm", "block":
		text := r.quoted()
		if text == "" {
			return nil, fmt.Errorf("%s wants a reason in quotes", word)
		}
		return func(u *usage, hit *found) { u.danger(Danger(word), u.say(text, hit), hit.at) }, nil
	case "first", "second", "last", "rest":
		n, to := slices.Index(slots[:], word), r.role(r.next())
		if to.kind == "" {
			return nil, errors.New("an operand wants a role")
		}
		if always {
			r.posix = r.posix || to.kind == "command" || to.kind == "script"
			r.risky = r.risky || to.kind == "writes" || to.kind == "fills" || to.kind == "target"
		}
		return func(u *usage, _ *found) { u.slots[n] = to }, nil
	case "here":
		to := r.role(r.next())
		if to.kind == "" {
			return nil, errors.New("here wants a role")
		}
		return func(u *usage, hit *found) { u.treatHit(to, &found{hit.name, u.call.here(), nil, hit.at}) }, nil
	case "prints":
		what := r.next()
		if _, ok := outputs[what]; !ok {
			return nil, fmt.Errorf("%q is nothing that is printed", what)
		}
		return func(u *usage, _ *found) { u.prints(what) }, nil
	case "command", "script":
		n := 0
		if len(r.words) > 0 && r.words[0] == "1" {
			n, _ = strconv.Atoi(r.next())
		}
		return func(u *usage, hit *found) {
			u.runsRest(word, strings.TrimSuffix(u.name+" "+hit.name, " "), hit.rest[min(n, len(hit.rest)):])
		}, nil
	case "search":
		return func(u *usage, hit *found) { u.search(hit.rest, hit.at) }, nil
	case "code":
		code := r.table.code[r.next()]
		if code == nil {
			return nil, errors.New("code wants the name of a function in codes")
		}
		return func(u *usage, _ *found) { code(u) }, nil
	default:
		if do := r.table.acts[word]; do != nil {
			return func(u *usage, _ *found) { do(u) }, nil
		}
		to := r.role(word)
		if to.kind == "" {
			return nil, notKnown(word)
		}
		return func(u *usage, hit *found) { u.treatHit(to, hit) }, nil
	}
}

// role reads a role's name, and the verb of one that takes files away.
func (r *reader) role(word string) role {
	if !isRole(word) {
		return role{}
	}
	to := role{kind: word}
	if word == "wipes" {
		if to.text = r.quoted(); to.text == "" {
			to.text = "deletes"
		}
	}
	return to
}

// effects reads effects as far as they go.
func (r *reader) effects() (set effects) {
	for len(r.words) > 0 {
		bit := slices.Index(inOrder[:], Effect(r.words[0]))
		switch {
		case r.words[0] == "run":
			set |= runs
		case bit >= 0:
			set |= 1 << bit
		default:
			return set
		}
		r.words = r.words[1:]
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

func notKnown(word string) error { return fmt.Errorf("what %q means is not known", word) }
