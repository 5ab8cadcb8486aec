package files

import (
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/agentbash/agentbash/internal/atomicfile"
)

// withTargets are paths and, where it is another, what they lead to. The lists of an Access have some
// 200 paths, so each directory is looked at once.
func withTargets(paths []string) []string {
	out, seen := slices.Clone(paths), map[string]target{}
	for _, p := range paths {
		if real := followLinks(p, seen); real.path != p {
			out = append(out, real.path)
		}
	}
	return out
}

// target is what a path leads to.
type target struct {
	path    string
	missing bool
}

// followLinks follows the links in a clean path, of which the end may be missing.
func followLinks(path string, seen map[string]target) target {
	if real, known := seen[path]; known {
		return real
	}
	real := target{path: path}
	if dir := filepath.Dir(path); dir != path && filepath.IsAbs(path) {
		parent := followLinks(dir, seen)
		real = target{filepath.Join(parent.path, filepath.Base(path)), parent.missing}
		if !real.missing {
			n, err := unix.Readlink(real.path, make([]byte, 1))
			real.missing = err == unix.ENOENT
			if n > 0 {
				if to, err := atomicfile.Resolve(real.path); err == nil {
					real.path = to
				}
			}
		}
	}
	seen[path] = real
	return real
}
