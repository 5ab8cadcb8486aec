package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentbash/agentbash/agentbash/internal/glob"
	"github.com/agentbash/agentbash/agentbash/internal/walk"
	"github.com/agentbash/agentbash/registry"
)

// filter is the choice of files by --glob and --type.
type filter struct {
	include *glob.Pattern
	exclude []*glob.Pattern
	names   *glob.Pattern
}

func newFilter(call *registry.Call) (*filter, error) {
	f := &filter{}
	var include []string
	for _, p := range splitGlobs(call.String("glob")) {
		p, out := strings.CutPrefix(p, "!")
		p = anchorPattern(p)
		if !out {
			include = append(include, p)
			continue
		}
		compiled, err := glob.Compile(p)
		if err != nil {
			return nil, registry.Usagef("glob: %v", err)
		}
		f.exclude = append(f.exclude, compiled)
	}
	var err error
	if include != nil {
		if f.include, err = glob.Compile(oneOf(include)); err != nil {
			return nil, registry.Usagef("glob: %v", err)
		}
	}
	if t := call.String("type"); t != "" {
		list, err := typeGlobs(t)
		if err != nil {
			return nil, registry.Usagef("%v", err)
		}
		if f.names, err = glob.Compile(oneOf(list)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func oneOf(patterns []string) string {
	if len(patterns) == 1 {
		return patterns[0]
	}
	return "{" + strings.Join(patterns, ",") + "}"
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
	return &walk.Options{Hidden: call.Bool("hidden"), All: !call.Bool("ignore"), Include: f.include, Exclude: f.exclude, Names: f.names}
}

// narrow reports whether only some files are asked for.
func (f *filter) narrow() bool { return f.include != nil || f.exclude != nil || f.names != nil }

// typeGlobs returns the names of the files of some languages, separated by commas.
func typeGlobs(types string) ([]string, error) {
	table := fileTypes()
	var list []string
	for t := range strings.SplitSeq(types, ",") {
		globs, ok := table[strings.ToLower(strings.TrimSpace(t))]
		if !ok {
			var names []string
			for name := range table {
				names = append(names, name)
			}
			slices.Sort(names)
			if near := registry.Closest(t, names, 3); near != nil {
				return nil, fmt.Errorf("--type %s is not known: did you mean %s? Any file can be named by --glob '*.ext'", t, strings.Join(near, " or "))
			}
			return nil, fmt.Errorf("--type %s is not known (%s): name the files by --glob '*.ext'", t, strings.Join(names, " "))
		}
		list = append(list, strings.Fields(globs)...)
	}
	return list, nil
}
