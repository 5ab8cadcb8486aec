package policy

import (
	"slices"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// World is what a command line is judged against. Judging reads it and changes
// nothing; it must not be changed while a Judge runs.
type World struct {
	Dir  string // the shell's directory, absolute
	Home string // the user's home directory, absolute; "" is unknown

	// Roots is the workspace: directories, absolute, that may be written in auto
	// mode. To wipe one is blocked. Without any, Dir is the only one.
	Roots []string
	// Scratch are further directories that may be written and also be emptied,
	// absolute: the temporary directory.
	Scratch []string
	// Protected are files and directories, absolute, whose change is always asked
	// about, present or not: the program's own configuration and state.
	Protected []string

	// Secrets are files and directories, absolute, whose reading is asked about
	// but in mode full.
	Secrets []string

	// Tool returns the tool of a name ("read", "field:db:query"), or nil. Nil, and
	// a tool that nobody knows, make what a call does unknown.
	Tool func(name string) *registry.Tool
	// Carried plans a text that a call hands to a bash of its own. Nil: no tools
	// are called in there.
	Carried func(text string) *router.Plan

	// What earlier commands left in the shell. A function's text is its
	// definition, as `declare -f` prints it; an alias's is its value. Several
	// texts are several possibilities. A variable that is not in Vars may have
	// any value. [World.After] keeps all of it up.
	Functions map[string][]string
	Aliases   map[string][]string
	Vars      map[string][]string

	// Unsure says that code which could not be seen ran in this very shell
	// (source, eval), so that a name may mean a function nobody knows of. After
	// sets it; whoever reads the shell's real functions back may clear it.
	Unsure bool
}

// After takes note of what a command line that was judged against w, and then
// ran, may have left behind in the shell. One that has not finished may have
// stopped anywhere: what was may still be.
func (w *World) After(v Verdict, finished bool) {
	if v.after == nil {
		return
	}
	w.Functions, w.Aliases, w.Vars = clone(w.Functions), clone(w.Aliases), clone(w.Vars)
	keep := func(m map[string][]string, name string, texts []string, sure bool) {
		if !sure {
			texts = value(m[name]).join(texts)
		}
		if m[name] = slices.Clone(texts); len(texts) == 0 {
			delete(m, name)
		}
	}
	for _, f := range v.after.funcs {
		var texts []string
		for _, b := range f.bodies {
			texts = append(texts, b.definition(f.name))
		}
		keep(w.Functions, f.name, texts, f.sure && finished)
	}
	for _, a := range v.after.aliases {
		keep(w.Aliases, a.name, a.text, finished)
	}
	for _, x := range v.after.vars {
		if finished || len(w.Vars[x.name]) > 0 && len(x.val) > 0 {
			keep(w.Vars, x.name, x.val, finished)
		} else {
			delete(w.Vars, x.name) // it may have any value
		}
	}
	w.Unsure = w.Unsure || v.after.unsure
}

func (w *World) roots() []string {
	if len(w.Roots) == 0 && w.Dir != "" {
		return []string{w.Dir}
	}
	return w.Roots
}

func (w *World) tool(name string) *registry.Tool {
	if w.Tool == nil {
		return nil
	}
	return w.Tool(name)
}
