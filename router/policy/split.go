package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assemble puts the pieces of a word together, in every way they may come, and
// splits what bash splits. w is orig, or one of the words its braces made.
func (j *judge) assemble(w, orig *syntax.Word, braced bool) [][]field {
	pieces := j.pieces(w.Parts, false, true)
	at := j.src.span(orig.Pos(), orig.End())
	ways := 1
	for i := range pieces {
		ways = min(maxArgvs+1, ways*max(1, len(pieces[i].lists)))
	}
	b := j.splitter(at)
	var out [][]field
	for n := range min(ways, maxArgvs) {
		for i := range pieces {
			if l := pieces[i].lists; len(l) > 0 {
				b.add(&pieces[i], l[n%len(l)])
				n /= len(l)
			}
		}
		b.flush()
		out = append(out, b.out)
		b.out, b.blank, b.glob, b.multi = nil, false, false, false
	}
	j.bytes += b.size
	unknown := field{text: anyText, multi: true, at: at, from: -1}
	if j.bytes > maxBytes {
		j.overspent()
		return [][]field{{unknown}}
	}
	if ways > maxArgvs {
		out = append(out, []field{unknown})
	}
	if len(out) == 1 && len(out[0]) == 1 && !braced {
		out[0][0].from = j.verbatim(orig, out[0][0].text)
	}
	return out
}

// verbatim returns where in the line a word's text stands byte for byte, be it
// in quotes, or -1.
func (j *judge) verbatim(w *syntax.Word, text string) int {
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	for range 2 {
		if !j.src.made && from <= to && to <= len(j.src.text) && j.src.text[from:to] == text {
			return j.src.start + from
		}
		from, to = from+1, to-1
	}
	return -1
}

// splitter makes fields of what expansions made (bash manual, 3.5.7). It is not
// the library's: that one loses the empty words between separators that are no
// blanks, and does not tell which words are patterns.
type splitter struct {
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

func (j *judge) splitter(at span) splitter {
	b := splitter{proto: field{at: at, from: -1}}
	ifs := j.lookup("IFS").val
	if b.unsure = len(ifs) != 1 || !known(ifs[0]); b.unsure {
		b.seps = " \t\n"
	}
	for _, s := range ifs {
		if known(s) {
			b.seps += s
		}
	}
	return b
}

func (b *splitter) add(p *piece, words []string) {
	for i, s := range words {
		if i > 0 {
			b.flush()
		}
		switch {
		case s == anyWords:
			b.text, b.has, b.multi = append(b.text, anyText...), true, true
		case p.split && (b.seps != "" || b.unsure):
			b.split(s)
		default:
			b.text = append(b.text, s...)
			b.has = b.has || p.quoted || s != ""
			b.multi = b.multi || p.split && wild(s) // empty, it is no word
			b.glob = b.glob || p.glob || p.split && strings.ContainsAny(s, "*?[")
		}
	}
}

// split adds an unquoted expansion.
func (b *splitter) split(s string) {
	b.multi = b.multi || b.unsure && s != ""
	for i, n := 0, 0; i < len(s); i += n {
		n = max(1, holeAt(s, i))
		c, blank := s[i], strings.IndexByte(" \t\n", s[i]) >= 0
		switch {
		case n > 1 || strings.IndexByte(b.seps, c) < 0:
			b.text, b.has, b.blank = append(b.text, s[i:i+n]...), true, false
			b.multi = b.multi || n > 1 && wild(s[i:i+n])
			b.glob = b.glob || c == '*' || c == '?' || c == '['
		case blank:
			b.blank = b.blank || b.has
			b.next()
		case b.blank && !b.has:
			b.blank = false // the blanks before a separator belong to it
		default:
			b.has = true
			b.next()
		}
	}
}

// next ends a field at a separator.
func (b *splitter) next() {
	b.flush()
	b.multi = b.unsure
}

func (b *splitter) flush() {
	if !b.has {
		return
	}
	f := b.proto
	f.text, f.multi = string(b.text), b.multi
	f.glob = b.glob && f.text != "[" // the command
	b.size += len(b.text)
	b.out = append(b.out, f)
	b.text, b.has, b.glob, b.multi = b.text[:0], false, false, false
}
