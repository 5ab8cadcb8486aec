package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// piece is a part of a word with what it may become: lists of words, each of
// one word but for "$@" and its kin.
type piece struct {
	lists  [][]string
	star   bool // $*: as one word, the first character of IFS stands between
	quoted bool
	split  bool // an unquoted expansion: blanks in it end words
	glob   bool // * ? [ in it are unquoted
}

// maxArgvs is how many command lines one simple command may become, maxBraced
// how many words one word's braces may make.
const (
	maxArgvs  = 24
	maxBraced = 48
)

// expandAll returns the command lines that words may become. There is at
// least one.
func (j *judge) expandAll(words []*syntax.Word) [][]field {
	argvs := [][]field{make([]field, 0, len(words)+2)}
	for _, w := range words {
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
		rest := field{text: anyText, multi: true, from: -1}
		if all := slices.Concat(ends...); len(all) > 0 {
			rest.at = all[0].at
		}
		ends = append(ends[:keep:keep], []field{rest})
	}
	out := make([][]field, 0, len(argvs)*len(ends))
	for _, a := range argvs {
		for _, e := range ends {
			out = append(out, slices.Concat(a, e))
		}
	}
	return out
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
	out := [][]field{nil}
	words := j.braces(w)
	for _, v := range words {
		out = cross(out, j.assemble(v, w, len(words) > 1))
	}
	return out
}

// braces returns the words that brace expansion makes of one. Those beyond a
// bound, and what becomes an expansion only now, are not known.
func (j *judge) braces(w *syntax.Word) []*syntax.Word {
	open := 0
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			open += strings.Count(lit.Value, "{")
		}
	}
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if open == 0 || !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	var out []*syntax.Word
	for b, err := range expand.BracesSeq(nil, c) {
		if open > maxBraced || err != nil || len(out) == maxBraced {
			return append(out, c)
		}
		if madeVariable(b.Parts) {
			b.Parts = append(b.Parts, &syntax.BraceExp{})
		}
		out = append(out, b)
	}
	return out
}

// madeVariable reports whether braces have put a variable's name together: they
// are expanded before variables, as text, so {$x,}y is $xy and y.
func madeVariable(parts []syntax.WordPart) bool {
	for i := range len(parts) - 1 {
		next, ok := parts[i+1].(*syntax.Lit)
		switch p := parts[i].(type) {
		case *syntax.ParamExp:
			if ok && p.Short && next.Value != "" && wordByte(next.Value[0]) {
				return true
			}
		case *syntax.Lit:
			if strings.HasSuffix(p.Value, "$") && bashtext.OddBackslash(strings.TrimSuffix(p.Value, "$")) == 0 {
				return true
			}
		}
	}
	return false
}

// expandOne returns the texts that a word may have where it is not split: an
// assignment's value, a case's word.
func (j *judge) expandOne(w *syntax.Word) value {
	if w == nil {
		return value{""}
	}
	return j.afford(j.unsplit(w.Parts, false))
}

