package policy

import (
	"errors"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// text walks a text as bash would run it in the present shell.
func (j *judge) text(s *source) {
	j.nested(func() {
		j.src = s
		j.depth += textDepth
		j.afford(s.text)
		if strings.Count(s.text, "{") > maxBraces {
			j.cap("the line has too many braces to be judged")
			return
		}
		switch tree := s.prepare(); {
		case errors.Is(tree.Err, bashtext.ErrTooDeep):
			j.cap("the line is nested too deep to be judged")
		case tree.Err != nil:
			j.unparsed(tree.Err)
		case tree.Binary:
			j.unparsed(errors.New("it is not UTF-8"))
		default:
			j.list(tree.Stmts)
		}
	})
}

// prepare parses the text, if nobody has. Offsets stay, but where holes become variables.
func (s *source) prepare() *bashtext.Tree {
	if strings.IndexByte(s.text, hole) >= 0 {
		s.text, s.holes, s.made, s.tree = holesToVariables.Replace(s.text), true, true, nil
	}
	if s.tree == nil {
		s.tree = bashtext.Parse(s.text)
	}
	s.text = s.tree.Text
	return s.tree
}

// literal undoes in a literal of the text what stands there for the parser.
func (s *source) literal(text string) string {
	text = s.tree.Literal(text)
	if s.holes {
		text = variablesToHoles.Replace(text)
	}
	return text
}

// holeVariable begins the name of the variable that stands for a hole in a text that was put together.
const holeVariable = "__agentbash_hole_"

var holesToVariables, variablesToHoles = replacers(anyText, "a", inherited, "e", fromNet, "n", decoded, "d", digits, "i", aName, "f", anyWords, "w")

func replacers(holes ...string) (to, from *strings.Replacer) {
	var there, back []string
	for pair := range slices.Chunk(holes, 2) {
		variable := "${" + holeVariable + pair[1] + "}"
		there, back = append(there, pair[0], variable), append(back, variable, pair[0])
	}
	return strings.NewReplacer(append(there, "\x00", "")...), strings.NewReplacer(back...)
}

// holeOf returns the hole that a variable's name stands for.
func holeOf(name string) (text string, ok bool) {
	if text = variablesToHoles.Replace("${" + name + "}"); known(text) {
		text = anyText
	}
	return text, strings.HasPrefix(name, holeVariable)
}

// unparsed judges a text that is not bash, or that only bash understands: it
// may do anything. What can be read of it can only raise that: from its
// beginning, and again from every place where a command may begin.
func (j *judge) unparsed(err error) {
	problem := err.Error()
	var e syntax.ParseError
	if errors.As(err, &e) {
		problem = e.Text // without its position, which may be in a text that was put together
	}
	j.anything("this is not understood as bash: "+problem, j.src.span)
	rest := j.src.text
	if id, ok := strings.CutPrefix(problem, "unclosed here-document `"); ok {
		rest += "\n" + strings.TrimSuffix(id, "`") + "\n" // bash takes the end for it
	}
	for range 60 {
		n := j.statements(rest)
		cut := strings.IndexAny(rest[n:], "\n;&|(`)")
		if cut < 0 {
			break
		}
		rest = strings.TrimLeft(rest[n+cut+1:], " \t\n")
	}
}

// statements walks the statements that a text begins with, and returns how many bytes they are.
func (j *judge) statements(text string) (end int) {
	var all []*syntax.Stmt
	for st, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(text)) {
		if err == nil { // the last; to break here makes it panic for some texts
			all, end = append(all, st), min(len(text), max(end, int(st.End().Offset())))
		}
	}
	s := *j.src
	s.text, s.made = text, true
	j.src = &s
	j.list(all)
	return end
}
