package policy

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and ${x...} (bash manual, 3.5.3) into the words that it
// becomes this time; with star, in quotes they are one.
func (j *judge) param(p *syntax.ParamExp) (words []string, star bool) {
	if p.Param == nil || p.NestedParam != nil || p.Flags != nil {
		return []string{anyText}, false
	}
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
		text := j.pickOf(j.valueOf(name))
		if name, sub, _ = subscripted(text); text == "@" || text == "*" {
			name, sub = "@", text
		}
		if !known(text) || sub != "" && sub != "@" && sub != "*" {
			j.subscript(text, at)
			return []string{anyText}, false
		}
	}
	v := j.lookup(name)
	list := j.pickList(name, v)
	array := sub != ""
	switch first := element(list, 0); {
	case array && v.attrs&assoc != 0:
		words = append(asArray(list), anyWords) // in whatever order
	case array:
		words = asArray(list)
	case p.Index != nil:
		words = []string{j.elementOf(asArray(list), p.Index, v.attrs)}
	case first != noElements:
		words = []string{first}
	}
	return j.modify(words, p, name, array, at), sub == "*"
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

// modify applies the operator of ${x op y}.
func (j *judge) modify(words []string, p *syntax.ParamExp, name string, array bool, at span) []string {
	if p.Exp != nil && p.Exp.Op >= syntax.AlternateUnset && p.Exp.Op <= syntax.AssignUnsetOrNull {
		return j.defaults(words, p.Exp, name, array, at)
	}
	if p.Slice == nil && p.Repl == nil && p.Exp == nil {
		return words
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		switch letter := p.Exp.Word.Lit(); letter {
		case "E", "P", "U", "L":
			for _, s := range words {
				if letter == "P" {
					j.subscript(s, at) // expanded like a prompt, which runs substitutions
				} else if letter == "E" && !array {
					return []string{j.afford(ansiC(s))}
				}
			}
		}
	}
	op := j.operator(*p, array && name == "@")
	if p.Slice != nil && array && (op == nil || slices.Contains(words, anyWords)) {
		return []string{anyWords}
	}
	if op != nil && !slices.ContainsFunc(words, func(s string) bool { return !known(s) }) && (array || len(words) > 0) {
		if out := operate(*op, words, array); out != nil || array {
			return out
		}
	}
	out := make([]string, len(words))
	for i, s := range words {
		switch out[i] = taint(s); {
		case s == anyWords:
			out[i] = s
		case op != nil && p.Exp != nil && !known(s) && !wild(s) && !strings.Contains(s, "/"):
			out[i] = aName // a part of a name
		case op != nil && known(s):
			if one := operate(*op, words[i:i+1], false); len(one) == 1 {
				out[i] = one[0]
			}
		}
	}
	return out
}

// operator returns an operator with its words known, nil if they are not, or
// what it does depends on more than them.
func (j *judge) operator(op syntax.ParamExp, positional bool) *syntax.ParamExp {
	switch {
	case op.Slice != nil:
		s := *op.Slice
		for i, x := range [...]*syntax.ArithmExpr{&s.Offset, &s.Length} {
			if *x == nil {
				continue
			}
			n, err := strconv.ParseInt(j.arithm(*x), 10, 64)
			if positional && i == 0 {
				n-- // $0 comes before $1; -1 is what counts from the end, too
			}
			if err != nil || positional && n < 0 {
				return nil
			}
			*x = numeral(n)
		}
		op.Slice = &s
	case op.Repl != nil:
		orig, with := literalWord(j.patternOf(op.Repl.Orig)), j.plainText(op.Repl.With)
		// What is in a range depends on the locale.
		if orig == nil || strings.Contains(orig.Lit(), "[") || !known(with) || strings.ContainsAny(with, `&\`) {
			return nil
		}
		op.Repl = &syntax.Replace{All: op.Repl.All, Orig: orig, With: knownWord(with)}
		if at := strings.IndexAny(orig.Lit()+" ", "#%"); at == 0 && !op.Repl.All { // the library does not know ${x/#pattern/with}
			if op.Repl = nil; with != "" {
				return nil
			}
			op.Exp = &syntax.Expansion{Op: syntax.RemLargePrefix, Word: literalWord(orig.Lit()[1:])}
			if orig.Lit()[0] == '%' {
				op.Exp.Op = syntax.RemLargeSuffix
			}
		}
	case op.Exp.Op == syntax.OtherParamOps:
		if letter := op.Exp.Word.Lit(); letter != "U" && letter != "L" {
			return nil
		}
	default:
		w := literalWord(j.patternOf(op.Exp.Word))
		if w == nil {
			return nil
		}
		op.Exp = &syntax.Expansion{Op: op.Exp.Op, Word: w}
	}
	return &op
}

// literalWord is a word of a pattern, nil if that is not known.
func literalWord(s string) *syntax.Word {
	if !known(s) || !utf8.ValidString(s) || strings.HasPrefix(s, "~") {
		return nil
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
}

// defaults is ${x:-word} and its kin.
func (j *judge) defaults(words []string, exp *syntax.Expansion, name string, array bool, at span) []string {
	text := j.plainText(exp.Word)
	isNull := exp.Op == syntax.DefaultUnsetOrNull || exp.Op == syntax.AssignUnsetOrNull || exp.Op == syntax.ErrorUnsetOrNull
	full, unsure := len(words) > 0, false
	if full && !array {
		s := words[0]
		full = !isNull || s != ""
		unsure = withoutHoles(s) == "" && s != "" && !strings.HasPrefix(s, digits) && !strings.HasPrefix(s, aName)
	}
	switch exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return [][]string{{text}, {""}}[j.pick(2)]
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !full && !array {
			return []string{aName} // nothing runs
		}
		return words
	}
	if full && (!unsure || j.pick(2) == 0) {
		return words
	}
	if exp.Op >= syntax.AssignUnset && validName(name) {
		v := value{text}
		if unsure || !j.choice.settled() {
			v = v.join(j.valueOf(name))
		}
		j.assignText(name, v, 0, at)
	}
	return []string{text}
}
