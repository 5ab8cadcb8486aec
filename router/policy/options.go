package policy

import "strings"

// optionSpec tells what a command's options mean to us. A short option is its
// letter and a mark, a long one its name and a mark, with blanks between:
//
//	:  it takes a value
//	?  it may have a value attached
//	>  its value is a file that is written
//	<  its value is a file that is read
//	!  its value is bash text, or a program, that is run
//	^  it does more than the command's table entry says
//
// Options without a mark need not be listed, unless an abbreviation of another
// one would be taken for them.
type optionSpec struct{ short, long string }

// option is one that was found.
type option struct {
	name  string // a letter, or a long name
	mark  byte
	value field // if hasValue
	has   bool
	at    span
}

// mark returns what follows a letter in the list of short options.
func (s optionSpec) mark(letter byte) byte {
	for i := 0; i < len(s.short); i++ {
		if s.short[i] == letter && !isMark(letter) {
			if i+1 < len(s.short) && isMark(s.short[i+1]) {
				return s.short[i+1]
			}
			return ' '
		}
	}
	return 0
}

func isMark(c byte) bool { return strings.IndexByte(":?><!^", c) >= 0 }

// longs calls f for each long option that a typed name may mean, as getopt_long
// takes abbreviations. One that fits exactly is the only one.
func (s optionSpec) longs(typed string, f func(name string, mark byte)) {
	if typed == "" {
		return
	}
	for rest := s.long; rest != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, " ")
		if len(entry)-len(typed) <= 1 && strings.HasPrefix(entry, typed) && (len(entry) == len(typed) || isMark(entry[len(entry)-1])) {
			f(cutMark(entry))
			return
		}
	}
	for rest := s.long; rest != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, " ")
		if strings.HasPrefix(entry, typed) {
			f(cutMark(entry))
		}
	}
}

func cutMark(entry string) (string, byte) {
	if last := entry[len(entry)-1]; isMark(last) {
		return entry[:len(entry)-1], last
	}
	return entry, ' '
}

// options reads a command's options, does what their marks say, calls visit
// for each (if it is not nil) and returns the operands.
func (c *call) options(s optionSpec, visit func(option)) []field {
	operands, _ := c.scan(s, false, visit)
	return operands
}

// skip returns the words from the first operand on.
func (c *call) skip(short, long string) []field {
	_, rest := c.scan(optionSpec{short, long}, true, nil)
	return rest
}

// scan reads options. In posix order it stops at the first operand and returns
// it with all that follows.
func (c *call) scan(s optionSpec, posix bool, visit func(option)) (operands, rest []field) {
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
func (c *call) long(s optionSpec, i int, visit func(option)) int {
	a := c.args[i]
	if !known(a.text) && !strings.Contains(a.text[:strings.IndexByte(a.text, hole)], "=") {
		c.loose = true // which option it is cannot be told
	}
	typed, _, joined := strings.Cut(a.text[2:], "=")
	took := 0
	found := false
	s.longs(typed, func(name string, mark byte) {
		found = true
		o := option{name: name, mark: mark, at: a.at}
		if joined {
			o.value, o.has = a.after(2+len(typed)+1), true
		} else if takesNext(mark) && i+1 < len(c.args) {
			o.value, o.has, took = c.args[i+1], true, 1
		}
		c.option(o, visit)
	})
	if !found && visit != nil {
		o := option{name: typed, at: a.at}
		if joined {
			o.value, o.has = a.after(2+len(typed)+1), true
		}
		visit(o)
	}
	return took
}

func takesNext(mark byte) bool { return mark == ':' || mark == '>' || mark == '<' || mark == '!' }

// letters takes a cluster of short options, and returns how many words its
// value took.
func (c *call) letters(s optionSpec, i int, visit func(option)) int {
	a := c.args[i]
	for k := 1; k < len(a.text); k++ {
		if a.text[k] == hole {
			c.loose = true
			return 0
		}
		mark := s.mark(a.text[k])
		o := option{name: a.text[k : k+1], mark: mark, at: a.at}
		if takesNext(mark) || mark == '?' {
			took := 0
			if k+1 < len(a.text) {
				o.value, o.has = a.after(k+1), true
			} else if mark != '?' && i+1 < len(c.args) {
				o.value, o.has, took = c.args[i+1], true, 1
			}
			c.option(o, visit)
			return took
		}
		c.option(o, visit)
	}
	return 0
}

// option does what an option's mark says.
func (c *call) option(o option, visit func(option)) {
	dashes := "-"
	if len(o.name) > 1 {
		dashes = "--"
	}
	switch {
	case o.mark == '>' && o.has:
		c.write(o.value)
	case o.mark == '<' && o.has:
		c.read(o.value)
	case o.mark == '!' && o.has:
		c.effect(executes, c.name+" "+dashes+o.name+" runs "+show(o.value.text), o.at)
		c.text(o.value, c.name+" "+dashes+o.name, true)
	case o.mark == '^':
		c.effect(executes|unknown, c.name+" "+dashes+o.name+" does more than can be seen", o.at)
	}
	if visit != nil {
		visit(o)
	}
}

// risky reports whether any option of a spec runs or writes something, so that
// an argument that may be any option makes the command unknown.
func (s optionSpec) risky() bool {
	return strings.ContainsAny(s.short, ">!^") || strings.ContainsAny(s.long, ">!^")
}

// mayHide notes that an argument may be an option that cannot be seen.
func (c *call) mayHide() {
	if c.loose {
		c.effect(unknown, "an argument of "+c.name+" may be any option", c.at)
	}
}

// read and write note files that the command reads or writes.
func (c *call) read(f field)     { c.j.path(&c.part, f, false, false) }
func (c *call) readTree(f field) { c.j.path(&c.part, f, false, true) }
func (c *call) write(f field) {
	if f.text != "-" {
		c.j.path(&c.part, f, true, false)
	}
}
func (c *call) writeTree(f field) { c.j.path(&c.part, f, true, true) }

// here is the present directory, as an operand that was left out.
func (c *call) here() field { return field{text: ".", at: c.at, from: -1} }
