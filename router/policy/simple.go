package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// simple walks a simple command: assignments, expansion, then what its words
// may be.
func (j *judge) simple(n *syntax.CallExpr) flow {
	if j.found != nil {
		j.found(n.Args, n.Assigns)
	}
	if len(n.Args) == 0 {
		for _, a := range n.Assigns {
			j.assignment(a, false)
		}
		return j.same()
	}
	at := j.src.span(n.Args[0].Pos(), n.Args[len(n.Args)-1].End())
	if name, ok := j.callAt(n.Args[0]); ok {
		out := j.choice()
		for _, argv := range j.expandAll(n.Args) {
			out.way()
			j.assignments(n.Assigns, nil)
			j.tool(name, argv, at)
		}
		out.end()
		return j.same()
	}
	j.patternCommand(n.Args[0])
	argvs := j.expandAll(n.Args)
	if f, ok := j.aliased(n, argvs[0]); ok {
		return f
	}
	if len(argvs) == 1 {
		return j.withAssigns(n.Assigns, argvs[0], at)
	}
	f, out := flow{}, j.choice()
	before := j.env.copy()
	for i, argv := range argvs {
		out.way()
		end := j.env.copy()
		j.env = before.copy()
		f = j.either(f, j.withAssigns(n.Assigns, argv, at))
		if i > 0 {
			j.joinEnv(&end)
		}
	}
	out.end()
	return f
}

func (j *judge) either(a, b flow) flow { return flow{addDirs(a.ok, b.ok), addDirs(a.fail, b.fail)} }

// callAt returns the tool that a command word was found to call.
func (j *judge) callAt(w *syntax.Word) (string, bool) {
	at := int(w.Pos().Offset())
	for _, c := range j.src.calls {
		if c.Offset == at {
			return c.Name, true
		}
	}
	return "", false
}

// patternCommand judges !(rm x) and its kin as a command word: without extglob
// bash takes the first for a negated subshell.
func (j *judge) patternCommand(w *syntax.Word) {
	for _, p := range w.Parts {
		g, ok := p.(*syntax.ExtGlob)
		if !ok {
			continue
		}
		at := j.src.span(g.Pos(), g.End())
		j.unknown("whether this is a pattern or a command depends on the shell's options", at)
		s := &source{text: j.src.literal(g.Pattern.Value), start: at.start, end: at.end, made: true}
		j.text(s)
	}
}

// withAssigns runs a command with the variables that stand before it.
func (j *judge) withAssigns(assigns []*syntax.Assign, argv []field, at span) flow {
	if len(assigns) == 0 {
		return j.command(argv, at)
	}
	vars := j.env.vars
	j.env.varsShared = true
	j.assignments(assigns, argv)
	f := j.command(argv, at)
	j.dropAssigns(assigns, vars)
	return f
}

// assignments sets what stands before a command, for the command alone.
func (j *judge) assignments(assigns []*syntax.Assign, argv []field) {
	for _, a := range assigns {
		j.assignment(a, true)
	}
}

// dropAssigns gives the variables back what they were before a command.
func (j *judge) dropAssigns(assigns []*syntax.Assign, before []variable) {
	old := env{vars: before}
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		if v := old.find(a.Name.Value); v != nil {
			j.env.set(*v)
		} else {
			j.forget(a.Name.Value)
		}
	}
}

// forget makes a variable one that the line has not set.
func (j *judge) forget(name string) {
	j.env.vars = append([]variable(nil), j.env.vars...)
	j.env.varsShared = false
	for i := range j.env.vars {
		if j.env.vars[i].name == name {
			j.env.vars = append(j.env.vars[:i], j.env.vars[i+1:]...)
			return
		}
	}
}

// aliasValues returns what an alias may stand for.
func (j *judge) aliasValues(name string) value {
	if v := j.env.alias(name); v != nil {
		return v
	}
	return j.world.Aliases[name]
}

// aliased walks a command whose first word may be an alias: the alias's text,
// with the rest of the command's own text after it.
func (j *judge) aliased(n *syntax.CallExpr, argv []field) (flow, bool) {
	if len(j.env.aliases) == 0 && len(j.world.Aliases) == 0 || len(argv) == 0 || !argv[0].plain || j.isExpanding(argv[0].text) {
		return flow{}, false
	}
	vals := j.aliasValues(argv[0].text)
	if len(vals) == 0 {
		return flow{}, false
	}
	at := j.src.span(n.Args[0].Pos(), n.Args[len(n.Args)-1].End())
	end := int(n.Args[len(n.Args)-1].End().Offset())
	rest := ""
	if len(n.Args) > 1 {
		rest = j.src.text[int(n.Args[0].End().Offset()):min(end, len(j.src.text))]
	}
	rest = j.src.literal(rest)
	j.expanding = append(j.expanding, argv[0].text)
	before, out := j.env.copy(), j.choice()
	out.way()
	f := j.withAssigns(n.Assigns, argv, at) // the alias may not be there yet
	for _, v := range vals {
		out.way()
		end := j.env.copy()
		j.env = before.copy()
		text := v + rest
		if strings.HasSuffix(v, " ") || strings.HasSuffix(v, "\t") {
			text = v + j.secondAlias(rest)
		}
		j.text(&source{text: text, start: at.start, end: at.end, made: true})
		f = j.either(f, j.same())
		j.joinEnv(&end)
	}
	out.end()
	j.expanding = j.expanding[:len(j.expanding)-1]
	return f, true
}

// secondAlias expands the word after an alias that ends in a blank.
func (j *judge) secondAlias(rest string) string {
	trimmed := strings.TrimLeft(rest, " \t")
	word := trimmed
	if i := strings.IndexAny(trimmed, " \t\n;|&<>()"); i >= 0 {
		word = trimmed[:i]
	}
	if vals := j.aliasValues(word); len(vals) > 0 && !j.isExpanding(word) {
		return " " + vals[0] + trimmed[len(word):]
	}
	return rest
}

func (j *judge) isExpanding(name string) bool {
	for _, e := range j.expanding {
		if e == name {
			return true
		}
	}
	return false
}
