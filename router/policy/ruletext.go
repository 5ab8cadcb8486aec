package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/registry"
)

// ruleSyntax is what is wrong in a rule's text.
type ruleSyntax struct {
	offset int
	text   string
}

// token is one word of a rule.
type token struct {
	raw   string   // as it was written
	texts []string // what it may be, its alternatives multiplied out: patterns for glob
	at    int
}

// rest reports whether a token is any further words.
func (t *token) rest() bool { return t.raw == "..." }

// fit compares a token with one word.
func (t *token) fit(word string) fit {
	return best(t.texts, func(pattern string) fit { return globFit(pattern, word, false) })
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
	verbs := []string{"deny", "ask", "allow"}
	if !slices.Contains(verbs, words[0].raw) {
		hint := ""
		if near := registry.Closest(words[0].raw, verbs, 2); len(near) > 0 {
			hint = ": did you mean " + near[0] + "?"
		}
		return r, &ruleSyntax{words[0].at, "a rule starts with deny, ask or allow" + hint}
	}
	r.answer = Answer(words[0].raw)
	if len(words) == 1 {
		return r, &ruleSyntax{len(text), fmt.Sprintf("name a command after %s, such as %q", r.answer, string(r.answer)+" git push ...")}
	}
	if first := words[1].raw; first == "read" || first == "write" {
		return r, r.pathRule(words[1:])
	}
	return r, r.tokenRule(words[1:])
}

// pathRule takes the patterns after read or write.
func (r *rule) pathRule(words []token) *ruleSyntax {
	r.write = words[0].raw == "write"
	if len(words) == 1 {
		return &ruleSyntax{words[0].at, fmt.Sprintf("name files after %s, such as %q; the command of that name is written '%[1]s', in quotes", words[0].raw, string(r.answer)+" "+words[0].raw+" ~/.ssh/**")}
	}
	if r.answer == Allow && !r.write {
		return &ruleSyntax{words[0].at, "reading needs no leave: where no rule denies it or asks, it is allowed"}
	}
	for _, w := range words[1:] {
		if w.rest() {
			return &ruleSyntax{w.at, "in a path ** stands for anything below a directory: write ./dir/**"}
		}
		patterns, wrong := pathPatterns(w.texts, r.answer != Allow)
		if wrong != "" {
			return &ruleSyntax{w.at, wrong}
		}
		r.paths = append(r.paths, patterns...)
	}
	return nil
}

// tokenRule takes a pattern of a command's words.
func (r *rule) tokenRule(words []token) *ruleSyntax {
	first := words[0]
	if r.answer == Allow && (first.rest() || strings.Trim(first.raw, "*") == "") {
		return &ruleSyntax{first.at, `it would allow every command: name one, or use "mode": "full"`}
	}
	for i, w := range words {
		if w.raw[0] == '~' {
			return &ruleSyntax{w.at, "a word is compared with what the command gets, where ~ is the directory itself: write that, or a rule about files such as \"" + string(r.answer) + " read " + w.raw + "\""}
		}
		if i > 0 && w.rest() && words[i-1].rest() {
			return &ruleSyntax{w.at, "... stands here twice: write it once"}
		}
	}
	for _, layer := range [...]string{"agent:", registry.FieldPrefix} {
		if strings.Contains(first.raw, "("+layer) {
			return &ruleSyntax{first.at, "write " + layer + " before the brackets: " + layer + "(a|b)"}
		}
		r.tool = r.tool || strings.HasPrefix(first.texts[0], layer)
	}
	if r.words = words; r.tool && len(words) == 1 {
		r.words = append(words, token{raw: "..."}) // a tool's name means all of its calls
	}
	return nil
}

// rulePieces are a rule's quoted texts, and its other characters one by one.
var rulePieces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)'[^']*'|"(?:[^"\\]|\\.)*"|\\.|.`)
})

// ruleWords splits a rule's text.
func ruleWords(text string) (out []token, err *ruleSyntax) {
	var l ruleLexer
	for _, at := range rulePieces().FindAllStringIndex(text, -1) {
		piece := text[at[0]:at[1]]
		if strings.Trim(piece, " \t\r\n") != "" || l.open {
			if wrong := l.add(piece, at[0]); wrong != "" {
				return nil, &ruleSyntax{at[0], wrong}
			}
		} else if l.texts != nil {
			out, l = append(out, l.token), ruleLexer{}
		}
	}
	if l.open {
		return nil, &ruleSyntax{l.openAt, "( is not closed: write (a|b), or '(' in quotes"}
	}
	if l.texts != nil {
		out = append(out, l.token)
	}
	return out, nil
}

// ruleLexer makes a word of its pieces.
type ruleLexer struct {
	token
	open   bool // a bracket is
	openAt int
	before []string // what stands before the bracket that is open
	done   []string // with the alternatives that are read
}

// maxAlternatives bounds what a word's alternatives multiply to.
const maxAlternatives = 256

// add adds a piece to the word; it returns what is wrong with it.
func (l *ruleLexer) add(piece string, at int) string {
	if l.texts == nil {
		l.texts, l.at = []string{""}, at
	}
	l.raw += piece
	text := piece
	switch c := piece[0]; c {
	case '\'', '"':
		if len(piece) == 1 {
			return fmt.Sprintf("the quote %c is not closed", c)
		}
		if text = piece[1 : len(piece)-1]; c == '"' {
			text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text)
		}
		text = escaped(text)
	case '\\':
		if len(piece) == 1 {
			return `the backslash stands at the end: write \\ for one`
		}
		text = escaped(piece[1:])
	case '(', '|', ')':
		return l.alternatives(c, at)
	case ' ', '\t', '\n', '\r':
		return "a blank stands between ( and ): alternatives are single words, write a rule for each"
	case ';', '&', '<', '>', '`':
		return fmt.Sprintf("a rule is about one command, and every part of a line is judged by itself: write a rule for each, or quote %q", piece)
	case '$':
		return `a rule knows no variables: write what it stands for, or '$' in quotes`
	}
	for i := range l.texts {
		l.texts[i] += text
	}
	return ""
}

// alternatives reads the signs of (a|b).
func (l *ruleLexer) alternatives(c byte, at int) string {
	switch {
	case c == '(' && l.open:
		return "( stands within another one: write the alternatives out, (ab|ac)"
	case c == '(':
		l.open, l.openAt, l.before, l.done = true, at, slices.Clone(l.texts), nil
		return ""
	case !l.open && c == '|':
		return "| outside of brackets: alternatives are (a|b), and a rule is about one command of a pipe"
	case !l.open:
		return ") closes nothing: write (a|b), or ')' in quotes"
	case l.texts[0] == l.before[0]:
		return "an alternative is empty: write (a|b)"
	}
	l.done = append(l.done, l.texts...)
	if len(l.done) > maxAlternatives {
		return "its alternatives multiply to too many: write several rules"
	}
	if l.texts = slices.Clone(l.before); c == ')' {
		l.texts, l.open = l.done, false
	}
	return ""
}