func (j *judge) unsplit(parts []syntax.WordPart, quoted bool) value {
	v := value{""}
	for _, p := range j.pieces(parts, quoted, !quoted) {
		v = concat(v, j.scalar(&p))
	}
	return v
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
func (j *judge) scalar(p *piece) (v value) {
	seps := value{" "}
	if ifs := j.lookup("IFS").val; p.star && len(ifs) > 0 {
		seps = ifs
	}
	for _, sep := range seps {
		if sep = sep[:min(1, len(sep))]; sep == "\x00" {
			sep = anyText
		}
		for _, l := range p.lists {
			text := strings.Join(l, sep)
			if strings.Contains(text, anyWords) {
				text = anyText
			}
			v = v.join(value{text})
		}
	}
	return orEmpty(v)
}

// orEmpty is v, or no text where it is unset.
func orEmpty(v value) value {
	if len(v) == 0 {
		return value{""}
	}
	return v
}

// lists returns a list of one word for every text.
func lists(v value) [][]string {
	out := make([][]string, len(v))
	for i := range v {
		out[i] = v[i : i+1 : i+1]
	}
	return out
}

// pieces expands the parts of a word.
func (j *judge) pieces(parts []syntax.WordPart, quoted, start bool) []piece {
	out := make([]piece, 0, len(parts))
	for i, part := range parts {
		p := piece{quoted: quoted, split: !quoted}
		switch n := part.(type) {
		case *syntax.Lit:
			p = j.literalPiece(n, quoted, start && i == 0, len(parts) == 1)
		case *syntax.SglQuoted:
			text := n.Value
			if n.Dollar {
				text = ansiC(text)
			}
			p = piece{lists: [][]string{{j.src.literal(text)}}, quoted: true}
		case *syntax.DblQuoted:
			inner := j.pieces(n.Parts, true, false)
			if len(inner) == 0 {
				inner = []piece{{lists: [][]string{{""}}, quoted: true}}
			}
			out = append(out, inner...)
			continue
		case *syntax.ParamExp:
			p = j.param(n, quoted)
		case *syntax.CmdSubst:
			p.lists = lists(j.substitution(n))
		case *syntax.ArithmExp:
			p.lists = lists(j.arithm(n.X))
		case *syntax.ProcSubst:
			p = piece{lists: [][]string{{j.procSubst(n)}}, quoted: true}
		case *syntax.ExtGlob:
			j.hidden(n.Pattern.Value, j.src.span(n.Pos(), n.End()))
			p = piece{lists: [][]string{{aName}}, glob: !quoted}
		case *syntax.BraceExp: // one that is not expanded
			for _, e := range n.Elems {
				j.pieces(e.Parts, false, false)
			}
			p.lists = [][]string{{anyText}}
		}
		out = append(out, p)
	}
	return out
}

func (j *judge) literalPiece(lit *syntax.Lit, quoted, start, whole bool) piece {
	if !quoted && strings.ContainsAny(lit.Value, "$`<>") {
		j.hidden(lit.Value, j.src.span(lit.ValuePos, lit.ValueEnd))
	}
	text := j.src.literal(lit.Value)
	if quoted {
		return piece{lists: [][]string{{unescapeQuoted(text)}}, quoted: true}
	}
	plain, glob := unquote(text, "")
	p := piece{lists: [][]string{{plain}}, glob: glob}
	if !start {
		return p
	}
	name, rest, ok := strings.Cut(text, "=~") // as an argument it looks like an assignment
	if name += "="; !ok || !validName(name[:len(name)-1]) {
		name, rest, ok = strings.Cut(text, "~")
		ok = ok && name == ""
	}
	if home := j.tilde(rest, whole); ok && home != nil {
		p.lists = lists(concat(value{name}, home))
	}
	return p
}

// tilde expands what follows a leading ~ (bash manual, 3.5.2), nil where it
// stays one.
func (j *judge) tilde(text string, whole bool) value {
	name, rest, slash := strings.Cut(text, "/")
	if !slash && !whole || strings.ContainsAny(name, "\\*?[") {
		return nil
	}
	if slash {
		rest = "/" + unescape(rest)
	}
	home := value{"/home/" + name}
	switch name {
	case "":
		home = j.home()
	case "+":
		home = j.env.dirs
	case "-":
		home = value{inherited}
	case "root":
		home = value{"/root"}
	}
	return concat(home, value{rest})
}

func (j *judge) home() value {
	if v := j.lookup("HOME").val; len(v) > 0 {
		return v
	}
	return j.outside("HOME").val
}

// hidden looks for expansions in what the parser took for a literal, the
// patterns of extended globs, regular expressions, and in what is read again.
func (j *judge) hidden(text string, at span) {
	if strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		j.unknown("whether this runs a command cannot be told", at)
	}
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") {
		return
	}
	outer := j.src
	s := &source{text: holesToVariables(text), start: at.start, end: at.end, made: true, holes: true, lets: outer.lets, outer: outer}
	w, err := j.parser.Document(strings.NewReader(s.text))
	if err != nil || w == nil {
		j.unknown("what this runs cannot be told", at)
		return
	}
	j.src = s
	j.pieces(w.Parts, true, false)
	j.src = outer
}

// unescape removes the backslashes outside quotes.
func unescape(s string) string {
	text, _ := unquote(s, "")
	return text
}

// unescapeQuoted removes the backslashes inside double quotes.
func unescapeQuoted(s string) string {
	text, _ := unquote(s, "$`\"\\\n")
	return text
}

// unquote removes the backslashes before one of chars, or before any byte, and
// reports whether what is left has pattern characters. A newline goes with its
// backslash.
func unquote(s, chars string) (text string, glob bool) {
	if !strings.ContainsAny(s, "\\*?[") {
		return s, false
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (chars == "" || strings.IndexByte(chars, s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		} else if strings.IndexByte("*?[", s[i]) >= 0 && (i == 0 || s[i-1] != hole) {
			glob = true
		}
		b = append(b, s[i])
	}
	return string(b), glob
}
