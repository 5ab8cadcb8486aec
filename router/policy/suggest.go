package policy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentbash/agentbash/router"
)

// maxSuggestion bounds a generated rule, in bytes: nobody reads longer ones.
const maxSuggestion = 200

// suggestion is the rule that would allow a part, or "".
func (d *decider) suggestion(p *Part) string {
	var words []string
	switch {
	case p.set&unknown != 0 && (p.Kind != ToolPart || p.strange):
		return ""
	case p.Kind == RedirectPart && len(p.Paths) == 1:
		path := p.Paths[0].raw
		if rest, ok := below(path, one(d.w.roots())); ok && rest != "" {
			path = "./" + rest
		}
		words = []string{"write", quoteRule(path, "?")}
	case p.Kind == CommandPart || p.Kind == ToolPart:
		words = p.wordsToAllow()
	}
	text := "allow " + strings.Join(words, " ")
	// What would not allow it, as it is read back, is not offered.
	r, err := parseRule(text)
	if err != nil || slices.Contains(words, "") || len(text) > maxSuggestion {
		return ""
	}
	then := *d
	if then.Mode, then.rules = AskMode, append(slices.Clip(d.rules), &r); d.Outside {
		r.outside, then.where = true, router.FreeProfile
	}
	if answer, _, _ := then.decide(p); answer != Allow {
		return ""
	}
	return text
}

// wordsToAllow are those of a rule that allows a command or call and others like it.
func (p *Part) wordsToAllow() []string {
	names := p.names()
	name := names[len(names)-1]
	words := []string{quoteRule(name, "")}
	for _, f := range p.words[1:] {
		words = append(words, quoteRule(f.text, ""))
	}
	isVerb := func(n int) bool { // the word says what is done
		return len(words) > n && words[n] != "" && strings.Trim(words[n], verbLetters) == "" && words[n][0] != '-'
	}
	t, base := programs(), baseName(lastOf(name))
	keep := 0
	switch {
	case p.closed():
		return words
	case p.Kind == ToolPart:
		return []string{quoteRule(names[0], "")} // all calls of a tool
	case t.has("verb-program", base) && isVerb(1) && t.has("long-verb", words[1]) && isVerb(2):
		keep = 3
	case t.has("verb-program", base) && isVerb(1), t.has("script-runner", base) && len(words) > 1 && !strings.HasPrefix(words[1], "-"):
		keep = 2
	case strings.Contains(name, "/"), p.set&^(reads|writes) == 0: // a script, or what only handles files
		keep = 1
	default:
		return words
	}
	return append(words[:keep], "...")
}

const verbLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-"

// quoteRule writes a word so that a rule means just that, also quoting bytes of special; "" if it cannot.
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
