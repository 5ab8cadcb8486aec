package policy

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The table of programs; programs/README.txt says how it is written.
//
//go:embed programs/*.txt
var programFiles embed.FS

// table is what is known of programs.
type table struct {
	programs map[string]*program
	lists    map[string][]string // words of a kind: variables, settings of git
	errs     []error
}

// programs returns the table. It is read when the first line is judged: start-up
// does not wait for it. A table that is wrong does not pass the tests.
func programs() *table {
	programTable.once.Do(func() {
		t, err := readPrograms(programFiles)
		if err != nil {
			panic(err)
		}
		programTable.table = t
	})
	return programTable.table
}

var programTable struct {
	once  sync.Once
	table *table
}

// find returns a program's entry, or nil.
func (t *table) find(name string) *program { return t.programs[name] }

// has reports whether a list has a word.
func (t *table) has(list, word string) bool { return slices.Contains(t.lists[list], word) }

// fits reports whether a word fits one of a list's patterns.
func (t *table) fits(list, word string) bool {
	return slices.ContainsFunc(t.lists[list], func(p string) bool { _, ok := matchWord(p, word); return ok })
}

// readPrograms reads the files of a table; the error says everything that is wrong.
func readPrograms(files fs.FS) (*table, error) {
	t := &table{programs: make(map[string]*program, 1200), lists: map[string][]string{}}
	names, err := fs.Glob(files, "programs/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		t.file(name, string(b))
	}
	return t, errors.Join(t.errs...)
}

func (t *table) file(name, text string) {
	var e entry
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		inside := strings.HasPrefix(line, " ")
		if line = strings.TrimLeft(line, " "); line == "" || line[0] == '#' {
			continue
		}
		e.where = name + ":" + strconv.Itoa(n)
		e.words = splitWords(e.words[:0], line)
		var err error
		switch {
		case inside && e.program == nil:
			err = errors.New("it belongs to no command")
		case inside:
			err = e.line(t)
		case e.words[0] == "command":
			e.finish()
			err = e.start(t)
		case e.words[0] == "list" && len(e.words) > 2:
			t.lists[e.words[1]] = append(t.lists[e.words[1]], e.words[2:]...)
		default:
			err = fmt.Errorf("%q is neither command NAME... nor list NAME WORD...", e.words[0])
		}
		if err != nil {
			t.errs = append(t.errs, fmt.Errorf("%s: %w", e.where, err))
		}
	}
	e.finish()
}

// splitWords splits a line at blanks that are not in double quotes. A word in
// quotes keeps the first one, so that it is told from others.
func splitWords(out []string, line string) []string {
	for line != "" {
		end := strings.IndexByte(line, ' ')
		if line[0] == '"' {
			if end = strings.IndexByte(line[1:], '"'); end >= 0 {
				out = append(out, line[:end+1])
				line = strings.TrimLeft(line[end+2:], " ")
				if strings.HasPrefix(line, ":") { // a pattern in quotes ends the tests
					out, line = append(out, ":"), strings.TrimLeft(line[1:], " ")
				}
				continue
			}
		}
		if end < 0 {
			return append(out, line)
		}
		out = append(out, line[:end])
		line = strings.TrimLeft(line[end:], " ")
	}
	return out
}

// entry is a program while it is read.
type entry struct {
	*program
	words       []string
	where       string
	short, long strings.Builder
	verbs       map[string]bool
}

func (e *entry) start(t *table) error {
	e.program = &program{where: e.where}
	e.short.Reset()
	e.long.Reset()
	e.verbs = nil
	for _, name := range e.words[1:] {
		if name[0] == '"' {
			name = name[1:]
		}
		if old := t.programs[name]; old != nil {
			return fmt.Errorf("%s has an entry at %s", name, old.where)
		}
		t.programs[name] = e.program
	}
	return nil
}

// finish completes the entry: an argument that cannot be seen matters where an
// option or operand writes or runs.
func (e *entry) finish() {
	if p := e.program; p != nil {
		for _, r := range p.rules { // options that lines ask for may be abbreviated
			for _, t := range r.tests {
				for _, w := range t.words {
					w, _, _ = strings.Cut(w, "=")
					if name, long := strings.CutPrefix(w, "--"); long && (t.kind == "flag" || t.kind == "noflag") && !(optionSpec{long: e.long.String() + p.options.long}).lists(name) {
						e.long.WriteString(name + " ")
					}
				}
			}
		}
		p.options = optionSpec{e.short.String() + p.options.short, strings.TrimSuffix(e.long.String()+p.options.long, " ")}
		hides := p.options.risky()
		for _, r := range p.slots {
			p.posix = p.posix || r.kind == asCommand || r.kind == asScript
			hides = hides || r.kind == asWrites || r.kind == asFills || r.kind == asTarget
		}
		if hides && p.hides == 0 && p.unseen == nil {
			p.hides = 1
		}
	}
}

