// Package highlight tells what the words of a program's text are, line by line,
// for some thirty languages.
//
// The lexers are chroma's. Its package of all of them takes six milliseconds of
// every start, so the descriptions of those that models write most lie here,
// as they are in chroma, and are read when the first code is shown.
package highlight

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed lexers/*.xml
var lexers embed.FS

// Kind is what a piece of a text is.
type Kind int

// The kinds that are told apart.
const (
	Plain Kind = iota
	Keyword
	Literal // strings
	Number
	Comment
	Name // of functions, types and tags

	broken // what the language has no word for: the beginning of a string without its end
)

// Piece is a part of a line.
type Piece struct {
	Text string
	Kind Kind
}

// Text is a text whose lines come one after the other.
type Text struct {
	lexer   chroma.Lexer
	seen    []string // lines before, in which something may have begun that goes on
	blocks  bool     // the language has comments between /* and */
	inBlock bool
}

// mostSeen bounds the lines that are looked at again for one that comes: what began
// before them (a string of many lines) is forgotten.
const mostSeen = 40

// longestLine is shown without colours when it is exceeded, in bytes.
const longestLine = 2000

// New returns a text in a language, by the name that stands after ```, or that of
// a file; nil: the language is not known.
func New(language string) *Text {
	l := registry().Get(language)
	if l == nil {
		l = registry().Match(language)
	}
	if l == nil || language == "" {
		return nil
	}
	t := &Text{lexer: l}
	block := t.pieces("", "/* x */")
	t.blocks = len(block) > 0 && block[0].Kind == Comment
	return t
}

// Line takes the next line, without its end.
func (t *Text) Line(line string) []Piece {
	pieces := t.line(line)
	for i := range pieces {
		pieces[i].Kind %= broken
	}
	return pieces
}

func (t *Text) line(line string) []Piece {
	switch {
	case t == nil || len(line) > longestLine:
		return []Piece{{line, Plain}}
	case t.inBlock:
		// A lexer knows a comment by its end, which has not come yet.
		comment, rest, ended := strings.Cut(line, "*/")
		if t.inBlock = !ended; ended {
			comment += "*/"
		}
		return append([]Piece{{comment, Comment}}, t.pieces("", rest)...)
	}
	if i := strings.LastIndex(line, "/*"); t.blocks && i >= 0 && !strings.Contains(line[i:], "*/") {
		code := t.pieces("", line[:i]+"/**/")
		whole := !slices.ContainsFunc(code, func(p Piece) bool { return p.Kind == broken })
		if n := len(code); whole && n > 0 && code[n-1] == (Piece{"/**/", Comment}) {
			t.seen, t.inBlock = nil, true
			return append(code[:n-1], Piece{line[i:], Comment})
		}
	}
	before := strings.Join(append(t.seen, ""), "\n")
	pieces := t.pieces(before, line)
	goesOn := len(pieces) == 0 && len(t.seen) > 0
	for _, p := range pieces {
		if strings.TrimSpace(p.Text) != "" {
			goesOn = p.Kind == Literal || p.Kind == broken
		}
	}
	if t.seen = append(t.seen, line); !goesOn {
		t.seen = nil
	}
	t.seen = t.seen[max(0, len(t.seen)-mostSeen):]
	return pieces
}

// pieces are those of a line that follows a text.
func (t *Text) pieces(before, line string) (out []Piece) {
	tokens, err := t.lexer.Tokenise(nil, before+line+"\n")
	if err != nil {
		return []Piece{{line, Plain}}
	}
	for at, token := 0, tokens(); token != chroma.EOF; token = tokens() {
		text := token.Value
		if at += len(text); at <= len(before) {
			continue
		}
		text = strings.TrimSuffix(text[max(0, len(text)-(at-len(before))):], "\n")
		if text != "" {
			out = append(out, Piece{text, kindOf(token.Type)})
		}
	}
	return out
}

func kindOf(t chroma.TokenType) Kind {
	switch {
	case t == chroma.Error:
		return broken
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Literal):
		return Literal
	case t.InSubCategory(chroma.NameFunction), t == chroma.NameClass, t == chroma.NameTag, t == chroma.NameBuiltin, t == chroma.NameAttribute:
		return Name
	}
	return Plain
}

// registry has the lexers.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	r := chroma.NewLexerRegistry()
	files, err := lexers.ReadDir("lexers")
	if err != nil {
		panic("highlight: " + err.Error()) // they are part of the program
	}
	for _, f := range files {
		r.Register(chroma.MustNewXMLLexer(lexers, "lexers/"+f.Name()))
	}
	return r
})
