package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and ${x...} (bash manual, 3.5.3) into words; with star they are one in quotes.
func (j *judge) param(p *syntax.ParamExp) (words []string, star bool) {
	at := j.src.spanOf(p.Pos(), p.End())
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
		if name = j.pickOf(j.valueOf(name)); !known(name) || strings.ContainsAny(name, "[@* ") {
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
	case p.Slice != nil: // of a text's characters
		text := joinWords(words, "")
		if words = []string{joinWords(j.sliced(strings.Split(text, ""), p.Slice, false), "")}; !known(text + words[0]) {
			words[0] = taint(text)
		}
	case p.Repl != nil || exp != nil:
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

// sliced is ${x:offset:length} of an array's elements or a text's characters. Before $1 comes $0.
func (j *judge) sliced(words []string, s *syntax.Slice, positional bool) []string {
	isKnown := true
	number := func(x syntax.ArithmExpr, missing int) int {
		if x == nil {
			return missing
		}
		n, err := strconv.Atoi(j.arithm(x))
		isKnown = isKnown && err == nil
		return n
	}
	from, n := number(s.Offset, 0), number(s.Length, maxKnown)
	if positional {
		words = append([]string{inherited}, words...)
	}
	if from < 0 {
		from += len(words)
	}
	if n < 0 { // from the end
		n += len(words) - from
	}
	if !isKnown || from < 0 || n < 0 || slices.Contains(words, anyWords) {
		return []string{anyWords}
	}
	from = min(from, len(words))
	return words[from:min(from+n, len(words))]
}

// modified applies the operator of ${x op y}.
func (j *judge) modified(words []string, p *syntax.ParamExp, at span) []string {
	change := j.operator(p)
	out := make([]string, len(words))
	for i, s := range words {
		out[i] = taint(s)
		switch {
		case change != nil && known(s):
			out[i] = change(s)
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

// removed is what the operators that remove a pattern remove: the group.
var removed = map[string]string{"#": "^(%s)", "##": "^(%s)", "%": "(?s).*(%s)$", "%%": "(%s)$"}

// operator returns what an operator makes of a text; nil: that depends on what is not known, or on the locale.
func (j *judge) operator(p *syntax.ParamExp) func(s string) string {
	var glob, with, form string
	mode, all := pattern.Mode(0), p.Repl != nil && p.Repl.All
	if p.Repl != nil {
		glob, with, form = j.patternOf(p.Repl.Orig), j.plainText(p.Repl.With), "(%s)"
		if at := glob[:min(1, len(glob))]; !all && removed[at] != "" { // ${x/#pattern/with}
			form, glob = removed[at+at], glob[1:]
		}
	} else {
		op := p.Exp.Op.String()
		glob, form = j.patternOf(p.Exp.Word), removed[op]
		switch op + glob {
		case "^^", "@U":
			return strings.ToUpper
		case ",,", "@L":
			return strings.ToLower
		}
		if len(op) == 1 {
			mode = pattern.Shortest
		}
	}
	ranges := p.Repl != nil && strings.Contains(glob, "[")
	if form == "" || glob == "" || ranges || !known(glob+with) || strings.ContainsAny(with, `&\`) {
		return nil
	}
	expr, err := pattern.Regexp(glob, mode)
	re, bad := regexp.Compile(fmt.Sprintf(form, expr))
	if err != nil || bad != nil {
		return nil
	}
	return func(s string) string {
		if all {
			return re.ReplaceAllLiteralString(s, with)
		}
		if at := re.FindStringSubmatchIndex(s); at != nil {
			s = s[:at[2]] + with + s[at[3]:]
		}
		return s
	}
}