// line reads one line of an entry.
func (e *entry) line(t *table) error {
	for i, w := range e.words {
		if w != ":" && w[0] != '"' && strings.HasSuffix(w, ":") {
			e.words[i] = strings.TrimSuffix(w, ":")
			return e.rule(e.words[:i+1], e.words[i+1:])
		} else if w == ":" {
			return e.rule(e.words[:i], e.words[i+1:])
		}
	}
	args := e.words[1:]
	for _, m := range optionMarks {
		if m.word == e.words[0] {
			return e.option(m.mark, args)
		}
	}
	switch e.words[0] {
	case "like":
		old := t.programs[strings.TrimPrefix(strings.Join(args, " "), `"`)]
		if old == nil || old == e.program {
			return errors.New("like wants a program whose entry stands above")
		}
		where := e.program.where
		*e.program = *old
		e.program.where, e.rules = where, slices.Clip(e.rules)
		return nil
	case "does":
		set, left := effectWords(args)
		e.set = set
		return notKnown(left)
	case "remote":
		set, left := effectWords(args)
		e.remote = &set
		return notKnown(left)
	case "unseen":
		e.unseen = args
		return nil
	case "hides":
		e.hides = 2
		return nil
	case "repository":
		e.repo = true
		return nil
	case "posix":
		e.posix = true
		return nil
	case "code":
		if len(args) == 1 {
			e.program.code = hook(args[0])
		}
		if e.program.code == nil {
			return errors.New("code wants the name of a function in hook")
		}
		return nil
	}
	acts, err := readActs(e.words)
	e.rules = append(e.rules, condition{[]test{{kind: "always"}}, acts})
	for _, a := range acts { // what always holds needs no test
		switch a.kind {
		case "slot":
			e.slots[a.n] = a.role
		case "slot-here":
			e.here = true
		default:
			return err
		}
	}
	e.rules = e.rules[:len(e.rules)-1]
	return err
}

// option lists options.
func (e *entry) option(mark byte, names []string) error {
	for _, name := range names {
		switch {
		case len(name) == 2 && name[0] == '-':
			if strings.IndexByte(e.short.String(), name[1]) >= 0 && e.options.mark(name[1]) != mark {
				return fmt.Errorf("option %s stands there twice", name)
			}
			e.short.WriteByte(name[1])
			if mark != ' ' {
				e.short.WriteByte(mark)
			}
		case len(name) > 2 && name[0] == '-':
			name = strings.TrimPrefix(name, "--")
			if strings.Contains(" "+e.long.String(), " "+name+string(mark)+" ") {
				return fmt.Errorf("option %s stands there twice", name)
			}
			e.long.WriteString(name)
			if mark != ' ' {
				e.long.WriteByte(mark)
			}
			e.long.WriteByte(' ')
		default:
			return fmt.Errorf("%q is no option", name)
		}
	}
	return nil
}

// rule reads tests, and what follows them.
func (e *entry) rule(tests, acts []string) (err error) {
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
	if c.acts, err = readActs(acts); len(acts) == 0 {
		err = errors.New("nothing is said after the colon")
	}
	e.rules = append(e.rules, c)
	return err
}

// test reads KIND WORD..., or a number after operands and args.
func (e *entry) test(words []string, alone bool) (test, error) {
	if len(words) == 0 {
		return test{}, errors.New("a test is missing")
	}
	t := test{kind: words[0]}
	for i, w := range words[1:] {
		if w[0] == '"' {
			w = w[1:]
		}
		if w == "with" && t.kind == "only" {
			t.with = slices.Clone(words[i+2:])
			break
		}
		t.words = append(t.words, w)
	}
	switch t.kind {
	case "always", "other", "unseen", "unseen-operand", "xargs", "stdin", "outside", "mine", "certain", "many":
		if len(t.words) > 0 {
			return t, fmt.Errorf("%s takes no words", t.kind)
		}
	case "operands", "operands<", "args", "args<":
		n, err := strconv.Atoi(strings.Join(t.words, " "))
		if t.n = n; err != nil {
			return t, fmt.Errorf("%s wants a number", t.kind)
		}
	case "verbs", "second", "operand", "word", "starts", "later", "alone", "without", "text", "flag", "noflag", "only", "exactly", "has":
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
			if e.verbs == nil {
				e.verbs = map[string]bool{}
			}
			if e.verbs[w] {
				return t, fmt.Errorf("the verb %s stands there twice", w)
			}
			e.verbs[w] = true
		}
	}
	return t, nil
}

// readActs reads what is said of a command.
func readActs(words []string) (acts []act, err error) {
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
			if !slices.Contains([]string{"nothing", "number", "name", "text", "network", "input", "decoded"}, a.text) {
				err = fmt.Errorf("%q is nothing that is printed", a.text)
			}
		case "makes":
			a.text = next()
		case "command":
			if len(words) > 0 {
				if n, bad := strconv.Atoi(words[0]); bad == nil {
					a.n = n
					next()
				}
			}
		case "code":
			if a.code = hook(next()); a.code == nil {
				err = errors.New("code wants the name of a function in hook")
			}
		case "stop", "guess", "guess-all", "script":
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
	for i := range roleWords {
		if roleWords[i].word == word {
			r.kind = roleWords[i].kind
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
		switch w {
		case "read":
			set |= reads
		case "write":
			set |= writes
		case "execute":
			set |= executes
		case "network":
			set |= networks
		case "unknown":
			set |= unknown
		case "run":
			set |= runs
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
