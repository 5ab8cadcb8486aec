package registry

import (
	"encoding/json"
	"slices"
)

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

// Kind is the kind of a tool that does what the role says, and nothing else.
func (r Role) Kind() Kind {
	switch r {
	case WritesFile, WritesTree, KeepsState:
		return Write
	case RunsText, RunsIn, Signals:
		return Execute
	case Contacts:
		return Network
	case ReadsFile, ReadsTree:
		return ReadOnly
	}
	return ""
}

// Use is one thing that a call does something with: the value of a parameter,
// or what the tool stands for by itself.
type Use struct {
	Role  Role
	Value string // as typed: a path may be relative, or begin with ~/ (see Call.Path)
}

// UsesOf tells what a call with these kwargs, which Parse or Bind made, does
// something with. known is false when that may not be all: the tool does not say
// what its kind of effect is on, or a value comes later, from stdin or a file.
// Nobody can judge such a call, though uses holds what is known of it. When known
// is true, a call has only the effects of its uses, whatever its tool's kind: with
// none it only reads.
func (t *Tool) UsesOf(kwargs Kwargs) (uses []Use, known bool) {
	known = true
	for i := range t.Params.List() {
		q := &t.Params.list[i]
		v, given := kwargs[q.Name]
		if !given {
			v = q.Default
			known = known && !(q.Stdin && q.Role != "")
		}
		uses = append(uses, q.uses(v)...)
	}
	known = known && t.declares(uses)
	if t.Uses != nil {
		return t.Uses(kwargs, uses, known)
	}
	return uses, known
}

// MayUse are the roles of what a call acts on whose words are not known. A tool
// that writes or executes may then act on any file, if it acts on anything.
func (t *Tool) MayUse() []Role {
	roles := t.Params.roles()
	if len(roles) > 0 && (t.Kind == Write || t.Kind == Execute) {
		roles = append(roles, ReadsFile, WritesFile)
	}
	return roles
}

// roles are those of parameters and of what is in them, but for a tool's own
// records.
func (p *Params) roles() (all []Role) {
	for _, q := range p.List() {
		all = append(all, q.roles()...)
	}
	return all
}

func (q *Param) roles() (all []Role) {
	if q.Role != "" && q.Role != KeepsState {
		all = []Role{q.Role}
	}
	for i := range q.AnyOf {
		all = append(all, q.AnyOf[i].roles()...)
	}
	if q.Items != nil {
		all = append(all, q.Items.roles()...)
	}
	return append(all, q.Props.roles()...)
}

// uses are those of a value and of what is in it.
func (q *Param) uses(v any) (uses []Use) {
	for i := range q.AnyOf {
		if more := q.AnyOf[i].uses(v); more != nil {
			return more
		}
	}
	switch v := v.(type) {
	case string:
		if q.Role != "" {
			uses = append(uses, Use{q.Role, v})
		}
	case json.Number: // of no declared type: a file may be called 7
		if q.Role != "" {
			uses = append(uses, Use{q.Role, v.String()})
		}
	case []any:
		item := *q.Items.orAny()
		if item.Role == "" {
			item.Role = q.Role
		}
		for _, e := range v {
			uses = append(uses, item.uses(e)...)
		}
	case map[string]any:
		for i := range q.Props.List() {
			m := &q.Props.list[i]
			uses = append(uses, m.uses(v[m.Name])...)
		}
	}
	return uses
}

// declares reports whether uses hold one that the tool's kind is about. Where
// something runs does not say what.
func (t *Tool) declares(uses []Use) bool {
	return t.Kind == ReadOnly || t.Kind != "" && slices.ContainsFunc(uses, func(u Use) bool {
		return u.Role != RunsIn && u.Role.Kind() == t.Kind
	})
}
