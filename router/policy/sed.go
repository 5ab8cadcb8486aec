package policy

import "strings"

// sed edits streams; -i edits files, and its scripts may write and run.
func (u *usage) sed() {
	var scripts []field
	inPlace, sandbox, given := false, false, false
	for _, o := range u.opts {
		switch o.name {
		case "-e", "--expression":
			scripts, given = append(scripts, o.value), true
		case "-f", "--file":
			given = true
			u.read(o.value)
			text := u.j.content(o.value)
			if text == nil {
				u.effect(unknown, "what the sed script "+show(o.value.text)+" does cannot be seen", o.at)
			}
			for _, s := range text {
				scripts = append(scripts, field{text: s, at: o.at, from: -1})
			}
		case "-i", "-I", "--in-place":
			inPlace = true
		case "--sandbox":
			sandbox = true
		}
	}
	operands := u.operands
	if !given && len(operands) > 0 {
		scripts, operands = append(scripts, operands[0]), operands[1:]
	}
	for _, s := range scripts {
		if !sandbox {
			u.sedScript(s)
		}
	}
	for _, f := range operands {
		if inPlace {
			u.write(f)
		} else {
			u.read(f)
		}
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
	write := func() {
		if name := strings.TrimSpace(s.line()); name != "" && name != "/dev/stdout" && name != "/dev/stderr" {
			c.write(field{text: name, at: f.at, from: -1})
		}
	}
	for s.address(); !s.done(); s.address() {
		switch s.next() {
		case 's':
			c.sedFlags(&s, f, write)
		case 'y':
			s.delimited(2)
		case 'w', 'W':
			write()
		case 'r', 'R':
			c.read(field{text: strings.TrimSpace(s.line()), at: f.at, from: -1})
		case 'e':
			text := strings.TrimSpace(s.line())
			c.effect(executes, "sed e runs "+show(text), f.at)
			if text == "" {
				c.does(unknown)
			}
			c.text(field{text: text, at: f.at, from: -1}, "sed e", true)
		case 'a', 'i', 'c': // the text may go on after a backslash
			for !s.done() && strings.HasSuffix(s.line(), "\\") {
				s.at++
			}
		case ':', 'b', 't', 'T', 'v':
			for !s.done() && strings.IndexByte("\n;}", s.text[s.at]) < 0 {
				s.at++
			}
		}
	}
}

// sedFlags reads what follows s/a/b/.
func (c *call) sedFlags(s *sedReader, f field, write func()) {
	parts := s.delimited(2)
	for !s.done() {
		switch s.next() {
		case 'w':
			write()
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

// address skips line numbers, $ and /regex/ before a command.
func (s *sedReader) address() {
	for !s.done() {
		switch ch := s.text[s.at]; {
		case strings.IndexByte(" \t\n;{}!0123456789$,+~", ch) >= 0:
			s.at++
		case ch == '#':
			s.line()
		case ch == '/', ch == '\\' && s.at+1 < len(s.text):
			if ch == '\\' {
				s.at++
			}
			s.delimited(1)
			for !s.done() && (s.text[s.at] == 'I' || s.text[s.at] == 'M') {
				s.at++
			}
		case ch == hole:
			s.at += 2
		default:
			return
		}
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
