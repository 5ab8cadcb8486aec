package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// funcDecl notes what a function's name runs from here on. What is in it is
// looked at, but counts only where it is called.
func (j *judge) funcDecl(n *syntax.FuncDecl) {
	if n.Name == nil {
		j.unknown("a function without a name", j.src.span(n.Pos(), n.End()))
		return
	}
	name := j.src.literal(n.Name.Value)
	j.env.define(function{name: name, bodies: []body{{n.Body, j.src}}, sure: true})
	if j.found == nil {
		return
	}
	parts, reasons, saved := len(j.parts), len(j.reasons), j.env.copy()
	j.stmt(n.Body)
	j.parts, j.reasons, j.env = j.parts[:parts], j.reasons[:reasons], saved
}

// definition is a function's text, for a later line; with here-documents in it,
// whose lines come after the body's end, all of the text from there on.
func (b *body) definition(name string) string {
	from, to := int(b.stmt.Pos().Offset()), int(b.stmt.End().Offset())
	if from > to || to > len(b.src.text) {
		return "function " + name + " { ${" + holeVariable + "a}; }"
	}
	if strings.Contains(b.src.text[from:to], "<<") {
		to = len(b.src.text)
	}
	return "function " + name + " " + b.src.literal(b.src.text[from:to])
}

// functionCall walks the function that a name stands for; sure is false when
// the name may be a command, too.
func (j *judge) functionCall(name string, args []field, at span) (f flow, sure bool) {
	fn, ok := j.env.funcs[name]
	bodies, sure := fn.bodies, fn.sure && !j.env.child && len(fn.bodies) > 0
	if texts := j.world.Functions[name]; !ok && len(texts) > 0 {
		bodies, sure = j.remembered(name, texts, at), true
	}
	if len(bodies) == 0 {
		return j.same(), sure
	}
	f = j.ways(len(bodies), !sure, func(i int) flow { return j.callBody(name, bodies[i], args, at) })
	if !sure {
		j.out.loosen(-1)
	}
	return f, sure
}

// remembered returns the bodies of a function that an earlier line has defined.
func (j *judge) remembered(name string, texts []string, at span) (out []body) {
	for _, text := range texts {
		s := &source{text: text, start: at.start, end: at.end, made: true}
		tree := s.prepare()
		if tree.Err != nil {
			j.unknown("the function "+name+" is not understood as bash", at)
			continue
		}
		for _, st := range tree.Stmts {
			if decl, ok := st.Cmd.(*syntax.FuncDecl); ok {
				out = append(out, body{decl.Body, s})
			}
		}
	}
	return out
}

// callBody walks a function's body with its arguments.
func (j *judge) callBody(name string, b body, args []field, at span) flow {
	key := joined(args)
	if j.recursion(name, key, at) {
		return j.same()
	}
	outer, via := j.src, j.via
	if j.via == "" {
		j.via = "the function " + name
	}
	j.src = b.src
	j.frames = append(j.frames, frame{function: name, args: key, forks: j.forks})
	saved := j.lookupHere("@")
	j.positional(args)
	f := j.stmt(b.stmt)
	top := &j.frames[len(j.frames)-1]
	for i := range top.exits {
		f = f.or(flow{top.exits[i].dirs, top.exits[i].dirs})
		j.joinEnv(&top.exits[i])
	}
	for _, v := range slices.Backward(top.locals) {
		j.env.set(v)
	}
	j.env.set(saved)
	j.frames = j.frames[:len(j.frames)-1]
	j.src, j.via = outer, via
	return f
}

// positional sets "$@".
func (j *judge) positional(args []field) {
	j.env.set(variable{name: "@", array: true, lists: [][]string{texts(args)}})
}

// maxRecursion is how often a function is walked within itself.
const maxRecursion = 3

// recursion reports whether a call of a function within itself needs no walk
// of its own, and finds the ones that multiply.
func (j *judge) recursion(name, key string, at span) bool {
	within, same := 0, false
	self := selfCall{name: name, at: at}
	for i := range j.frames {
		if fr := &j.frames[i]; fr.function == name {
			if within++; within == 1 {
				self.forks = j.forks - fr.forks
			}
			same = same || fr.args == key
		}
	}
	if within == 0 {
		return false
	}
	j.again = true
	j.selfCall(self)
	if !same && within >= maxRecursion {
		j.unknown("the function "+name+" calls itself, how often cannot be told", at)
	}
	return same || within >= maxRecursion
}

// inBackground is what & adds to the forks around a command, a pipe adds 1.
const inBackground = 1 << 16

// selfCall is a call of a function within itself, with the forks between.
type selfCall struct {
	name  string
	at    span
	forks int
}

// selfCall raises a function that starts itself in the background, and one that
// multiplies: it does so twice, or in both ends of a pipe.
func (j *judge) selfCall(s selfCall) {
	if slices.Contains(j.selves, s) {
		return
	}
	j.selves = append(j.selves, s)
	background, forked, places := false, 0, map[span]bool{}
	for _, t := range j.selves {
		if t.name == s.name {
			background = background || t.forks >= inBackground
			forked += min(t.forks, 1)
			places[t.at] = true
		}
	}
	p := Part{Kind: TextPart, set: executes, Start: s.at.start, End: s.at.end, Via: j.via}
	switch {
	case len(places) > 1 && (background || forked > 1):
		j.forkBomb(s.at)
		return
	case !background:
		return
	}
	j.danger(&p, Confirm, "a function that starts itself in the background", s.at)
	j.add(p)
}

func (j *judge) forkBomb(at span) {
	p := Part{Kind: TextPart, set: executes, Start: at.start, End: at.end, Via: j.via}
	j.danger(&p, Block, "a fork bomb: it starts itself again and again", at)
	j.add(p)
}

// endless finds loops that start processes without end and wait for none.
func (j *judge) endless(n *syntax.WhileClause) {
	if len(n.Cond) != 1 || n.Until {
		return
	}
	always, forks, waits := false, false, false
	switch c := n.Cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		always = len(c.Args) == 1 && (c.Args[0].Lit() == ":" || c.Args[0].Lit() == "true")
	case *syntax.ArithmCmd:
		w, ok := c.X.(*syntax.Word)
		always = ok && w.Lit() == "1"
	}
	for _, st := range n.Do {
		syntax.Walk(st, func(node syntax.Node) bool {
			switch x := node.(type) {
			case *syntax.Stmt:
				forks = forks || x.Background
			case *syntax.CallExpr:
				waits = waits || len(x.Args) > 0 && slices.Contains(waiting, x.Args[0].Lit())
			}
			return true
		})
	}
	if always && forks && !waits {
		j.forkBomb(j.src.span(n.Pos(), n.End()))
	}
}

var waiting = []string{"wait", "sleep", "break", "exit", "return", "read", "inotifywait", "fg"}
