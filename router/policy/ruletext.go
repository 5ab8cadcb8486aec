package policy

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agentbash/agentbash/registry"
)

// ruleSyntax is what is wrong in a rule's text.
type ruleSyntax struct {
	offset int
	text   string
}

// token is one word of a rule.
type token struct {
	rest  bool // ... is any further words
	match *regexp.Regexp
	text  string // without quotes; for paths
	plain bool   // no quote stands in it
	wild  bool   // it is * alone
	at    int
}

// parseRule reads a rule's text.
func parseRule(text string) (rule, *ruleSyntax) {
	r := rule{text: text}
	words, err := ruleWords(text)
	if err != nil {
		return r, err
	}
	if len(words) == 0 {
		return r, &ruleSyntax{0, `it is empty: write deny, ask or allow, and a command, such as "allow git log ..."`}
	}
	switch verb := Answer(words[0].text); verb {
	case Deny, Ask, Allow:
		r.answer = verb
	default:
		hint := ""
		if near := registry.Closest(string(verb), []string{"deny", "ask", "allow"}, 2); len(near) > 0 {
			hint = ": did you mean " + near[0] + "?"
		}
		return r, &ruleSyntax{words[0].at, "a rule starts with deny, ask or allow" + hint}
	}
	words = words[1:]
	if len(words) == 0 {
		return r, &ruleSyntax{len(text), fmt.Sprintf("name a command after %s, such as %q", r.answer, string(r.answer)+" git push ...")}
	}
	if w := words[0]; w.plain && (w.text == "read" || w.text == "write") {
		return r, r.pathRule(words)
	}
	return r, r.tokenRule(words)
}

// pathRule takes the patterns after read or write.
func (r *rule) pathRule(words []token) *ruleSyntax {
	r.write = words[0].text == "write"
	if len(words) == 1 {
		return &ruleSyntax{words[0].at, fmt.Sprintf("name files after %s, such as %q; the command of that name is written '%[1]s', in quotes", words[0].text, string(r.answer)+" "+words[0].text+" ~/.ssh/**")}
	}
	if r.answer == Allow && !r.write {
		return &ruleSyntax{words[0].at, "reading needs no leave: where no rule denies it or asks, it is allowed"}
	}
	for _, w := range words[1:] {
		if w.rest {
			return &ruleSyntax{w.at, "in a path ** stands for anything below a directory: write ./dir/**"}
		}
		ps, err := pathPatterns(w.text, r.answer != Allow)
		if err != "" {
			return &ruleSyntax{w.at, err}
		}
		r.paths = append(r.paths, ps...)
	}
	return nil
}

// tokenRule takes a pattern of a command's words.
func (r *rule) tokenRule(words []token) *ruleSyntax {
	first := words[0]
	if r.answer == Allow && (first.rest || first.wild) {
		return &ruleSyntax{first.at, `it would allow every command: name one, or use "mode": "full"`}
	}
	for i, w := range words {
		if strings.HasPrefix(w.text, "~") && w.plain {
			return &ruleSyntax{w.at, "a word is compared with what the command gets, where ~ is the directory itself: write that, or a rule about files such as \"" + string(r.answer) + " read " + w.text + "\""}
		}
		if i > 0 && w.rest && words[i-1].rest {
			return &ruleSyntax{w.at, "... stands here twice: write it once"}
		}
	}
	for _, layer := range [...]string{"agent:", registry.FieldPrefix} {
		if !strings.HasPrefix(first.text, layer) {
			if strings.Contains(first.text, "("+layer) {
				return &ruleSyntax{first.at, "write " + layer + " before the brackets: " + layer + "(a|b)"}
			}
			continue
		}
		r.tool = true
		if len(words) == 1 {
			words = append(words, token{rest: true}) // a tool's name means all of its calls
		}
	}
	r.words = words
	return nil
}

