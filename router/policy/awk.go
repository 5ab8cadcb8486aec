package policy

import (
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
)

// awk runs a program that may write files and run commands.
func (u *usage) awk() {
	var programs []field
	given, inPlace, sandbox := false, false, false
	for _, o := range u.opts {
		switch o.name {
		case "-f", "--file", "-E", "--exec":
			given = true
			u.read(o.value)
			text := u.j.content(o.value)
			if text == nil {
				u.effect(executes|unknown, "what the awk program "+show(o.value.text)+" does cannot be seen", o.at)
			}
			for _, s := range text {
				programs = append(programs, field{text: s, at: o.at, from: -1})
			}
		case "-e", "--source":
			given, programs = true, append(programs, o.value)
		case "-i", "--include", "-l":
			if inPlace = inPlace || o.name != "-l" && strings.HasPrefix(o.value.text, "inplace"); !inPlace || o.name == "-l" {
				u.effect(executes|unknown, "awk loads "+show(o.value.text), o.at)
			}
		case "--sandbox", "-S":
			sandbox = true
		}
	}
	operands := u.operands
	if !given && len(operands) > 0 {
		programs, operands = append(programs, operands[0]), operands[1:]
	}
	for _, p := range programs {
		if !sandbox {
			u.awkProgram(p)
		}
	}
	for _, f := range operands {
		switch name, _, assign := strings.Cut(f.text, "="); {
		case assign && validName(name):
		case inPlace:
			u.write(f)
		default:
			u.read(f)
		}
	}
}

// awkProgram looks for system(), pipes, files written and @load in a program.
func (c *call) awkProgram(f field) {
	if f.multi || wild(f.text) {
		c.effect(executes|writes|unknown, "what the awk program does cannot be told", f.at)
	}
	bare, quoted := awkSplit(f.text)
	runs := callsSystem(f.text) || strings.Contains(strings.ReplaceAll(bare, "||", ""), "|") || strings.Contains(bare, "@")
	if runs {
		c.effect(executes|unknown, "the awk program runs commands", f.at)
		for _, s := range append(quoted, strings.Join(quoted, ""), strings.Join(quoted, " ")) {
			c.raiseText(field{text: s, at: f.at, from: -1}, "awk")
		}
	}
	if awkWrites(bare) {
		c.effect(writes|unknown, "the awk program writes files", f.at)
		for _, s := range quoted {
			if strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") {
				c.write(field{text: s, at: f.at, from: -1})
			}
		}
	}
	if strings.Contains(bare, "/inet") || strings.Contains(strings.Join(quoted, " "), "/inet") {
		c.effect(networks, "the awk program talks to other machines", f.at)
	}
}

// callsSystem looks for system( in the raw text: what is string and what is
// regular expression is not certain enough to leave it out in either.
func callsSystem(s string) bool {
	for at := bashtext.WordAt(s, "system", 0); at >= 0; at = bashtext.WordAt(s, "system", at+1) {
		rest := strings.TrimLeft(s[at+len("system"):], " \t\\\n")
		if rest != "" && (rest[0] == '(' || rest[0] == '"') {
			return true
		}
	}
	return false
}

// awkSplit separates a program from its strings, regular expressions and
// comments; a string becomes a quote, the others one character. A slash begins
// a regular expression where no operand stands before it.
func awkSplit(s string) (bare string, quoted []string) {
	var b strings.Builder
	last := byte('\n')
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == '"' || ch == '/' && strings.IndexByte("(,{};!&|~\n=", last) >= 0:
			k := i + 1
			for ; k < len(s) && s[k] != ch && s[k] != '\n'; k++ {
				if s[k] == '\\' {
					k++
				}
			}
			k = min(k, len(s))
			if last = ch; ch == '"' {
				quoted = append(quoted, ansiC(s[i+1:k]))
			} else {
				ch = '~'
			}
			i = k
		case ch == '#':
			for ; i < len(s) && s[i] != '\n'; i++ {
			}
			ch, last = '\n', '\n'
		case ch != ' ' && ch != '\t':
			last = ch
		}
		b.WriteByte(ch)
	}
	return b.String(), quoted
}

// awkWrites reports whether print or printf goes into a file. Outside of
// parentheses > after print is no comparison.
func awkWrites(bare string) bool {
	for rest := bare; strings.Contains(rest, "print"); rest = rest[1:] {
		rest = rest[strings.Index(rest, "print"):]
		for i, depth := 0, 0; i < len(rest) && (depth > 0 || strings.IndexByte(";}\n{", rest[i]) < 0); i++ {
			switch rest[i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case '>':
				if depth <= 0 {
					return true
				}
			}
		}
	}
	return strings.Contains(bare, ">>")
}
