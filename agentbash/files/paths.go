package files

import "github.com/agentbash/agentbash/internal/atomicfile"

// resolveLinks is the name under which a file is remembered: all links followed.
func resolveLinks(path string) (string, error) { return atomicfile.Resolve(path) }

// turnName is the name by which calls take turns at a file.
func turnName(path string) string {
	if real, err := resolveLinks(path); err == nil {
		return real
	}
	return path
}
