package policy

import "strings"

// awk runs a program that may write files and run commands.
func (u *usage) awk() {
	var programs []field
	given, inPlace, sandbox := false, false, false
	for _, o := range u.opts {
		switch o.name {
		case "f", "file", "E", "exec":
			given = true
			u.read(o.value)
			text := u.j.content(o.value)
			if text == nil {
				u.effect(executes|unknown, "what the awk program "+show(o.value.text)+" does cannot be seen", o.at)
			}
			for _, s := range text {
				programs = append(programs, field{text: s, at: o.at, from: -1})
			}
		case "e", "source":
			given, programs = true, append(programs, o.value)
		case "i", "include", "l":
			if inPlace = inPlace || o.name != "l" && strings.HasPrefix(o.value.text, "inplace"); !inPlace || o.name == "l" {
				u.effect(executes|unknown, "awk loads "+show(o.value.text), o.at)
			}
		case "sandbox", "S":
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
	runs := callsSystem(f.text) || strings.Contains(bare, "|") && awkPipes(bare) || strings.Contains(bare, "@")
	if runs {
		c.effect(executes|unknown, "the awk program runs commands", f.at)
		for _, s := range quoted {
			c.raiseText(field{text: s, at: f.at, from: -1}, "awk")
		}
		c.raiseText(field{text: strings.Join(quoted, ""), at: f.at, from: -1}, "awk")
		c.raiseText(field{text: strings.Join(quoted, " "), at: f.at, from: -1}, "awk")
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
	for at := wordAt(s, "system", 0); at >= 0; at = wordAt(s, "system", at+1) {
		rest := strings.TrimLeft(s[at+len("system"):], " \t\\\n")
		if rest != "" && (rest[0] == '(' || rest[0] == '"') {
			return true
		}
	}
	return false
}

// awkSplit separates a program from its strings, regular expressions and
// comments; each becomes one blank, a string a quote.
func awkSplit(s string) (bare string, quoted []string) {
	var b strings.Builder
	last := byte(0)
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == '"' || ch == '/' && awkRegexAfter(last):
			k := i + 1
			for k < len(s) && s[k] != ch && s[k] != '\n' {
				if s[k] == '\\' {
					k++
				}
				k++
			}
			k = min(k, len(s))
			if ch == '"' {
				quoted = append(quoted, ansiC(s[i+1:k]))
				b.WriteByte('"')
			} else {
				b.WriteByte('~')
			}
			i, last = k, ch
			continue
		case ch == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
			b.WriteByte('\n')
			last = '\n'
			continue
		default:
			b.WriteByte(ch)
			if ch != ' ' && ch != '\t' {
				last = ch
			}
		}
	}
	return b.String(), quoted
}

// awkRegexAfter reports whether a slash after that byte begins a regular
// expression, and is no division.
func awkRegexAfter(last byte) bool {
	return last == 0 || strings.IndexByte("(,{};!&|~\n=", last) >= 0
}

// awkPipes reports whether a | in a program is a pipe, not an or.
func awkPipes(bare string) bool {
	return strings.Contains(strings.ReplaceAll(bare, "||", ""), "|")
}

// awkWrites reports whether print or printf goes into a file. Outside of
// parentheses > after print is no comparison.
func awkWrites(bare string) bool {
	if strings.Contains(bare, ">>") {
		return true
	}
	for at := strings.Index(bare, "print"); at >= 0; {
		depth := 0
	statement:
		for i := at; i < len(bare); i++ {
			switch bare[i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case '>':
				if depth <= 0 {
					return true
				}
			case ';', '}', '\n', '{':
				if depth <= 0 {
					break statement
				}
			}
		}
		next := strings.Index(bare[at+1:], "print")
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}
