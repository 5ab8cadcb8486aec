package policy

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// silent is a command that writes nothing to its stdout.
func (c *call) silent() { c.quiet() }

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

// printf writes what its format says; only %s, %b and %d are followed.
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

// formatted is what printf makes of its words.
func formatted(args []field) string {
	if len(args) == 0 {
		return ""
	}
	format := printed(args[0].text)
	if !known(args[0].text) || args[0].multi {
		return anyText
	}
	rest := args[1:]
	for _, f := range rest {
		if f.multi {
			return taint(joined(args)) // how many they are cannot be told
		}
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
			text := ""
			if format[i] == '%' {
				b.WriteByte('%')
				continue
			}
			if used < len(rest) {
				text = rest[used].text
			}
			used++
			switch format[i] {
			case 's', 'd', 'i':
			case 'b':
				if known(text) {
					text = echoed(text)
				}
			default:
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
func (c *call) cat() {
	var v value
	any := false
	for _, f := range c.args {
		if f.text != "-" && strings.HasPrefix(f.text, "-") {
			continue
		}
		any = true
		got := c.j.content(f)
		if f.text == "-" {
			got = c.j.stdin
		}
		switch {
		case got == nil:
			got = value{anyText}
		}
		if v == nil {
			v = got
		} else {
			v = concat(v, got)
		}
	}
	if !any {
		v = c.j.stdin
	}
	c.out = v
}

// xxd dumps bytes, and reads dumps back.
func (c *call) xxd() {
	if c.hasFlag("r") || c.hasFlag("p") && c.hasWord("-revert") {
		c.filter(func(s string) (string, bool) {
			b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
			return string(b), err == nil
		})
	}
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

// wc counts: with its stdin alone it writes numbers and nothing else.
func (c *call) wc() {
	for _, a := range c.args {
		if !strings.HasPrefix(a.text, "-") || a.multi {
			return
		}
	}
	if len(c.args) == 1 {
		c.out = value{digits + "\n"}
	}
}

func (c *call) rev() {
	if c.name != "rev" {
		return
	}
	c.filter(func(s string) (string, bool) {
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
func (c *call) tr() {
	c.filter(func(s string) (string, bool) {
		args := c.args
		remove := false
		if len(args) > 0 && args[0].text == "-d" {
			remove, args = true, args[1:]
		}
		if len(args) == 0 || !known(args[0].text) || strings.HasPrefix(args[0].text, "-") {
			return "", false
		}
		from, ok := charSet(args[0].text)
		if remove && ok {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(from, r) {
					return -1
				}
				return r
			}, s), true
		}
		if !ok || len(args) != 2 || !known(args[1].text) {
			return "", false
		}
		to, ok := charSet(args[1].text)
		if !ok || to == "" {
			return "", false
		}
		return strings.Map(func(r rune) rune {
			if i := strings.IndexRune(from, r); i >= 0 {
				return rune(to[min(i, len(to)-1)])
			}
			return r
		}, s), true
	})
}

// charSet expands tr's a-z and [:upper:].
func charSet(s string) (string, bool) {
	s = strings.NewReplacer("[:upper:]", "A-Z", "[:lower:]", "a-z", "[:digit:]", "0-9", "[:space:]", " \t\n").Replace(s)
	s = ansiC(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || s[i] == '[' {
			return "", false
		}
		if i+2 < len(s) && s[i+1] == '-' {
			for ch := int(s[i]); ch <= int(s[i+2]); ch++ {
				b.WriteByte(byte(ch))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// base64 encodes, or decodes.
func (c *call) base64() {
	decode := c.name == "uudecode"
	for _, a := range c.args {
		decode = decode || strings.HasPrefix(a.text, "--d") || len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text, "dD")
	}
	if !decode {
		return
	}
	c.filter(func(s string) (string, bool) {
		s = strings.Join(strings.Fields(s), "")
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil || c.name != "base64" {
			return "", false
		}
		return string(b), true
	})
	if c.out == nil {
		c.out = value{decoded}
	}
}

// decode is a command whose output is made from what cannot be read.
func (c *call) decode() {
	c.out = value{decoded}
	if c.j.stdin != nil && c.j.stdin.taint() == fromNet {
		c.out = value{fromNet}
	}
}

// nameOf is basename and dirname.
func (c *call) nameOf() {
	operands := c.options(optionSpec{"s:", "suffix:"}, nil)
	if len(operands) == 0 || !known(operands[0].text) || operands[0].multi || operands[0].glob {
		return
	}
	s := operands[0].text
	cut := strings.LastIndexByte(strings.TrimRight(s, "/"), '/')
	switch {
	case c.name == "dirname" && len(operands) == 1:
		if cut < 0 {
			c.out = value{".\n"}
		} else {
			c.out = value{clean(s[:cut+1]) + "\n"}
		}
	case c.name == "basename" && len(operands) <= 2:
		s = strings.TrimRight(s, "/")[cut+1:]
		if len(operands) == 2 {
			s = strings.TrimSuffix(s, operands[1].text)
		}
		c.out = value{s + "\n"}
	}
}

// numbers are commands whose output is a number.
func (c *call) numbers() {
	switch c.name {
	case "nproc", "factor", "tput":
		c.out = value{digits + "\n"}
	case "id":
		if c.hasFlag("u") || c.hasFlag("g") {
			c.out = value{digits + "\n"}
		}
	case "expr":
		c.out = value{anyText}
	case "sleep", "true", "false", "sync":
		c.quiet()
	}
}
