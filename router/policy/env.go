package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable is what is known of one at some point of the line: the lists of
// elements that it may have, one element of a scalar, none where it is not set.
// What functions and aliases stand for, and what the line wrote into a file, is
// kept the same way, as text under "function NAME", "alias NAME" and "file PATH".
type variable struct {
	lists [][]string
	attrs attrs
}

// attrs are the attributes that declare gives a variable.
type attrs uint8

const (
	exported  attrs = 1 << iota
	reference       // it holds the name of another
	integer         // what is assigned is evaluated as arithmetic
	assoc           // an array whose keys are texts
)

// env is the state of a shell at one point of the line: what may be, not what
// is. A copy shares its map with the original until one of them changes.
type env struct {
	dirs     []string // the directories it may be in
	ok, fail []string // the same after the last command, when it succeeded or failed; none: it did not return (exit)
	vars     map[string]variable
	out      value // what was written to stdout; nil: nobody asks

	shared  bool
	errexit bool // set -e: what follows a failed command does not run
	unsure  bool // unknown code ran in this shell: names may mean anything
	child   bool // a shell in the shell: what was not exported is not there
}

// copy returns the state for a branch or a subshell.
func (e *env) copy() env {
	e.shared = true
	e.dirs = slices.Clip(e.dirs)
	return *e
}

// set gives a variable its present state.
func (e *env) set(name string, v variable) {
	if e.vars == nil {
		e.vars = map[string]variable{}
	} else if e.shared {
		e.vars = maps.Clone(e.vars)
	}
	e.shared = false
	e.vars[name] = v
}

// either returns where the shell is after the last command, whatever came of it.
func (e *env) either() []string { return addDirs(e.ok, e.fail) }

// write notes what a command writes to stdout.
func (e *env) write(v value) {
	if e.out != nil {
		e.out = concat(e.out, v)
	}
}

// addDirs joins directories; too many become one that is not known.
func addDirs(dirs, more []string) []string { return value(dirs).join(more) }

// joinEnv makes the present state one of two ways that the line may have gone.
func (j *judge) joinEnv(other *env) {
	e := &j.env
	e.dirs, e.ok, e.fail = addDirs(e.dirs, other.dirs), addDirs(e.ok, other.ok), addDirs(e.fail, other.fail)
	e.unsure = e.unsure || other.unsure
	e.errexit = e.errexit && other.errexit
	e.out = e.out.join(other.out)
	for name, v := range other.vars {
		mine, ok := e.vars[name]
		if !ok {
			mine = j.outside(name)
		}
		if joined := mine.join(v); !ok || !joined.equal(mine) {
			e.set(name, joined)
		}
	}
	for name, v := range e.vars {
		if _, ok := other.vars[name]; !ok {
			e.set(name, v.join(j.outside(name)))
		}
	}
}

// equal reports whether two states are the same but for what only grows.
func (e *env) equal(other *env) bool {
	return slices.Equal(e.dirs, other.dirs) && e.unsure == other.unsure && maps.EqualFunc(e.vars, other.vars, variable.equal)
}

func (v variable) equal(w variable) bool {
	return v.attrs == w.attrs && slices.EqualFunc(v.lists, w.lists, slices.Equal[[]string])
}

func (v variable) join(w variable) variable {
	return variable{joinLists(v.lists, w.lists), v.attrs | w.attrs}
}

// lists returns a list of one word for every text.
func lists(v value) [][]string {
	out := make([][]string, len(v))
	for i := range v {
		out[i] = v[i : i+1 : i+1]
	}
	return out
}

// maxElems is how long a list may be before its end is not known any more.
const maxElems = 64

// joinLists returns the lists of both. Too many become one of any words beside
// the first ones.
func joinLists(a, b [][]string) [][]string {
	for i, l := range b {
		switch {
		case slices.ContainsFunc(a, func(m []string) bool { return slices.Equal(l, m) }):
		case len(a) >= maxValues:
			return append(a[:maxValues-1:maxValues-1], anyOf(append(slices.Clip(b[i:]), a[maxValues-1])))
		case len(l) > maxElems:
			a = append(slices.Clip(a), append(l[:maxElems:maxElems], anyWords))
		default:
			a = append(slices.Clip(a), l)
		}
	}
	return a
}

