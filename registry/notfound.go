package registry

import (
	"slices"
	"strings"
)

// NotFoundError says that no tool or group has that name. Exit status 127.
type NotFoundError struct {
	Name  string
	Close []string // names that may have been meant, best first; may be empty

	others []string // the tools of the server; nil: there is none of that name
}

// maxOthers is how many tools of a server are named at once.
const maxOthers = 12

func (e *NotFoundError) Error() string {
	next := "type `agent:` to list the commands, or `field:` to list the servers"
	switch group, _, isField := SplitField(e.Name); {
	case isField && len(e.others) > 0 && len(e.others) <= maxOthers:
		next = FieldPrefix + group + " has " + strings.Join(e.others, ", ")
	case isField && e.others != nil:
		next = FieldPrefix + group + " -h lists the server's tools"
	case isField:
		next = "`field:` lists the servers"
	}
	if len(e.Close) > 0 {
		next = "did you mean " + strings.Join(e.Close, " or ") + "?"
	}
	return e.Name + ": no such command: " + next
}

// ExitStatus is 127, bash's own for a command that was not found.
func (e *NotFoundError) ExitStatus() int { return 127 }

// NotFound returns the *NotFoundError for a name, with the names that may have been meant:
// of a tool of a server that there is, others of that server.
func (r *ToolRegistry) NotFound(name string) error {
	e := &NotFoundError{Name: name}
	var names []string
	prefix := ""
	group, _, isField := SplitField(name)
	if _, known := r.Group(group); isField && known {
		prefix, e.others = FieldPrefix+group+":", []string{}
	} else {
		for _, g := range r.Groups() {
			names = append(names, FieldPrefix+g.Name)
			if g.Known != nil {
				names = append(names, g.Known()...)
			}
		}
	}
	for _, t := range r.All() {
		if short, ok := strings.CutPrefix(t.Name, prefix); ok {
			names = append(names, short)
		}
	}
	if prefix != "" {
		e.others = append(e.others, names...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	near := Closest(strings.TrimPrefix(name, prefix), names, 2) // the server alone has no such prefix
	if prefix == "" && isField {                                // the server is left out, or another
		tool := name[strings.LastIndexByte(name, ':'):]
		if same := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasSuffix(n, tool) || strings.Count(n, ":") < 2 }); len(same) > 0 {
			near = same[:min(len(same), 2)]
		}
	}
	for _, near := range near {
		e.Close = append(e.Close, prefix+near)
	}
	return e
}
