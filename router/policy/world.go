package policy

import (
	"maps"
	"slices"
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
// ran, may have left behind in the shell.
func (w *World) After(v Verdict) {
	if v.after == nil {
		return
	}
	w.Functions, w.Aliases, w.Vars = maps.Clone(w.Functions), maps.Clone(w.Aliases), maps.Clone(w.Vars)
	for name, x := range v.after.vars {
		m := &w.Vars
		switch kind, rest, _ := strings.Cut(name, " "); kind {
		case "function":
			m, name = &w.Functions, rest
		case "alias":
			m, name = &w.Aliases, rest
		case "file":
			continue
		}
		var texts value
		for _, l := range x.lists {
			if len(l) == 1 {
				texts = texts.join(l)
			} else if len(l) > 1 {
				texts = texts.join(anyElements[0]) // an array
			}
		}
		keep(m, name, texts, !slices.ContainsFunc(x.lists, func(l []string) bool { return len(l) == 0 }))
	}
	w.Unsure = w.Unsure || v.after.unsure
}

// keep replaces what is known of a name, or adds to it when that is not sure.
func keep(m *map[string][]string, name string, texts []string, sure bool) {
	if *m == nil {
		*m = map[string][]string{}
	}
	if !sure {
		texts = value((*m)[name]).join(texts)
	}
	if len(texts) == 0 {
		delete(*m, name)
		return
	}
	(*m)[name] = texts
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

func (w *World) carried(text string) *router.Plan {
	if w.Carried == nil {
		return router.PlanNative(text)
	}
	return w.Carried(text)
}
