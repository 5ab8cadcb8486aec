package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// piece is a part of a word with the texts it may have.
type piece struct {
	vals   value
	lists  [][]string // "$@" and "${a[@]}": the words it may become
	joined bool       // with lists: vals is what they are as one word, as for $*
	quoted bool
	split  bool // an unquoted expansion: blanks in it end words
	glob   bool // * ? [ in it are unquoted
}

// maxArgvs is how many command lines one simple command may become.
const maxArgvs = 24

// expandAll returns the command lines that words may become. There is at
// least one.
func (j *judge) expandAll(words []*syntax.Word) [][]field {
	argvs := [][]field{make([]field, 0, len(words)+2)}
	for _, w := range words {
		if f, ok := j.literal(w); ok {
			for i := range argvs {
				argvs[i] = append(argvs[i], f)
			}
			continue
		}
		argvs = cross(argvs, j.expand(w))
	}
	return argvs
}

// cross appends every one of several endings to every command line. Too many
// get an unknown end instead.
func cross(argvs, ends [][]field) [][]field {
	if len(ends) == 1 {
		for i := range argvs {
			argvs[i] = append(argvs[i], ends[0]...)
		}
		return argvs
	}
	if len(argvs)*len(ends) > maxArgvs {
		keep := min(len(ends), max(1, maxArgvs/len(argvs)-1))
		ends = append(ends[:keep:keep], []field{{text: anyText, multi: true, from: -1, at: where(ends)}})
	}
	out := make([][]field, 0, len(argvs)*len(ends))
	for _, a := range argvs {
		for _, e := range ends {
			out = append(out, append(a[:len(a):len(a)], e...))
		}
	}
	return out
}

// where is the place in the line of what becomes several words.
func where(lists [][]field) span {
	for _, l := range lists {
		if len(l) > 0 {
			return l[0].at
		}
	}
	return span{}
}

// literal is the fast way for a word that is what it says.
func (j *judge) literal(w *syntax.Word) (field, bool) {
	if len(w.Parts) != 1 {
		return field{}, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, "\\~{*?[$`\x02") || j.src.holes {
		return field{}, false
	}
	f := field{text: lit.Value, plain: true, from: -1, at: j.src.span(lit.ValuePos, lit.ValueEnd)}
	if f.at.end-f.at.start == len(f.text) {
		f.from = f.at.start
	}
	return f, true
}

// expand returns the lists of words that one word may become.
func (j *judge) expand(w *syntax.Word) [][]field {
	if f, ok := j.literal(w); ok {
		return [][]field{{f}}
	}
	var out [][]field
	words := j.braces(w)
	for i, v := range words {
		fields := j.assemble(v, w, len(words) > 1)
		if i == 0 {
			out = fields
			continue
		}
		out = cross(out, fields)
	}
	return out
}

// expandOne returns the texts that a word may have where it is not split: an
// assignment's value, a case's word, a redirection's target.
func (j *judge) expandOne(w *syntax.Word) value {
	if w == nil {
		return value{""}
	}
	v := value{""}
	for _, p := range j.pieces(w.Parts, false, true) {
		v = concat(v, p.scalar())
	}
	return j.afford(v)
}

// afford takes the texts off the budget; beyond it they are not known any more.
func (j *judge) afford(v value) value {
	for _, s := range v {
		j.bytes += len(s)
	}
	if j.bytes > maxBytes {
		j.overspent()
		return value{v.taint()}
	}
	return v
}

// scalar is a piece as part of one word.
func (p *piece) scalar() value {
	if p.lists == nil || p.joined {
		if len(p.vals) == 0 {
			return value{""}
		}
		return p.vals
	}
	return joinWith(p.lists, " ")
}

