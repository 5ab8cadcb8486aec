package registry

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// NotFoundError says that no tool or group has that name. Exit status 127.
type NotFoundError struct {
	Name  string
	Close []string // names that may have been meant, best first; may be empty

	others []string // the tools of the server; nil: there is none of that name
}

// maxOthers is how many tools of a server are named at once.
const maxOthers = 12

func (e *NotFoundError) Error() string {
	next := "type `agent:` to list the commands, or `field:` to list the servers"
	switch group, _, isField := SplitField(e.Name); {
	case isField && len(e.others) > 0 && len(e.others) <= maxOthers:
		next = FieldPrefix + group + " has " + strings.Join(e.others, ", ")
	case isField && e.others != nil:
		next = FieldPrefix + group + " -h lists the server's tools"
	case isField:
		next = "`field:` lists the servers"
	}
	if len(e.Close) > 0 {
		next = "did you mean " + strings.Join(e.Close, " or ") + "?"
	}
	return e.Name + ": no such command: " + next
}

// ExitStatus is 127, bash's own for a command that was not found.
func (e *NotFoundError) ExitStatus() int { return 127 }

// NotFound returns the *NotFoundError for a name, with the names that may have been meant:
// of a tool of a server that there is, others of that server.
func (r *ToolRegistry) NotFound(name string) error {
	e := &NotFoundError{Name: name}
	var names []string
	prefix := ""
	group, _, isField := SplitField(name)
	if _, known := r.Group(group); isField && known {
		prefix, e.others = FieldPrefix+group+":", []string{}
	} else {
		for _, g := range r.Groups() {
			names = append(names, FieldPrefix+g.Name)
		}
	}
	for _, t := range r.All() {
		if short, ok := strings.CutPrefix(t.Name, prefix); ok {
			names = append(names, short)
		}
	}
	if prefix != "" {
		e.others = append(e.others, names...)
	}
	for _, near := range Closest(name[len(prefix):], names, 2) {
		e.Close = append(e.Close, prefix+near)
	}
	return e
}

// Search returns the known tools in which every word of the query occurs
// (name, summary, detail, tags, category; letters compare without case), those
// with more of it in the name first. When nothing holds every word, names that
// are a typing error away are returned.
func (r *ToolRegistry) Search(query string) []*Tool {
	words := strings.Fields(strings.ToLower(query))
	type hit struct {
		t     *Tool
		score int
	}
	var hits []hit
	for _, t := range r.All() {
		if s := scoreTool(t, words); s > 0 {
			hits = append(hits, hit{t, s})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].score > hits[j].score })
	var out []*Tool
	for _, h := range hits {
		out = append(out, h.t)
	}
	if len(out) > 0 {
		return out
	}
	var names []string
	for _, t := range r.All() {
		names = append(names, t.Name)
	}
	for _, n := range Closest(strings.TrimSpace(query), names, 5) {
		t, _ := r.Lookup(n)
		out = append(out, t)
	}
	return out
}

func scoreTool(t *Tool, words []string) int {
	name := strings.ToLower(t.Name)
	rest := strings.ToLower(strings.Join(append([]string{t.Summary, t.Detail, t.Category}, t.Tags...), "\n"))
	total := 1
	for _, w := range words {
		switch {
		case name == w || strings.HasSuffix(name, ":"+w):
			total += 8
		case strings.Contains(name, w):
			total += 4
		case strings.Contains(rest, w):
			total++
		default:
			return 0
		}
	}
	return total
}

// Closest returns up to n of the names that are near to what was typed, best
// first: within two edits or a third of its length, or alike but for case,
// dashes, underscores and a missing part. Of a word of four letters another letter
// makes another word: there a letter is missing, too many, or in another place.
func Closest(typed string, names []string, n int) []string {
	type cand struct {
		name string
		d    int
	}
	var cs []cand
	squash := strings.NewReplacer("-", "", "_", "")
	low := strings.ToLower(typed)
	for _, name := range names {
		l := strings.ToLower(name)
		d := editDistance(low, l)
		if squash.Replace(low) == squash.Replace(l) {
			d = 0
		} else if len(low) > 2 && (strings.HasPrefix(l, low) || strings.HasSuffix(l, "_"+low) || strings.HasSuffix(l, ":"+low) || strings.HasPrefix(low, l+"_")) {
			d = min(d, 1)
		} else if SameLetters(low, l) {
			d = 1
		} else if len(low) <= 4 && (len(l) == len(low) || d > 1) || len(low) == 5 && d > 1 {
			continue
		}
		if d <= max(2, len(typed)/3) && d < len(l) {
			cs = append(cs, cand{name, d})
		}
	}
	sort.SliceStable(cs, func(i, j int) bool { return cs[i].d < cs[j].d })
	var out []string
	for _, c := range cs {
		if len(out) == n || c.d > cs[0].d+1 {
			break
		}
		out = append(out, c.name)
	}
	return out
}

// SameLetters reports whether two words differ at most in the order of their letters.
func SameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return bytes.Equal(x, y)
}

// editDistance is Levenshtein's, in bytes; texts over 64 bytes count as far apart.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var row [65]int
	for j := range b {
		row[j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(b)]
}
