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

// findLines returns the number of the first line from which old stands in the text,
// as far as fold tells lines apart, or 0. Old may start and end within a line.
func (c *comparison) findLines(old string, fold func(string) string) int {
	for line := 1; line <= len(c.lines); line++ {
		if c.standsAt(line, strings.Split(old, "\n"), fold) {
			return line
		}
	}
	return 0
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

// findClosest returns the number of the line from which the text is most like old,
// or 0 when nothing is like it. Lines that are the same but for white space vote for a place;
// without any, the line that has most in common with old's longest line is it.
func (c *comparison) findClosest(old string) int {
	want := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	where := map[string][]int{}
	for i, l := range want {
		if key := foldAll(l); len(key) > 2 {
			where[key] = append(where[key], i)
		}
	}
	votes := map[int]int{}
	best, most := 0, 0
	for n, l := range c.lines {
		for _, i := range where[foldAll(l)] {
			if at := n - i; at >= 0 {
				votes[at]++
				if votes[at] > most {
					best, most = at+1, votes[at]
				}
			}
		}
	}
	if best > 0 {
		return best
	}
	return c.closestLine(want)
}

func (c *comparison) closestLine(want []string) int {
	longest := 0
	for i, l := range want {
		if len(strings.TrimSpace(l)) > len(strings.TrimSpace(want[longest])) {
			longest = i
		}
	}
	key := foldAll(want[longest])
	best, most := 0, 0.4 // less in common than that is no likeness
	for n, l := range c.lines {
		if n-longest < 0 || len(l) > 2000 {
			continue
		}
		if s := lineLikeness(key, foldAll(l)); s > most {
			best, most = n-longest+1, s
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

// describeDifference describes the first difference between what was given and the
// place where a repaired form of it stands.
func (c *comparison) describeDifference(given, repaired string, line int, strict bool, why cause) string {
	hint := ""
	if why.fold != nil {
		hint = c.firstDifference(given, line)
	}
	return fmt.Sprintf(" (it is at line %d)%s", line, hint)
}

// firstDifference says at which line and column the text from a line on starts
// to differ from old, and shows both.
func (c *comparison) firstDifference(old string, line int) string {
	want := strings.Split(old, "\n")
	for i, w := range want {
		if line-1+i >= len(c.lines) {
			return fmt.Sprintf("\nthe file ends at line %d, before old_string does", len(c.lines))
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
		return fmt.Sprintf("\nthe first difference is at line %d, column %d:\n  the file:   %s\n  old_string: %s", line+i, utf8.RuneCountInString(have[:column])+1,
			quoteVisible(have, column), quoteVisible(w, min(column-start, len(w))))
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
