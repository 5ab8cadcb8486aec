package router

import (
	"strings"
	"unicode/utf8"
)

// simple finds the calls of a text that needs no parser: simple commands of
// literal and quoted words, joined by | && || ; and newlines, with < > and >>.
// It reports false for any other text, also for one with an error in it. What
// it finds is what the parser would: TestSimpleAgreesWithTheParser.
func (n *nameIndex) simple(text string) (f finder, ok bool) {
	f = finder{names: n, text: text}
	s := simpleScan{f: &f, text: text, found: make([]candidate, 0, 8)}
	for s.at < len(text) {
		if !s.step() {
			return f, false
		}
	}
	ok = s.command(false) && !s.open && utf8.ValidString(text)
	f.found = s.found
	return f, ok
}

// simpleScan is one pass over such a text.
type simpleScan struct {
	f     *finder
	text  string
	at    int
	found []candidate

	words  int    // of the command so far
	name   string // its first word if that is literal
	start  int    // where that is
	args   []arg
	call   bool // the name is a tool's
	piped  bool // it reads from a pipe
	stdin  bool // its stdin is redirected
	open   bool // an operator before it wants a command
	target byte // the redirection that wants a word: < or >; 0
	own    bool // that one is of descriptor 0
}

// step takes the next word or operator.
func (s *simpleScan) step() bool {
	switch c := s.text[s.at]; c {
	case ' ', '\t':
		s.at++
	case '\n':
		s.at++
		if s.words == 0 && s.target == 0 && !s.stdin {
			return !s.open // a blank line
		}
		return s.command(false)
	case ';', '|', '&':
		return s.operator(c)
	case '<', '>':
		return s.redirect(c, true)
	default:
		return s.word()
	}
	return true
}

// operator takes ; | || and &&.
func (s *simpleScan) operator(c byte) bool {
	s.at++
	double := s.at < len(s.text) && s.text[s.at] == c
	if double {
		s.at++
	}
	if c == ';' && double || c == '&' && !double || s.words == 0 || s.at < len(s.text) && s.text[s.at] == '&' {
		return false
	}
	ok := s.command(c == '|' && !double)
	s.open = c != ';'
	return ok
}

// redirect takes < > and >>; first says that it is of descriptor 0 or 1.
func (s *simpleScan) redirect(c byte, first bool) bool {
	s.at++
	if s.target != 0 {
		return false
	}
	if c == '>' && s.at < len(s.text) && s.text[s.at] == '>' {
		s.at++
	}
	s.target, s.own = c, first && c == '<'
	return s.at < len(s.text) && strings.IndexByte("<>&|(;\n", s.text[s.at]) < 0
}

// command ends a simple command; piped says that the next one reads from it.
func (s *simpleScan) command(piped bool) bool {
	if s.target != 0 || s.words == 0 && s.stdin {
		return false
	}
	if s.words > 0 {
		direct := s.piped || s.stdin
		if direct && s.name == "exec" && s.words == 1 {
			s.f.execs = true
		}
		if s.call {
			s.found = append(s.found, candidate{site{name: s.name, args: s.args, stdin: direct, direct: direct}, s.start})
		}
		s.open = false
	}
	s.words, s.name, s.args, s.call, s.stdin, s.piped = 0, "", nil, false, false, piped
	return true
}

// word takes one word.
func (s *simpleScan) word() bool {
	start := s.at
	end, kind := scanWord(s.text[start:])
	if end <= 0 {
		return false
	}
	raw := s.text[start : start+end]
	s.at += end
	next := byte(0)
	if s.at < len(s.text) {
		next = s.text[s.at]
	}
	switch {
	case s.target != 0:
		s.stdin, s.target = s.stdin || s.own, 0
	case (next == '<' || next == '>') && strings.Trim(raw, "0123456789") == "":
		return s.redirect(next, raw == "0")
	case s.words == 0:
		odd := kind == globWord || kind == quotedWord && s.f.names.isCall(raw) // field:a\b
		if odd || strings.IndexByte(raw, '=') >= 0 || isReserved(raw) {
			return false
		}
		s.words, s.start = 1, start
		if kind == literalWord {
			s.name = raw
			s.call = s.f.names.isCall(raw)
		}
	default:
		s.words++
		if s.call && s.f.names.agent[s.name] != nil {
			s.args = append(s.args, simpleArg(raw, kind))
		}
	}
	return true
}

// The kinds of words.
const (
	literalWord = iota // literal bytes only
	quotedWord         // with quotes or backslashes
	globWord           // with an unquoted * ? [ too
)

// scanWord is the length of the word that a text starts with, 0 when only bash
// knows.
func scanWord(s string) (n, kind int) {
	for n < len(s) {
		switch class[s[n]] {
		case literal:
		case globbing:
			kind = globWord
		case hash:
			if n == 0 {
				return 0, 0
			}
		case backslash:
			if n++; n == len(s) || s[n] == '\n' || s[n] == '\r' {
				return 0, 0
			}
			kind = max(kind, quotedWord)
		case singleQuote:
			i := strings.IndexByte(s[n+1:], '\'')
			if i < 0 {
				return 0, 0
			}
			n += i + 1
			kind = max(kind, quotedWord)
		case doubleQuote:
			i := plainDouble(s[n+1:])
			if i < 0 {
				return 0, 0
			}
			n += i
			kind = max(kind, quotedWord)
		default:
			if strings.IndexByte(" \t\n;|&<>", s[n]) >= 0 {
				return n, kind
			}
			return 0, 0
		}
		n++
	}
	return n, kind
}

// simpleArg is what argOf makes of the word.
func simpleArg(raw string, kind int) arg {
	if kind == literalWord {
		return arg{text: raw}
	}
	var a arg
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '\'':
			n := strings.IndexByte(raw[i+1:], '\'')
			b.WriteString(raw[i+1 : i+1+n])
			i += n + 1
		case '"':
			n := plainDouble(raw[i+1:])
			b.WriteString(unescape(raw[i+1 : i+n]))
			i += n
		case '\\':
			i++
			a.multi = a.multi || strings.IndexByte("*?[{", raw[i]) >= 0
			b.WriteByte(raw[i])
		default:
			a.multi = a.multi || strings.IndexByte("*?[", c) >= 0
			b.WriteByte(c)
		}
	}
	a.text = b.String()
	return a
}

// isReserved reports whether a word means something else where a command
// stands, to bash or to the parser.
func isReserved(word string) bool {
	switch word {
	case "!", "}", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then", "until", "while", "time",
		"let", "declare", "local", "export", "readonly", "typeset", "nameref", "eval", "@test":
		return true
	}
	return false
}
