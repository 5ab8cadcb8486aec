package registry

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
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
	f := useFinder{known: true}
	for i := range t.Params.List() {
		q := &t.Params.list[i]
		if _, given := kwargs[q.Name]; !given && q.Stdin && len(q.roles()) > 0 {
			f.known = false
		}
	}
	if t.Params != nil {
		f.addValue(&Param{Props: t.Params, also: t.Params.also, lost: t.Params.lost}, "", map[string]any(kwargs.Arguments()))
	}
	uses, known = f.uses, f.known
	known = known && t.declares(uses)
	if t.Uses != nil {
		uses, known = t.Uses(kwargs, uses, known)
	}
	return t.pendingUses(kwargs, uses, known)
}

// MayUse are the roles of what a call acts on whose words are not known. A tool
// that writes or executes may then act on any file, if it acts on anything.
func (t *Tool) MayUse() []Role {
	roles := slices.DeleteFunc(t.Params.Roles(""), func(r Role) bool { return r == KeepsState })
	if len(roles) > 0 && (t.Kind == Write || t.Kind == Execute) {
		roles = append(roles, ReadsFile, WritesFile)
	}
	return roles
}

// useFinder finds what a call does something with.
type useFinder struct {
	uses  []Use
	known bool // these are all
}

// addValue adds the uses of a value and of what is in it. role is that of what it is in.
func (f *useFinder) addValue(q *Param, role Role, v any) {
	if v == nil {
		return
	}
	f.known = f.known && len(q.lost) == 0
	for i := range q.also {
		f.addValue(&q.also[i], "", v)
	}
	fits := slices.ContainsFunc(q.AnyOf, func(u Param) bool { return u.isOfType(v) })
	for i := range q.AnyOf {
		if u := &q.AnyOf[i]; !fits || u.isOfType(v) {
			f.addValue(u, "", v)
		}
	}
	role = cmp.Or(q.Role, role)
	switch v := v.(type) {
	case string:
		f.addUse(role, v)
	case json.Number: // of no declared type: a file may be called 7
		f.addUse(role, v.String())
	case bool: // or true
		if q.Type != Boolean {
			f.addUse(role, strconv.FormatBool(v))
		}
	case []any:
		for i, e := range v {
			f.addValue(q.element(i), role, e)
		}
	case map[string]any:
		f.addMembers(q.Props, role, v)
	}
}

// addMembers adds the uses of what is in an object.
func (f *useFinder) addMembers(p *Params, role Role, given map[string]any) {
	if role != "" && len(p.Roles("")) > 0 {
		role = ""
	}
	for i := range p.List() {
		q := &p.list[i]
		v, ok := given[q.Name]
		if !ok {
			v = q.Default
		}
		f.addValue(q, role, v)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if p.Find(name) != nil {
			continue
		}
		f.addUse(role, name)
		if p != nil && p.rest != nil {
			f.addValue(p.rest, role, given[name])
		} else {
			f.addValue(anyParam, role, given[name])
		}
	}
}

func (f *useFinder) addUse(role Role, value string) {
	if u := (Use{role, value}); role != "" && !slices.Contains(f.uses, u) {
		f.uses = append(f.uses, u)
	}
}

// Roles returns the roles of a parameter, and of what may be in its value; of all
// parameters with the name "".
func (p *Params) Roles(name string) (roles []Role) {
	if p == nil {
		return nil
	}
	of := Param{also: p.readSchema().also, lost: p.lost, Items: p.rest}
	for i := range p.list {
		if q := &p.list[i]; name == "" || q == p.Find(name) {
			of.also = append(of.also[:len(of.also):len(of.also)], *q)
		}
	}
	return of.roles()
}

// roles are those of a value and of what may be in it.
func (q *Param) roles() (roles []Role) {
	roles = append(roles, q.lost...)
	if q.Role != "" {
		roles = append(roles, q.Role)
	}
	if q.Items != nil {
		roles = append(roles, q.Items.roles()...)
	}
	for _, list := range [][]Param{q.AnyOf, q.also, q.first} {
		for i := range list {
			roles = append(roles, list[i].roles()...)
		}
	}
	roles = append(roles, q.Props.Roles("")...)
	slices.Sort(roles)
	return slices.Compact(roles)
}

// declares reports whether uses hold one that the tool's kind is about. Where something runs does not say what.
func (t *Tool) declares(uses []Use) bool {
	return t.Kind == ReadOnly || t.Kind != "" && slices.ContainsFunc(uses, func(u Use) bool {
		return u.Role != RunsIn && u.Role.Kind() == t.Kind
	})
}
