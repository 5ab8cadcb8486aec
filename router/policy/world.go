package policy

import (
	"maps"
	"strings"

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
	// about, present or not: the program's own configuration and state,
	// and what the configuration runs.
	Protected []string

	// Secrets are files and directories, absolute, whose reading is asked about
	// but in mode full.
	Secrets []string

	Holds Holds // what the kernel can hold on this machine

	// Host tells what the configuration says of connections to "host:port": Allow,
	// Deny, or Ask where it says nothing. Nil asks about all.
	Host func(address string) Answer

	// Tool returns the tool of a name ("read", "field:db:query"), or nil. Nil, and
	// a tool that nobody knows, make what a call does unknown.
	Tool func(name string) *registry.Tool
	// Carried plans a text that a call hands to a bash of its own. Nil: no tools
	// are called in there.
	Carried func(text string) *router.Plan

	vars   map[string]variable // what earlier lines left in the shell; a variable that is not there may have any value
	unsure bool                // code that could not be seen ran in it: a name may mean a function nobody knows of
}

// Holds tells which profiles the kernel can enforce. The zero value is none.
type Holds struct {
	Read, Workspace bool
	Hosts           bool // the network by host, through a proxy
}

// After takes note of what a command line that was judged against w, and then
// ran, may have left behind in the shell. One that has not finished may have
// stopped anywhere: what was may still be.
func (w *World) After(v Verdict, finished bool) {
	if v.after == nil {
		return
	}
	w.vars = maps.Clone(w.vars)
	if w.vars == nil {
		w.vars = map[string]variable{}
	}
	for name, x := range v.after.vars {
		if !finished {
			x = x.join((&judge{world: w}).outside(name))
		}
		if !strings.HasPrefix(name, "file ") {
			w.vars[name] = x
		}
	}
	w.unsure = w.unsure || v.after.unsure
}

// NewShell notes that the shell was started again: it has no functions and
// aliases, and variables that may have any value; with unsure, functions that
// nobody knows of, too.
func (w *World) NewShell(unsure bool) { w.vars, w.unsure = nil, unsure }

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
