package registry

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

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
