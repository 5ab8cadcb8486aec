package policy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSuggestion bounds a generated rule, in bytes: nobody reads longer ones.
const maxSuggestion = 200

// suggestion is the rule that would allow a part, or "".
func (d *decider) suggestion(p *Part) string {
	text := ""
	switch {
	case p.set&unknown != 0 && (p.Kind != ToolPart || p.set == unknown):
		return ""
	case p.Kind == RedirectPart:
		text = p.fileRule(d.w)
	case p.Kind == CommandPart || p.Kind == ToolPart:
		text = p.wordRule()
	}
	// What would not allow it, as it is read back, is not offered.
	r, err := parseRule(text)
	if err != nil || len(text) > maxSuggestion {
		return ""
	}
	then := decider{Decision: Decision{Mode: AskMode}, rules: append(slices.Clip(d.rules), &r), v: d.v, w: d.w}
	if answer, _, _ := then.decide(p); answer != Allow {
		return ""
	}
	return text
}

// fileRule allows the file that a redirection writes.
func (p *Part) fileRule(w *World) string {
	if len(p.Paths) != 1 {
		return ""
	}
	name := p.Paths[0].raw
	if roots := w.roots(); len(roots) == 1 {
		if rest, ok := below(name, clean(roots[0])); ok && rest != "" {
			name = "./" + rest
		}
	}
	return "allow write " + quoteRule(name, "?")
}

// wordRule allows a command of these words and others like it.
func (p *Part) wordRule() string {
	names := p.names()
	name := names[len(names)-1]
	words := []string{"allow", quoteRule(name, "")}
	for _, f := range p.words[1:] {
		words = append(words, quoteRule(f.text, ""))
	}
	if slices.Contains(words, "") {
		return ""
	}
	t, base, keep := programs(), baseName(lastOf(name)), 0
	switch {
	case p.closed():
	case p.Kind == ToolPart:
		return "allow " + quoteRule(names[0], "") // all calls of a tool
	case t.has("verb-program", base) && len(words) > 2 && isVerb(words[2]):
		if keep = 3; t.has("long-verb", words[2]) && len(words) > 3 && isVerb(words[3]) {
			keep = 4
		}
	case t.has("script-runner", base) && len(words) > 2 && words[2][0] != '-':
		keep = 3
	case strings.Contains(name, "/"), p.set&^(reads|writes) == 0: // a script, or what only handles files
		keep = 2
	}
	if keep > 0 {
		words = append(words[:keep], "...")
	}
	return strings.Join(words, " ")
}

// isVerb reports whether a word is one that says what a program does.
func isVerb(s string) bool {
	return s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(":_-", r)
	})
}

// quoteRule writes a word so that a rule means just that, also quoting what has
// a byte of special; "" if it cannot.
func quoteRule(s, special string) string {
	switch {
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return ""
	case s != "" && s != "..." && s[0] != '~' && !strings.ContainsAny(s, " '\"\\$`&|;<>()*"+special):
		return s
	case !strings.Contains(s, "'"):
		return "'" + s + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