// pieces expands the parts of a word.
func (j *judge) pieces(parts []syntax.WordPart, quoted, start bool) []piece {
	out := make([]piece, 0, len(parts))
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out = append(out, j.literalPiece(p, quoted, start && i == 0, len(parts) == 1))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = ansiC(text)
			}
			out = append(out, piece{vals: value{j.src.literal(text)}, quoted: true})
		case *syntax.DblQuoted:
			inner := j.pieces(p.Parts, true, false)
			if len(inner) == 0 {
				inner = []piece{{vals: value{""}, quoted: true}}
			}
			out = append(out, inner...)
		case *syntax.ParamExp:
			out = append(out, j.param(p, quoted))
		case *syntax.CmdSubst:
			out = append(out, piece{vals: j.substitution(p), quoted: quoted, split: !quoted})
		case *syntax.ArithmExp:
			out = append(out, piece{vals: j.arithm(p.X), quoted: quoted, split: !quoted})
		case *syntax.ProcSubst:
			out = append(out, piece{vals: value{j.procSubst(p)}, quoted: true})
		case *syntax.ExtGlob:
			j.hidden(p.Pattern.Value, j.src.span(p.Pos(), p.End()))
			out = append(out, piece{vals: value{aName}, glob: !quoted})
		case *syntax.BraceExp:
			out = append(out, piece{vals: value{anyText}, split: true})
		}
	}
	return out
}

func (j *judge) literalPiece(lit *syntax.Lit, quoted, start, whole bool) piece {
	text := lit.Value
	if !quoted && strings.ContainsAny(text, "$`<>") {
		j.hidden(text, j.src.span(lit.ValuePos, lit.ValueEnd))
	}
	text = j.src.literal(text)
	if quoted {
		return piece{vals: value{unescapeQuoted(text)}, quoted: true}
	}
	var vals value
	if start && strings.HasPrefix(text, "~") {
		vals = j.tilde(text, whole)
	}
	if name, rest, ok := strings.Cut(text, "=~"); ok && start && vals == nil && validName(name) {
		// As an argument it looks like an assignment.
		if home := j.tilde("~"+rest, whole); home != nil {
			vals = concat(value{name + "="}, home)
		}
	}
	if vals == nil {
		vals = value{unescape(text)}
	}
	return piece{vals: vals, glob: hasGlob(text)}
}

// hidden looks for expansions in what the parser took for a literal: the
// patterns of extended globs, regular expressions.
func (j *judge) hidden(text string, at span) {
	if strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		j.unknown("whether this runs a command cannot be told", at)
	}
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") {
		return
	}
	w, err := j.parser.Document(strings.NewReader(text))
	if err != nil || w == nil {
		j.unknown("what this runs cannot be told", at)
		return
	}
	outer := j.src
	j.src = &source{text: text, start: at.start, end: at.end, made: true, holes: outer.holes, lets: outer.lets, outer: outer}
	j.pieces(w.Parts, true, false)
	j.src = outer
}

// tilde expands a leading ~ (bash manual, 3.5.2). Whose home it is cannot be
// looked up here; that it is one matters.
func (j *judge) tilde(text string, whole bool) value {
	name, rest, slash := strings.Cut(text[1:], "/")
	if !slash && !whole || strings.ContainsAny(name, "\\*?[") {
		return nil
	}
	if slash {
		rest = "/" + unescape(rest)
	}
	switch name {
	case "":
		return concat(j.home(), value{rest})
	case "+":
		return concat(value(j.env.dirs), value{rest})
	case "-":
		return value{inherited + rest}
	case "root":
		return value{"/root" + rest}
	}
	return value{"/home/" + name + rest}
}

func (j *judge) home() value {
	if v := j.env.find("HOME"); v != nil {
		return v.val
	}
	if j.world.Home != "" {
		return value{clean(j.world.Home)}
	}
	return value{inherited}
}

// hasGlob reports whether unquoted text has pattern characters.
func hasGlob(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// unescape removes backslashes outside quotes.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// unescapeQuoted removes backslashes inside double quotes.
func unescapeQuoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
