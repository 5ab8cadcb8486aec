package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// operator is ${x:-y} and its kin, ${x#y}, ${x^}, ${x@Q}.
func (j *judge) operator(out *piece, p *syntax.ParamExp, name string, at span) {
	op, word := p.Exp.Op, p.Exp.Word
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		j.defaults(out, word, name, op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull,
			op == syntax.DefaultUnset || op == syntax.AssignUnset)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		v := j.expandOne(word).join(value{""})
		out.vals, out.lists = v, nil
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		j.expandOne(word)
		if len(out.vals) > 1 {
			out.vals = without(out.vals, "")
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		pattern := j.expandOne(word)
		out.transform(func(s string) value {
			return pattern.each(func(pat string) string { return trim(s, pat, op) })
		})
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		j.expandOne(word)
		whole := word == nil || len(word.Parts) == 0
		out.transform(func(s string) value { return recase(s, op, whole) })
	default:
		j.atOperator(out, word, at)
	}
}

// defaults is ${x:-word} and ${x:=word}.
func (j *judge) defaults(out *piece, word *syntax.Word, name string, assign, onlyUnset bool) {
	v := j.expandOne(word)
	if out.lists != nil {
		out.lists = joinLists(out.lists, [][]string{{one(v)}})
		if len(v) != 1 {
			out.lists = joinLists(out.lists, [][]string{{anyText}})
		}
		return
	}
	mayBeEmpty := len(out.vals) == 0
	for _, s := range out.vals {
		mayBeEmpty = mayBeEmpty || withoutHoles(s) == "" && !(strings.HasPrefix(s, digits) || strings.HasPrefix(s, aName))
	}
	if !mayBeEmpty {
		return
	}
	if all := without(out.vals, ""); len(all) > 0 {
		v = all.join(v)
	}
	if onlyUnset && out.vals.has("") {
		v = v.join(value{""}) // it may be set, to nothing
	}
	out.vals = v
	if assign && validName(name) {
		j.assign(variable{name: name, val: v})
	}
}

func without(v value, s string) value {
	var out value
	for _, t := range v {
		if t != s {
			out = append(out, t)
		}
	}
	return out
}

func recase(s string, op syntax.ParExpOperator, whole bool) value {
	if !whole || s == "" {
		return value{anyText}
	}
	switch op {
	case syntax.UpperAll:
		return value{strings.ToUpper(s)}
	case syntax.LowerAll:
		return value{strings.ToLower(s)}
	case syntax.UpperFirst:
		return value{strings.ToUpper(s[:1]) + s[1:]}
	}
	return value{strings.ToLower(s[:1]) + s[1:]}
}

// atOperator is ${x@P} and the like.
func (j *judge) atOperator(out *piece, word *syntax.Word, at span) {
	op := ""
	if word != nil {
		op = word.Lit()
	}
	switch op {
	case "P": // expanded like a prompt, which runs substitutions
		for _, s := range out.vals {
			j.subscript(s, at)
		}
		for _, l := range out.lists {
			for _, s := range l {
				j.subscript(s, at)
			}
		}
		out.vals = value{anyText}
	case "E":
		out.transform(func(s string) value { return value{ansiC(s)} })
	case "U":
		out.transform(func(s string) value { return value{strings.ToUpper(s)} })
	case "L":
		out.transform(func(s string) value { return value{strings.ToLower(s)} })
	default:
		out.transform(func(string) value { return value{anyText} })
	}
}
