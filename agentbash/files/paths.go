package files

import "github.com/agentbash/agentbash/agentbash/internal/atomicfile"

// resolved is the name under which a file is remembered: all links followed.
func resolved(path string) (string, error) { return atomicfile.Resolve(path) }

// turnName is the name by which calls take turns at a file.
func turnName(path string) string {
	if real, err := resolved(path); err == nil {
		return real
	}
	return path
}
