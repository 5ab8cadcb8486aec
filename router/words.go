package router

import (
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// argOf is what can be known of a word before bash expands it.
func argOf(w *syntax.Word) arg {
	var a arg
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			a.text += unescapes.Replace(p.Value)
			a.multi = a.multi || strings.Contains(p.Value, "{")
		case *syntax.SglQuoted:
			a.text += p.Value
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					a.text += unescapes.Replace(lit.Value)
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

// severalWords reports whether an expansion in double quotes may still become several: "$@", "${a[@]}".
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

// unescapes takes off the backslashes that quote a byte.
var unescapes = strings.NewReplacer(`\\`, `\`, `\`, "")

// eachCommand calls look for the simple commands of a text that have words.
func eachCommand(tree *bashtext.Tree, look func(*syntax.CallExpr)) {
	for _, stmt := range tree.Stmts {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				look(call)
			}
			return true
		})
	}
}
