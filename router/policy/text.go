package policy

import (
	"errors"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
)

// text walks a text as bash would run it in the present shell.
func (j *judge) text(s *source) {
	if j.texts >= maxTexts {
		j.cap("texts within texts go too deep to be judged")
		return
	}
	s.outer, j.src = j.src, s
	j.texts++
	defer func() { j.src = s.outer; j.texts-- }()
	if strings.Count(s.text, "{") > maxBraces {
		j.cap("the line has too many braces to be judged")
		return
	}
	tree := s.prepare()
	switch {
	case errors.Is(tree.Err, bashtext.ErrTooDeep):
		j.cap("the line is nested too deep to be judged")
	case tree.Err != nil:
		j.unparsed(tree.Err)
	case tree.Binary:
		j.unparsed(errors.New("it is not UTF-8"))
	default:
		j.list(tree.Stmts)
	}
}

// prepare parses the text, if nobody has. Offsets stay, but where holes become
// variables.
func (s *source) prepare() *bashtext.Tree {
	if strings.IndexByte(s.text, hole) >= 0 {
		s.text, s.holes, s.made, s.tree = holesToVariables(s.text), true, true, nil
	}
	if s.tree == nil {
		s.tree = bashtext.Parse(s.text)
	}
	s.text, s.lets = s.tree.Text, s.tree.StandIns
	return s.tree
}

// literal undoes in a literal of the text what stands there for the parser.
func (s *source) literal(text string) string {
	if s.lets {
		text = bashtext.Literal(text)
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

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
