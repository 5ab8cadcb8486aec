package policy

import "strings"

// sed edits streams; -i edits files, and its scripts may write and run.
func (c *call) sed() {
	spec := optionSpec{"e:f:l:i?I?s", "expression: file: in-place? line-length: null-data posix separate quiet regexp-extended follow-symlinks debug sandbox zero-terminated unbuffered"}
	var scripts []field
	inPlace, sandbox, given := false, false, false
	operands := c.options(spec, func(o option) {
		switch o.name {
		case "e", "expression":
			scripts, given = append(scripts, o.value), true
		case "f", "file":
			given = true
			c.read(o.value)
			c.sedFile(o.value)
		case "i", "I", "in-place":
			inPlace = true
		case "sandbox":
			sandbox = true
		}
	})
	if !given && len(operands) > 0 {
		scripts, operands = append(scripts, operands[0]), operands[1:]
	}
	if !sandbox {
		for _, s := range scripts {
			c.sedScript(s)
		}
	}
	for _, f := range operands {
		if inPlace {
			c.write(f)
		} else {
			c.read(f)
		}
	}
	c.mayHide()
}

func (c *call) sedFile(f field) {
	text := c.j.content(f)
	if text == nil {
		c.effect(unknown, "what the sed script "+show(f.text)+" does cannot be seen", f.at)
		return
	}
	for _, s := range text {
		c.sedScript(field{text: s, at: f.at, from: -1})
	}
}

// sedScript reads a script (GNU sed manual, 3.1) for the commands that write
// (w, W), run (e) and the s command's flags of that name. A script that is not
// known may do all of that.
func (c *call) sedScript(f field) {
	if f.multi || wild(f.text) {
		c.effect(executes|writes|unknown, "what the sed script does cannot be told", f.at)
	}
	s := sedReader{text: f.text}
	for !s.done() {
		s.address()
		s.blanks()
		if s.done() {
			return
		}
		switch cmd := s.next(); cmd {
		case 's':
			c.sedFlags(&s, f)
		case 'y':
			s.delimited(2)
		case 'w', 'W':
			c.sedWrite(s.line(), f)
		case 'r', 'R':
			c.read(field{text: strings.TrimSpace(s.line()), at: f.at, from: -1})
		case 'e':
			text := strings.TrimSpace(s.line())
			c.effect(executes, "sed e runs "+show(text), f.at)
			if text == "" {
				c.does(unknown)
			}
			c.text(field{text: text, at: f.at, from: -1}, "sed e", true)
		case 'a', 'i', 'c':
			s.appended()
		case ':', 'b', 't', 'T', 'v':
			s.label()
		}
	}
}

func (c *call) sedWrite(name string, f field) {
	name = strings.TrimSpace(name)
	if name != "" && name != "/dev/stdout" && name != "/dev/stderr" {
		c.write(field{text: name, at: f.at, from: -1})
	}
}

func (c *call) sedFlags(s *sedReader, f field) {
	parts := s.delimited(2)
	for !s.done() {
		switch flag := s.next(); flag {
		case 'w':
			c.sedWrite(s.line(), f)
			return
		case 'e':
			c.effect(executes|unknown, "sed s///e runs what it has substituted", f.at)
			if len(parts) == 2 {
				c.raiseText(field{text: parts[1], at: f.at, from: -1}, "sed s///e")
			}
		case ';', '\n', '}', '#':
			s.at--
			return
		}
	}
}

type sedReader struct {
	text string
	at   int
}

func (s *sedReader) done() bool { return s.at >= len(s.text) }

func (s *sedReader) next() byte {
	s.at++
	return s.text[s.at-1]
}

func (s *sedReader) blanks() {
	for !s.done() && strings.IndexByte(" \t\n;{}!", s.text[s.at]) >= 0 {
		s.at++
	}
	if !s.done() && s.text[s.at] == '#' {
		s.line()
		s.blanks()
	}
}

// address skips line numbers, $ and /regex/ before a command.
func (s *sedReader) address() {
	for !s.done() {
		switch ch := s.text[s.at]; {
		case strings.IndexByte(" \t\n;{}!0123456789$,+~", ch) >= 0:
			s.at++
		case ch == '#':
			s.line()
		case ch == '/':
			s.delimited(1)
			s.regexFlags()
		case ch == '\\' && s.at+1 < len(s.text):
			s.at++
			s.delimited(1)
			s.regexFlags()
		case ch == hole:
			s.at += 2
		default:
			return
		}
	}
}

func (s *sedReader) regexFlags() {
	for !s.done() && (s.text[s.at] == 'I' || s.text[s.at] == 'M') {
		s.at++
	}
}

// delimited reads n texts between delimiters: /a/ or /a/b/.
func (s *sedReader) delimited(n int) []string {
	if s.done() {
		return nil
	}
	d := s.next()
	var out []string
	start := s.at
	for !s.done() && len(out) < n {
		switch ch := s.next(); {
		case ch == '\\':
			s.at++
		case ch == d:
			out = append(out, s.text[start:s.at-1])
			start = s.at
		}
	}
	s.at = min(s.at, len(s.text))
	return out
}

func (s *sedReader) line() string {
	rest := s.text[min(s.at, len(s.text)):]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	s.at += len(rest)
	return rest
}

// appended skips the text of a, i and c, which may go on after a backslash.
func (s *sedReader) appended() {
	for !s.done() {
		if line := s.line(); !strings.HasSuffix(line, "\\") {
			return
		}
		s.at++
	}
}

func (s *sedReader) label() {
	for !s.done() && s.text[s.at] != '\n' && s.text[s.at] != ';' && s.text[s.at] != '}' {
		s.at++
	}
}

// awk runs a program that may write files and run commands.
func (c *call) awk() {
	spec := optionSpec{"F:v:f:i:l:e:E:", "field-separator: assign: file: include: load^ source: exec: sandbox posix"}
	var programs []field
	given, inPlace, sandbox := false, false, false
	operands := c.options(spec, func(o option) {
		switch o.name {
		case "f", "file", "E", "exec":
			given = true
			c.read(o.value)
			text := c.j.content(o.value)
			if text == nil {
				c.effect(executes|unknown, "what the awk program "+show(o.value.text)+" does cannot be seen", o.at)
			}
			for _, s := range text {
				programs = append(programs, field{text: s, at: o.at, from: -1})
			}
		case "e", "source":
			given, programs = true, append(programs, o.value)
		case "i", "include":
			inPlace = inPlace || strings.HasPrefix(o.value.text, "inplace")
			if !inPlace {
				c.effect(executes|unknown, "awk includes "+show(o.value.text), o.at)
			}
		case "l":
			c.effect(executes|unknown, "awk loads "+show(o.value.text), o.at)
		case "sandbox", "S":
			sandbox = true
		}
	})
	if !given && len(operands) > 0 {
		programs, operands = append(programs, operands[0]), operands[1:]
	}
	for _, p := range programs {
		if !sandbox {
			c.awkProgram(p)
		}
	}
	for _, f := range operands {
		switch name, _, assign := strings.Cut(f.text, "="); {
		case assign && validName(name):
		case inPlace:
			c.write(f)
		default:
			c.read(f)
		}
	}
	c.mayHide()
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