// anyOf is a list that stands for all of several.
func anyOf(all [][]string) []string {
	for _, l := range all {
		if len(l) != 1 || l[0] == anyWords {
			return []string{anyWords}
		}
	}
	return []string{value(slices.Concat(all...)).taint()}
}

// crossLists returns every list of a followed by every list of b.
func crossLists(a, b [][]string) (out [][]string) {
	for _, x := range a {
		for _, y := range b {
			out = joinLists(out, [][]string{slices.Concat(x, y)})
		}
	}
	return out
}

// value returns what $x may be, the first elements; none where it is not set.
func (v variable) value() (out value) {
	for _, l := range v.lists {
		if len(l) > 0 || len(v.lists) > 1 {
			out = out.join(value{element(l, 0)})
		}
	}
	return out
}

// words returns what "${x[@]}" may be.
func (v variable) words() (out [][]string) {
	for _, l := range v.lists {
		if len(l) == 1 && l[0] == inherited {
			l = []string{anyWords} // it may be an array, or not be set
		}
		out = append(out, l)
	}
	return out
}

// elements returns every text that an array's elements may have.
func (v variable) elements() (out value) {
	for _, l := range v.lists {
		for i := range l {
			out = out.join(value{element(l[i:], 0)})
		}
	}
	return orEmpty(out)
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

// target returns the name of the variable that a name means: references are
// followed.
func (j *judge) target(name string) string {
	for range 8 {
		v := j.env.vars[name]
		to := one(v.value())
		if v.attrs&reference == 0 || to == "" || !known(to) {
			break
		}
		name = to
	}
	return name
}

// lookup returns what is known of a variable.
func (j *judge) lookup(name string) variable {
	name = j.target(name)
	v, ok := j.env.vars[name]
	switch {
	case !ok:
		return j.outside(name)
	case v.attrs&reference != 0:
		v.lists = [][]string{{anyText}}
	case j.env.child && v.attrs&exported == 0 && name != "IFS" && name != "@":
		v.lists = joinLists(v.lists, unset) // a child has only what is exported
	}
	return v
}

// valueOf returns what $name may be.
func (j *judge) valueOf(name string) value { return j.lookup(name).value() }

// outside is what a variable is that the line has not set.
func (j *judge) outside(name string) variable {
	v, ok := j.world.vars[name]
	n, err := strconv.Atoi(name)
	switch {
	case ok:
		return v
	case name == "@" || strings.IndexByte(name, ' ') >= 0:
		return variable{lists: unset}
	case err == nil && n > 0:
		return j.argument(n - 1)
	}
	return variable{lists: lists(j.inherits(name))}
}

// unset are the lists of a variable that is not set.
var unset = [][]string{nil}

// argument returns $1 and its kin.
func (j *judge) argument(n int) (v variable) {
	for _, l := range j.lookup("@").lists {
		if n < len(l) || slices.Contains(l, anyWords) {
			v.lists = joinLists(v.lists, [][]string{{element(l, n)}})
		} else {
			v.lists = joinLists(v.lists, unset)
		}
	}
	return v
}

// inherits returns what bash itself sets, and what it takes over.
func (j *judge) inherits(name string) value {
	switch name {
	case "HOME":
		if j.world.Home != "" {
			return value{clean(j.world.Home)}
		}
	case "PWD":
		return j.env.dirs
	case "IFS":
		return value{" \t\n"}
	case "SHELL", "BASH":
		return value{"/bin/bash"}
	case "0":
		return value{"bash", "/bin/bash"}
	case "$", "?", "!", "#", "PPID", "UID", "EUID", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS",
		"HISTCMD", "COLUMNS", "LINES", "SHLVL", "OPTIND":
		return value{digits}
	}
	if hole, ok := holeOf(name); ok {
		return value{hole}
	}
	return value{inherited}
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
