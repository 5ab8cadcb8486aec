package policy

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assemble puts the pieces of a word together, in every way they may come, and
// splits what bash splits. w is orig, or one of the words its braces made.
func (j *judge) assemble(w, orig *syntax.Word, braced bool) [][]field {
	pieces := j.pieces(w.Parts, false, true)
	at := j.src.span(orig.Pos(), orig.End())
	seps, sure := j.separators()
	ways := 1
	for i := range pieces {
		ways *= pieces[i].ways()
		if ways > maxArgvs {
			break
		}
	}
	var out [][]field
	for n := 0; n < min(ways, maxArgvs); n++ {
		b := builder{seps: seps, unsure: !sure, proto: field{at: at, from: -1}}
		rest := n
		for i := range pieces {
			k := pieces[i].ways()
			b.add(&pieces[i], rest%k)
			rest /= k
		}
		out = append(out, b.end())
		j.bytes += b.size
	}
	if j.bytes > maxBytes {
		j.overspent()
		return [][]field{{{text: anyText, multi: true, at: at, from: -1}}}
	}
	if ways > maxArgvs {
		out = append(out, []field{{text: anyText, multi: true, at: at, from: -1}})
	}
	if len(out) == 1 && len(out[0]) == 1 && !braced {
		out[0][0].from = j.verbatim(orig, len(out[0][0].text))
	}
	return out
}

// verbatim returns where in the line a word's text stands byte for byte, or -1.
func (j *judge) verbatim(w *syntax.Word, n int) int {
	if j.src.made || len(w.Parts) != 1 {
		return -1
	}
	from := -1
	switch p := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		if !p.Dollar && int(p.Right.Offset()-p.Left.Offset()) == n+1 {
			from = int(p.Left.Offset()) + 1
		}
	case *syntax.DblQuoted:
		if !p.Dollar && len(p.Parts) == 1 && int(p.Right.Offset()-p.Left.Offset()) == n+1 {
			if _, ok := p.Parts[0].(*syntax.Lit); ok {
				from = int(p.Left.Offset()) + 1
			}
		}
	case *syntax.Lit:
		if int(p.ValueEnd.Offset()-p.ValuePos.Offset()) == n {
			from = int(p.ValuePos.Offset())
		}
	}
	if from < 0 {
		return -1
	}
	return j.src.start + from
}

func (p *piece) ways() int {
	if p.lists != nil {
		return max(1, len(p.lists))
	}
	return max(1, len(p.vals))
}

// separators returns the characters of IFS, and whether that is all of them.
func (j *judge) separators() (string, bool) {
	v := j.lookup("IFS")
	if len(v.val) == 1 && known(v.val[0]) {
		return v.val[0], true
	}
	all := " \t\n"
	for _, s := range v.val {
		if known(s) {
			all += s
		}
	}
	return all, false
}

// builder makes fields of pieces.
type builder struct {
	seps   string
	unsure bool // there may be other separators
	proto  field
	out    []field
	text   []byte
	has    bool // a field has begun, be it empty
	blank  bool // blanks have ended the last field
	glob   bool
	multi  bool
	size   int // of all that was made, in bytes
}

func (b *builder) add(p *piece, way int) {
	if p.lists == nil {
		s := ""
		if way < len(p.vals) {
			s = p.vals[way]
		}
		b.one(p, s)
		return
	}
	if len(p.lists) == 0 {
		return
	}
	for i, s := range p.lists[way] {
		if i > 0 {
			b.flush()
		}
		if s == anyWords {
			b.text, b.has, b.multi = append(b.text, anyText...), true, true
			continue
		}
		b.one(p, s)
	}
}

func (b *builder) one(p *piece, s string) {
	if p.split && (b.seps != "" || b.unsure) {
		b.splitted(s)
		return
	}
	b.text = append(b.text, s...)
	b.has = b.has || p.quoted || s != ""
	b.multi = b.multi || p.split && wild(s) // empty, it is no word
	b.glob = b.glob || p.glob || p.split && strings.ContainsAny(s, "*?[")
}

// splitted adds an unquoted expansion (bash manual, 3.5.7 Word Splitting).
func (b *builder) splitted(s string) {
	b.multi = b.multi || b.unsure && s != ""
	for i := 0; i < len(s); i++ {
		if n := holeAt(s, i); n > 0 {
			b.text = append(b.text, s[i:i+n]...)
			b.has, b.multi, b.blank = true, b.multi || wild(s[i:i+n]), false
			i += n - 1
			continue
		}
		c := s[i]
		if strings.IndexByte(b.seps, c) < 0 {
			b.text, b.has, b.blank = append(b.text, c), true, false
			b.glob = b.glob || c == '*' || c == '?' || c == '['
			continue
		}
		if c == ' ' || c == '\t' || c == '\n' {
			b.blank = b.blank || b.has
			b.next()
			continue
		}
		if b.blank && !b.has {
			b.blank = false // the blanks before a separator belong to it
			continue
		}
		b.has = true
		b.next()
	}
}

