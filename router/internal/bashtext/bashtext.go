// Package bashtext reads bash text into a syntax tree that means what bash
// means by it. It is where a command line is parsed, once: the router takes the
// offsets of command words from the tree, the policy what the words say.
//
// mvdan.cc/sh/v3/syntax is the parser. It differs from bash in a few places,
// which stand-ins of the same length hide from it, so that offsets in the tree
// are offsets in the text. [Tree.Literal] undoes them.
package bashtext

import (
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Tree is a text as its parser saw it. It is not changed after it was made.
type Tree struct {
	// Text is the text with its stand-ins. It is shorter than the text only by a
	// backslash at its end, which has nothing to quote.
	Text  string
	Stmts []*syntax.Stmt // nil with Err
	Err   error          // it is not bash, or bash alone understands it; ErrTooDeep

	Binary   bool // bytes that are not UTF-8 were replaced
	standIns bool // Literal has something to undo
}

// Errors of texts that are not parsed.
var (
	ErrTooDeep = errors.New("the text is nested too deep to be parsed")
	ErrTooLong = errors.New("the text is too long to be parsed")
)

// maxText is how much is parsed, in bytes; a tree takes a multiple of it.
const maxText = 16 << 20

// What stands in a text for what the parser would read differently from bash.
// Bash takes all of it for parts of a word.
const (
	standsForCR   = "\x02" // the parser drops a CR before a newline
	standsForLet  = "l\x02t"
	standsForByte = 1 // a byte that is not UTF-8, which the parser refuses
)

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse parses a text. It never panics: the text may be anything, and the
// parser is not ours.
func Parse(text string) *Tree {
	t := &Tree{Text: text}
	if len(text) > maxText {
		t.Err = ErrTooLong
		return t
	}
	t.prepare()
	p := parsers.Get().(*syntax.Parser)
	defer func() {
		if recover() != nil { // and this parser is not used again
			t.Stmts, t.Err = nil, errors.New("the parser failed")
		}
	}()
	t.parse(p)
	if t.Err != nil && strings.Contains(t.Err.Error(), "inline variables cannot be arrays") {
		t.Text = elementNames().ReplaceAllStringFunc(t.Text, flatten)
		t.parse(p)
	}
	parsers.Put(p)
	return t
}

// prepare puts in the stand-ins.
func (t *Tree) prepare() {
	if !utf8.ValidString(t.Text) {
		t.Text, t.Binary = validUTF8(t.Text), true
	}
	if strings.HasSuffix(t.Text, "\\") {
		t.Text = t.Text[:len(t.Text)-OddBackslash(t.Text)]
	}
	if strings.IndexByte(t.Text, '\r') >= 0 {
		t.Text, t.standIns = strings.ReplaceAll(t.Text, "\r", standsForCR), true
	}
	// The parser takes all that follows let for arithmetic, be it `| rm x`.
	if HasWord(t.Text, "let") {
		t.Text, t.standIns = replaceWord(t.Text, "let", standsForLet), true
	}
}

// Literal undoes the stand-ins in a literal of the tree.
func (t *Tree) Literal(s string) string {
	if !t.standIns || !strings.Contains(s, standsForCR) {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, standsForLet, "let"), standsForCR, "\r")
}

// parse parses the text as it is now. The parser takes a backslash at the end
// of a comment for a line that goes on; bash does not, so those backslashes
// become blanks.
func (t *Tree) parse(p *syntax.Parser) {
	if !CommentGoesOn(t.Text) {
		t.read(p)
		return
	}
	p = syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	for {
		file := t.read(p)
		if file == nil {
			return
		}
		text := []byte(t.Text)
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Comment); ok && strings.HasSuffix(c.Text, "\\\n") {
				at := int(c.Hash.Offset())
				if i := strings.Index(t.Text[at:], "\\\n"); i >= 0 {
					text[at+i] = ' '
				}
			}
			return true
		})
		if string(text) == t.Text {
			return
		}
		t.Text = string(text)
	}
}

// read parses the text; the file is also there, as far as it goes, with an error.
func (t *Tree) read(p *syntax.Parser) *syntax.File {
	file, err := p.Parse(&shallow{text: t.Text}, "")
	if t.Stmts, t.Err = nil, err; err == nil {
		t.Stmts = file.Stmts
	}
	return file
}

// elementNames are assignments such as a[1]=x. Before a command bash takes them
// and the parser does not.
var elementNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s;&|({])\w+\[[^\]\s=]*\]\+?=`) })

// flatten makes a[1]=x an assignment to a variable of another name.
func flatten(s string) string { return strings.NewReplacer("[", "_", "]", "_").Replace(s) }

// validUTF8 puts a control character in the place of every byte that is not
// UTF-8, to which bash gives no meaning either.
func validUTF8(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			b[i] = standsForByte
		}
		i += n
	}
	return string(b)
}

// CommentGoesOn reports whether a line of a text may end in a comment that ends
// in a backslash.
func CommentGoesOn(s string) bool {
	for {
		hash := strings.IndexByte(s, '#')
		if hash < 0 {
			return false
		}
		s = s[hash:]
		end := strings.IndexByte(s, '\n')
		if end < 0 {
			return false
		}
		if end > 0 && s[end-1] == '\\' {
			return true
		}
		s = s[end:]
	}
}

// OddBackslash is 1 when a text ends in a backslash with nothing to quote. Bash
// drops it, or takes it for itself; what it drops is the worse reading.
func OddBackslash(s string) int {
	return (len(s) - len(strings.TrimRight(s, "\\"))) % 2
}

// The parser recurses, and a stack that overflows ends the whole program, so
// every stackCheck bytes its depth is looked at: a call of the parser takes 100
// to 200 bytes, and no byte of a text makes more than 40 calls.
const (
	stackCheck = 4 << 10
	maxFrames  = 20_000
)

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
			return 0, ErrTooDeep
		}
	}
	n := copy(p, r.text[r.at:])
	r.at += n
	return n, nil
}

// Incomplete reports whether bash would wait for another line after this text:
// an open quote, a loop without its done, a here-document without its end.
func Incomplete(text string) bool {
	if strings.HasSuffix(text, "\\") && !strings.HasSuffix(text, "\\\\") {
		return true
	}
	return syntax.IsIncomplete(Parse(text + "\n").Err)
}

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// WordAt returns where a word stands in s from offset i on, or -1.
func WordAt(s, word string, i int) int {
	for {
		n := strings.Index(s[i:], word)
		if n < 0 {
			return -1
		}
		at, end := i+n, i+n+len(word)
		if (at == 0 || !wordByte(s[at-1])) && (end == len(s) || !wordByte(s[end])) {
			return at
		}
		i = at + 1
	}
}

// HasWord reports whether a word of letters stands anywhere in a text.
func HasWord(s, word string) bool { return WordAt(s, word, 0) >= 0 }

// replaceWord replaces words by others of the same length.
func replaceWord(s, word, with string) string {
	b := []byte(s)
	for at := WordAt(s, word, 0); at >= 0; at = WordAt(s, word, at+1) {
		copy(b[at:], with)
	}
	return string(b)
}
