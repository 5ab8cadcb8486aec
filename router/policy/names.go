package policy

import "strings"

// baseName is a program's name without what a version adds to it, and what a
// family of programs has in common.
func baseName(name string) string {
	t := programs()
	for _, family := range t.lists["family"] {
		pattern, base, _ := strings.Cut(family, ":")
		if _, ok := matchWord(pattern, name); ok {
			return base
		}
	}
	if base := strings.TrimRight(name, "0123456789.-"); t.has("versioned", base) {
		return base
	}
	if base, ok := strings.CutPrefix(name, "g"); ok && t.has("gnu", base) {
		return base
	}
	return name
}

// harmful reports whether a word names a command that is worth a second look
// among the arguments of another.
func harmful(word string) bool { return programs().fits("harmful", lastOf(word)) }

// matchingCommand returns a command whose name a pattern may mean, the worst
// one first.
func matchingCommand(pattern string) string {
	for _, name := range programs().lists["guess"] {
		if match(pattern, name, false) {
			return name
		}
	}
	return ""
}
