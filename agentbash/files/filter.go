package files

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/glob"
	"github.com/agentbash/agentbash/agentbash/internal/ignore"
	"github.com/agentbash/agentbash/agentbash/internal/walk"
	"github.com/agentbash/agentbash/registry"
)

// filter is the choice of files by --glob and --type; nil patterns choose nothing.
type filter struct {
	include, exclude *glob.Pattern
	names, notNames  *glob.Pattern
	rules            []*ignore.Rules
}

func newFilter(ctx context.Context, call *registry.Call) (*filter, error) {
	f := &filter{}
	var err error
	if f.rules, err = readRules(ctx, call); err != nil {
		return nil, err
	}
	names, notNames, err := typeGlobs(call.String("type"))
	if err != nil {
		return nil, registry.Usagef("%v", err)
	}
	var include, exclude []string
	for _, p := range splitGlobs(call.String("glob")) {
		if p, out := strings.CutPrefix(p, "!"); out {
			exclude = append(exclude, anchorPattern(p))
		} else {
			include = append(include, anchorPattern(p))
		}
	}
	for _, c := range []struct {
		to   **glob.Pattern
		list []string
	}{{&f.include, include}, {&f.exclude, exclude}, {&f.names, names}, {&f.notNames, notNames}} {
		if c.list == nil {
			continue
		}
		if *c.to, err = glob.Compile(c.list...); err != nil {
			return nil, registry.Usagef("glob: %v", err)
		}
	}
	return f, nil
}

// splitGlobs splits at spaces that no backslash, brace or bracket protects.
func splitGlobs(s string) []string {
	var list []string
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			b.WriteString(s[i : i+2])
			i++
			continue
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ' ' && depth <= 0:
			list = append(list, b.String())
			b.Reset()
			continue
		}
		b.WriteByte(s[i])
	}
	list = append(list, b.String())
	return slices.DeleteFunc(list, func(p string) bool { return p == "" })
}

// anchorPattern makes a pattern of --glob one of a path: without a slash it may
// match anywhere, with a slash at its end it means what is below.
func anchorPattern(p string) string {
	below := strings.HasSuffix(p, "/")
	p = strings.TrimSuffix(p, "/")
	if !strings.Contains(p, "/") {
		p = "**/" + p
	}
	if below {
		p += "/**"
	}
	return strings.TrimPrefix(p, "/")
}

func (f *filter) options(call *registry.Call) *walk.Options {
	return &walk.Options{Hidden: call.Bool("hidden"), All: !call.Bool("ignore"), Include: f.include, Exclude: f.exclude, Names: f.names, NotNames: f.notNames,
		Rules: f.rules, RulesDir: call.Path(".")}
}

// narrow reports whether only some files are asked for.
func (f *filter) narrow() bool {
	return f.include != nil || f.exclude != nil || f.names != nil || f.notNames != nil
}

// typeGlobs returns the names of the files of some languages, separated by commas, and
// of those that are to be left out.
func typeGlobs(types string) (names, not []string, err error) {
	table := fileTypes()
	for t := range strings.SplitSeq(types, ",") {
		t, out := strings.CutPrefix(strings.TrimSpace(t), "!")
		globs, ok := table[strings.ToLower(t)]
		switch {
		case t == "":
		case !ok:
			hint := ""
			if near := registry.Closest(t, slices.Sorted(maps.Keys(table)), 3); near != nil {
				hint = "did you mean " + strings.Join(near, " or ") + "? "
			}
			return nil, nil, fmt.Errorf("--type %s is not known: %sAny file can be named by --glob '*.ext'", t, hint)
		case out:
			not = append(not, globs...)
		default:
			names = append(names, globs...)
		}
	}
	return names, not, nil
}
