package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Hooks are programs that are asked before calls and shown what came of them,
// those of the project first, then the user's, then those of --config.
type Hooks struct {
	Before []Hook `json:"before" join:"yes"`
	After  []Hook `json:"after" join:"yes"`
}

// Hook is one program.
type Hook struct {
	Name    string            `json:"name"`  // in messages; "" is the program's
	Match   Names             `json:"match"` // tools, with *; none is every one; bash text is "bash"
	Argv    []string          `json:"argv" expand:"yes"`
	Env     map[string]string `json:"env" expand:"yes"` // beside our own
	Cwd     string            `json:"cwd" expand:"yes"` // absolute; "" is the directory of the program
	Timeout float64           `json:"timeout"`          // seconds; 0 is a minute
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

// check says what is wrong with a hook, and the key where it is.
func (h *Hook) check() (problem string, key []any) {
	switch {
	case len(h.Argv) == 0 || h.Argv[0] == "":
		return `it has no program: write "argv": ["python3", "check.py"]`, nil
	case h.Timeout > 600:
		return "give seconds above 0, at most 600", []any{"timeout"}
	}
	for _, m := range h.Match {
		if _, err := path.Match(m, ""); err != nil || m == "" {
			return fmt.Sprintf("%q is no pattern for names: write a name, or a part of it and *", m), []any{"match"}
		}
	}
	return "", nil
}

// named is a hook with the name of its program if it has none.
func (h Hook) named() Hook {
	if h.Name == "" {
		h.Name = filepath.Base(h.Argv[0])
		if len(h.Argv) > 1 && !strings.HasPrefix(h.Argv[1], "-") {
			h.Name += " " + filepath.Base(h.Argv[1])
		}
	}
	return h
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