// ruleWords splits a rule's text.
func ruleWords(text string) ([]token, *ruleSyntax) {
	var out []token
	for i := 0; ; {
		for i < len(text) && isBlank(text[i]) {
			i++
		}
		if i == len(text) {
			return out, nil
		}
		l := ruleLexer{text: text, i: i, start: i, plain: true}
		if err := l.word(); err != nil {
			return nil, err
		}
		out = append(out, l.token())
		i = l.i
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// ruleLexer reads one word.
type ruleLexer struct {
	text     string
	i, start int
	re, bare strings.Builder
	plain    bool
	open     int // where ( stands, plus 1; 0: none is open
	empty    bool
}

func (l *ruleLexer) token() token {
	raw := l.text[l.start:l.i]
	return token{
		rest: raw == "...", plain: l.plain, at: l.start, text: l.bare.String(), wild: strings.Trim(raw, "*") == "",
		match: regexp.MustCompile(`(?s)\A(?:` + l.re.String() + `)\z`),
	}
}

// add takes the literal byte before i; quoted, it means itself in a path too.
func (l *ruleLexer) add(quoted bool) {
	s := l.text[l.i-1 : l.i]
	l.re.WriteString(regexp.QuoteMeta(s))
	if quoted && strings.Contains(`*?()|\\`, s) {
		l.bare.WriteByte('\\')
	}
	l.bare.WriteString(s)
	l.empty = false
}

// word reads up to the next blank.
func (l *ruleLexer) word() *ruleSyntax {
	for l.i < len(l.text) && (!isBlank(l.text[l.i]) || l.open > 0) {
		c := l.text[l.i]
		at := l.i
		l.i++
		switch c {
		case '\'', '"':
			if err := l.quoted(c, at); err != nil {
				return err
			}
		case '\\':
			if l.i == len(l.text) {
				return &ruleSyntax{at, `the backslash stands at the end: write \\ for one`}
			}
			l.plain = false
			l.i++
			l.add(true)
		case '*':
			l.re.WriteString(".*")
			l.bare.WriteByte('*')
			l.empty = false
		case '(', '|', ')':
			if err := l.alternatives(c, at); err != nil {
				return err
			}
		case ' ', '\t', '\n', '\r':
			return &ruleSyntax{at, "a blank stands between ( and ): alternatives are single words, write a rule for each"}
		case ';', '&', '<', '>', '`':
			return &ruleSyntax{at, fmt.Sprintf("a rule is about one command, and every part of a line is judged by itself: write a rule for each, or quote %q", string(c))}
		case '$':
			return &ruleSyntax{at, `a rule knows no variables: write what it stands for, or '$' in quotes`}
		default:
			l.add(false)
		}
	}
	if l.open > 0 {
		return &ruleSyntax{l.open - 1, "( is not closed: write (a|b), or '(' in quotes"}
	}
	return nil
}

func (l *ruleLexer) quoted(q byte, at int) *ruleSyntax {
	l.plain = false
	for l.i < len(l.text) {
		c := l.text[l.i]
		l.i++
		if c == q {
			return nil
		}
		if q == '"' && c == '\\' && l.i < len(l.text) && strings.IndexByte(`"\`, l.text[l.i]) >= 0 {
			l.i++
		}
		l.add(true)
	}
	return &ruleSyntax{at, fmt.Sprintf("the quote %c is not closed", q)}
}

// alternatives reads the signs of (a|b).
func (l *ruleLexer) alternatives(c byte, at int) *ruleSyntax {
	switch {
	case c == '(' && l.open > 0:
		return &ruleSyntax{at, "( stands within another one: write the alternatives out, (ab|ac)"}
	case c != '(' && l.open == 0 && c == '|':
		return &ruleSyntax{at, "| outside of brackets: alternatives are (a|b), and a rule is about one command of a pipe"}
	case c != '(' && l.open == 0:
		return &ruleSyntax{at, ") closes nothing: write (a|b), or ')' in quotes"}
	case c != '(' && l.empty:
		return &ruleSyntax{at, "an alternative is empty: write (a|b)"}
	}
	switch c {
	case '(':
		l.open, l.empty = at+1, true
		l.re.WriteString("(?:")
	case '|':
		l.empty = true
		l.re.WriteByte('|')
	case ')':
		l.open = 0
		l.re.WriteByte(')')
	}
	l.bare.WriteByte(c)
	return nil
}
