package registry

import "strings"

// A View tells where files really are for who sees them by other names: what runs
// in a file system of its own has its own /tmp. The zero value is the program's own
// view.
type View []Mount

// Mount is a directory that is seen at another path. One that is seen where it is
// keeps what lies in it from the mounts above. Both are absolute and clean.
type Mount struct{ At, Is string }

// Real is where a path of the view leads; Shown is the other way.
func (v View) Real(path string) string {
	return v.translate(path, func(m Mount) (from, to string) { return m.At, m.Is })
}

// Shown is the path that the view has for a file.
func (v View) Shown(path string) string {
	return v.translate(path, func(m Mount) (from, to string) { return m.Is, m.At })
}

func (v View) translate(path string, of func(Mount) (from, to string)) string {
	best, out := -1, path
	for _, m := range v {
		if from, to := of(m); len(from) > best && Below(path, from) {
			best, out = len(from), to+strings.TrimPrefix(path, from)
		}
	}
	return out
}
