package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// variable is what is known of one at some point of the line.
type variable struct {
	name    string
	val     value      // of a scalar, or of an array's element 0
	lists   [][]string // the element lists that an array may have
	array   bool
	assoc   bool
	fold    byte // declare -u, -l, -c: what is assigned changes its case; 0: it does not
	integer bool // declare -i: what is assigned is evaluated as arithmetic
	export  bool
	ref     bool // declare -n: val is the name of another
}

// function is what a function's name may run. No bodies: it was unset.
type function struct {
	name   string
	bodies []body
	sure   bool // the name is one of these, and no command of that name
}

type body struct {
	stmt *syntax.Stmt
	src  *source
}

// file is what the line wrote into a file, so that running it is no secret.
type file struct {
	path string // absolute, with holes
	text value
}

// env is the state of a shell at one point of the line: what may be, not what
// is. A copy shares its slices with the original until one of them changes.
type env struct {
	dirs    []string // the directories it may be in
	vars    []variable
	funcs   []function
	aliases []alias
	files   []file

	varsShared, funcsShared bool
	errexit                 bool // set -e: what follows a failed command does not run
	unsure                  bool // unknown code ran in this shell: names may mean anything
	child                   bool // a shell in the shell: what was not exported is not there
	version                 int  // counts changes
}

type alias struct {
	name string
	text value
}

// copy returns the state for a branch or a subshell.
func (e *env) copy() env {
	e.varsShared, e.funcsShared = true, true
	e.dirs = e.dirs[:len(e.dirs):len(e.dirs)]
	e.aliases = e.aliases[:len(e.aliases):len(e.aliases)]
	e.files = e.files[:len(e.files):len(e.files)]
	return *e
}

func (e *env) find(name string) *variable {
	for i := range e.vars {
		if e.vars[i].name == name {
			return &e.vars[i]
		}
	}
	return nil
}

// set gives a variable its present state.
func (e *env) set(v variable) {
	e.version++
	if e.varsShared {
		e.vars, e.varsShared = slices.Clone(e.vars), false
	}
	if old := e.find(v.name); old != nil {
		*old = v
		return
	}
	e.vars = append(e.vars, v)
}

func (e *env) function(name string) *function {
	for i := range e.funcs {
		if e.funcs[i].name == name {
			return &e.funcs[i]
		}
	}
	return nil
}

func (e *env) define(f function) {
	e.version++
	if e.funcsShared {
		e.funcs, e.funcsShared = slices.Clone(e.funcs), false
	}
	if old := e.function(f.name); old != nil {
		*old = f
		return
	}
	e.funcs = append(e.funcs, f)
}

func (e *env) alias(name string) value {
	for i := range e.aliases {
		if e.aliases[i].name == name {
			return e.aliases[i].text
		}
	}
	return nil
}

// addDirs joins directories; too many become one that is not known.
func addDirs(dirs, more []string) []string { return value(dirs).join(more) }

// join makes e the state after either of two ways. missing tells what a
// variable is that only one of them has set.
func (e *env) join(other *env, missing func(name string) variable) {
	e.dirs = addDirs(e.dirs, other.dirs)
	e.unsure = e.unsure || other.unsure
	e.errexit = e.errexit && other.errexit
	e.joinVars(other, missing)
	e.joinFuncs(other)
	for _, a := range other.aliases {
		if old := e.alias(a.name); old == nil {
			e.aliases = append(e.aliases, a)
		} else if joined := old.join(a.text); len(joined) > len(old) {
			e.aliases = append([]alias{{a.name, joined}}, e.aliases...)
		}
	}
	for _, f := range other.files {
		if !slices.ContainsFunc(e.files, func(g file) bool { return g.path == f.path && slices.Equal(g.text, f.text) }) {
			e.files = append(e.files[:len(e.files):len(e.files)], f)
		}
	}
}

