package router

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// maxDepth is how deep a syntax tree is followed. Walking recurses, and a text
// that nests deeper (a million-fold 1+1+1) is no command that anybody typed.
const maxDepth = 2000

// enter counts a step down the tree; it reports false when that is too deep.
func (f *finder) enter() bool {
	f.depth++
	f.distrust = f.distrust || f.depth > maxDepth
	return !f.distrust
}

func (f *finder) leave() { f.depth-- }

// stmts walks a list of statements. fed says that their stdin may be something:
// a pipe, a redirection, what a function's caller has.
func (f *finder) stmts(list []*syntax.Stmt, fed bool) {
	for _, s := range list {
		f.stmt(s, fed, false)
	}
}

// stmt walks a statement, which is piped when it is the reading end of a pipe.
func (f *finder) stmt(s *syntax.Stmt, fed, piped bool) {
	defer f.leave()
	if !f.enter() {
		return
	}
	fed = fed || piped
	own := slices.ContainsFunc(s.Redirs, feeds)
	for _, r := range s.Redirs {
		f.word(r.Word, fed)
		f.word(r.Hdoc, fed)
		f.distrust = f.distrust || r.Hdoc != nil && endsInCR(f.text, r.Word)
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		// The words of a simple command are expanded before it is redirected
		// (POSIX, 2.9.1 Simple Commands).
		f.assigns(cmd.Assigns, fed)
		f.words(cmd.Args, fed)
		f.call(cmd, fed || own, piped || own)
	case *syntax.DeclClause:
		f.assigns(cmd.Args, fed)
	case *syntax.BinaryCmd:
		isPipe := cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll
		f.stmt(cmd.X, fed || own, false)
		f.stmt(cmd.Y, fed || own, isPipe)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			f.stmt(cmd.Stmt, fed, piped || own)
		}
	default:
		f.compound(cmd, fed || own)
	}
}

// feeds reports whether a redirection is of descriptor 0.
func feeds(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return r.N == nil || r.N.Value == "0"
	}
	return false
}

// compound walks a command whose redirections are made before anything in it
// is expanded.
func (f *finder) compound(cmd syntax.Command, fed bool) {
	switch cmd := cmd.(type) {
	case *syntax.Block:
		f.stmts(cmd.Stmts, fed)
	case *syntax.Subshell:
		f.stmts(cmd.Stmts, fed)
	case *syntax.IfClause:
		for ; cmd != nil; cmd = cmd.Else {
			f.stmts(cmd.Cond, fed)
			f.stmts(cmd.Then, fed)
		}
	case *syntax.WhileClause:
		f.stmts(cmd.Cond, fed)
		f.stmts(cmd.Do, fed)
	case *syntax.ForClause:
		switch loop := cmd.Loop.(type) {
		case *syntax.WordIter:
			f.words(loop.Items, fed)
		case *syntax.CStyleLoop:
			f.arithm(loop.Init, fed)
			f.arithm(loop.Cond, fed)
			f.arithm(loop.Post, fed)
		}
		f.stmts(cmd.Do, fed)
	case *syntax.CaseClause:
		f.word(cmd.Word, fed)
		for _, item := range cmd.Items {
			f.words(item.Patterns, fed)
			f.stmts(item.Stmts, fed)
		}
	case *syntax.FuncDecl:
		f.define(cmd)
		f.stmt(cmd.Body, true, false)
	case *syntax.CoprocClause:
		f.stmt(cmd.Stmt, true, false)
	case *syntax.ArithmCmd:
		f.arithm(cmd.X, fed)
	case *syntax.LetClause:
		for _, x := range cmd.Exprs {
			f.arithm(x, fed)
		}
	case *syntax.TestClause:
		f.test(cmd.X, fed)
	}
}

func (f *finder) assigns(list []*syntax.Assign, fed bool) {
	for _, a := range list {
		f.arithm(a.Index, fed)
		f.word(a.Value, fed)
		if a.Array != nil {
			for _, e := range a.Array.Elems {
				f.arithm(e.Index, fed)
				f.word(e.Value, fed)
			}
		}
	}
}

func (f *finder) words(list []*syntax.Word, fed bool) {
	for _, w := range list {
		f.word(w, fed)
	}
}

func (f *finder) word(w *syntax.Word, fed bool) {
	if w != nil {
		f.parts(w.Parts, fed)
	}
}

// parts walks what of a word bash runs: substitutions, wherever they stand.
func (f *finder) parts(list []syntax.WordPart, fed bool) {
	for _, part := range list {
		switch p := part.(type) {
		case *syntax.DblQuoted:
			f.parts(p.Parts, fed)
		case *syntax.CmdSubst:
			f.stmts(p.Stmts, fed)
		case *syntax.ProcSubst:
			f.stmts(p.Stmts, fed || p.Op == syntax.CmdOut)
		case *syntax.ArithmExp:
			f.arithm(p.X, fed)
		case *syntax.ParamExp:
			f.param(p, fed)
		}
	}
}

func (f *finder) param(p *syntax.ParamExp, fed bool) {
	defer f.leave()
	if !f.enter() {
		return
	}
	f.arithm(p.Index, fed)
	if p.Slice != nil {
		f.arithm(p.Slice.Offset, fed)
		f.arithm(p.Slice.Length, fed)
	}
	if p.Repl != nil {
		f.word(p.Repl.Orig, fed)
		f.word(p.Repl.With, fed)
	}
	if p.Exp != nil {
		f.word(p.Exp.Word, fed)
	}
}

func (f *finder) arithm(x syntax.ArithmExpr, fed bool) {
	defer f.leave()
	if !f.enter() {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		f.arithm(x.X, fed)
		f.arithm(x.Y, fed)
	case *syntax.UnaryArithm:
		f.arithm(x.X, fed)
	case *syntax.ParenArithm:
		f.arithm(x.X, fed)
	case *syntax.Word:
		f.word(x, fed)
	}
}

func (f *finder) test(x syntax.TestExpr, fed bool) {
	defer f.leave()
	if !f.enter() {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryTest:
		f.test(x.X, fed)
		f.test(x.Y, fed)
	case *syntax.UnaryTest:
		f.test(x.X, fed)
	case *syntax.ParenTest:
		f.test(x.X, fed)
	case *syntax.Word:
		f.word(x, fed)
	}
}
