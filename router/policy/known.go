package policy

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// ansiC decodes the text of $'...' (bash manual, 3.1.2.4).
func ansiC(s string) string {
	text, ok := unbackslash(s)
	if !ok {
		return anyText
	}
	text, _, _ = strings.Cut(text, "\x00") // a NUL ends it
	return text
}

// printed decodes a text as printf does.
func printed(s string) string {
	text, ok := unbackslash(s)
	if !ok {
		return anyText
	}
	return strings.ReplaceAll(text, "\x00", anyText)
}

// unbackslash decodes a text; false where the library reads it in another way
// than bash: control characters, \x{72}, \562 and \18.
func unbackslash(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		next := s[i+1:]
		more := min(2, len(next)-len(strings.TrimLeft(next, "0123456789")))
		if s[i] == 'c' || s[i] == 'x' && strings.HasPrefix(next, "{") || '4' <= s[i] && s[i] <= '7' && more == 2 ||
			'0' <= s[i] && s[i] <= '7' && strings.ContainsAny(next[:more], "89") {
			return "", false
		}
	}
	text, _, err := expand.Format(nil, s, nil)
	return text, err == nil
}

// echoed decodes what echo -e and printf %b take: \0 and three more digits.
func echoed(s string) string { return printed(zeroes.Replace(s)) }

var zeroes = strings.NewReplacer(`\\`, `\\`, `\00`, `\0`, `\01`, `\1`, `\02`, `\2`, `\03`, `\3`, `\04`, `\4`, `\05`, `\5`, `\06`, `\6`, `\07`, `\7`)

// parameters are what the library is to know of variables.
type parameters map[string]expand.Variable

// Get returns a variable. Nobody's home is looked up: the library would.
func (p parameters) Get(name string) expand.Variable {
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		return expand.Variable{Set: true, Kind: expand.String, Str: "/home/" + user}
	}
	return p[name]
}

// Each does nothing: what asks for all variables is not given to the library.
func (p parameters) Each(func(string, expand.Variable) bool) {}

// operate returns what "${x op}" makes of a text, or with array "${x[@]op}" of
// several, all known; nil where the library cannot tell.
func operate(op syntax.ParamExp, words []string, array bool) []string {
	if slices.ContainsFunc(words, func(s string) bool { return !utf8.ValidString(s) || len(s) > 4096 }) {
		return nil
	}
	op.Short, op.Excl, op.Param, op.Index = false, false, &syntax.Lit{Value: "x"}, nil
	v := expand.Variable{Set: true, Kind: expand.String}
	if array {
		op.Index = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "@"}}}
		v.Kind, v.List = expand.Indexed, words
	} else {
		v.Str = words[0]
	}
	w := &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{&op}}}}
	out, _ := expand.Fields(&expand.Config{Env: parameters{"x": v}}, w)
	return out
}

// knownWord is a word of that text, with nothing to expand in it.
func knownWord(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
}

// match reports whether the whole of s matches a glob pattern. With paths, *
// and ? stop at a slash and ** does not. Patterns here only ever raise: what is
// none matches.
func match(glob, s string, paths bool) bool {
	mode := pattern.EntireString
	if paths {
		mode |= pattern.Filenames | pattern.GlobLeadingDot
	}
	expr, err := pattern.Regexp(glob, mode)
	if err != nil {
		return true
	}
	re, err := regexp.Compile(expr)
	return err != nil || re.MatchString(s)
}
