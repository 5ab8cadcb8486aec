package policy

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What programs print and write into files, where it can be known.

// outputs are what prints tells of the output.
var outputs = map[string]string{"nothing": "", "number": digits + "\n", "name": aName + "\n", "text": anyText, "network": fromNet, "decoded": decoded}

// echo writes its words.
func (c *simpleCommand) echo() {
	args, flags := c.args, ""
	for len(args) > 0 && len(args[0].text) > 1 && strings.Trim(strings.TrimPrefix(args[0].text, "-"), "neE") == "" && args[0].text[0] == '-' && !args[0].multi {
		flags, args = flags+args[0].text, args[1:]
	}
	if c.j.env.out == nil {
		return
	}
	text := joined(args)
	if strings.LastIndexByte(flags, 'e') > strings.LastIndexByte(flags, 'E') && known(text) {
		text = echoed(text)
	}
	if !strings.Contains(flags, "n") {
		text += "\n"
	}
	c.out = value{text}
}

// printf writes what its format says, or assigns it with -v.
func (u *usage) printf() {
	if len(u.opts) > 0 && u.opts[0].has {
		u.assignName(u.opts[0].value, value{formatted(u.operands)})
	} else if u.j.env.out != nil {
		u.out = value{formatted(u.operands)}
	}
}

var (
	directive = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)%.?`) })
	charRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s).-.`) })
)

// formatted is what printf makes of its words; only %s, %b and %d are followed.
func formatted(args []word) string {
	if len(args) == 0 {
		return ""
	}
	format, rest := args[0], args[1:]
	switch {
	case !known(format.text) || format.multi:
		return anyText
	case slices.ContainsFunc(rest, func(f word) bool { return f.multi }):
		return taint(joined(args)) // how many they are cannot be told
	}
	plain, out, strange := printed(format.text), "", false
	for {
		words := len(rest)
		out += directive().ReplaceAllStringFunc(plain, func(d string) string {
			text := ""
			if len(rest) > 0 && len(d) > 1 && d != "%%" {
				text, rest = rest[0].text, rest[1:]
			}
			switch {
			case d == "%%", d == "%":
				return "%"
			case d == "%b" && known(text):
				return echoed(text)
			}
			strange = strange || !strings.Contains("%s%b%d%i", d)
			return text
		})
		if strange {
			return decoded
		}
		if len(rest) == 0 || len(rest) == words || len(out) > maxKnown {
			return out
		}
	}
}

// cat writes files, or its stdin.
func (u *usage) cat() {
	all := value{""}
	for _, f := range u.operands {
		got := u.j.content(f)
		if f.text == "-" {
			got = u.j.stdin
		}
		if got == nil {
			got = value{anyText}
		}
		all = concat(all, got)
	}
	if u.out = all; len(u.operands) == 0 {
		u.out = u.j.stdin
	}
}

// tee writes its stdin to files, and on.
func (u *usage) tee() {
	if u.out = u.j.stdin; u.out == nil {
		u.out = value{anyText}
	}
	for _, f := range u.operands {
		u.j.keepFile(f, u.out, u.hasFlag("-a", "--append"))
	}
}

// mktemp makes a file or directory in a scratch directory.
func (u *usage) mktemp() {
	dir, name := slices.Concat(u.j.world.Scratch, []string{"/tmp"})[0]+"/", "tmp."
	for _, o := range u.opts {
		if o.has && o.name != "--suffix" {
			dir = o.value.text + "/"
		}
	}
	for _, f := range u.operands {
		if name = strings.TrimRight(f.text, "X"); !u.hasFlag("-p", "-t", "--tmpdir") {
			dir = ""
		}
	}
	u.write(u.made(dir + name + aName))
	u.out = value{dir + name + aName + "\n"}
}

// filter computes the output from the words and from what is on stdin.
func (u *usage) filter(stdin value) {
	args, options := []string{"", "", ""}, ""
	for i, f := range u.operands {
		if args[min(i, 2)] = f.text; !f.exact() {
			args[2] = "?"
		}
	}
	for _, o := range u.opts {
		options += o.name
	}
	if stdin != nil {
		u.out = nil
	}
	for _, in := range stdin {
		made, ok := "", false
		if f := filters[u.name]; f != nil && known(in) {
			made, ok = f(args, options, in)
		}
		switch {
		case strings.Contains(in, fromNet):
			made = fromNet
		case !ok:
			made = decoded
		}
		u.out = u.out.join(value{made})
	}
}

// filters are the programs whose output can be computed of the first operands, the options and the input.
var filters = map[string]func(args []string, options, in string) (out string, ok bool){
	"basename": func(args []string, options, _ string) (string, bool) {
		return strings.TrimSuffix(path.Base(args[0]), args[1]) + "\n", options+args[2] == ""
	},
	"dirname": func(args []string, options, _ string) (string, bool) {
		return path.Dir(path.Clean(args[0])) + "\n", options+args[1]+args[2] == ""
	},
	"base64": func(args []string, _, in string) (string, bool) {
		out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(out), err == nil && args[0] == ""
	},
	"xxd": func(args []string, _, in string) (string, bool) {
		out, err := hex.DecodeString(strings.Join(strings.Fields(in), ""))
		return string(out), err == nil && args[0] == ""
	},
	"rev": func(args []string, _, in string) (string, bool) {
		lines := strings.Split(in, "\n")
		for i, l := range lines {
			letters := []rune(l)
			slices.Reverse(letters)
			lines[i] = string(letters)
		}
		return strings.Join(lines, "\n"), args[0] == ""
	},
	"tr": func(args []string, options, in string) (string, bool) {
		from, to, removes := charSet(args[0]), charSet(args[1]), options == "-d"
		if !known(from) || !removes && (to == "" || !known(to) || options+args[2] != "") {
			return "", false
		}
		return strings.Map(func(r rune) rune {
			switch i := strings.IndexRune(from, r); {
			case i < 0:
				return r
			case removes:
				return -1
			default:
				return rune(to[min(i, len(to)-1)])
			}
		}, in), true
	},
}

// charSet expands tr's a-z and [:upper:], if it can.
func charSet(s string) string {
	set := ansiC(charClasses.Replace(s))
	if !known(s) || strings.ContainsFunc(set, func(r rune) bool { return r >= 0x80 || r == '[' }) {
		return anyText
	}
	return charRange().ReplaceAllStringFunc(set, func(r string) (all string) {
		for ch := r[0]; ch <= r[2]; ch++ {
			all += string(rune(ch))
		}
		return all
	})
}

var charClasses = strings.NewReplacer("[:upper:]", "A-Z", "[:lower:]", "a-z", "[:digit:]", "0-9", "[:space:]", " \t\n")
