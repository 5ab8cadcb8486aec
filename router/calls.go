package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/router/internal/bashtext"
	"mvdan.cc/sh/v3/syntax"
)

// findCalls returns the agent and field commands in a bash text, in the order they
// stand there, and what to say of commands that stay bash's if they fail; ok is
// false when the text cannot be parsed.
func (n *nameIndex) findCalls(text string, tree *bashtext.Tree) (calls []CallSite, hints []string, ok bool) {
	if tree.Err != nil {
		return nil, nil, false
	}
	f := finder{names: n, text: text}
	for _, s := range tree.Stmts {
		f.stack = append(f.stack[:0], stdinOf{})
		syntax.Walk(s, f.visit)
	}
	if f.tooDeep {
		return nil, nil, false
	}
	calls, hints = f.calls()
	return calls, hints, true
}

// calls are those of the commands found that are a tool's.
func (f *finder) calls() (calls []CallSite, hints []string) {
	for _, c := range f.found {
		if f.defined[c.site.name] {
			continue // the text's own function
		}
		if t := f.names.agent[c.site.name]; t != nil {
			c.site.stdin = c.site.stdin || f.execs
			tool, hint := c.site.meansTool(t)
			if hint != "" {
				hints = append(hints, hint)
			}
			if !tool {
				continue
			}
		}
		calls = append(calls, CallSite{Layer: layerOf(c.site.name), Name: strings.TrimPrefix(c.site.name, agentPrefix), Offset: c.offset})
	}
	slices.SortFunc(calls, func(a, b CallSite) int { return cmp.Compare(a.Offset, b.Offset) })
	return calls, hints
}

// candidate is a command that has the name of a tool.
type candidate struct {
	site   site
	offset int
}

// stdinOf says where the stdin of a command may come from.
type stdinOf struct {
	around bool // a pipe, a redirection or a caller of what it stands in
	direct bool // a pipe or a redirection of its own
}

// maxDepth is how deep a syntax tree is followed. Walking recurses, and a text
// that nests deeper (a million-fold 1+1+1) is no command that anybody typed.
const maxDepth = 2000

// finder walks syntax trees and gathers what decides about calls.
type finder struct {
	names   *nameIndex
	text    string
	stack   []stdinOf // of the nodes around the present one
	piped   map[*syntax.Stmt]bool
	found   []candidate
	defined map[string]bool // functions that the text itself defines
	execs   bool            // an exec gives the shell another stdin
	tooDeep bool
}

// visit is called by syntax.Walk for each node, and with nil after its children.
func (f *finder) visit(n syntax.Node) bool {
	if n == nil {
		f.stack = f.stack[:len(f.stack)-1]
		return true
	}
	if f.tooDeep = f.tooDeep || len(f.stack) > maxDepth; f.tooDeep {
		return false
	}
	f.stack = append(f.stack, f.stdinWithin(n, f.stack[len(f.stack)-1]))
	return true
}

// stdinWithin looks at a node and returns what feeds the commands in it.
func (f *finder) stdinWithin(n syntax.Node, at stdinOf) stdinOf {
	switch n := n.(type) {
	case *syntax.Stmt:
		piped := f.piped[n]
		return stdinOf{around: at.around || piped, direct: piped || slices.ContainsFunc(n.Redirs, feedsStdin)}
	case *syntax.CallExpr:
		// The words of a simple command are expanded before it is redirected
		// (POSIX, 2.9.1 Simple Commands).
		f.keepCall(n, at.around || at.direct, at.direct)
	case *syntax.TimeClause:
		f.notePipe(n.Stmt, at.direct)
	case *syntax.BinaryCmd:
		f.notePipe(n.Y, n.Op == syntax.Pipe || n.Op == syntax.PipeAll)
		return stdinOf{around: at.around || at.direct}
	case *syntax.FuncDecl:
		f.noteFunction(n)
		return stdinOf{around: true}
	case *syntax.CoprocClause:
		return stdinOf{around: true}
	case *syntax.ProcSubst:
		return stdinOf{around: at.around || n.Op == syntax.CmdOut}
	case *syntax.DeclClause:
	case syntax.Command: // its redirections are made before anything in it is expanded
		return stdinOf{around: at.around || at.direct}
	}
	return stdinOf{around: at.around}
}

// notePipe notes that a statement reads from a pipe, or from what feeds time.
func (f *finder) notePipe(s *syntax.Stmt, piped bool) {
	if s == nil || !piped {
		return
	}
	if f.piped == nil {
		f.piped = map[*syntax.Stmt]bool{}
	}
	f.piped[s] = true
}

// feedsStdin reports whether a redirection is of descriptor 0.
func feedsStdin(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return r.N == nil || r.N.Value == "0"
	}
	return false
}

func (f *finder) noteFunction(fn *syntax.FuncDecl) {
	if f.defined == nil {
		f.defined = map[string]bool{}
	}
	if fn.Name != nil {
		f.defined[fn.Name.Value] = true
	}
}

// keepCall keeps a command that has the name of a tool. It is fed when something
// may feed its stdin, and directly so when that is its own pipe or redirection.
func (f *finder) keepCall(call *syntax.CallExpr, fed, direct bool) {
	if len(call.Args) == 0 || len(call.Args[0].Parts) != 1 {
		return
	}
	word, ok := call.Args[0].Parts[0].(*syntax.Lit)
	if !ok {
		return
	}
	name, at := word.Value, int(word.Pos().Offset())
	if direct && name == "exec" && len(call.Args) == 1 {
		f.execs = true
	}
	if !f.names.isCall(name) || !strings.HasPrefix(f.text[min(at, len(f.text)):], name) {
		return
	}
	s := site{name: name, stdin: fed, direct: direct, ifs: setsIFS(call)}
	if f.names.agent[name] != nil {
		s.args = make([]arg, 0, len(call.Args)-1)
		for _, w := range call.Args[1:] {
			s.args = append(s.args, argOf(w))
		}
	}
	f.found = append(f.found, candidate{s, at})
}

// setsIFS reports whether the command is run with an IFS of its own.
func setsIFS(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == "IFS" })
}
