package router

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// argOf is what can be known of a word before bash expands it.
func argOf(w *syntax.Word) arg {
	var a arg
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			a.text += unescapeText(p.Value)
			a.multi = a.multi || strings.Contains(p.Value, "{")
		case *syntax.SglQuoted:
			a.text += p.Value
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					a.text += unescapeText(lit.Value)
					continue
				}
				a.text += "$"
				a.multi = a.multi || severalWords(q)
			}
		default:
			a.text += "$"
			a.multi = true
		}
	}
	return a
}

// severalWords reports whether an expansion in double quotes may still become
// any number of words: "$@", "${a[@]}".
func severalWords(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok {
		return false
	}
	if p.Param != nil && p.Param.Value == "@" {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@"
}

func unescapeText(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
