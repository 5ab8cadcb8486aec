package files

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// comparison looks for lines of a text that are like given ones.
type comparison struct {
	lines []string // without their newlines
}

func newComparison(text string) *comparison {
	return &comparison{lines: strings.Split(text, "\n")}
}

// findLines returns the numbers of the lines from which old stands in the text, as far
// as fold tells lines apart. Old may start and end within a line.
func (c *comparison) findLines(old string, fold func(string) string) (found []int) {
	lines := strings.Split(old, "\n")
	for line := 1; line <= len(c.lines); line++ {
		if c.standsAt(line, lines, fold) {
			found = append(found, line)
		}
	}
	return found
}

// isAmbiguous reports whether nothing is left of old when it is folded.
func (c *comparison) isAmbiguous(old string, fold func(string) string) bool {
	for line := range strings.SplitSeq(old, "\n") {
		if strings.TrimSpace(fold(line)) != "" {
			return false
		}
	}
	return true
}

// standsAt reports whether old stands from a line on.
func (c *comparison) standsAt(line int, old []string, fold func(string) string) bool {
	if line-1+len(old) > len(c.lines) {
		return false
	}
	for i, want := range old {
		have := c.lines[line-1+i]
		if fold != nil {
			want, have = fold(want), fold(have)
		}
		ok := have == want
		switch {
		case len(old) == 1:
			ok = strings.Contains(have, want)
		case i == 0:
			ok = strings.HasSuffix(have, want)
		case i == len(old)-1:
			ok = strings.HasPrefix(have, want)
		}
		if !ok {
			return false
		}
	}
	return true
}

// findClosest returns the numbers of the lines from which the text is most like old,
// nil when nothing is like it. Lines that are the same but for white space vote for a place;
// without any, the lines that have most in common with old's longest line are it.
func (c *comparison) findClosest(old string) (best []int) {
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	where := map[string][]int{}
	for i, l := range want {
		if key := foldAll(l); len(key) > 2 {
			where[key] = append(where[key], i)
		}
	}
	votes, most := map[int]int{}, 0
	for n, l := range c.lines {
		for _, i := range where[foldAll(l)] {
			if at := n - i; at >= 0 {
				votes[at]++
				most = max(most, votes[at])
			}
		}
	}
	for at := range c.lines {
		if most > 0 && votes[at] == most {
			best = append(best, at+1)
		}
	}
	if best == nil {
		return c.closestLines(want)
	}
	return best
}

func (c *comparison) closestLines(want []string) (best []int) {
	longest := 0
	for i, l := range want {
		if len(strings.TrimSpace(l)) > len(strings.TrimSpace(want[longest])) {
			longest = i
		}
	}
	key := foldAll(want[longest])
	most := 0.4 // less in common than that is no likeness
	for n, l := range c.lines {
		if n-longest < 0 || len(l) > 2000 {
			continue
		}
		switch s := lineLikeness(key, foldAll(l)); {
		case s > most:
			best, most = []int{n - longest + 1}, s
		case s == most && best != nil:
			best = append(best, n-longest+1)
		}
	}
	return best
}

// lineLikeness is the part that two lines have in common at their start and end, or
// the part of the words of the one that the other has, whichever is more.
func lineLikeness(a, b string) float64 {
	if a == "" || b == "" {
		return 0
	}
	n := min(len(a), len(b))
	head, tail := 0, 0
	for head < n && a[head] == b[head] {
		head++
	}
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ends := float64(head+tail) / float64(max(len(a), len(b)))
	words := strings.Fields(a)
	common := 0
	for _, w := range words {
		if strings.Contains(b, w) {
			common += len(w)
		}
	}
	return max(ends, float64(common)/float64(max(len(a), len(b))))
}

// firstDifference says at which line and column the text from a line on starts
// to differ from old, and shows both. what is its name.
func (c *comparison) firstDifference(old, what string, line int) string {
	want := strings.Split(old, "\n")
	for i, w := range want {
		if line-1+i >= len(c.lines) {
			return fmt.Sprintf("\nthe file ends at line %d, before %s does", len(c.lines), what)
		}
		have := c.lines[line-1+i]
		if i == len(want)-1 && (w == "" || strings.HasPrefix(have, w)) {
			continue
		}
		start := 0
		if i == 0 {
			start = alignLine(have, w)
		}
		if have[start:] == w {
			continue
		}
		column := start
		for column < len(have) && column-start < len(w) && have[column] == w[column-start] {
			column++
		}
		for column > start && column < len(have) && !utf8.RuneStart(have[column]) {
			column--
		}
		return fmt.Sprintf("\nthe first difference is at line %d, column %d:\n  %-*s %s\n  %s: %s", line+i, utf8.RuneCountInString(have[:column])+1,
			len(what)+1, "the file:", quoteVisible(have, column), what, quoteVisible(w, min(column-start, len(w))))
	}
	return ""
}

// alignLine is where in a line its likeness to the first line of an old text
// starts: an old text may start within a line.
func alignLine(have, want string) int {
	if i := strings.Index(have, want); i >= 0 {
		return i
	}
	best, most := 0, 0
	for start := 0; start < min(len(have), 400); start++ {
		n := 0
		for n < len(want) && start+n < len(have) && have[start+n] == want[n] {
			n++
		}
		if start == 0 {
			n += 2 // the start of the line is the likelier one
		}
		if n > most {
			best, most = start, n
		}
	}
	return best
}
