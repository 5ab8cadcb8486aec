package router

import (
	"errors"
	"io"
	"runtime"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// parse parses a bash text and gives its statements to walk, in their order; it
// reports false for a text that does not parse, of which some may have been
// walked. It never panics: the text may be anything, and the parser is not
// ours.
func (n *nameIndex) parse(text string, walk func(*syntax.Stmt)) (ok bool) {
	p, _ := n.parsers.Get().(*syntax.Parser)
	if p == nil {
		p = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	defer func() {
		if recover() != nil {
			ok = false // and this parser is not used again
		}
	}()
	ok = eachStmt(p, validUTF8(text), walk)
	n.parsers.Put(p)
	return ok
}

// eachStmt walks a statement as soon as it is whole, so that the garbage of a
// large text does not pile up: a here-document's body comes after the line, so
// the statements of a line wait for one on a later line.
func eachStmt(p *syntax.Parser, text string, walk func(*syntax.Stmt)) bool {
	var line []*syntax.Stmt
	flush := func() {
		for _, s := range line {
			walk(s)
		}
		line = line[:0]
	}
	for s, err := range p.StmtsSeq(&shallow{text: text}) {
		if err != nil {
			return false
		}
		if len(line) > 0 && s.Pos().Line() > line[len(line)-1].End().Line() {
			flush()
		}
		line = append(line, s)
	}
	flush()
	return true
}

// validUTF8 puts a control character in the place of every byte that is not
// UTF-8, which the parser refuses and to which bash gives no meaning either.
func validUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			b[i] = 1
		}
		i += n
	}
	return string(b)
}

// The parser recurses, and a stack that overflows ends the whole program, so
// every stackCheck bytes its depth is looked at: a call of the parser takes 100
// to 200 bytes, and no byte of a text makes more than 40 calls.
const (
	stackCheck = 4 << 10
	maxFrames  = 20_000
)

var errTooDeep = errors.New("the text is nested too deep to be parsed")

// shallow reads a text for as long as whoever reads it has not recursed too deep.
type shallow struct {
	text    string
	at      int
	checked int
}

func (r *shallow) Read(p []byte) (int, error) {
	if r.at == len(r.text) {
		return 0, io.EOF
	}
	if r.at-r.checked >= stackCheck {
		r.checked = r.at
		var frame [1]uintptr
		if runtime.Callers(maxFrames, frame[:]) > 0 {
			return 0, errTooDeep
		}
	}
	n := copy(p, r.text[r.at:])
	r.at += n
	return n, nil
}
