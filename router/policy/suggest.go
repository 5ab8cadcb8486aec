package policy

import (
	"strings"
	"unicode/utf8"
)

// suggestions are the rules that would allow what was asked about, one for each
// part; nil where one cannot be had.
func (d *decider) suggestions() []string {
	if d.byPlain {
		return nil
	}
	var out []string
	for _, p := range d.asked {
		text := p.suggestion(d.w)
		if text == "" {
			return nil
		}
		if !value(out).has(text) {
			out = append(out, text)
		}
	}
	return out
}

// maxSuggestion bounds a generated rule, in bytes: nobody reads longer ones.
const maxSuggestion = 200

// suggestion is the rule that would allow a part, or "".
func (p *Part) suggestion(w *World) string {
	text := ""
	switch {
	case p.set&unknown != 0 && (p.Kind != ToolPart || p.set == unknown) || p.loose:
		return ""
	case p.Kind == RedirectPart:
		text = p.fileRule(w)
	case p.known && (p.Kind == CommandPart || p.Kind == ToolPart):
		text = p.wordRule()
	}
	if text == "" || len(text) > maxSuggestion {
		return ""
	}
	// What cannot be read back the way it is meant is not offered.
	r, err := parseRule(text)
	if err != nil {
		return ""
	}
	found := ruling{}
	found.take(&r, p, w)
	d := decider{mode: AskMode, w: w}
	if found.allow == nil && !d.permits(p, &found) {
		return ""
	}
	return text
}

// fileRule allows the files that a redirection writes.
func (p *Part) fileRule(w *World) string {
	var out []string
	for i := range p.Paths {
		path := &p.Paths[i]
		if !path.Write {
			continue
		}
		if !known(path.raw) || path.Place == Nowhere {
			return ""
		}
		name := escaped(path.raw)
		if roots := w.roots(); len(roots) == 1 {
			if rest, ok := below(path.raw, clean(roots[0])); ok && rest != "" {
				name = "./" + escaped(rest)
			}
		}
		out = append(out, quoteRule(name, true))
	}
	if len(out) != 1 || out[0] == "" {
		return ""
	}
	return "allow write " + out[0]
}

// escaped quotes what means something in a pattern.
func escaped(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `\`, `\\`).Replace(s)
}

// The programs whose first words say what is done, and those of whose verbs
// the next word says more.
const (
	verbPrograms = "git go cargo npm pnpm yarn pip pip3 uv poetry pipenv pdm hatch bundle gem composer mix cabal stack opam mvn gradle docker podman kubectl helm gh glab terraform dotnet swift zig deno bun just task tox nox rake sbt bazel hg jj svn rustup conda"
	longVerbs    = "run exec compose mod work tool stack remote pr issue repo release workflow x workspace image container config"
	interpreters = "bash sh dash zsh ksh python perl ruby node nodejs php lua Rscript tclsh deno bun tsx ts-node"
)

// wordRule allows a command of these words and others like it.
func (p *Part) wordRule() string {
	names := p.names()
	name := quoteRule(names[len(names)-1], false)
	if name == "" {
		return ""
	}
	rest := make([]string, 0, len(p.words))
	for i := range p.words[1:] {
		word := quoteRule(p.words[i+1].text, false)
		if word == "" {
			return ""
		}
		rest = append(rest, word)
	}
	base := baseName(lastOf(names[len(names)-1]))
	open := !p.more && !p.strays()
	switch {
	case p.Kind == ToolPart && open:
		return "allow " + quoteRule(names[0], false) // all calls of a tool
	case !open:
	case containsField(verbPrograms, base) && len(rest) > 0 && isVerb(rest[0]):
		n := 1
		if len(rest) > 1 && containsField(longVerbs, rest[0]) && isVerb(rest[1]) {
			n = 2
		}
		return "allow " + name + " " + strings.Join(rest[:n], " ") + " ..."
	case containsField(interpreters, base) && len(rest) > 0 && !strings.HasPrefix(rest[0], "-"):
		return "allow " + name + " " + rest[0] + " ..."
	case strings.Contains(names[0], "/") && names[len(names)-1] == names[0]:
		return "allow " + name + " ..." // a script
	case p.set&^(reads|writes) == 0:
		return "allow " + name + " ..."
	}
	return strings.TrimSuffix("allow "+name+" "+strings.Join(rest, " "), " ")
}

// isVerb reports whether a word is one that says what a program does.
func isVerb(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-") == ""
}

// quoteRule writes a word so that a rule means just that; "" if it cannot. A
// pattern keeps its backslashes.
func quoteRule(s string, pattern bool) string {
	if !utf8.ValidString(s) {
		return ""
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return ""
		}
	}
	special := " '\"\\$`&|;<>()*"
	if pattern {
		special = " '\"$`&|;<>()"
	}
	if s != "" && s != "..." && s[0] != '~' && !strings.ContainsAny(s, special) {
		return s
	}
	if pattern && strings.Contains(s, `\`) {
		return "" // a quoted backslash would be one of the name
	}
	if !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
