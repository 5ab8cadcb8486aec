package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router"
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
	name, isTool := j.callAt(n.Args[0])
	if !isTool {
		j.patternCommand(n.Args[0])
	}
	argvs := j.expandAll(n.Args)
	if !isTool {
		if f, ok := j.aliased(n, argvs[0], at); ok {
			return f
		}
	}
	run := func(i int) flow {
		if isTool {
			for _, a := range n.Assigns {
				j.assignment(a, true)
			}
			j.tool(name, argvs[i], at)
			return j.same()
		}
		return j.withAssigns(n.Assigns, argvs[i], at)
	}
	if len(argvs) == 1 {
		return run(0)
	}
	return j.ways(len(argvs), false, run)
}

// callAt returns the tool that a command word was found to call.
func (j *judge) callAt(w *syntax.Word) (string, bool) {
	i := slices.IndexFunc(j.src.calls, func(c router.CallSite) bool { return c.Offset == int(w.Pos().Offset()) })
	if i < 0 {
		return "", false
	}
	return j.src.calls[i].Name, true
}

// patternCommand judges !(rm x) and its kin as a command word: without extglob
// bash takes the first for a negated subshell.
func (j *judge) patternCommand(w *syntax.Word) {
	for _, p := range w.Parts {
		if g, ok := p.(*syntax.ExtGlob); ok {
			at := j.src.span(g.Pos(), g.End())
			j.unknown("whether this is a pattern or a command depends on the shell's options", at)
			j.text(&source{text: j.src.literal(g.Pattern.Value), start: at.start, end: at.end, made: true})
		}
	}
}

// withAssigns runs a command with the variables that stand before it, which are
// for the command alone.
func (j *judge) withAssigns(assigns []*syntax.Assign, argv []field, at span) flow {
	if len(assigns) == 0 {
		return j.command(argv, at)
	}
	before := j.env.copy()
	for _, a := range assigns {
		j.assignment(a, true)
	}
	f := j.command(argv, at)
	j.env.own()
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		if v, ok := before.vars[a.Name.Value]; ok {
			j.env.set(v)
		} else {
			delete(j.env.vars, a.Name.Value)
		}
	}
	return f
}

// aliasValues returns what an alias may stand for.
func (j *judge) aliasValues(name string) value {
	if a, ok := j.env.aliases[name]; ok {
		return a.text
	}
	return j.world.Aliases[name]
}

// aliased walks a command whose first word may be an alias: the alias's text,
// with the rest of the command's own text after it.
func (j *judge) aliased(n *syntax.CallExpr, argv []field, at span) (flow, bool) {
	if len(j.env.aliases)+len(j.world.Aliases) == 0 || len(argv) == 0 || !argv[0].plain || slices.Contains(j.expanding, argv[0].text) {
		return flow{}, false
	}
	vals := j.aliasValues(argv[0].text)
	if len(vals) == 0 {
		return flow{}, false
	}
	from, to := int(n.Args[0].End().Offset()), int(n.Args[len(n.Args)-1].End().Offset())
	rest := j.src.literal(j.src.text[from:min(to, len(j.src.text))])
	j.expanding = append(j.expanding, argv[0].text)
	f := j.ways(1+len(vals), false, func(i int) flow {
		if i == 0 {
			return j.withAssigns(n.Assigns, argv, at) // the alias may not be there yet
		}
		text := vals[i-1]
		if strings.HasSuffix(text, " ") || strings.HasSuffix(text, "\t") {
			text += j.secondAlias(rest)
		} else {
			text += rest
		}
		j.text(&source{text: text, start: at.start, end: at.end, made: true})
		return j.same()
	})
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
	if vals := j.aliasValues(word); len(vals) > 0 && !slices.Contains(j.expanding, word) {
		return " " + vals[0] + trimmed[len(word):]
	}
	return rest
}
