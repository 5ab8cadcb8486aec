package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What programs in other languages than bash do, as far as it can be guessed
// from their texts.

// patterns are of the texts of programs.
var patterns = sync.OnceValue(func() (p struct{ literal, list, awkToken, awkGroup, awkPrint, awkSystem *regexp.Regexp }) {
	const quoted = `"((?:\\.|[^"\\])*)"`
	p.literal = regexp.MustCompile(`(?s)` + quoted + `|'((?:\\.|[^'\\])*)'|` + "`((?:\\\\.|[^`\\\\])*)`" + `|(?:qx?|qq|%x)[{(]([^})]*)[})]`)
	p.list = regexp.MustCompile(`[\[(][^\[\]()]*`)
	p.awkToken = regexp.MustCompile(`(?s)` + quoted + `|#[^\n]*|((?:^|[(,{};!&|~\n=])[ \t]*)/(?:\\.|[^/\\\n])*/?`)
	p.awkGroup = regexp.MustCompile(`[(\[][^()\[\]]*[)\]]`)
	p.awkPrint = regexp.MustCompile(`print[^;{}\n]*>|>>`)
	p.awkSystem = regexp.MustCompile(`\bsystem[ \t\\\n]*[("]`)
	return p
})

// stringsIn returns the string literals of a program, in quotes of any kind.
func stringsIn(text string) (out []string) {
	const most = 200
	for _, m := range patterns().literal.FindAllStringSubmatch(text, most) {
		out = append(out, unescape(strings.Join(m[1:], "")))
	}
	return out
}

// code looks in a program of any language for shell commands in strings, removed trees, and processes without end.
func (c *simpleCommand) code(text string, at span) {
	const most = 32 << 10
	text = text[:min(most, len(text))]
	low, lists := strings.ToLower(text), programs().lists
	holds := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
	}
	if holds("fork") && holds("while", "for(;;)", "loop") {
		c.danger(Block, "a fork bomb: it starts itself again and again", at)
	}
	removes, runs := holds(lists["code-deletes"]...), holds(lists["code-runs"]...)
	if removes {
		c.danger(Confirm, "the program deletes files", at)
	}
	if !removes && !runs {
		return
	}
	for _, s := range stringsIn(text) {
		f := word{text: s, at: at}
		if runs {
			c.raise(Block, func() { c.j.innerText(s, f, "the program", true) })
		}
		if removes {
			if strings.HasPrefix(s, "~") {
				f.text = one(c.j.home()) + s[1:]
			}
			c.wipes(f, "may be: deletes")
		}
	}
	for _, list := range patterns().list.FindAllString(text, -1) { // ["rm", "-rf", "/"]
		if words := stringsIn(list); runs && len(words) > 1 && harmful(words[0]) {
			var args []word
			for _, w := range words {
				args = append(args, word{text: w, at: at})
			}
			c.raise(Block, func() { c.j.program(args, at) })
		}
	}
}

// awk looks for system(), pipes, written files and @load. What is string and what regular expression is not certain.
func (c *simpleCommand) awk(f word) {
	if f.multi || wild(f.text) {
		c.effect(executes|writes|unknown, "what the awk program does cannot be told", f.at)
	}
	var quoted []string
	bare := patterns().awkToken.ReplaceAllStringFunc(f.text, func(token string) string {
		if token[0] == '"' {
			quoted = append(quoted, ansiC(token[1:len(token)-1]))
		}
		return strings.TrimRight(token[:1], `"#/`) + "~"
	})
	if patterns().awkSystem.MatchString(f.text) || strings.ContainsAny(strings.ReplaceAll(bare, "||", ""), "|@") {
		c.effect(executes|unknown, "the awk program runs commands", f.at)
		for _, s := range append(quoted, strings.Join(quoted, ""), strings.Join(quoted, " ")) {
			c.raiseText(word{text: s, at: f.at}, "awk")
		}
	}
	for last := ""; last != bare; { // in parentheses > compares
		last, bare = bare, patterns().awkGroup.ReplaceAllString(bare, "")
	}
	if patterns().awkPrint.MatchString(bare) {
		c.effect(writes|unknown, "the awk program writes files", f.at)
		for _, s := range quoted {
			if strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") {
				c.write(word{text: s, at: f.at})
			}
		}
	}
}

// sed looks in a script (GNU sed manual, 3.1) for the commands and flags that write, read and run.
func (c *simpleCommand) sed(f word) {
	strange := func() { c.effect(executes|writes|unknown, "what the sed script does cannot be told", f.at) }
	if f.multi || wild(f.text) {
		strange()
	}
	const flags = " \t0123456789gpiImM"
	made := func(text string) word { return word{text: strings.TrimSpace(text), at: f.at} }
	for s := f.text; s != ""; {
		command := s[0]
		s = s[1:]
		line, after, _ := strings.Cut(s, "\n")
		switch command {
		case 's', 'y':
			parts, rest := delimited(s, 2)
			s = strings.TrimLeft(rest, flags)
			if command == 's' && strings.HasPrefix(s, "e") {
				c.effect(executes|unknown, "sed s///e runs what it has substituted", f.at)
				c.raiseText(made(parts[1]), "sed s///e")
				s = strings.TrimLeft(s, "e"+flags)
			}
			if s != "" && !strings.ContainsRune(";\n}#w", rune(s[0])) {
				strange()
			}
		case '/':
			_, s = delimited("/"+s, 1)
		case '\\':
			_, s = delimited(s, 1)
		case 'w', 'W':
			c.write(made(line))
			s = after
		case 'r', 'R':
			c.read(made(line))
			s = after
		case 'e':
			text := made(line)
			if c.effect(executes, "sed e runs "+show(text.text), f.at); text.text == "" {
				c.part.set |= unknown
			}
			c.text(text, "sed e", true)
			s = after
		case 'a', 'i', 'c': // the text goes on after a backslash
			for strings.HasSuffix(line, "\\") {
				line, after, _ = strings.Cut(after, "\n")
			}
			s = after
		case ':', 'b', 't', 'T', 'v':
			s = strings.TrimLeftFunc(s, func(r rune) bool { return !strings.ContainsRune("\n;}", r) })
		case '#':
			s = after
		case hole:
			s = s[min(1, len(s)):]
		default:
			if !strings.ContainsRune(" \t\n;{}!0123456789$,+~IMpPdDqQnNgGhHxlzF=", rune(command)) {
				strange()
			}
		}
	}
}

// delimited reads n texts between delimiters, /a/ or /a/b/, and returns the rest.
func delimited(s string, n int) (parts []string, rest string) {
	from := 1
	for i := 1; i < len(s) && len(parts) < n; i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			parts, from = append(parts, s[from:i]), i+1
		}
	}
	if len(parts) < n {
		return nil, ""
	}
	return parts, s[from:]
}
