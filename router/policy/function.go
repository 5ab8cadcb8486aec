package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// frame is a function or loop that is being walked.
type frame struct {
	function string // "" for a loop
	args     string
	forks    int
	locals   []local // to restore when it returns
	exits    []env   // at each break, continue or return
}

// body is what a function runs.
type body struct {
	stmt *syntax.Stmt
	src  *source
}

// local is a variable as it was outside of a function.
type local struct {
	name  string
	outer variable
}

// funcDecl notes what a function's name runs from here on: its text. What is in
// it counts only where it is called. With here-documents in it, whose lines come
// after the body's end, it is all of the text from there on.
func (j *judge) funcDecl(n *syntax.FuncDecl) {
	if n.Name == nil {
		j.unknown("a function without a name", j.src.span(n.Pos(), n.End()))
		return
	}
	name, from, to := j.src.literal(n.Name.Value), int(n.Body.Pos().Offset()), int(n.Body.End().Offset())
	text := "{ ${" + holeVariable + "a}; }"
	if from <= to && to <= len(j.src.text) {
		if strings.Contains(j.src.text[from:to], "<<") {
			to = len(j.src.text)
		}
		text = j.src.literal(j.src.text[from:to])
	}
	text = "function " + name + " " + text
	j.env.set("function "+name, variable{lists: value{text}})
	j.bodies[text] = body{n.Body, j.src}
	if j.found != nil {
		parts, reasons := len(j.parts), len(j.reasons)
		j.subshell(func() { j.stmt(n.Body) })
		j.parts, j.reasons = j.parts[:parts], j.reasons[:reasons]
	}
}

// functionCall walks the function that a name stands for; sure is false when
// the name may be a command, too.
func (j *judge) functionCall(name string, args []field, at span) (sure bool) {
	all := j.lookup("function " + name).lists
	bodies := slices.DeleteFunc(slices.Clone(all), func(text string) bool { return text == noElements })
	sure = len(bodies) == len(all)
	if len(bodies) > 0 {
		j.ways(len(bodies), !sure, func(i int) { j.callBody(name, bodies[i], args, at) })
	}
	return sure
}

// callBody walks a function's body with its arguments.
func (j *judge) callBody(name, text string, args []field, at span) {
	key := joined(args)
	if j.recursion(name, key, at) {
		return
	}
	b, ok := j.bodies[text]
	if !ok { // an earlier line has defined it
		s := &source{text: text, start: at.start, end: at.end, made: true}
		if s.prepare(); s.tree.Err == nil && len(s.tree.Stmts) > 0 {
			if decl, isDecl := s.tree.Stmts[0].Cmd.(*syntax.FuncDecl); isDecl {
				b = body{decl.Body, s}
			}
		}
		j.bodies[text] = b
	}
	if b.stmt == nil {
		j.unknown("the function "+name+" is not understood as bash", at)
		return
	}
	outer, via := j.src, j.via
	if j.src = b.src; j.via == "" {
		j.via = "the function " + name
	}
	j.frames = append(j.frames, frame{function: name, args: key, forks: j.forks})
	j.withArguments(args, func() {
		j.stmt(b.stmt)
		top := &j.frames[len(j.frames)-1]
		for i := range top.exits {
			j.joinEnv(&top.exits[i])
		}
		for _, v := range slices.Backward(top.locals) {
			j.env.set(v.name, v.outer)
		}
	})
	j.frames = j.frames[:len(j.frames)-1]
	j.src, j.via = outer, via
}

// withArguments walks with other positional parameters.
func (j *judge) withArguments(args []field, walk func()) {
	saved := j.lookup("@")
	j.positional(args)
	walk()
	j.env.set("@", saved)
}

// positional sets "$@".
func (j *judge) positional(args []field) {
	j.env.set("@", variable{lists: value{listOf(texts(args))}})
}

// maxRecursion is how often a function is walked within itself.
const maxRecursion = 3

// recursion reports whether a call of a function within itself needs no walk of
// its own. One with the same arguments, in a pipe or in the background, does so
// without an end.
func (j *judge) recursion(name, key string, at span) bool {
	within, same := 0, false
	for i := range j.frames {
		if fr := &j.frames[i]; fr.function == name {
			if within++; fr.args == key {
				same = true
				if j.forks > fr.forks {
					j.forkBomb(at)
				}
			}
		}
	}
	if within >= maxRecursion || same && !known(key) {
		j.unknown("the function "+name+" calls itself, how often cannot be told", at)
	}
	return same || within >= maxRecursion
}

func (j *judge) forkBomb(at span) {
	p := Part{Kind: TextPart, set: executes, Start: at.start, End: at.end, Via: j.via}
	j.danger(&p, Block, "a fork bomb: it starts itself again and again", at)
	j.add(p)
}

// endless finds loops that start processes without end and wait for none.
func (j *judge) endless(n *syntax.WhileClause) {
	forks := slices.ContainsFunc(n.Do, func(st *syntax.Stmt) bool { return st.Background })
	if n.Until || !forks || len(n.Cond) != 1 || int(n.End().Offset()) > len(j.src.text) {
		return
	}
	text := j.src.text[n.Pos().Offset():n.End().Offset()]
	cond := j.src.text[n.Cond[0].Pos().Offset():n.Cond[0].End().Offset()]
	waits := slices.ContainsFunc(programs().lists["waits"], func(word string) bool { return bashtext.HasWord(text, word) })
	if always := strings.NewReplacer(" ", "", ";", "", "\n", "").Replace(cond); !waits && programs().has("always", always) {
		j.forkBomb(j.src.span(n.Pos(), n.End()))
	}
}
