package registry

import "slices"

// Role says what a parameter's value is to the file system, the network or a
// shell. Permissions, rules and confinement of a call are made from the roles of
// its parsed kwargs and from nothing else.
type Role string

// The roles. The zero value is text that names nothing.
const (
	ReadsFile  Role = "read"       // a path whose file is read
	ReadsTree  Role = "read-tree"  // a path that is read with all below it
	WritesFile Role = "write"      // a path whose file is changed, made or removed
	WritesTree Role = "write-tree" // the same with all below it
	RunsIn     Role = "directory"  // a directory that something runs in
	RunsText   Role = "command"    // bash text that is run
	Contacts   Role = "address"    // a URL, a host or host:port that is talked to
	Signals    Role = "process"    // a process of the session's own that is acted on
	KeepsState Role = "state"      // the tool's own records, which are no files of anybody else's
)

// Roles are all roles that a schema or a configuration may name.
func Roles() []Role {
	return []Role{ReadsFile, ReadsTree, WritesFile, WritesTree, RunsIn, RunsText, Contacts, Signals, KeepsState}
}

// Use is one thing that a call does something with: the value of a parameter,
// or what the tool stands for by itself.
type Use struct {
	Role  Role
	Value string // as typed: a path may be relative, or begin with ~/
}

// UsesOf tells what a call with these kwargs does something with. ok is false
// when the tool does not say what its kind of effect is on, so that nobody can
// judge the call.
func (t *Tool) UsesOf(kwargs Kwargs) (uses []Use, ok bool) {
	if t.Uses != nil {
		return t.Uses(kwargs), true
	}
	for i := range t.Params.List() {
		uses = append(uses, t.Params.list[i].uses(kwargs)...)
	}
	return uses, t.declares(uses)
}

// uses are those of one parameter: of its value, of each of several, or of what
// stands for an absent one.
func (q *Param) uses(kwargs Kwargs) (uses []Use) {
	if q.Role == "" {
		return nil
	}
	v, given := kwargs[q.Name]
	if !given {
		v = q.Default
	}
	switch v := v.(type) {
	case string:
		uses = append(uses, Use{q.Role, v})
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				uses = append(uses, Use{q.Role, s})
			}
		}
	}
	return uses
}

// declares reports whether uses hold one that the tool's kind is about.
func (t *Tool) declares(uses []Use) bool {
	var wanted []Role
	switch t.Kind {
	case ReadOnly:
		return true
	case Write:
		wanted = []Role{WritesFile, WritesTree, KeepsState}
	case Execute:
		wanted = []Role{RunsText, Signals}
	case Network:
		wanted = []Role{Contacts}
	}
	return slices.ContainsFunc(uses, func(u Use) bool { return slices.Contains(wanted, u.Role) })
}
