package policy

import (
	"slices"
	"strings"
)

// optionSpec tells what options mean to us: by how they are typed, a role, or
// flags, takes, may-take, commands or more. Options without a value need not be
// listed, unless an abbreviation of another one would be taken for them. With
// dashless the first word may be options without a dash, as tar's; where + is an
// option, words may begin with it as with a dash.
type optionSpec map[string]string

// takesValue reports whether an option has a value, in its own word or the next.
func (s optionSpec) takesValue(name string) bool {
	return s[name] != "" && s[name] != "flags" && s[name] != "more"
}

// named returns the options that a word may mean: abbreviations as getopt_long takes them, others only where listed.
func (s optionSpec) named(typed string) (out []string) {
	if s[typed] != "" || len(typed) < 3 {
		return []string{typed}
	}
	for name := range s {
		if strings.HasPrefix(typed, "--") && strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	if slices.Sort(out); out == nil && strings.HasPrefix(typed, "--") {
		return []string{typed}
	}
	return out
}

// option is one that was found.
type option struct {
	name  string // as it is typed, with what an abbreviation leaves out
	value word   // if has
	has   bool
	words []word // commands: the value and what follows it, up to ; or +
	at    span
}

// scan reads options, does what their roles say, and returns them and the operands, which end them in posix order.
func (c *simpleCommand) scan(s optionSpec, posix bool) (opts []option, operands []word) {
	for rest := c.args; len(rest) > 0; {
		a, dashless := rest[0], s["dashless"] != "" && len(rest) == len(c.args)
		if a.text == "--" && !a.multi && s["--"] == "" {
			operands = append(operands, rest[1:]...)
			break
		}
		c.loose = c.loose || a.mayBeOption()
		signed := len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+' && s["+"] != "")
		if !a.mayBeOption() && (signed || s[a.text] != "" || dashless && a.text != "" && a.exact()) {
			opts, rest = c.options(opts, s, rest)
			continue
		}
		if posix {
			operands = append(operands, rest...)
			break
		}
		operands, rest = append(operands, a), rest[1:]
	}
	for i := range opts {
		switch o := &opts[i]; {
		case s[o.name] == "more":
			c.effect(executes|unknown, c.name+" "+o.name+" does more than can be seen", o.at)
		case o.has:
			c.treat(s[o.name], o.value, c.name+" "+o.name, o.at)
		}
	}
	return opts, operands
}

// options takes the options of a word in whatever form, with their values in it or after it; it returns what is left.
func (c *simpleCommand) options(opts []option, s optionSpec, words []word) ([]option, []word) {
	a, rest := words[0], words[1:]
	left := rest
	take := func(name string, value int) { // value: where in the word its value begins, or 0
		o := option{name: name, at: a.at}
		if value > 0 {
			o.value, o.has = a.after(value), true
		} else if s.takesValue(name) && s[name] != "may-take" && len(rest) > 0 {
			o.value, o.has, left = rest[0], true, rest[1:]
		}
		if s[name] == "commands" && o.has {
			end := 0
			for end < len(left) && left[end].text != ";" && !(left[end].text == "+" && strings.Contains(left[max(0, end-1)].text, "{}")) {
				end++
			}
			o.words = append([]word{o.value}, left[:end]...)
			left = left[min(end+1, len(left)):]
		}
		opts = append(opts, o)
	}
	typed, _, joined := strings.Cut(a.text, "=")
	if names := s.named(typed); len(typed) != 2 && len(names) > 0 && (a.text[0] == '-' || s[typed] != "") {
		c.loose = c.loose || !known(typed) // which option it is cannot be told
		value := 0
		if joined {
			value = len(typed) + 1
		}
		for _, name := range names {
			take(name, value)
		}
		return opts, left
	}
	dash := len(a.text) - len(strings.TrimPrefix(a.text, "-"))
	for k := dash; k < len(a.text); k++ {
		if a.text[k] == hole {
			c.loose = true
			break
		}
		name := "-" + a.text[k:k+1]
		if dash > 0 && s.takesValue(name) && k+1 < len(a.text) {
			take(name, k+1)
			break
		}
		take(name, 0)
		rest = left
	}
	return opts, left
}

// mayHide notes that an argument may be an option that cannot be seen.
func (c *simpleCommand) mayHide() {
	if c.loose {
		c.effect(unknown, "an argument of "+c.name+" may be any option", c.at)
	}
}
