package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// The keys of "hooks" and of its entries.
const (
	hooksKeys = "before after"
	hookKeys  = "name match argv env cwd timeout"
)

// Hooks are programs that are asked before calls and shown what came of them,
// those of the project first, then the user's, then those of --config.
type Hooks struct {
	Before []Hook `json:"before"`
	After  []Hook `json:"after"`
}

// Hook is one program.
type Hook struct {
	Name    string            `json:"name"`    // in messages; "" is the program's
	Match   Names             `json:"match"`   // tools, with *; none is every one; bash text is "bash"
	Argv    []string          `json:"argv"`    //
	Env     map[string]string `json:"env"`     // beside our own
	Cwd     string            `json:"cwd"`     // absolute; "" is the directory of the program
	Timeout float64           `json:"timeout"` // seconds; 0 is a minute
}

// Names is a list of strings; one string alone is a list of one.
type Names []string

// UnmarshalJSON takes "a" and ["a", "b"].
func (n *Names) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*n = Names{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New(`it is neither a name nor a list of names: write "write" or ["write", "field:db:*"]`)
	}
	*n = list
	return nil
}

// checkHookKeys looks at the keys of the hooks.
func (s *source) checkHookKeys(v *value) []error {
	errs := s.checkKeys(v, &jsonPath{key: "hooks"}, hooksKeys, true)
	for when, list := range hookLists(v) {
		for i, h := range list {
			errs = append(errs, s.checkKeys(h, hookPlace(when, i), hookKeys, true)...)
		}
	}
	return errs
}

func hookLists(v *value) map[string][]*value {
	lists := map[string][]*value{}
	for _, when := range strings.Fields(hooksKeys) {
		if m := v.find(when); m != nil {
			lists[when] = m.list
		}
	}
	return lists
}

func hookPlace(when string, i int) *jsonPath {
	return &jsonPath{up: &jsonPath{up: &jsonPath{key: "hooks"}, key: when}, item: true, index: i}
}

// expandHooks expands variables in what is run.
func (s *source) expandHooks(v *value, lookup func(string) (string, bool)) (errs []error) {
	for when, list := range hookLists(v) {
		for i, h := range list {
			for _, key := range []string{"argv", "env", "cwd"} {
				if m := h.find(key); m != nil {
					errs = append(errs, s.expand(m, &jsonPath{up: hookPlace(when, i), key: key}, lookup)...)
				}
			}
		}
	}
	return errs
}

// decodeHooks decodes the hooks one by one, for their keys' sake.
func (s *source) decodeHooks(v *value, f *file) (errs []error) {
	if v == nil {
		return nil
	}
	if !v.object {
		return []error{s.errorAt(v.offset, "hooks", "it is "+v.kind()+`: write {"before": [...], "after": [...]}`)}
	}
	for _, m := range v.members {
		key := "hooks." + m.key
		if !m.value.isList {
			errs = append(errs, s.errorAt(m.value.offset, key, "it is "+m.value.kind()+": write a list [...] of hooks"))
			continue
		}
		for i, one := range m.value.list {
			h, err := s.decodeHook(one, fmt.Sprintf("%s[%d]", key, i))
			if err != nil {
				errs = append(errs, err)
			} else if m.key == "before" {
				f.hooks.Before = append(f.hooks.Before, h)
			} else {
				f.hooks.After = append(f.hooks.After, h)
			}
		}
	}
	return errs
}

func (s *source) decodeHook(v *value, key string) (Hook, error) {
	var h Hook
	if err := s.decodeInto(v, key, &h); err != nil {
		return h, err
	}
	switch {
	case len(h.Argv) == 0 || h.Argv[0] == "":
		return h, s.errorAt(v.offset, key, `it has no program: write "argv": ["python3", "check.py"]`)
	case h.Timeout < 0 || h.Timeout > 600:
		return h, s.errorAt(v.find("timeout").offset, key+".timeout", "give seconds above 0, at most 600")
	}
	for _, m := range h.Match {
		if _, err := path.Match(m, ""); err != nil || m == "" {
			return h, s.errorAt(v.find("match").offset, key+".match", fmt.Sprintf("%q is no pattern for names: write a name, or a part of it and *", m))
		}
	}
	if h.Name == "" {
		h.Name = filepath.Base(h.Argv[0])
		if len(h.Argv) > 1 && !strings.HasPrefix(h.Argv[1], "-") {
			h.Name += " " + filepath.Base(h.Argv[1])
		}
	}
	return h, nil
}

// inDir makes hooks start below a directory.
func (h Hooks) inDir(root string) Hooks {
	in := func(list []Hook) (out []Hook) {
		for _, one := range list {
			one.Cwd = dirBelow(root, one.Cwd)
			out = append(out, one)
		}
		return out
	}
	return Hooks{Before: in(h.Before), After: in(h.After)}
}

// mergeHooks puts each source's hooks after those that it ranks over.
func (l *loader) mergeHooks() {
	for _, h := range []Hooks{l.projectHooks, l.userHooks, l.flagHooks} {
		l.result.Hooks.Before = append(l.result.Hooks.Before, h.Before...)
		l.result.Hooks.After = append(l.result.Hooks.After, h.After...)
	}
}
