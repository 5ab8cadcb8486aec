package router

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// find returns the agent and field commands in a bash text, in the order they
// stand there, and what to say of commands that stay bash's if they fail; ok is
// false when the text cannot be parsed or trusted.
func (n *nameIndex) find(text string) (calls []CallSite, hints []string, ok bool) {
	f, ok := n.simple(text)
	if !ok {
		f = finder{names: n, text: text}
		if !n.parse(text, func(s *syntax.Stmt) { f.stmt(s, false, false) }) || f.distrust {
			return nil, nil, false
		}
	}
	return f.calls()
}

// calls are those of the commands found that are a tool's.
func (f *finder) calls() (calls []CallSite, hints []string, ok bool) {
	n := f.names
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

// finder walks a syntax tree (walk.go) and gathers what decides about calls.
type finder struct {
	names    *nameIndex
	text     string
	depth    int
	found    []candidate
	defined  map[string]bool // functions that the text itself defines
	execs    bool            // an exec gives the shell another stdin
	distrust bool            // bash may read the text otherwise than the parser
}

func (f *finder) define(fn *syntax.FuncDecl) {
	if f.defined == nil {
		f.defined = map[string]bool{}
	}
	if fn.Name != nil {
		f.defined[fn.Name.Value] = true
	}
}

// call keeps a command that has the name of a tool. It is fed when something
// may feed its stdin, and directly so when that is its own pipe or redirection.
func (f *finder) call(call *syntax.CallExpr, fed, direct bool) {
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
	if !f.names.isCall(name) || !f.standsAt(name, at) {
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

// standsAt reports whether the text has the name at an offset, and nothing
// that would make it a longer word for bash (a carriage return is one to bash).
func (f *finder) standsAt(name string, at int) bool {
	if at > len(f.text) || !strings.HasPrefix(f.text[at:], name) {
		return false
	}
	rest := f.text[at+len(name):]
	return rest == "" || strings.IndexByte(" \t\n;|&<>()`", rest[0]) >= 0
}

// setsIFS reports whether the command is run with an IFS of its own.
func setsIFS(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == "IFS" })
}

// endsInCR reports whether a here-document's delimiter stands before a carriage
// return and a newline. To the parser that is a line end, to bash the return is
// a byte like others, so the document may end elsewhere.
func endsInCR(text string, delimiter *syntax.Word) bool {
	word := argOf(delimiter).text + "\r"
	return strings.Contains(text, word+"\n") || strings.HasSuffix(text, word)
}
