package policy

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// text walks a text as bash would run it in the present shell.
func (j *judge) text(s *source) {
	if j.texts >= maxTexts {
		j.cap("texts within texts go too deep to be judged")
		return
	}
	if nesting(s.text) > maxNesting {
		j.cap("the line is nested too deep to be judged")
		return
	}
	s.outer, j.src = j.src, s
	j.texts++
	defer func() { j.src = s.outer; j.texts-- }()
	s.prepare()
	file, err := j.parse(s)
	if err != nil && strings.Contains(err.Error(), "inline variables cannot be arrays") {
		s.text = elementNames().ReplaceAllStringFunc(s.text, flatten)
		file, err = j.parse(s)
	}
	if err == nil {
		j.reserved(s)
		j.list(file.Stmts)
		return
	}
	j.unparsed(err)
}

// elementNames are assignments such as a[1]=x. Before a command bash takes them
// and the parser does not.
var elementNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s;&|({])\w+\[[^\]\s=]*\]\+?=`) })

// flatten makes a[1]=x an assignment to a variable of another name.
func flatten(s string) string { return strings.NewReplacer("[", "_", "]", "_").Replace(s) }

// The bytes that stand in a text for what the parser would read differently
// from bash. Bash takes all three for parts of a word.
const (
	standsForCR  = "\x02" // the parser drops a CR before a newline
	standsForLet = "l\x02t"
)

// prepare makes the text one that the parser reads as bash does. Offsets stay,
// but where holes become variables.
func (s *source) prepare() {
	if strings.HasSuffix(s.text, "\\") {
		s.text = s.text[:len(s.text)-oddBackslash(s.text)]
	}
	if strings.IndexByte(s.text, hole) >= 0 {
		s.text, s.holes, s.made = holesToVariables(s.text), true, true
	}
	if strings.IndexByte(s.text, '\r') >= 0 {
		s.text, s.lets = strings.ReplaceAll(s.text, "\r", standsForCR), true
	}
	// The parser takes all that follows let for arithmetic, be it `| rm x`.
	if strings.Contains(s.text, "let") && hasWord(s.text, "let") {
		s.text, s.lets = replaceWord(s.text, "let", standsForLet), true
	}
}

// parse parses a text. The parser takes a backslash at the end of a comment for
// a line that goes on; bash does not, so these backslashes are taken away.
func (j *judge) parse(s *source) (*syntax.File, error) {
	if !commentGoesOn(s.text) {
		return j.parser.Parse(strings.NewReader(s.text), "")
	}
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	for range maxRetries {
		file, err := p.Parse(strings.NewReader(s.text), "")
		if file == nil {
			return file, err
		}
		text := []byte(s.text)
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Comment); ok && strings.HasSuffix(c.Text, "\\\n") {
				at := int(c.Hash.Offset())
				if i := strings.Index(s.text[at:], "\\\n"); i >= 0 {
					text[at+i] = ' '
				}
			}
			return true
		})
		if string(text) == s.text {
			return file, err
		}
		s.text = string(text)
	}
	return j.parser.Parse(strings.NewReader(s.text), "")
}

// commentGoesOn reports whether a line of a text may end in a comment that ends
// in a backslash.
func commentGoesOn(s string) bool {
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

// oddBackslash is 1 when a text ends in a backslash with nothing to quote. Bash
// drops it, or takes it for itself; what it drops is the worse reading.
func oddBackslash(s string) int {
	return (len(s) - len(strings.TrimRight(s, "\\"))) % 2
}

// literal undoes prepare in a literal that was read from the text.
func (s *source) literal(text string) string {
	if s.lets && strings.Contains(text, standsForCR) {
		text = strings.ReplaceAll(text, standsForLet, "let")
		text = strings.ReplaceAll(text, standsForCR, "\r")
	}
	if s.holes && strings.Contains(text, holeVariable) {
		text = variablesToHoles(text)
	}
	return text
}

// holeVariable is the name, and a letter, of the variable that stands for a
// hole in a text that was put together.
const holeVariable = "__agentbash_hole_"

var holeLetters = [...][2]string{{anyText, "a"}, {inherited, "e"}, {fromNet, "n"}, {decoded, "d"}, {digits, "i"}, {aName, "f"}, {anyWords, "w"}}

func holesToVariables(s string) string {
	for _, l := range holeLetters {
		s = strings.ReplaceAll(s, l[0], "${"+holeVariable+l[1]+"}")
	}
	return strings.ReplaceAll(s, "\x00", "")
}

func variablesToHoles(s string) string {
	for _, l := range holeLetters {
		s = strings.ReplaceAll(s, "${"+holeVariable+l[1]+"}", l[0])
	}
	return s
}

// holeOf returns the hole that a variable's name stands for.
func holeOf(name string) (string, bool) {
	letter, ok := strings.CutPrefix(name, holeVariable)
	if !ok {
		return "", false
	}
	for _, l := range holeLetters {
		if l[1] == letter {
			return l[0], true
		}
	}
	return anyText, true
}

// nesting is an upper bound of how deep the parser recurses. It counts what can
// open something, wherever it stands.
func nesting(s string) int {
	if len(s) < 256 {
		return 0
	}
	n, letters := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(' || c == '{' || c == '`' || c == '[' || c == '!' || c == '?':
			n++
			letters = 0
		case 'a' <= c && c <= 'z':
			letters++
			continue
		case letters == 0:
		case letters <= 6 && opensClause(s[i-letters:i]):
			n++
			letters = 0
		default:
			letters = 0
		}
	}
	return n
}

func opensClause(word string) bool {
	switch word {
	case "if", "elif", "while", "until", "for", "case", "select", "time", "coproc", "do", "then", "else":
		return true
	}
	return false
}

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// wordAt returns where a word stands in s from offset i on, or -1.
func wordAt(s, word string, i int) int {
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

func hasWord(s, word string) bool { return wordAt(s, word, 0) >= 0 }

// replaceWord replaces words by others of the same length.
func replaceWord(s, word, with string) string {
	b := []byte(s)
	for at := wordAt(s, word, 0); at >= 0; at = wordAt(s, word, at+1) {
		copy(b[at:], with)
	}
	return string(b)
}

// reserved raises a text in which a reserved word may be an alias.
func (j *judge) reserved(s *source) {
	if len(j.world.Aliases) == 0 && len(j.env.aliases) == 0 {
		return
	}
	for _, word := range reservedWords {
		if len(j.aliasValues(word)) > 0 && hasWord(s.text, word) {
			j.unknown(word+" is an alias here", span{s.start, s.end})
		}
	}
}

var reservedWords = [...]string{"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
	"function", "time", "coproc", "declare", "typeset", "local", "export", "readonly", "let"}
