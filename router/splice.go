package router

import (
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"mvdan.cc/sh/v3/syntax"
)

// maxNesting bounds what is parsed: the parser recurses, and text that opens
// more than this is no command that anybody typed. It runs as it is.
const maxNesting = 5000

// spliced is what parsing found in a bash text.
type spliced struct {
	script string // the text to run
	calls  []CallSite
	hints  []string // what to say if bash's answer fails
}

// splice finds the command words of agent and field commands in a bash text
// and puts in their place what bash can run (agent:read for read). Every other
// byte stays: only offsets are taken from the syntax tree. Text that does not
// parse stays whole, for bash to judge.
func (n *nameIndex) splice(text string) spliced {
	out := spliced{script: text}
	if strings.Count(text, "(")+strings.Count(text, "{")+strings.Count(text, "`") > maxNesting {
		return out
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return out
	}
	f := finder{names: n, text: text}
	f.defined, f.execs = survey(file)
	syntax.Walk(file, f.visit)
	slices.SortFunc(f.calls, func(a, b CallSite) int { return a.Offset - b.Offset })
	out.calls, out.hints = f.calls, f.hints
	if len(f.calls) == 0 {
		return out
	}
	var b strings.Builder
	last := 0
	for _, c := range f.calls {
		b.WriteString(text[last:c.Offset])
		if c.Layer == Agent && !strings.HasPrefix(text[c.Offset:], agentPrefix) {
			b.WriteString(agentPrefix)
		}
		last = c.Offset
	}
	b.WriteString(text[last:])
	out.script = b.String()
	return out
}

// survey returns the names of functions that the text itself defines, which
// are the user's own whatever tools are called, and whether an exec in it
// gives the shell another stdin.
func survey(file *syntax.File) (defined map[string]bool, execs bool) {
	defined = map[string]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				defined[n.Name.Value] = true
			}
		case *syntax.Stmt:
			call, ok := n.Cmd.(*syntax.CallExpr)
			if ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec" {
				execs = execs || slices.ContainsFunc(n.Redirs, feeds)
			}
		}
		return true
	})
	return defined, execs
}

// finder walks a syntax tree and keeps the way down to the present node.
type finder struct {
	names   *nameIndex
	text    string
	defined map[string]bool
	way     []syntax.Node
	execs   bool // an exec may have given the shell another stdin
	calls   []CallSite
	hints   []string
}

func (f *finder) visit(node syntax.Node) bool {
	if node == nil {
		f.way = f.way[:len(f.way)-1]
		return true
	}
	f.way = append(f.way, node)
	if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		f.call(call)
	}
	return true
}

func (f *finder) call(call *syntax.CallExpr) {
	if len(call.Args[0].Parts) != 1 {
		return
	}
	word, ok := call.Args[0].Parts[0].(*syntax.Lit)
	if !ok {
		return
	}
	name, at := word.Value, int(word.Pos().Offset())
	if !f.names.isCall(name) || f.defined[name] || !strings.HasPrefix(f.text[min(at, len(f.text)):], name) {
		return
	}
	if t := f.names.agent[name]; t != nil {
		s := site{name: name, direct: f.direct(), ifs: setsIFS(call)}
		s.stdin = s.direct || f.execs || f.fed()
		for _, w := range call.Args[1:] {
			s.args = append(s.args, argOf(w))
		}
		tool, hint := s.meant(t)
		if hint != "" {
			f.hints = append(f.hints, hint)
		}
		if !tool {
			return
		}
	}
	f.calls = append(f.calls, CallSite{Layer: layerOf(name), Name: strings.TrimPrefix(name, agentPrefix), Offset: at})
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

// argOf is what can be known of a word before bash expands it.
func argOf(w *syntax.Word) arg {
	var a arg
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			a.text += unescape(p.Value)
			a.multi = a.multi || strings.ContainsAny(p.Value, "*?[{")
		case *syntax.SglQuoted:
			a.text += p.Value
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					a.text += unescape(lit.Value)
					continue
				}
				a.text += "$"
				a.multi = a.multi || severalWords(q)
			}
		default:
			a.text += "$"
			a.multi = true
		}
	}
	return a
}

// severalWords reports whether an expansion in double quotes may still become
// any number of words: "$@", "${a[@]}".
func severalWords(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok {
		return false
	}
	if p.Param != nil && p.Param.Value == "@" {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@"
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// layerOf tells the layer from the form of a call's name.
func layerOf(name string) Layer {
	if strings.HasPrefix(name, registry.FieldPrefix) {
		return Field
	}
	return Agent
}
