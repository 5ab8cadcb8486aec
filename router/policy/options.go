package policy

import (
	"slices"
	"strings"
)

// optionSpec tells what options mean to us: by how they are typed, a role, or
// flags, takes, may-take or more. Options without a value need not be listed,
// unless an abbreviation of another one would be taken for them.
type optionSpec map[string]string

// takesNext reports whether the next word is an option's value.
func (s optionSpec) takesNext(name string) bool {
	return s.takesValue(name) && s[name] != "may-take"
}

// takesValue reports whether an option has a value, in its own word or the next.
func (s optionSpec) takesValue(name string) bool {
	return s[name] != "" && s[name] != "flags" && s[name] != "more"
}

// named returns the options that a word may mean: --long ones as getopt_long
// takes abbreviations, -name only where it is listed.
func (s optionSpec) named(typed string) (out []string) {
	if _, ok := s[typed]; ok || len(typed) < 3 {
		return []string{typed}[:min(1, len(typed)/3)]
	}
	for name := range s {
		if strings.HasPrefix(typed, "--") && strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// option is one that was found.
type option struct {
	name  string // as it is typed, with what an abbreviation leaves out
	value field  // if has
	has   bool
	at    span
}

// skip returns the words from the first operand on.
func (c *call) skip(s optionSpec) []field {
	_, operands := c.scan(s, true)
	return operands
}

// scan reads options, does what their roles say, and returns them and the
// operands. In posix order the first operand ends the options.
func (c *call) scan(s optionSpec, posix bool) (opts []option, operands []field) {
	for rest := c.args; len(rest) > 0; {
		a := rest[0]
		rest = rest[1:]
		if a.text == "--" && !a.multi {
			operands = append(operands, rest...)
			break
		}
		c.loose = c.loose || a.mayBeOption()
		if !a.mayBeOption() && len(a.text) > 1 && a.text[0] == '-' {
			opts, rest = c.options(opts, s, a, rest)
			continue
		}
		if operands = append(operands, a); posix {
			operands = append(operands, rest...)
			break
		}
	}
	for i := range opts {
		c.option(&opts[i], s[opts[i].name])
	}
	return opts, operands
}

// options takes the options of a word, --name, --name=value, -name, -n, -nvalue
// or -abc, and returns the words that are no value of theirs.
func (c *call) options(opts []option, s optionSpec, a field, rest []field) ([]option, []field) {
	typed, _, joined := strings.Cut(a.text, "=")
	names := s.named(typed)
	if long := strings.HasPrefix(typed, "--"); long && len(names) == 0 {
		names = []string{typed}
	} else if long && !known(typed) {
		c.loose = true // which option it is cannot be told
	}
	left := rest
	for _, name := range names {
		o := option{name: name, at: a.at}
		if joined {
			o.value, o.has = a.after(len(typed)+1), true
		} else if s.takesNext(name) && len(rest) > 0 {
			o.value, o.has, left = rest[0], true, rest[1:]
		}
		opts = append(opts, o)
	}
	if len(names) > 0 {
		return opts, left
	}
	for k := 1; k < len(a.text); k++ {
		if a.text[k] == hole {
			c.loose = true
			break
		}
		o := option{name: "-" + a.text[k:k+1], at: a.at}
		if k+1 < len(a.text) && s.takesValue(o.name) {
			o.value, o.has, k = a.after(k+1), true, len(a.text)
		} else if s.takesNext(o.name) && len(rest) > 0 {
			o.value, o.has, left = rest[0], true, rest[1:]
		}
		opts = append(opts, o)
	}
	return opts, left
}

// option does what an option's role says.
func (c *call) option(o *option, kind string) {
	how := c.name + " " + o.name
	switch {
	case kind == "more":
		c.effect(executes|unknown, how+" does more than can be seen", o.at)
	case o.has:
		c.treat(role{kind: kind}, o.value, how, o.at)
	}
}

// mayHide notes that an argument may be an option that cannot be seen.
func (c *call) mayHide() {
	if c.loose {
		c.effect(unknown, "an argument of "+c.name+" may be any option", c.at)
	}
}
