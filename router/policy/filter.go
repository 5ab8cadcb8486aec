package policy

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// What programs print, where it can be known.

// echo writes its words.
func (c *call) echo() {
	args, newline, escapes := c.args, "\n", false
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" && !args[0].multi {
		if strings.Contains(args[0].text, "n") {
			newline = ""
		}
		if last := strings.LastIndexAny(args[0].text, "eE"); last >= 0 {
			escapes = args[0].text[last] == 'e'
		}
		args = args[1:]
	}
	if c.j.out == nil {
		return
	}
	text := joined(args)
	if escapes && known(text) {
		text = echoed(text)
	}
	c.out = value{text + newline}
}

// printf writes what its format says, or assigns it with -v.
func (c *call) printf() {
	args := c.args
	if len(args) > 1 && strings.HasPrefix(args[0].text, "-v") {
		name := args[1]
		args = args[2:]
		if len(c.args[0].text) > 2 {
			name, args = c.args[0].after(2), c.args[1:]
		}
		c.subscripts([]field{name})
		c.assignName(name, value{formatted(args)})
		c.quiet()
		return
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if c.j.out != nil {
		c.out = value{formatted(args)}
	}
}

// formatted is what printf makes of its words; only %s, %b and %d are followed.
func formatted(args []field) string {
	if len(args) == 0 {
		return ""
	}
	format, rest := printed(args[0].text), args[1:]
	if !known(args[0].text) || args[0].multi {
		return anyText
	}
	if slices.ContainsFunc(rest, func(f field) bool { return f.multi }) {
		return taint(joined(args)) // how many they are cannot be told
	}
	var b strings.Builder
	for {
		used := 0
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			i++
			if format[i] == '%' {
				b.WriteByte('%')
				continue
			}
			text := ""
			if used < len(rest) {
				text = rest[used].text
			}
			used++
			switch {
			case format[i] == 'b' && known(text):
				text = echoed(text)
			case strings.IndexByte("sdib", format[i]) < 0:
				return decoded
			}
			b.WriteString(text)
		}
		if used == 0 || used >= len(rest) || b.Len() > maxKnown {
			return b.String()
		}
		rest = rest[used:]
	}
}

// cat writes files, or its stdin.
func (u *usage) cat() {
	var v value
	for _, f := range u.args {
		if f.text != "-" && strings.HasPrefix(f.text, "-") {
			continue
		}
		got := u.j.content(f)
		if f.text == "-" {
			got = u.j.stdin
		}
		if got == nil {
			got = value{anyText}
		}
		if v == nil {
			v = got
		} else {
			v = concat(v, got)
		}
	}
	if v == nil {
		v = u.j.stdin
	}
	u.out = v
}

// tee writes its stdin to files, and on.
func (u *usage) tee() {
	u.out = value{anyText}
	if u.j.stdin != nil {
		u.out = u.j.stdin
	}
	more := slices.ContainsFunc(u.opts, func(o option) bool { return o.name == "-a" || o.name == "--append" })
	for _, f := range u.operands {
		u.j.keepFile(f, u.out, more)
	}
}

// nameOf is basename and dirname.
func (u *usage) nameOf() {
	if len(u.operands) == 0 || !u.operands[0].exact() {
		return
	}
	s := u.operands[0].text
	cut := strings.LastIndexByte(strings.TrimRight(s, "/"), '/')
	switch {
	case u.name == "dirname" && len(u.operands) == 1 && cut < 0:
		u.out = value{".\n"}
	case u.name == "dirname" && len(u.operands) == 1:
		u.out = value{clean(s[:cut+1]) + "\n"}
	case u.name == "basename" && len(u.operands) <= 2:
		s = strings.TrimRight(s, "/")[cut+1:]
		if len(u.operands) == 2 {
			s = strings.TrimSuffix(s, u.operands[1].text)
		}
		u.out = value{s + "\n"}
	}
}

