package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router/internal/bashtext"
	"github.com/agentbash/agentbash/router/internal/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// found is what there is of tools in a bash text.
type found struct {
	calls []CallSite  // in the order they stand there
	edits []insertion // that make bash run them, in the same order
	hints []hint      // for commands that stay bash's
}

// insertion is what is put into a text.
type insertion struct {
	at   int
	text string
}

// findCalls returns the agent and field commands in a bash text; ok is false when it cannot be parsed.
func (n *nameIndex) findCalls(text string, tree *bashtext.Tree) (out found, ok bool) {
	f := finder{names: n, text: text}
	if !f.walk(tree, flow{}) {
		return found{}, false
	}
	for _, c := range f.found {
		f.judge(&c, &out)
	}
	slices.SortFunc(out.calls, func(a, b CallSite) int { return cmp.Compare(a.Offset, b.Offset) })
	slices.SortStableFunc(out.edits, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	return out, true
}

// walk looks for commands in a tree; it reports false where that cannot be done.
func (f *finder) walk(tree *bashtext.Tree, from flow) bool {
	if tree.Err != nil {
		return false
	}
	for _, s := range tree.Stmts {
		f.stack = append(f.stack[:0], from)
		syntax.Walk(s, f.visit)
	}
	return !f.tooDeep
}

// judge adds a command to what was found if it is a tool's.
func (f *finder) judge(c *candidate, out *found) {
	if f.defined[c.site.name] {
		return // the text's own function
	}
	t, prefix := f.names.agent[strings.TrimPrefix(c.site.name, agentPrefix)], ""
	if f.names.agent[c.site.name] != nil {
		c.site.stdin = c.site.stdin || f.execs
		tool, hint := c.site.meansTool(t)
		if hint.tool != "" {
			out.hints = append(out.hints, hint)
		}
		if !tool {
			return
		}
		prefix = agentPrefix
	}
	if c.login {
		prefix = "$" + protocol.LinksVar + "/" + prefix
	}
	if prefix != "" {
		out.edits = append(out.edits, insertion{c.offset, prefix})
	}
	out.calls = append(out.calls, CallSite{Layer: layerOf(c.site.name), Name: strings.TrimPrefix(c.site.name, agentPrefix), Offset: c.offset})
	if slices.ContainsFunc(c.site.args, func(a arg) bool { return a.globs != nil }) {
		c.site.keepPatterns(t, out)
	}
}

// keepPatterns quotes what bash would expand in values of patterns, and in all words of a field command.
func (s *site) keepPatterns(t *registry.Tool, out *found) {
	words := make([]string, len(s.args))
	for i, a := range s.args {
		words[i] = a.text
	}
	var patterns []bool
	if t != nil {
		patterns = t.PatternWords(words)
	}
	for i, a := range s.args {
		if layerOf(s.name) == Agent && (patterns == nil || !patterns[i]) {
			continue
		}
		for _, at := range a.globs {
			out.edits = append(out.edits, insertion{at.at, strings.Repeat(`\`, at.times+at.more)})
		}
	}
}

// candidate is a command that has the name of a tool.
type candidate struct {
	site   site
	offset int
	login  bool // as in finder
}

// flow says where the stdin and the stdout of a command may lead.
type flow struct {
	around bool // stdin: a pipe, a redirection or a caller of what it stands in
	direct bool // stdin: a pipe or a redirection of its own
	hdoc   bool // stdin: a here-document of its own
	taken  bool // stdout: a pipe, a redirection or a substitution
	alone  bool // it is all there is in a subshell whose stdout is taken
}

// maxDepth is how deep a syntax tree is followed. Walking recurses, and nobody types what nests deeper.
const maxDepth = 2000

// finder walks syntax trees and gathers what decides about calls.
type finder struct {
	names   *nameIndex
	text    string
	places  []place // of the text's bytes in the whole; nil: it is the whole
	inner   bool    // the text is a command's argument: only what cannot be meant otherwise counts
	texts   int     // how many texts it stands in
	login   bool    // a login shell runs it, which sets PATH anew
	stack   []flow  // of the nodes around the present one
	piped   map[*syntax.Stmt]flow
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
	f.stack = append(f.stack, f.flowWithin(n, f.stack[len(f.stack)-1]))
	return true
}

// flowWithin looks at a node and returns what feeds and takes the commands in it.
func (f *finder) flowWithin(n syntax.Node, at flow) flow {
	within := flow{around: at.around, taken: at.taken}
	switch n := n.(type) {
	case *syntax.Stmt:
		p := f.piped[n]
		p.around, p.taken = p.direct || at.around, p.taken || at.taken
		for _, r := range n.Redirs {
			p.noteRedirect(r)
		}
		return p
	case *syntax.CallExpr:
		// The words of a simple command are expanded before it is redirected
		// (POSIX, 2.9.1 Simple Commands).
		f.keepCall(n, at)
	case *syntax.TimeClause:
		f.notePipe(n.Stmt, flow{direct: at.direct, hdoc: at.hdoc})
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			f.notePipe(n.X, flow{taken: true, alone: true})
			f.notePipe(n.Y, flow{direct: true})
		}
		within.around = at.around || at.direct
	case *syntax.CmdSubst:
		within.taken = true
		f.noteAlone(n.Stmts)
	case *syntax.ProcSubst:
		within.around = at.around || n.Op == syntax.CmdOut
		if n.Op == syntax.CmdIn {
			within.taken = true
			f.noteAlone(n.Stmts)
		}
	case *syntax.FuncDecl:
		f.noteFunction(n)
		within.around = true
	case *syntax.CoprocClause:
		within.around = true
	case *syntax.DeclClause:
	case syntax.Command: // its redirections are made before anything in it is expanded
		within.around = at.around || at.direct
	}
	return within
}

// notePipe notes what a pipe, or time, does to a statement.
func (f *finder) notePipe(s *syntax.Stmt, does flow) {
	if s == nil || does == (flow{}) {
		return
	}
	if f.piped == nil {
		f.piped = map[*syntax.Stmt]flow{}
	}
	f.piped[s] = does
}

// noteAlone notes a statement that is all there is in a substitution.
func (f *finder) noteAlone(stmts []*syntax.Stmt) {
	if len(stmts) == 1 {
		f.notePipe(stmts[0], flow{taken: true, alone: true})
	}
}

// noteRedirect notes what a redirection does to descriptors 0 and 1.
func (p *flow) noteRedirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		if r.N == nil || r.N.Value == "0" {
			p.direct, p.hdoc = true, r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc
		}
	default:
		p.taken = p.taken || r.N == nil || r.N.Value == "1"
	}
}

func (f *finder) noteFunction(fn *syntax.FuncDecl) {
	if f.defined == nil {
		f.defined = map[string]bool{}
	}
	if fn.Name != nil {
		f.defined[fn.Name.Value] = true
	}
}

// keepCall keeps a command that has the name of a tool, and looks for one in the arguments of others.
func (f *finder) keepCall(call *syntax.CallExpr, at flow) {
	if len(call.Args) == 0 {
		return
	}
	word, ok := literalWord(call.Args[0])
	if !ok {
		return
	}
	name := word.Value
	if at.direct && name == "exec" && len(call.Args) == 1 {
		f.execs = true
	}
	fed := at
	fed.around = at.around || at.direct
	if f.keepSite(call.Args, fed, f.inner) {
		f.found[len(f.found)-1].site.ifs = setsIFS(call)
	} else {
		f.keepInner(call.Args, fed)
	}
}

// keepSite keeps words whose first is a tool's name; with inner if they cannot mean anything else.
func (f *finder) keepSite(words []*syntax.Word, fed flow, inner bool) bool {
	name := words[0].Lit()
	at := int(words[0].Pos().Offset())
	if !f.names.isCall(name) || !strings.HasPrefix(f.text[min(at, len(f.text)):], name) {
		return false
	}
	s := site{name: name, stdin: fed.around, flow: fed, inner: inner, args: make([]arg, 0, len(words)-1)}
	for _, w := range words[1:] {
		a := argOf(w)
		a.globs = f.globsIn(w)
		s.args = append(s.args, a)
	}
	f.found = append(f.found, candidate{s, f.place(at).at, f.login})
	return true
}

// place is where a byte of the text stands in the whole.
func (f *finder) place(at int) place {
	if f.places != nil {
		return f.places[at]
	}
	return place{at: at, times: 1}
}

// globsIn are the places of unquoted * ? and [ in a word.
func (f *finder) globsIn(w *syntax.Word) (at []place) {
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i, end := int(lit.Pos().Offset()), int(lit.End().Offset()); i < min(end, len(f.text)); i++ {
			switch f.text[i] {
			case '\\':
				i++
			case '*', '?', '[':
				at = append(at, f.place(i))
			}
		}
	}
	return at
}

// literalWord is the one literal that a word consists of.
func literalWord(w *syntax.Word) (*syntax.Lit, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	return lit, ok
}

// setsIFS reports whether the command is run with an IFS of its own.
func setsIFS(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == "IFS" })
}
