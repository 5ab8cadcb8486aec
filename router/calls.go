package router

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxDepth is how deep a syntax tree is followed. Walking recurses, and a text
// that nests deeper (a million-fold 1+1+1) is no command that anybody typed.
const maxDepth = 5000

// find returns the agent and field commands in a bash text, in the order they
// stand there, and what to say of commands that stay bash's if they fail; ok is
// false when the text cannot be parsed or trusted.
func (n *nameIndex) find(text string) (calls []CallSite, hints []string, ok bool) {
	f := finder{names: n, text: text}
	if !n.parse(text, f.visit) || f.distrust {
		return nil, nil, false
	}
	for _, c := range f.found {
		if f.defined[c.site.name] {
			continue // the text's own function
		}
		if t := n.agent[c.site.name]; t != nil {
			c.site.stdin = c.site.stdin || f.execs
			tool, hint := c.site.meant(t)
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
	return calls, hints, true
}

// candidate is a command that has the name of a tool.
type candidate struct {
	site   site
	offset int
}

// finder walks a syntax tree and keeps the way down to the present node.
type finder struct {
	names    *nameIndex
	text     string
	way      []syntax.Node
	found    []candidate
	defined  map[string]bool // functions that the text itself defines
	execs    bool            // an exec gives the shell another stdin
	distrust bool            // bash may read the text otherwise than the parser
}

func (f *finder) visit(node syntax.Node) bool {
	if node == nil {
		f.way = f.way[:len(f.way)-1]
		return true
	}
	if f.distrust = f.distrust || len(f.way) == maxDepth; f.distrust {
		return false
	}
	f.way = append(f.way, node)
	switch node := node.(type) {
	case *syntax.CallExpr:
		f.call(node)
	case *syntax.FuncDecl:
		f.define(node)
	case *syntax.Stmt:
		f.execs = f.execs || redirectsShell(node)
	case *syntax.Redirect:
		f.distrust = node.Hdoc != nil && endsInCR(f.text, node.Word)
	}
	return true
}

func (f *finder) define(fn *syntax.FuncDecl) {
	if f.defined == nil {
		f.defined = map[string]bool{}
	}
	if fn.Name != nil {
		f.defined[fn.Name.Value] = true
	}
}

// redirectsShell reports whether a statement is an exec that gives the shell
// itself another stdin.
func redirectsShell(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec" && slices.ContainsFunc(stmt.Redirs, feeds)
}

// endsInCR reports whether a here-document's delimiter stands before a carriage
// return and a newline. To the parser that is a line end, to bash the return is
// a byte like others, so the document may end elsewhere.
func endsInCR(text string, delimiter *syntax.Word) bool {
	word := argOf(delimiter).text + "\r"
	return strings.Contains(text, word+"\n") || strings.HasSuffix(text, word)
}

// call keeps a command that has the name of a tool.
func (f *finder) call(call *syntax.CallExpr) {
	if len(call.Args) == 0 || len(call.Args[0].Parts) != 1 {
		return
	}
	word, ok := call.Args[0].Parts[0].(*syntax.Lit)
	if !ok || !f.names.isCall(word.Value) {
		return
	}
	name, at := word.Value, int(word.Pos().Offset())
	if !f.standsAt(name, at) {
		return
	}
	s := site{name: name, direct: f.direct(), ifs: setsIFS(call)}
	if f.names.agent[name] != nil {
		s.stdin = s.direct || f.fed()
		s.args = make([]arg, 0, len(call.Args)-1)
		for _, w := range call.Args[1:] {
			s.args = append(s.args, argOf(w))
		}
	}
	f.found = append(f.found, candidate{s, at})
}

// standsAt reports whether the text has the name at an offset, and nothing
// that would make it a longer word for bash (a carriage return is one to bash).
func (f *finder) standsAt(name string, at int) bool {
	if at > len(f.text) || !strings.HasPrefix(f.text[at:], name) {
		return false
	}
	rest := f.text[at+len(name):]
	return rest == "" || strings.IndexByte(" \t\n;|&<>()`", rest[0]) >= 0
}

// fed reports whether something may feed the stdin of the command at the end
// of the way: a pipe, a redirection, a function's caller, a coprocess.
func (f *finder) fed() bool {
	for i, node := range f.way[:len(f.way)-1] {
		switch n := node.(type) {
		case *syntax.FuncDecl, *syntax.CoprocClause:
			return true
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && f.way[i+1] == n.Y {
				return true
			}
		case *syntax.ProcSubst:
			if n.Op == syntax.CmdOut {
				return true
			}
		case *syntax.Stmt:
			if slices.ContainsFunc(n.Redirs, feeds) && !f.expandsBefore(i) {
				return true
			}
		}
	}
	return false
}

// expandsBefore reports whether the way leads from the statement at i into a
// word that bash expands before the statement is redirected: a redirection's
// own, or an argument of a simple command (POSIX, 2.9.1 Simple Commands).
func (f *finder) expandsBefore(i int) bool {
	switch f.way[i+1].(type) {
	case *syntax.Redirect:
		return true
	case *syntax.CallExpr, *syntax.DeclClause:
		return i+1 < len(f.way)-1
	}
	return false
}

// direct reports whether the command at the end of the way has a pipe or a
// redirection of its own.
func (f *finder) direct() bool {
	last := len(f.way) - 2 // of the command is its statement
	if last < 0 {
		return false
	}
	stmt, ok := f.way[last].(*syntax.Stmt)
	if !ok {
		return false
	}
	if slices.ContainsFunc(stmt.Redirs, feeds) {
		return true
	}
	if last == 0 {
		return false
	}
	pipe, ok := f.way[last-1].(*syntax.BinaryCmd)
	return ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) && pipe.Y == stmt
}

// setsIFS reports whether the command is run with an IFS of its own.
func setsIFS(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == "IFS" })
}

// feeds reports whether a redirection is of descriptor 0.
func feeds(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return r.N == nil || r.N.Value == "0"
	}
	return false
}