func (e *env) joinVars(other *env, missing func(name string) variable) {
	if len(e.vars) == len(other.vars) && (len(e.vars) == 0 || &e.vars[0] == &other.vars[0]) {
		return
	}
	for i := range other.vars {
		v := &other.vars[i]
		mine := e.find(v.name)
		if mine == nil {
			m := missing(v.name)
			mine = &m
		}
		if joined := mine.join(v); !joined.equal(e.find(v.name)) {
			e.set(joined)
		}
	}
	for i := range e.vars {
		if other.find(e.vars[i].name) == nil {
			m := missing(e.vars[i].name)
			if joined := e.vars[i].join(&m); !joined.equal(&e.vars[i]) {
				e.set(joined)
			}
		}
	}
}

func (v *variable) join(w *variable) variable {
	out := *v
	out.val = v.val.join(w.val)
	if len(v.val) == 0 && len(w.val) > 0 || len(w.val) == 0 && len(v.val) > 0 {
		out.val = out.val.join(value{""})
	}
	out.array, out.assoc, out.integer = v.array || w.array, v.assoc || w.assoc, v.integer || w.integer
	if w.fold != 0 {
		out.fold = w.fold
	}
	out.export, out.ref = v.export || w.export, v.ref || w.ref
	if out.array {
		out.lists = joinLists(v.asLists(), w.asLists())
	}
	return out
}

// asLists is a variable seen as an array.
func (v *variable) asLists() [][]string {
	if v.array {
		return v.lists
	}
	if len(v.val) == 0 {
		return [][]string{nil}
	}
	if v.val.has(inherited) {
		return [][]string{{anyWords}} // it may be an array, or not be set
	}
	out := make([][]string, 0, len(v.val)+1)
	for _, s := range v.val {
		out = append(out, []string{s})
		if s == "" {
			out = append(out, nil) // that it may not be set is known by this, too
		}
	}
	return out
}

// The bounds of an array: how many element lists it may have at once, and how
// long one is before its end is not known any more.
const (
	maxLists = 6
	maxElems = 64
)

func joinLists(a, b [][]string) [][]string {
	out := a[:len(a):len(a)]
	for _, l := range b {
		if slices.ContainsFunc(out, func(m []string) bool { return slices.Equal(l, m) }) {
			continue
		}
		if len(l) > maxElems {
			l = append(l[:maxElems:maxElems], anyWords)
		}
		if len(out) >= maxLists {
			out = slices.Clone(out)
			out[len(out)-1] = []string{anyWords}
			return out
		}
		out = append(out, l)
	}
	return out
}

func (v *variable) equal(w *variable) bool {
	return w != nil && v.name == w.name && slices.Equal(v.val, w.val) &&
		slices.EqualFunc(v.lists, w.lists, func(a, b []string) bool { return slices.Equal(a, b) }) &&
		v.array == w.array && v.assoc == w.assoc && v.integer == w.integer && v.export == w.export && v.ref == w.ref && v.fold == w.fold
}

func (e *env) joinFuncs(other *env) {
	if len(e.funcs) == len(other.funcs) && (len(e.funcs) == 0 || &e.funcs[0] == &other.funcs[0]) {
		return
	}
	for _, f := range other.funcs {
		mine := e.function(f.name)
		if mine == nil {
			f.sure = false
			e.define(f)
			continue
		}
		joined := *mine
		joined.sure = joined.sure && f.sure && (len(joined.bodies) > 0) == (len(f.bodies) > 0)
		for _, b := range f.bodies {
			if !slices.ContainsFunc(joined.bodies, func(c body) bool { return c.stmt == b.stmt }) {
				joined.bodies = append(joined.bodies[:len(joined.bodies):len(joined.bodies)], b)
			}
		}
		e.define(joined)
	}
	for _, f := range e.funcs {
		if other.function(f.name) == nil && f.sure {
			f.sure = false
			e.define(f)
		}
	}
}
