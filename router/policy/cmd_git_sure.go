package policy

import "strings"

// What is said here lowers a verdict, so it must be certain: a word may also be
// another option's value, or be taken back.

// cleansNothing reports whether git clean only lists.
func (g *gitCall) cleansNothing() bool {
	for _, a := range g.args {
		if !a.exact() || strings.HasPrefix(a.text, "--e") || strings.HasPrefix(a.text, "--no-d") ||
			len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, "e") {
			return false
		}
	}
	return g.has("-n", "--dry-run")
}

// hasExactly reports whether one of the options stands there alone, and not
// after an option that may take it for its value.
func (g *gitCall) hasExactly(names ...string) bool {
	for i, a := range g.args {
		if a.text == "--" {
			return false
		}
		for _, n := range names {
			if a.text == n && (i == 0 || !strings.HasPrefix(g.args[i-1].text, "-")) {
				return true
			}
		}
	}
	return false
}

// dryRun reports whether it is certain that nothing is pushed.
func (g *gitCall) dryRun() bool {
	found := false
	for _, a := range g.args {
		switch {
		case a.text == "-n" || a.text == "--dry-run":
			found = true
		case a.text == "--":
			return found
		case !a.exact(), strings.HasPrefix(a.text, "-o"), strings.HasPrefix(a.text, "--no-d"):
			return false
		case strings.HasPrefix(a.text, "--") && !strings.Contains(a.text, "=") &&
			(prefixOf(a.text, "--push-option", 3) || prefixOf(a.text, "--repo", 3) || prefixOf(a.text, "--receive-pack", 3) || prefixOf(a.text, "--exec", 3)):
			return false
		case len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, "o"):
			return false
		}
	}
	return found
}
