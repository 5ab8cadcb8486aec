package policy

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router"
	"mvdan.cc/sh/v3/syntax"
)

// simple walks a simple command: assignments, expansion, then what its words
// may be.
func (j *judge) simple(n *syntax.CallExpr) {
	if j.found != nil {
		j.found(n.Args, n.Assigns)
	}
	if len(n.Args) == 0 {
		for _, a := range n.Assigns {
			j.assignment(a, 0)
		}
		return
	}
	at := j.src.span(n.Args[0].Pos(), n.Args[len(n.Args)-1].End())
	call := slices.IndexFunc(j.src.calls, func(c router.CallSite) bool { return c.Offset == int(n.Args[0].Pos().Offset()) })
	if _, ok := n.Args[0].Parts[0].(*syntax.ExtGlob); ok && call < 0 { // !(rm x): without extglob a negated subshell
		j.anything("whether this is a pattern or a command depends on the shell's options", at)
	}
	argvs := j.expandAll(n.Args)
	run := func(i int) {
		var before []local // what stands before a command is for it alone
		for _, a := range n.Assigns {
			if a.Name != nil {
				before = append(before, local{a.Name.Value, j.lookup(a.Name.Value)})
			}
			j.assignment(a, exported)
		}
		if call >= 0 {
			j.tool(j.src.calls[call].Name, argvs[i], at)
		} else {
			j.command(argvs[i], at)
		}
		j.restore(before)
	}
	switch {
	case call < 0 && j.aliased(n, argvs[0], at, run):
	case len(argvs) == 1:
		run(0)
	default:
		j.ways(len(argvs), false, run)
	}
}

// aliased walks a command whose first word may be an alias: the alias's text,
// with the rest of the command's own text after it; run is the command itself,
// since the alias may not be there yet.
func (j *judge) aliased(n *syntax.CallExpr, argv []field, at span, run func(i int)) bool {
	if len(argv) == 0 || !argv[0].plain || j.env.child || slices.Contains(j.aliases, argv[0].text) {
		return false
	}
	texts := j.lookup("alias " + argv[0].text).value()
	if len(texts) == 0 {
		return false
	}
	rest := j.src.literal(j.src.cut(n.Args[0].End(), n.End()))
	j.aliases = append(slices.Clip(j.aliases), argv[0].text) // until the end of this command
	j.ways(1+len(texts), false, func(i int) {
		if i == 0 {
			run(0)
			return
		}
		if strings.TrimRight(texts[i-1], " \t") != texts[i-1] {
			j.anything("the word after an alias that ends in a blank may be one, too", at)
		}
		j.text(madeOf(texts[i-1]+rest, at))
	})
	return true
}