// mktemp makes a file or directory in a scratch directory.
func (u *usage) mktemp() {
	dir, here := "/tmp", true
	if len(u.j.world.Scratch) > 0 {
		dir = clean(u.j.world.Scratch[0])
	}
	for _, o := range u.opts {
		switch {
		case (o.name == "-p" || o.name == "--tmpdir") && o.has && o.value.text != "":
			dir = o.value.text
		case o.name == "-t":
			here = false
		}
	}
	path := dir + "/tmp." + aName
	if len(u.operands) > 0 {
		u.loose = u.loose || u.operands[0].multi
		path = strings.TrimRight(u.operands[0].text, "X") + aName
		if !here {
			path = dir + "/" + path
		}
	}
	u.write(u.made(path))
	u.out = value{path + "\n"}
}

// filter computes the output from a known stdin, where f can.
func (c *call) filter(f func(string) (string, bool)) {
	if c.j.out == nil || c.j.stdin == nil || slices.ContainsFunc(c.args, func(a field) bool { return !strings.HasPrefix(a.text, "-") && c.name != "tr" }) {
		return
	}
	var v value
	for _, s := range c.j.stdin {
		out, ok := "", false
		if known(s) {
			out, ok = f(s)
		}
		if !ok {
			out = decoded
			if hasHole(s, fromNet) {
				out = fromNet
			}
		}
		v = v.join(value{out})
	}
	c.out = v
}

// xxd -r reads dumps back.
func (u *usage) xxd() {
	if slices.ContainsFunc(u.args, func(a field) bool { return strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "r") }) {
		u.filter(func(s string) (string, bool) {
			b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
			return string(b), err == nil
		})
	}
}

// base64 encodes, or decodes; the others of its kind are not followed.
func (u *usage) base64() {
	if u.name != "uudecode" && !slices.ContainsFunc(u.args, func(a field) bool {
		return strings.HasPrefix(a.text, "--d") || len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "dD")
	}) {
		return
	}
	u.prints("decoded")
	u.filter(func(s string) (string, bool) {
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
		return string(b), err == nil && u.name == "base64"
	})
}

func (u *usage) rev() {
	u.filter(func(s string) (string, bool) {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			b := []rune(l)
			slices.Reverse(b)
			lines[i] = string(b)
		}
		return strings.Join(lines, "\n"), true
	})
}

// tr replaces and deletes characters.
func (u *usage) tr() {
	args := u.args
	remove := len(args) > 0 && args[0].text == "-d"
	if remove {
		args = args[1:min(2, len(args))]
	}
	var sets [2]string
	ok := len(args) > 0 && !strings.HasPrefix(args[0].text, "-") && (remove || len(args) == 2)
	for i := range args[:min(2, len(args))] {
		set, good := charSet(args[i].text)
		sets[i], ok = set, ok && good && (i == 0 || set != "")
	}
	u.filter(func(s string) (string, bool) {
		if !ok {
			return "", false
		}
		return strings.Map(func(r rune) rune {
			switch i := strings.IndexRune(sets[0], r); {
			case i < 0:
				return r
			case remove:
				return -1
			default:
				return rune(sets[1][min(i, len(sets[1])-1)])
			}
		}, s), true
	})
}

// charSet expands tr's a-z and [:upper:].
func charSet(s string) (string, bool) {
	if !known(s) {
		return "", false
	}
	s = ansiC(strings.NewReplacer("[:upper:]", "A-Z", "[:lower:]", "a-z", "[:digit:]", "0-9", "[:space:]", " \t\n").Replace(s))
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || s[i] == '[' {
			return "", false
		}
		b.WriteByte(s[i])
		if i+2 < len(s) && s[i+1] == '-' {
			for ch := int(s[i]) + 1; ch <= int(s[i+2]); ch++ {
				b.WriteByte(byte(ch))
			}
			i += 2
		}
	}
	return b.String(), true
}
