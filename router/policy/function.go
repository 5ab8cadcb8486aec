package policy

import (
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

// definition is a function's text, for a later line.
func (b *body) definition(name string) string {
	from, to := int(b.stmt.Pos().Offset()), int(b.stmt.End().Offset())
	if from > to || to > len(b.src.text) {
		return "function " + name + " { ${" + holeVariable + "a}; }"
	}
	return "function " + name + " " + documents(b, from, to)
}

// documents is the text of a body; with here-documents in it, whose lines come
// after the body's end, all of the text from there on.
func documents(b *body, from, to int) string {
	text := b.src.text[from:to]
	if strings.Contains(text, "<<") {
		text = b.src.text[from:]
	}
	return b.src.literal(text)
}

// functionCall walks the function that a name stands for; sure is false when
// the name may be a command, too.
func (j *judge) functionCall(name string, args []field, at span) (f flow, sure bool) {
	fn := j.env.function(name)
	if fn == nil {
		if texts := j.world.Functions[name]; len(texts) > 0 {
			return j.remembered(name, texts, args, at), true
		}
		return f, false
	}
	if len(fn.bodies) == 0 {
		return f, false
	}
	sure = fn.sure && !j.env.child
	before, out, bodies := j.env.copy(), j.choice(), fn.bodies
	for i, b := range bodies {
		out.way()
		end := j.env.copy()
		j.env = before.copy()
		f = j.either(f, j.callBody(name, b, args, at))
		if i > 0 {
			j.joinEnv(&end)
		}
	}
	out.end()
	if !sure {
		j.joinEnv(&before)
		j.out.loosen(-1)
	}
	return f, sure
}

// remembered walks a function that an earlier line has defined.
func (j *judge) remembered(name string, texts []string, args []field, at span) flow {
	before, out := j.env.copy(), j.choice()
	defer out.end()
	var f flow
	for i, text := range texts {
		out.way()
		s := &source{text: text, start: at.start, end: at.end, made: true}
		tree := s.prepare()
		if tree.Err != nil {
			j.unknown("the function "+name+" is not understood as bash", at)
			continue
		}
		for _, st := range tree.Stmts {
			decl, ok := st.Cmd.(*syntax.FuncDecl)
			if !ok {
				continue
			}
			end := j.env.copy()
			j.env = before.copy()
			f = j.either(f, j.callBody(name, body{decl.Body, s}, args, at))
			if i > 0 {
				j.joinEnv(&end)
			}
		}
	}
	if len(f.any()) == 0 {
		f = j.same()
	}
	return f
}

// callBody walks a function's body with its arguments.
func (j *judge) callBody(name string, b body, args []field, at span) flow {
	key := joined(args)
	if again := j.recursion(name, key, at); again {
		return j.same()
	}
	outer, via := j.src, j.via
	if j.via == "" {
		j.via = "the function " + name
	}
	j.src = b.src
	j.frames = append(j.frames, frame{function: name, args: key, forks: j.forks})
	positional := j.env.find("@")
	var saved variable
	if positional != nil {
		saved = *positional
	} else {
		saved = j.outside("@")
	}
	j.env.set(variable{name: "@", array: true, lists: [][]string{texts(args)}})
	f := j.stmt(b.stmt)
	top := &j.frames[len(j.frames)-1]
	for i := range top.exits {
		f.ok, f.fail = addDirs(f.ok, top.exits[i].dirs), addDirs(f.fail, top.exits[i].dirs)
		j.joinEnv(&top.exits[i])
	}
	for i := len(top.locals) - 1; i >= 0; i-- {
		j.env.set(top.locals[i])
	}
	j.env.set(saved)
	j.frames = j.frames[:len(j.frames)-1]
	j.src, j.via = outer, via
	return f
}

// maxRecursion is how often a function is walked within itself.
const maxRecursion = 3

// recursion reports whether a call of a function within itself needs no walk
// of its own, and finds the ones that multiply.
func (j *judge) recursion(name, key string, at span) bool {
	within, same := 0, false
	var first *frame
	for i := range j.frames {
		if fr := &j.frames[i]; fr.function == name {
			if first == nil {
				first = fr
			}
			within++
			same = same || fr.args == key
		}
	}
	if within == 0 {
		return false
	}
	j.again = true
	if j.forks > first.forks || j.inBackground(name) {
		j.selfCall(name, at)
	}
	if !same && within >= maxRecursion {
		j.unknown("the function "+name+" calls itself, how often cannot be told", at)
	}
	return same || within >= maxRecursion
}

// selfCall is a call of a function within itself.
type selfCall struct {
	name       string
	at         span
	background bool
}

func (j *judge) selfCall(name string, at span) {
	for _, s := range j.selves {
		if s.name == name && s.at == at {
			return
		}
	}
	j.selves = append(j.selves, selfCall{name: name, at: at})
	for _, s := range j.selves[:len(j.selves)-1] {
		if s.name == name && s.background {
			j.forkBomb(at)
		}
	}
}

// inBackground reports whether a function was seen to start itself in the
// background.
func (j *judge) inBackground(name string) bool {
	for _, s := range j.selves {
		if s.name == name && s.background {
			return true
		}
	}
	return false
}

func (j *judge) selfCalls() int { return len(j.selves) }

// countFork looks at the calls of functions within themselves that a background
// command has made.
func (j *judge) countFork(before int) {
	if len(j.selves) == before {
		return
	}
	for i := before; i < len(j.selves); i++ {
		j.selves[i].background = true
	}
	at := j.selves[before].at
	same := 0
	for _, s := range j.selves {
		if s.name == j.selves[before].name {
			same++
		}
	}
	if same > 1 {
		j.forkBomb(at)
		return
	}
	p := Part{Kind: TextPart, set: executes, Start: at.start, End: at.end, Via: j.via}
	j.danger(&p, Confirm, "a function that starts itself in the background", at)
	j.add(p)
}

func (j *judge) forkBomb(at span) {
	p := Part{Kind: TextPart, set: executes, Start: at.start, End: at.end, Via: j.via}
	j.danger(&p, Block, "a fork bomb: it starts itself again and again", at)
	j.add(p)
}

// endless finds loops that start processes without end and wait for none.
func (j *judge) endless(n *syntax.WhileClause) {
	if len(n.Cond) != 1 || n.Until || !always(n.Cond[0]) {
		return
	}
	forks, waits := false, false
	for _, st := range n.Do {
		syntax.Walk(st, func(node syntax.Node) bool {
			switch x := node.(type) {
			case *syntax.Stmt:
				forks = forks || x.Background
			case *syntax.CallExpr:
				if len(x.Args) > 0 {
					switch x.Args[0].Lit() {
					case "wait", "sleep", "break", "exit", "return", "read", "inotifywait", "fg":
						waits = true
					}
				}
			}
			return true
		})
	}
	if forks && !waits {
		j.forkBomb(j.src.span(n.Pos(), n.End()))
	}
}

// always reports whether a condition is always true.
func always(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 1 {
			name := c.Args[0].Lit()
			return name == ":" || name == "true"
		}
	case *syntax.ArithmCmd:
		w, ok := c.X.(*syntax.Word)
		return ok && w.Lit() == "1"
	}
	return false
}
