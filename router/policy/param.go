package policy

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and ${x...} (bash manual, 3.5.3) into the words that it
// becomes this time; with star, in quotes they are one.
func (j *judge) param(p *syntax.ParamExp) (words []string, star bool) {
	at := j.src.span(p.Pos(), p.End())
	name, sub := p.Param.Value, ""
	if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		sub = w.Lit()
	} else if name == "@" || name == "*" {
		name, sub = "@", name
	}
	switch {
	case p.Length:
		return []string{digits}, false
	case p.Names != 0 || p.Excl && sub != "":
		return []string{anyWords}, false
	case p.Excl: // ${!x}: what x names
		if name = j.pickOf(j.valueOf(name)); !known(name) || strings.ContainsAny(name, "[@*") {
			j.subscript(name, at)
			return []string{anyWords}, false
		}
	}
	v := j.lookup(name)
	list := j.pickList(name, v)
	switch first := element(list, 0); {
	case sub != "" && v.attrs&assoc != 0:
		words = append(asArray(list), anyWords) // in whatever order
	case sub != "":
		words = asArray(list)
	case p.Index != nil:
		words = []string{j.elementOf(asArray(list), p.Index, v.attrs)}
	case first != noElements:
		words = []string{first}
	}
	switch exp := p.Exp; {
	case exp != nil && exp.Op >= syntax.AlternateUnset && exp.Op <= syntax.AssignUnsetOrNull:
		words = j.defaults(words, exp, name, at)
	case p.Slice != nil && sub != "":
		words = j.sliced(words, p.Slice, name == "@")
	case p.Slice != nil || p.Repl != nil || exp != nil:
		words = j.modified(words, p, at)
	}
	return words, sub == "*"
}

// elementOf returns an element of an array: any, if its index is not known.
func (j *judge) elementOf(elems []string, index syntax.ArithmExpr, is attrs) string {
	s := ""
	if n := j.index(index, is); n >= 0 {
		s = element(listOf(elems), n)
	} else {
		s = element(j.pickOf(append(slices.Clip(elems), "")), 0)
	}
	return strings.TrimPrefix(s, noElements)
}

// defaults is ${x:-word} and its kin.
func (j *judge) defaults(words []string, exp *syntax.Expansion, name string, at span) []string {
	text, s := j.plainText(exp.Word), joinWords(words, "")
	orNull := (exp.Op-syntax.AlternateUnset)%2 == 1 // :+ :- :? :=
	isSet, unsure := len(words) > 0 && (s != "" || !orNull), wild(s) && withoutHoles(s) == ""
	switch exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return []string{[...]string{text, ""}[j.pick(2)]}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !isSet {
			return []string{aName} // nothing runs
		}
		return words
	}
	if isSet && (!unsure || j.pick(2) == 0) {
		return words
	}
	if exp.Op >= syntax.AssignUnset && validName(name) {
		v := value{text}
		if unsure || len(j.choice.made) > 0 {
			v = v.join(j.valueOf(name))
		}
		j.assignText(name, v, 0, at)
	}
	return []string{text}
}

// sliced is ${x[@]:offset:length}. Before $1 comes $0.
func (j *judge) sliced(words []string, s *syntax.Slice, positional bool) []string {
	from, err := strconv.Atoi(j.arithm(s.Offset))
	n := maxKnown
	if s.Length != nil && err == nil {
		n, err = strconv.Atoi(j.arithm(s.Length))
	}
	if positional {
		words = append([]string{inherited}, words...)
	}
	if from < 0 {
		from += len(words)
	}
	if err != nil || from < 0 || n < 0 || slices.Contains(words, anyWords) {
		return []string{anyWords}
	}
	from = min(from, len(words))
	return words[from:min(from+n, len(words))]
}

// modified applies the operator of ${x op y}.
func (j *judge) modified(words []string, p *syntax.ParamExp, at span) []string {
	op := j.operator(*p)
	out := make([]string, len(words))
	for i, s := range words {
		out[i] = taint(s)
		switch {
		case op != nil && known(s):
			out[i] = operate(*op, s)
		case s == anyWords:
			out[i] = s
		case p.Exp == nil:
		case p.Exp.Op == syntax.OtherParamOps:
			j.subscript(s, at) // @P runs substitutions, as a prompt does
		case !wild(s) && !known(s) && !strings.Contains(s, "/"):
			out[i] = aName // a part of a name
		}
	}
	return out
}

// operator returns an operator with its words known, nil if they are not, or
// what it does depends on more than them.
func (j *judge) operator(op syntax.ParamExp) *syntax.ParamExp {
	switch {
	case op.Slice != nil:
		s, all := *op.Slice, ""
		for _, x := range [...]*syntax.ArithmExpr{&s.Offset, &s.Length} {
			if *x != nil {
				n := j.arithm(*x)
				all, *x = all+n, knownWord(n)
			}
		}
		if op.Slice = &s; !known(all) {
			return nil
		}
	case op.Repl != nil:
		orig, with := j.patternOf(op.Repl.Orig), j.plainText(op.Repl.With)
		// What is in a range depends on the locale.
		if !plainPattern(orig) || !known(with) || strings.Contains(orig, "[") || strings.ContainsAny(with, `&\`) {
			return nil
		}
		op.Repl = &syntax.Replace{All: op.Repl.All, Orig: literalWord(orig), With: knownWord(with)}
		if at := strings.IndexAny(orig+" ", "#%"); at == 0 && !op.Repl.All { // the library does not know ${x/#pattern/with}
			if op.Repl = nil; with != "" {
				return nil
			}
			op.Exp = &syntax.Expansion{Op: syntax.RemLargePrefix, Word: literalWord(orig[1:])}
			if orig[0] == '%' {
				op.Exp.Op = syntax.RemLargeSuffix
			}
		}
	case op.Exp.Op == syntax.OtherParamOps:
		if letter := op.Exp.Word.Lit(); letter != "U" && letter != "L" {
			return nil
		}
	default:
		pattern := j.patternOf(op.Exp.Word)
		if !plainPattern(pattern) {
			return nil
		}
		op.Exp = &syntax.Expansion{Op: op.Exp.Op, Word: literalWord(pattern)}
	}
	return &op
}

// plainPattern reports whether the library knows what a pattern means.
func plainPattern(s string) bool {
	return known(s) && utf8.ValidString(s) && !strings.HasPrefix(s, "~")
}

// literalWord is a word that is a pattern.
func literalWord(s string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
}

// knownWord is a word of that text, with nothing to expand in it.
func knownWord(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
}

// operate returns what an operator makes of a text, both known.
func operate(op syntax.ParamExp, text string) string {
	const most = 4096
	if !utf8.ValidString(text) || len(text) > most {
		return anyText
	}
	op.Short, op.Excl, op.Param, op.Index = false, false, &syntax.Lit{Value: "x"}, nil
	w := &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{&op}}}}
	env := expand.FuncEnviron(func(string) string { return text })
	if out, err := expand.Literal(&expand.Config{Env: env}, w); err == nil {
		return out
	}
	return anyText
}
