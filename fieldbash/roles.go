package fieldbash

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

// Roles say what parameters are to files, the network or a shell, by name.
type Roles map[string]registry.Role

// check reports a role that there is not.
func (r Roles) check() error {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if !slices.Contains(registry.Roles(), r[name]) {
			var known []string
			for _, role := range registry.Roles() {
				known = append(known, string(role))
			}
			return fmt.Errorf(`"roles": %s has the role %q, which there is not: write %s`, name, r[name], strings.Join(known, ", "))
		}
	}
	return nil
}

// applyTo makes the roles those of a tool's parameters, over what its schema says.
// They are the configuration's word: a tool of which nothing else is known does
// what its roles say. Names that are no parameters are returned.
func (r Roles) applyTo(t *registry.Tool) (unknown []string) {
	if len(r) == 0 {
		return nil
	}
	declared := map[string]registry.Role{}
	kind := registry.Kind("")
	for _, name := range slices.Sorted(maps.Keys(r)) {
		q := t.Params.Find(name)
		if q == nil {
			unknown = append(unknown, name)
			continue
		}
		declared[q.Name] = r[name]
		if k := r[name].Kind(); slices.Index(registry.Kinds(), k) > slices.Index(registry.Kinds(), kind) {
			kind = k
		}
	}
	t.Params = t.Params.WithRoles(declared)
	if harmless := kind == registry.ReadOnly; t.Kind == "" && !(harmless && slices.Contains(t.Tags, destructive)) {
		t.Kind = kind
	}
	return unknown
}

// usesIn makes the uses of a tool that works in a directory, from which its
// relative paths start.
func usesIn(dir string) func(registry.Kwargs, []registry.Use, bool) ([]registry.Use, bool) {
	return func(_ registry.Kwargs, uses []registry.Use, known bool) ([]registry.Use, bool) {
		for i, u := range uses {
			path := u.Role.Kind() == registry.ReadOnly || u.Role == registry.WritesFile || u.Role == registry.WritesTree || u.Role == registry.RunsIn
			if path && u.Value != "" && !filepath.IsAbs(u.Value) && u.Value != "~" && !strings.HasPrefix(u.Value, "~/") {
				uses[i].Value = filepath.Join(dir, u.Value)
			}
		}
		return uses, known
	}
}

// functionUses are those of a function by itself: the program that it runs, or the
// address that it asks.
func (f *Fields) functionUses(fn *Function, kwargs registry.Kwargs) (uses []registry.Use, known bool) {
	if fn.Exec != nil {
		line := quote.Line(quote.Literal(fn.Exec.Argv[0]), fn.Exec.Argv[1:]) // no keyword, no assignment, no tool
		return []registry.Use{{Role: registry.RunsIn, Value: f.inDir(fn.Exec.Cwd)}, {Role: registry.RunsText, Value: line}}, true
	}
	args := maps.Clone(map[string]any(kwargs))
	target, err := fn.HTTP.target(fn.Name, args)
	if err != nil { // a part of it comes later, or never
		return nil, false
	}
	return []registry.Use{{Role: registry.Contacts, Value: target}}, true
}
