package registry

import (
	"os"
	"strings"
)

// A View tells where files really are for who sees them by other names: what runs
// in a file system of its own has its own /tmp. The zero value is the program's own
// view.
type View []Mount

// Mount is a directory that is seen at another path. One that is seen where it is
// keeps what lies in it from the mounts above. All paths are absolute and clean.
type Mount struct {
	At, Is string
	Over   string // a directory whose files are seen instead of those in Is; "" is none
}

// Real is where a path of the view leads.
func (v View) Real(path string) string {
	var m Mount
	for _, other := range v {
		if len(other.At) > len(m.At) && Below(path, other.At) {
			m = other
		}
	}
	if m.At == "" {
		return path
	}
	rest := strings.TrimPrefix(path, m.At)
	if over := m.Over + rest; m.Over != "" {
		st, err := os.Lstat(over)
		if err == nil && (st.Mode().IsRegular() || st.IsDir() && !exists(m.Is+rest)) {
			return over
		}
	}
	return m.Is + rest
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Shown is the path that the view has for a file.
func (v View) Shown(path string) string {
	best, out := 0, path
	for _, m := range v {
		for _, from := range []string{m.Is, m.Over} {
			if from != "" && len(from) > best && Below(path, from) {
				best, out = len(from), m.At+strings.TrimPrefix(path, from)
			}
		}
	}
	return out
}
