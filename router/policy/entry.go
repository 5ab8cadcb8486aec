package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// reader reads an entry.
type reader struct {
	*program
	table       *table
	order       int
	words       []string
	short, long strings.Builder
	verbs       []string
}

// readEntry reads the lines of an entry; the error says all that is wrong.
func (t *table) readEntry(e *entry) (*program, error) {
	r := reader{program: &program{}, table: t, order: e.order}
	file, number, _ := strings.Cut(e.where, ":")
	first, _ := strconv.Atoi(number)
	var err error
	for n, line := range strings.Split(e.text, "\n")[1:] {
		if line = strings.TrimLeft(line, " "); line == "" || line[0] == '#' {
			continue
		}
		r.words = splitWords(r.words[:0], line)
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
func (e *reader) finish() {
	p := e.program
	for _, r := range p.rules {
		for _, t := range r.tests {
			for _, w := range t.words {
				w, _, _ = strings.Cut(w, "=")
				if name, long := strings.CutPrefix(w, "--"); long && (t.kind == "flag" || t.kind == "noflag") && len((optionSpec{long: e.long.String() + p.options.long}).longs(name)) == 0 {
					e.long.WriteString(name + " ")
				}
			}
		}
	}
	p.options = optionSpec{e.short.String() + p.options.short, e.long.String() + p.options.long}
	hides := p.options.risky()
	for _, r := range p.slots {
		p.posix = p.posix || r.kind == asCommand || r.kind == asScript
		hides = hides || r.kind == asWrites || r.kind == asFills || r.kind == asTarget
	}
	if hides && p.hides == 0 && p.unseen == nil {
		p.hides = 1
	}
}

// line reads one line of an entry.
func (e *reader) line() error {
	for i, w := range e.words {
		if w != ":" && w[0] != '"' && strings.HasSuffix(w, ":") {
			e.words[i] = strings.TrimSuffix(w, ":")
			return e.rule(e.words[:i+1], e.words[i+1:])
		} else if w == ":" {
			return e.rule(e.words[:i], e.words[i+1:])
		}
	}
	args := e.words[1:]
	for _, r := range roles {
		if r.name == e.words[0] && (r.kind == ' ' || isMark(r.kind)) {
			return e.option(r.kind, args)
		}
	}
	switch e.words[0] {
	case "like":
		old := e.table.entries[unquoted(strings.Join(args, " "))]
		if old == nil || old.order >= e.order {
			return errors.New("like wants a program whose entry stands above")
		}
		*e.program = *e.table.find(old.name)
		e.rules = slices.Clip(e.rules)
	case "does", "remote":
		set, left := effectWords(args)
		if e.words[0] == "does" {
			e.set = set
		} else {
			e.remote = &set
		}
		return notKnown(left)
	case "unseen":
		e.unseen = slices.Clone(args)
	case "hides":
		e.hides = 2
	case "repository":
		e.repo = true
	case "posix":
		e.posix = true
	case "code":
		if e.code = e.table.hooks[strings.Join(args, " ")]; e.code == nil {
			return errors.New("code wants the name of a function in hooks")
		}
	default:
		return e.always()
	}
	return nil
}

// always reads acts that need no test.
func (e *reader) always() error {
	acts, err := e.readActs(e.words)
	for _, a := range acts {
		switch a.kind {
		case "slot":
			e.slots[a.n] = a.role
		case "slot-here":
			e.here = true
		default:
			e.rules = append(e.rules, condition{[]test{{kind: "always"}}, acts})
			return err
		}
	}
	return err
}

// option lists options.
func (e *reader) option(mark byte, names []string) error {
	suffix := strings.TrimSpace(string(mark))
	for _, name := range names {
		long := strings.TrimPrefix(name, "--")
		switch {
		case len(name) < 2 || name[0] != '-':
			return fmt.Errorf("%q is no option", name)
		case len(name) == 2 && strings.IndexByte(e.short.String(), name[1]) >= 0, len(name) > 2 && strings.Contains(" "+e.long.String(), " "+long+suffix+" "):
			return fmt.Errorf("option %s stands there twice", name)
		case len(name) == 2:
			e.short.WriteString(name[1:] + suffix)
		default:
			e.long.WriteString(long + suffix + " ")
		}
	}
	return nil
}

// rule reads tests, and what follows them.
func (e *reader) rule(tests, acts []string) (err error) {
	var c condition
	for rest := tests; len(rest) > 0; {
		end := slices.Index(rest, "and")
		if end < 0 {
			end = len(rest)
		}
		t, err := e.test(rest[:end], len(tests) == end)
		if err != nil {
			return err
		}
		c.tests = append(c.tests, t)
		rest = rest[min(end+1, len(rest)):]
	}
	if c.acts, err = e.readActs(acts); len(acts) == 0 {
		err = errors.New("nothing is said after the colon")
	}
	e.rules = append(e.rules, c)
	return err
}

// test reads KIND WORD..., or a number after operands and args.
func (e *reader) test(words []string, alone bool) (test, error) {
	if len(words) == 0 {
		return test{}, errors.New("a test is missing")
	}
	t := test{kind: words[0]}
	for i, w := range words[1:] {
		w = unquoted(w)
		if w == "with" && t.kind == "only" {
			t.with = slices.Clone(words[i+2:])
			break
		}
		t.words = append(t.words, w)
	}
	switch t.kind {
	case "always", "other", "unseen", "unseen-operand", "xargs", "stdin", "outside", "mine", "certain", "many", "broad":
		if len(t.words) > 0 {
			return t, fmt.Errorf("%s takes no words", t.kind)
		}
	case "operands", "operands<", "args", "args<":
		n, err := strconv.Atoi(strings.Join(t.words, " "))
		if t.n = n; err != nil {
			return t, fmt.Errorf("%s wants a number", t.kind)
		}
	case "verbs", "second", "operand", "word", "starts", "later", "alone", "without", "text", "flag", "noflag", "only", "exactly", "has", "after":
		if len(t.words) == 0 {
			return t, fmt.Errorf("%s wants words", t.kind)
		}
	default:
		return t, fmt.Errorf("%q is no test", t.kind)
	}
	for _, w := range t.words {
		if name, _, _ := strings.Cut(w, "="); (t.kind == "flag" || t.kind == "noflag") && name[0] != '-' {
			return t, fmt.Errorf("%q is no option", w)
		}
		if t.kind == "verbs" && alone {
			if slices.Contains(e.verbs, w) {
				return t, fmt.Errorf("the verb %s stands there twice", w)
			}
			e.verbs = append(e.verbs, w)
		}
	}
	return t, nil
}

// readActs reads what is said of a command.
func (e *reader) readActs(words []string) (acts []act, err error) {
	next := func() (w string) {
		if len(words) > 0 {
			w, words = words[0], words[1:]
		}
		return w
	}
	text := func() string {
		if len(words) > 0 && words[0][0] == '"' {
			return next()[1:]
		}
		return ""
	}
	for len(words) > 0 && err == nil {
		a := act{kind: words[0]}
		if set, left := effectWords(words); set != 0 {
			a.kind, a.set, words = "does", set, left
			a.text = text()
			acts = append(acts, a)
			continue
		}
		switch next(); a.kind {
		case "only", "now":
			a.set, words = effectWords(words)
		case "usually":
			a.set, words = effectWords(words)
			a.text = text()
		case "confirm", "block":
			if a.text = text(); a.text == "" {
				err = fmt.Errorf("%s wants a reason in quotes", a.kind)
			}
		case "first", "second", "last", "rest":
			a.n = slices.Index([]string{"first", "second", "last", "rest"}, a.kind)
			a.kind, a.role = "slot", readRole(next(), text)
			if a.role.kind == 0 {
				err = errors.New("an operand wants a role")
			}
			if len(words) > 0 && words[0] == "here" && (len(words) == 1 || readRole(words[1], text).kind == 0) {
				next()
				acts = append(acts, act{kind: "slot-here"})
			}
		case "here":
			if a.role = readRole(next(), text); a.role.kind == 0 {
				err = errors.New("here wants a role")
			}
		case "prints":
			a.text = next()
			if !slices.Contains([]string{"nothing", "number", "name", "text", "network", "decoded"}, a.text) {
				err = fmt.Errorf("%q is nothing that is printed", a.text)
			}
		case "makes":
			a.text = next()
		case "command":
			if n, bad := strconv.Atoi(strings.Join(words[:min(1, len(words))], "")); bad == nil {
				a.n = n
				next()
			}
		case "code":
			if a.code = e.table.hooks[next()]; a.code == nil {
				err = errors.New("code wants the name of a function in hooks")
			}
		case "stop", "guess", "guess-all", "script", "hides":
		default:
			if a.role = readRole(a.kind, text); a.role.kind == 0 {
				err = notKnown([]string{a.kind})
			}
			a.kind = "it"
		}
		acts = append(acts, a)
	}
	return acts, err
}

// readRole reads a role's name, and the verb of one that takes files away.
func readRole(word string, text func() string) (r role) {
	for _, known := range roles[4:] {
		if known.name == word {
			r.kind = known.kind
		}
	}
	if r.kind == asWipes || r.kind == asDestroys || r.kind == asClears {
		if r.text = text(); r.text == "" {
			r.text = "deletes"
		}
	}
	return r
}

// effectWords reads effects as far as they go.
func effectWords(words []string) (set effects, left []string) {
	for i, w := range words {
		bit := slices.Index(inOrder[:], Effect(w))
		switch {
		case w == "run":
			set |= runs
		case bit >= 0:
			set |= 1 << bit
		default:
			return set, words[i:]
		}
	}
	return set, nil
}

func notKnown(words []string) error {
	if len(words) > 0 {
		return fmt.Errorf("what %q means is not known", words[0])
	}
	return nil
}
