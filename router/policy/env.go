package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable is what is known of one at some point of the line: the lists that it
// may have, of one element where it is no array. What functions and aliases stand
// for, and what the line wrote into a file, is kept the same way, as text under
// "function NAME", "alias NAME" and "file PATH".
type variable struct {
	lists value
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

// env is what may be the state of a shell at one point of the line. A copy shares its map until one of them changes.
type env struct {
	dirs     value // the directories it may be in
	ok, fail value // the same after the last command, when it succeeded or failed; none: it did not return (exit)
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
	if e.shared {
		e.vars, e.shared = maps.Clone(e.vars), false
	}
	e.vars[name] = v
}

// write notes what a command writes to stdout.
func (e *env) write(v value) {
	if e.out != nil {
		e.out = concat(e.out, v)
	}
}

// joinEnv makes the present state one of two ways that the line may have gone.
func (j *judge) joinEnv(other *env) {
	e := &j.env
	e.dirs, e.ok, e.fail = e.dirs.join(other.dirs), e.ok.join(other.ok), e.fail.join(other.fail)
	e.unsure = e.unsure || other.unsure
	e.errexit = e.errexit && other.errexit
	e.out = e.out.join(other.out)
	for _, vars := range [...]map[string]variable{other.vars, e.vars} {
		for name := range vars {
			mine := j.variable(e, name)
			if v := mine.join(j.variable(other, name)); !v.equal(mine) {
				e.set(name, v)
			}
		}
	}
}

// equal reports whether two states are the same but for what only grows.
func (e *env) equal(other *env) bool {
	return slices.Equal(e.dirs, other.dirs) && e.unsure == other.unsure && maps.EqualFunc(e.vars, other.vars, variable.equal)
}

func (v variable) equal(w variable) bool { return v.attrs == w.attrs && slices.Equal(v.lists, w.lists) }

func (v variable) join(w variable) variable {
	return variable{v.lists.join(w.lists), v.attrs | w.attrs}
}

// value returns what $x may be, the first elements; none where it is not set.
func (v variable) value() (out value) {
	for _, l := range v.lists {
		switch first := element(l, 0); {
		case first != noElements:
			out = out.join(value{first})
		case len(v.lists) > 1:
			out = out.join(value{""})
		}
	}
	return out
}

// target returns the name of the variable that a name means: references are followed.
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
		v.lists = value{anyText}
	case j.env.child && v.attrs&exported == 0 && name != "IFS" && name != "@":
		v = v.join(unset) // a child has only what is exported
	}
	return v
}

// valueOf returns what $name may be.
func (j *judge) valueOf(name string) value { return j.lookup(name).value() }

// variable returns what a state holds under a name.
func (j *judge) variable(e *env, name string) variable {
	if v, ok := e.vars[name]; ok {
		return v
	}
	return j.outside(name)
}

// unset is a variable that is not set.
var unset = variable{lists: value{noElements}}

// outside is what a variable is that the line has not set, but earlier lines, bash itself, or its surroundings.
func (j *judge) outside(name string) variable {
	if v, ok := j.world.vars[name]; ok {
		return v
	}
	text := inherited
	hole, isHole := holeOf(name)
	switch n, err := strconv.Atoi(name); {
	case name == "@" || strings.IndexByte(name, ' ') >= 0:
		return unset
	case err == nil && n > 0:
		v := variable{}
		for _, l := range j.lookup("@").lists {
			v.lists = v.lists.join(value{element(l, n-1)})
		}
		return v
	case name == "PWD":
		return variable{lists: j.env.dirs}
	case name == "0":
		return variable{lists: value{"bash", "/bin/bash"}}
	case name == "HOME" && j.world.Home != "":
		text = clean(j.world.Home)
	case name == "IFS":
		text = " \t\n"
	case name == "SHELL" || name == "BASH":
		text = "/bin/bash"
	case programs().has("variable-number", name):
		text = digits
	case isHole:
		text = hole
	}
	return variable{lists: value{text}}
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
