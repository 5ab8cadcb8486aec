package registry

import "strings"

// NotFoundError says that no tool or group has that name. Exit status 127.
type NotFoundError struct {
	Name  string
	Close []string // names that may have been meant, best first; may be empty
}

func (e *NotFoundError) Error() string {
	next := "type `agent:` to list the commands, or `field:` to list the servers"
	if len(e.Close) > 0 {
		next = "did you mean " + strings.Join(e.Close, " or ") + "?"
	}
	return e.Name + ": no such command: " + next
}

// ExitStatus is 127, bash's own for a command that was not found.
func (e *NotFoundError) ExitStatus() int { return 127 }

// NotFound returns the *NotFoundError for a name, with the names that may have been meant.
func (r *ToolRegistry) NotFound(name string) error {
	var names []string
	for _, t := range r.All() {
		names = append(names, t.Name)
	}
	for _, g := range r.Groups() {
		names = append(names, FieldPrefix+g.Name)
	}
	return &NotFoundError{Name: name, Close: Closest(name, names, 2)}
}
