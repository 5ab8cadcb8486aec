package fieldbash

import (
	"fmt"
	"strings"
	"sync"

	"github.com/agentbash/agentbash/internal/safetext"
)

const (
	maxName    = 64   // characters of a group's or a tool's name
	maxSummary = 160  // characters of a one-line summary
	maxDetail  = 4000 // characters of a description
)

// safeName makes a name that needs no quoting in any shell: letters, digits,
// dot, dash and underscore, not starting with a dot or a dash.
func safeName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case b.Len() == maxName:
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case (r == '-' || r == '.') && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// safeNames hands out safe names, each once.
type safeNames map[string]bool

// makeSafe returns the safe name for a tool; warning is not empty when it is not
// the name itself.
func (n safeNames) makeSafe(name string) (safe, warning string) {
	safe = safeName(name)
	for i := 2; n[safe]; i++ {
		safe = fmt.Sprintf("%s_%d", safeName(name), i)
	}
	n[safe] = true
	if safe != name {
		warning = fmt.Sprintf("the tool %q is offered as %s", name, safe)
	}
	return safe, warning
}

// oneSpaced takes out what is left of text that was cleaned and has no place in ours.
var oneSpaced = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("\t", " ", "\r", "", "\ufffd", "") })

// cleanText makes a description from elsewhere fit to be shown, in at most limit
// characters.
func cleanText(s string, limit int) string {
	s = oneSpaced().Replace(safetext.Clean(s))
	n := 0
	for i := range s {
		if n == limit {
			return strings.TrimRight(s[:i], " \n") + "..."
		}
		n++
	}
	return strings.Trim(s, " \n")
}

// summaryOf is the first sentence or line of a description, behind its headings.
func summaryOf(description string) string {
	line, rest, _ := strings.Cut(cleanText(description, maxDetail), "\n")
	for (line == "" || line[0] == '#') && rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
	}
	line = strings.TrimLeft(line, "# ")
	if i := strings.Index(line, ". "); i > 0 {
		line = line[:i]
	}
	return cleanText(strings.TrimSuffix(line, "."), maxSummary)
}

// GroupName is the name that a server or a set of functions has in commands: field:NAME.
func GroupName(name string) string { return safeName(name) }
