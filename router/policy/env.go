package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

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

type alias struct {
	name string
	text value
}

// env is the state of a shell at one point of the line: what may be, not what
// is. A copy shares its maps with the original until one of them changes.
type env struct {
	dirs    []string // the directories it may be in
	vars    map[string]variable
	funcs   map[string]function
	aliases map[string]alias
	files   []file

	shared  bool
	errexit bool // set -e: what follows a failed command does not run
	unsure  bool // unknown code ran in this shell: names may mean anything
	child   bool // a shell in the shell: what was not exported is not there
}

// copy returns the state for a branch or a subshell.
func (e *env) copy() env {
	e.shared = true
	e.dirs, e.files = slices.Clip(e.dirs), slices.Clip(e.files)
	return *e
}

// own makes the maps ones that may be changed.
func (e *env) own() {
	if e.shared || e.vars == nil {
		e.vars, e.funcs, e.aliases, e.shared = clone(e.vars), clone(e.funcs), clone(e.aliases), false
	}
}

func clone[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// set gives a variable its present state.
func (e *env) set(v variable) {
	e.own()
	e.vars[v.name] = v
}

func (e *env) define(f function) {
	e.own()
	e.funcs[f.name] = f
}

// addDirs joins directories; too many become one that is not known.
func addDirs(dirs, more []string) []string { return value(dirs).join(more) }

// joinEnv makes the present state one of two ways that the line may have gone.
func (j *judge) joinEnv(other *env) {
	e := &j.env
	e.dirs = addDirs(e.dirs, other.dirs)
	e.unsure = e.unsure || other.unsure
	e.errexit = e.errexit && other.errexit
	for name, v := range other.vars {
		mine, ok := e.vars[name]
		if !ok {
			mine = j.outside(name)
		}
		if joined := mine.join(v); !ok || !joined.equal(mine) {
			e.set(joined)
		}
	}
	for name, v := range e.vars {
		if _, ok := other.vars[name]; !ok {
			e.set(v.join(j.outside(name)))
		}
	}
	e.joinFuncs(other)
	for name, a := range other.aliases {
		e.own()
		e.aliases[name] = alias{name, e.aliases[name].text.join(a.text)}
	}
	for _, f := range other.files {
		if !slices.ContainsFunc(e.files, func(g file) bool { return g.path == f.path && slices.Equal(g.text, f.text) }) {
			e.files = append(slices.Clip(e.files), f)
		}
	}
}

func (e *env) joinFuncs(other *env) {
	for name, f := range other.funcs {
		mine, ok := e.funcs[name]
		if !ok {
			mine = function{name: name}
		}
		mine.sure = ok && mine.sure && f.sure && (len(mine.bodies) > 0) == (len(f.bodies) > 0)
		for _, b := range f.bodies {
			if !slices.Contains(mine.bodies, b) {
				mine.bodies = append(slices.Clip(mine.bodies), b)
			}
		}
		e.define(mine)
	}
	for name, f := range e.funcs {
		if _, ok := other.funcs[name]; !ok && f.sure {
			f.sure = false
			e.define(f)
		}
	}
}

// equal reports whether two states are the same but for what only grows.
func (e *env) equal(other *env) bool {
	return slices.Equal(e.dirs, other.dirs) && e.unsure == other.unsure && len(e.funcs) == len(other.funcs) &&
		len(e.aliases) == len(other.aliases) && len(e.files) == len(other.files) && maps.EqualFunc(e.vars, other.vars, variable.equal)
}

func (v variable) equal(w variable) bool {
	return slices.Equal(v.val, w.val) && slices.EqualFunc(v.lists, w.lists, slices.Equal[[]string]) &&
		v.array == w.array && v.assoc == w.assoc && v.integer == w.integer && v.export == w.export && v.ref == w.ref && v.fold == w.fold
}

func (v variable) join(w variable) variable {
	if v.equal(w) {
		return v
	}
	out := v
	out.val = v.val.join(w.val)
	if (len(v.val) == 0) != (len(w.val) == 0) {
		out.val = out.val.join(value{""})
	}
	out.array, out.assoc, out.integer = v.array || w.array, v.assoc || w.assoc, v.integer || w.integer
	out.fold, out.export, out.ref = max(v.fold, w.fold), v.export || w.export, v.ref || w.ref
	if out.array {
		out.lists = joinLists(v.asLists(), w.asLists())
	}
	return out
}

// asLists is a variable seen as an array.
func (v variable) asLists() [][]string {
	switch {
	case v.array:
		return v.lists
	case len(v.val) == 0:
		return [][]string{nil}
	case v.val.has(inherited):
		return [][]string{{anyWords}} // it may be an array, or not be set
	}
	out := lists(v.val)
	if v.val.has("") {
		out = append(out, nil) // that it may not be set is known by this, too
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
	out := slices.Clip(a)
	for _, l := range b {
		if slices.ContainsFunc(out, func(m []string) bool { return slices.Equal(l, m) }) {
			continue
		}
		if len(l) > maxElems {
			l = append(l[:maxElems:maxElems], anyWords)
		}
		if len(out) >= maxLists {
			return append(out[:maxLists-1:maxLists-1], []string{anyWords})
		}
		out = append(out, l)
	}
	return out
}

// lookup returns what is known of a variable, following references.
func (j *judge) lookup(name string) variable {
	for range 8 {
		v := j.lookupHere(name)
		to := one(v.val)
		if !v.ref || to == "" || !known(to) || to == name {
			return v
		}
		name = to
	}
	return variable{name: name, val: value{anyText}}
}

func (j *judge) lookupHere(name string) variable {
	v, ok := j.env.vars[name]
	if !ok {
		return j.outside(name)
	}
	if j.env.child && !v.export && !v.array && name != "IFS" {
		v.val = v.val.join(value{""}) // a child has only what is exported
	}
	return v
}

// outside is what a variable is that the line has not set.
func (j *judge) outside(name string) variable {
	v := variable{name: name, val: value{inherited}}
	if vals, ok := j.world.Vars[name]; ok {
		v.val = vals
		if v.val.has(anyWords) {
			v.array, v.lists = true, [][]string{{anyWords}}
		}
		return v
	}
	switch name {
	case "@", "*":
		return variable{name: name, array: true, lists: [][]string{nil}}
	case "HOME":
		if j.world.Home != "" {
			v.val = value{clean(j.world.Home)}
		}
	case "PWD":
		v.val = j.env.dirs
	case "IFS":
		v.val = value{" \t\n"}
	case "SHELL", "BASH":
		v.val = value{"/bin/bash"}
	case "0":
		v.val = value{"bash", "/bin/bash"}
	case "$", "?", "!", "#", "PPID", "UID", "EUID", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS",
		"HISTCMD", "COLUMNS", "LINES", "SHLVL", "OPTIND":
		v.val = value{digits}
	default:
		if hole, ok := holeOf(name); ok {
			v.val = value{hole}
		} else if n, err := strconv.Atoi(name); err == nil {
			v.val = nil
			for _, l := range j.lookupHere("@").lists {
				v.val = v.val.join(value{element(l, n-1)})
			}
		}
	}
	return v
}

// element returns a list's element, "" beyond its end.
func element(l []string, n int) string {
	if i := slices.Index(l, anyWords); i >= 0 && i <= n {
		return anyText
	}
	if n < 0 || n >= len(l) {
		return ""
	}
	return l[n]
}

// elements returns every text that an array's elements may have.
func (j *judge) elements(v variable) value {
	var out value
	for _, l := range v.asLists() {
		for i := range l {
			out = out.join(value{element(l[i:], 0)})
		}
	}
	return orEmpty(out)
}

// assign gives a variable a value, in the shell that is being walked.
func (j *judge) assign(v variable) {
	old, ok := j.env.vars[v.name]
	if to := one(old.val); ok && old.ref && !v.ref && to != "" && known(to) && to != v.name {
		v.name = to
		j.assign(v)
		return
	}
	v.export, v.integer = v.export || old.export, v.integer || old.integer
	if old.fold != 0 {
		v.refold(old.fold)
	}
	v.assoc = v.assoc || old.assoc && v.array
	if old.array && !v.array { // an array's name alone is its first element
		v.array, v.assoc, v.lists = true, old.assoc, replaceFirst(old.lists, v.val)
	}
	if len(v.val) == 0 && v.array {
		for _, l := range v.lists {
			v.val = v.val.join(value{element(l, 0)})
		}
	}
	j.env.set(v)
	if !j.keepEver {
		return
	}
	for i := range j.ever { // for texts that run at any time
		if j.ever[i].name == v.name {
			j.ever[i] = j.ever[i].join(v)
			return
		}
	}
	j.ever = append(j.ever, v)
}

// refold gives a variable what its attribute makes of its texts; both are kept,
// since it may have been set before it got the attribute.
func (v *variable) refold(fold byte) {
	v.fold = fold
	change := func(string) string { return anyText }
	switch fold {
	case 'l':
		change = strings.ToLower
	case 'u':
		change = strings.ToUpper
	}
	v.val = v.val.join(v.val.each(change))
	if len(v.lists) > 0 {
		v.lists = joinLists(v.lists, [][]string{{anyWords}})
	}
}

func validName(s string) bool { return syntax.ValidName(s) }

// subscripted splits a[x] into its name and subscript.
func subscripted(s string) (name, subscript string, ok bool) {
	open := strings.IndexByte(s, '[')
	if open <= 0 || !strings.HasSuffix(s, "]") || !validName(s[:open]) {
		return s, "", false
	}
	return s[:open], s[open+1 : len(s)-1], true
}