// next ends a field at a separator.
func (b *builder) next() {
	b.flush()
	b.multi = b.unsure
}

func (b *builder) flush() {
	if !b.has {
		return
	}
	f := b.proto
	f.text, f.glob, f.multi = string(b.text), b.glob, b.multi
	if f.glob && f.text == "[" {
		f.glob = false // the command
	}
	b.size += len(b.text)
	b.out = append(b.out, f)
	b.text, b.has, b.glob, b.multi = b.text[:0], false, false, false
}

func (b *builder) end() []field {
	b.flush()
	return b.out
}

// maxBraced is how many words one word's braces may make.
const maxBraced = 48

// braces returns the words that brace expansion makes of one.
func (j *judge) braces(w *syntax.Word) []*syntax.Word {
	if !slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.IndexByte(lit.Value, '{') >= 0
	}) {
		return []*syntax.Word{w}
	}
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	budget := maxBraced
	return unbrace(c, &budget)
}

// unbrace expands the first braces of a word, then the rest. What exceeds the
// budget stays in the word, as an unknown.
func unbrace(w *syntax.Word, budget *int) []*syntax.Word {
	at := slices.IndexFunc(w.Parts, func(p syntax.WordPart) bool {
		b, ok := p.(*syntax.BraceExp)
		return ok && len(b.Elems) > 0
	})
	if at < 0 {
		return []*syntax.Word{w}
	}
	b := w.Parts[at].(*syntax.BraceExp)
	elems := b.Elems
	if b.Sequence {
		elems = sequence(b, *budget)
	}
	var out []*syntax.Word
	for i, e := range elems {
		if *budget--; *budget < 0 {
			return append(out, w)
		}
		if i == maxBraced {
			return append(out, w)
		}
		v := &syntax.Word{Parts: glue(glue(w.Parts[:at:at], e.Parts), w.Parts[at+1:])}
		if *budget < 1 {
			return append(out, v)
		}
		out = append(out, unbrace(v, budget)...)
	}
	return out
}

// glue puts two ends of a word together. Braces are expanded before variables,
// as text: x{a,$y}z is xaz and x$yz.
func glue(a, b []syntax.WordPart) []syntax.WordPart {
	if len(a) == 0 || len(b) == 0 {
		return append(a[:len(a):len(a)], b...)
	}
	next, ok := b[0].(*syntax.Lit)
	ok = ok && next.Value != ""
	switch last := a[len(a)-1].(type) {
	case *syntax.ParamExp:
		if !ok || !last.Short || last.Index != nil || !validName(last.Param.Value) || !wordByte(next.Value[0]) {
			break
		}
		n := 0
		for n < len(next.Value) && wordByte(next.Value[n]) {
			n++
		}
		longer, name, rest := *last, *last.Param, *next
		name.Value += next.Value[:n]
		longer.Param, rest.Value = &name, next.Value[n:]
		a = append(a[:len(a)-1:len(a)-1], &longer)
		if b = b[1:]; rest.Value != "" {
			a = append(a, &rest)
		}
	case *syntax.Lit:
		if strings.HasSuffix(last.Value, "$") && oddBackslash(strings.TrimSuffix(last.Value, "$")) == 0 {
			return []syntax.WordPart{&syntax.BraceExp{}} // it becomes an expansion of its own
		}
	}
	return append(a[:len(a):len(a)], b...)
}

// sequence returns the words of {a..b..step}, of a long one its first.
func sequence(b *syntax.BraceExp, most int) []*syntax.Word {
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	lo, err1 := strconv.Atoi(from)
	hi, err2 := strconv.Atoi(to)
	number := err1 == nil && err2 == nil
	if !number {
		if len(from) != 1 || len(to) != 1 {
			return []*syntax.Word{unknownWord()}
		}
		lo, hi = int(from[0]), int(to[0])
	}
	step := 1
	if len(b.Elems) > 2 {
		step, _ = strconv.Atoi(b.Elems[2].Lit())
		step = max(1, max(step, -step))
	}
	width := 0
	if number && (padded(from) || padded(to)) {
		width = max(len(from), len(to))
	}
	var out []*syntax.Word
	for n := lo; ; {
		text := string(rune(n))
		if number {
			text = strconv.Itoa(n)
			for len(text) < width {
				text = "0" + text
			}
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}})
		if len(out) > most {
			return append(out, unknownWord())
		}
		switch {
		case lo <= hi && n+step <= hi:
			n += step
		case lo > hi && n-step >= hi:
			n -= step
		default:
			return out
		}
	}
}

func unknownWord() *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: anyText}}}
}

func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}
