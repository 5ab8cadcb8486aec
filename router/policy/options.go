package policy

import "strings"

// optionSpec tells what a command's options mean to us. A short option is its
// letter and a mark, a long one its name and a mark, with blanks between; one
// of several letters after a single dash keeps that dash. Options without a
// mark need not be listed, unless an abbreviation of another one would be taken
// for them.
type optionSpec struct{ short, long string }

// The marks are roles too.
const marks = ":?></@!~&%^"

func isMark(c byte) bool { return strings.IndexByte(marks, c) >= 0 }

// takesNext reports whether an option of a mark takes the next word.
func takesNext(mark byte) bool { return isMark(mark) && mark != '?' && mark != '^' }

// risky reports whether any option of a spec runs or writes something, so that
// an argument that may be any option makes the command unknown.
func (s optionSpec) risky() bool {
	return strings.ContainsAny(s.short, ">!^/~&%") || strings.ContainsAny(s.long, ">!^/~&%")
}

// option is one that was found.
type option struct {
	name  string // a letter, or a long name
	mark  byte
	value field // if has
	has   bool
	at    span
}

// String is the option as it is typed.
func (o *option) String() string {
	if len(o.name) > 1 && o.name[0] != '-' {
		return "--" + o.name
	}
	return "-" + strings.TrimPrefix(o.name, "-")
}

// is reports whether the option is typed like that.
func (o *option) is(typed string) bool {
	dashes := 2
	if len(o.name) == 1 {
		dashes = 1
	} else if o.name[0] == '-' {
		dashes = 0
	}
	return len(typed) == len(o.name)+dashes && typed[dashes:] == o.name
}

// mark returns what follows a letter in the list of short options.
func (s optionSpec) mark(letter byte) byte {
	if i := strings.IndexByte(s.short, letter); i >= 0 && !isMark(letter) && i+1 < len(s.short) && isMark(s.short[i+1]) {
		return s.short[i+1]
	}
	return ' '
}

// longs returns the long options, with their marks, that a typed name may mean,
// as getopt_long takes abbreviations. One that fits exactly is the only one.
func (s optionSpec) longs(typed string) (out []string) {
	for rest := s.long; rest != "" && typed != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, " ")
		if !strings.HasPrefix(entry, typed) {
			continue
		}
		if len(entry) == len(typed) || len(entry) == len(typed)+1 && isMark(entry[len(typed)]) {
			return []string{entry}
		}
		out = append(out, entry)
	}
	return out
}

// options reads a command's options, does what their marks say, and returns the
// operands.
func (c *call) options(s optionSpec, visit func(option)) []field {
	operands, _ := c.scan(s, false, visit)
	return operands
}

// skip returns the words from the first operand on.
func (c *call) skip(short, long string) []field {
	_, rest := c.scan(optionSpec{short, long}, true, nil)
	return rest
}

// scan reads options, and calls visit for each. In posix order it stops at the
// first operand and returns it with all that follows.
func (c *call) scan(s optionSpec, posix bool, visit func(option)) (operands, rest []field) {
	if visit == nil {
		visit = func(option) {}
	}
	operands = make([]field, 0, len(c.args))
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		switch {
		case a.text == "--" && !a.multi:
			return append(operands, c.args[i+1:]...), c.args[i+1:]
		case a.mayBeOption():
			c.loose = true
			fallthrough
		case len(a.text) < 2 || a.text[0] != '-':
			if posix {
				return operands, c.args[i:]
			}
			operands = append(operands, a)
		case a.text[1] == '-':
			i += c.long(s, i, visit)
		default:
			i += c.letters(s, i, visit)
		}
	}
	return operands, nil
}

// long takes --name, --name=value or --name value, and returns how many words
// its value took.
func (c *call) long(s optionSpec, i int, visit func(option)) (took int) {
	a := c.args[i]
	if !known(a.text) && !strings.Contains(a.text[:strings.IndexByte(a.text, hole)], "=") {
		c.loose = true // which option it is cannot be told
	}
	typed, _, joined := strings.Cut(a.text[2:], "=")
	names := s.longs(typed)
	if len(names) == 0 {
		names = []string{typed}
	}
	for _, name := range names {
		o := option{name: name, mark: ' ', at: a.at}
		if end := len(name) - 1; end > 0 && isMark(name[end]) && name != typed {
			o.name, o.mark = name[:end], name[end]
		}
		if joined {
			o.value, o.has = a.after(2+len(typed)+1), true
		} else if takesNext(o.mark) && i+1 < len(c.args) {
			o.value, o.has, took = c.args[i+1], true, 1
		}
		c.option(o)
		visit(o)
	}
	return took
}

// letters takes a cluster of short options, or a word after a single dash, and
// returns how many words its value took.
func (c *call) letters(s optionSpec, i int, visit func(option)) int {
	a := c.args[i]
	for k := 1; k < len(a.text); k++ {
		if a.text[k] == hole {
			c.loose = true
			return 0
		}
		o, end, took := option{name: a.text[k : k+1], mark: s.mark(a.text[k]), at: a.at}, k+1, 0
		if typed, _, joined := strings.Cut(a.text, "="); k == 1 && len(typed) > 2 && strings.Contains(s.long, typed) {
			if names := s.longs(typed); len(names) == 1 && len(names[0]) == len(typed)+1 {
				o.name, o.mark, end = typed, names[0][len(typed)], len(typed)
				if joined {
					end++
				}
			}
		}
		if end < len(a.text) && isMark(o.mark) && o.mark != '^' {
			o.value, o.has = a.after(end), true
		} else if takesNext(o.mark) && i+1 < len(c.args) {
			o.value, o.has, took = c.args[i+1], true, 1
		}
		c.option(o)
		visit(o)
		if takesNext(o.mark) || o.mark == '?' || end > k+1 {
			return took
		}
	}
	return 0
}

// option does what an option's mark says.
func (c *call) option(o option) {
	how := c.name + " " + o.String()
	switch {
	case o.mark == '^':
		c.effect(executes|unknown, how+" does more than can be seen", o.at)
	case o.has && isMark(o.mark):
		c.treat(role{kind: o.mark}, o.value, how, o.at)
	}
}

// mayHide notes that an argument may be an option that cannot be seen.
func (c *call) mayHide() {
	if c.loose {
		c.effect(unknown, "an argument of "+c.name+" may be any option", c.at)
	}
}
