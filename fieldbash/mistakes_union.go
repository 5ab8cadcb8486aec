package fieldbash

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// compareUnion looks into the branch that was meant, if no branch fits: the one whose
// constants the value has, and else the one that was followed deepest into it. What
// no branch takes is told of all of them at once: types, constants, and what each requires.
func (f *mistakeFinder) compareUnion(branches []*jsonschema.Schema, v any, at []string, depth int) {
	var tries [][]mistake
	for _, b := range branches {
		try := mistakeFinder{tree: f.tree, args: f.args, refs: f.refs}
		try.compareValue(b, v, at, depth+1)
		if len(try.found) == 0 {
			return
		}
		tries = append(tries, try.found)
	}
	if len(tries) == 0 {
		return
	}
	if merged := mergeMistakes(tries, len(at), f.args); merged != nil {
		f.found = append(f.found, *merged)
		return
	}
	best, bestRank := 0, -1
	for i, found := range tries {
		rank := 0
		for _, m := range found {
			if len(m.want) == 0 || len(m.at) > len(at) {
				rank = max(rank, len(m.at)+1)
			}
		}
		if !slices.ContainsFunc(found, func(m mistake) bool { return m.values != nil && len(m.at) == len(at)+1 }) {
			rank += maxDepth // it has the constants of this branch
		}
		if rank > bestRank {
			best, bestRank = i, rank
		}
	}
	f.found = append(f.found, tries[best]...)
}

// mergeMistakes makes one mistake of one in each branch, if they are of one kind: the
// value is of no type that any takes, a member has none of the constants that tell
// the branches apart, or each branch lacks one member. depth is the value's.
func mergeMistakes(tries [][]mistake, depth int, args any) *mistake {
	var all []mistake
	for _, found := range tries {
		i := slices.IndexFunc(found, func(m mistake) bool {
			return len(m.want) > 0 && len(m.at) == depth || m.values != nil && len(m.at) <= depth+1 || m.missing && len(found) == 1
		})
		if i < 0 {
			return nil
		}
		all = append(all, found[i])
	}
	one := all[0]
	same := func(is func(m mistake) bool) bool {
		return !slices.ContainsFunc(all, func(m mistake) bool { return !is(m) })
	}
	switch {
	case same(func(m mistake) bool { return m.want != nil && slices.Equal(m.at, one.at) }):
		var types []string
		for _, m := range all {
			types = append(types, m.want...)
		}
		slices.Sort(types)
		one.want = slices.Compact(types)
		one.text = typeText(one.want, one.got)
	case same(func(m mistake) bool { return m.values != nil && slices.Equal(m.at, one.at) }):
		var values []any
		for _, m := range all {
			values = append(values, m.values...)
		}
		one.values, one.text = values, valueText(values, valueIn(args, one.at))
	case len(all) > 1 && same(func(m mistake) bool { return m.missing && len(m.at) == depth+1 }):
		var others []string
		for _, m := range all[1:] {
			others = append(others, flagPath(m.at, args))
		}
		one.text = " or " + strings.Join(others, " or ") + " is required"
	default:
		return nil
	}
	return &one
}

// valueIn is the value at a place in the arguments.
func valueIn(args any, at []string) any {
	for _, part := range at {
		switch v := args.(type) {
		case map[string]any:
			args = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return nil
			}
			args = v[i]
		}
	}
	return args
}
